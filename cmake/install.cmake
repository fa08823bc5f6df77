# Headers, library, command, manual, completions; pkg-config and find_package for those who build on it.
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

install(TARGETS zoprox EXPORT zoprox LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS zoprox_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/zoprox.h include/zoprox_data.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(ZO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/zoprox)
install(EXPORT zoprox NAMESPACE zoprox:: DESTINATION ${ZO_CMAKE_DIR} FILE zoproxConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zoproxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zoproxConfigVersion.cmake DESTINATION ${ZO_CMAKE_DIR})

# The prefix is found from where the .pc file is, so that an installed tree can be moved.
file(RELATIVE_PATH ZO_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/zoprox.pc.in ${PROJECT_BINARY_DIR}/zoprox.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zoprox.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES docs/zoprox.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES tool/completion/zoprox.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME zoprox OPTIONAL)
install(FILES tool/completion/_zoprox DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES tool/completion/zoprox.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
