# What costs a call nothing and a mistake its consequences: checked stack frames and library calls, addresses that
# cannot be guessed, tables that cannot be overwritten. tests/package/hardened.sh looks whether the binaries have it.
# SPDX-License-Identifier: MIT
include(CheckCCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # so that POSITION_INDEPENDENT_CODE links programs with -pie, whatever the compiler's default

foreach(flag -fstack-protector-strong -fstack-clash-protection)
  string(MAKE_C_IDENTIFIER "ZO_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
# It needs an optimizer, and does not go with the sanitizers, which check more.
if(NOT ZO_SANITIZE AND NOT ZO_TSAN)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
