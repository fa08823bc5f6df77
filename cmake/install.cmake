# Headers, library, command, manual, completions; pkg-config and find_package for those who build on it.
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

install(TARGETS zoprox EXPORT zoprox LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET zoprox_static)
  install(TARGETS zoprox_static EXPORT zoprox ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
file(GLOB ZO_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES ${ZO_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(ZO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/zoprox)
install(EXPORT zoprox NAMESPACE zoprox:: DESTINATION ${ZO_CMAKE_DIR} FILE zoproxConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zoproxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zoproxConfigVersion.cmake DESTINATION ${ZO_CMAKE_DIR})

# The prefix is found from where the .pc file is, so that an installed tree can be moved.
file(RELATIVE_PATH ZO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name ${ARCHIVE_LIBRARIES} ${SQLITE_LIBRARIES} pthread ${CMAKE_DL_LIBS} m)
  string(APPEND ZO_PC_PRIVATE " -l${name}")
endforeach()
configure_file(cmake/zoprox.pc.in ${PROJECT_BINARY_DIR}/zoprox.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zoprox.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The pages and what they point to: docs/, examples/ and bindings/ as in the checkout, include a link to the installed headers.
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs examples bindings DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL PATTERN __pycache__ EXCLUDE)
file(RELATIVE_PATH ZO_DOC_INCLUDE ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
install(CODE "file(CREATE_LINK \"${ZO_DOC_INCLUDE}\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/include\" SYMBOLIC)")

# What needs MPI. Its include folders and libraries are named as they were found.
if(TARGET zoprox_mpi)
  install(TARGETS zoprox_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS zoprox_mpi_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/mpi/zoprox_mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  string(REPLACE ";" " " ZO_MPI_LIBS "${MPI_C_LIBRARIES}")
  list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE ZO_MPI_CFLAGS)
  string(REPLACE ";" " " ZO_MPI_CFLAGS "${ZO_MPI_CFLAGS}")
  configure_file(cmake/zoprox-mpi.pc.in ${PROJECT_BINARY_DIR}/zoprox-mpi.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/zoprox-mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(NOT ZO_COMMAND)
  return()
endif()
install(TARGETS zoprox_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The command writes its own manual and completions, from the tables that it is driven by.
set(ZO_WRITTEN "")
function(zo_write file)
  set(path ${PROJECT_BINARY_DIR}/share/${file})
  add_custom_command(OUTPUT ${path} COMMAND zoprox_tool ${ARGN} > ${path} DEPENDS zoprox_tool VERBATIM)
  set(ZO_WRITTEN ${ZO_WRITTEN} ${path} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share)
zo_write(zoprox.1 manual)
zo_write(zoprox.bash completion bash)
zo_write(zoprox.zsh completion zsh)
add_custom_target(zoprox_written ALL DEPENDS ${ZO_WRITTEN})
install(FILES ${PROJECT_BINARY_DIR}/share/zoprox.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/share/zoprox.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME zoprox)
install(FILES ${PROJECT_BINARY_DIR}/share/zoprox.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        RENAME _zoprox)
