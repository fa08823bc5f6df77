# What zoprox is built from. Only the first group is needed by the core library.
# SPDX-License-Identifier: MIT
find_path(RANDOM123_DIR Random123/philox.h REQUIRED)
pkg_check_modules(ARCHIVE IMPORTED_TARGET libarchive)
if(NOT ZO_COMMAND)
  return() # what follows is for the command
endif()
pkg_check_modules(CURL IMPORTED_TARGET libcurl)
pkg_check_modules(CRYPTO IMPORTED_TARGET libcrypto)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
option(ZO_SQLITE "Build the run store of tune, reproduce and report where SQLite is found" ON)
if(ZO_SQLITE)
  pkg_check_modules(SQLITE IMPORTED_TARGET sqlite3)
endif()
option(ZO_MPI "Build zoprox-mpi and libzoprox_mpi where MPI is found" ON)
if(ZO_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
