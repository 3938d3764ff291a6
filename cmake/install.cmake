# What `cmake --install` puts where, and the targets by which other projects find it: pkg-config (sdfg, sdfg-rt), CMake
# (find_package(sdfg): sdfg::sdfg, sdfg::static, sdfg::rt, sdfg::rt_static). The target `uninstall` removes what was installed.
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sdfg)
set(exported sdfg sdfg_static sdfg-rt sdfg-rt_static)
set(exported_names sdfg static rt rt_static)
foreach(target name IN ZIP_LISTS exported exported_names)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    add_library(sdfg::${name} ALIAS ${target})
endforeach()

install(TARGETS sdfg-run sdfg-bench sdfg-cc sdfg-cache)
install(TARGETS ${exported} EXPORT sdfg-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS sdfg-codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}) # beside libsdfg.so
install(FILES engine/include/sdfg.h TYPE INCLUDE)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/sdfgConfig.cmake.in ${CMAKE_BINARY_DIR}/sdfgConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sdfgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sdfgConfig.cmake ${CMAKE_BINARY_DIR}/sdfgConfigVersion.cmake DESTINATION ${config_folder})
install(EXPORT sdfg-targets NAMESPACE sdfg:: DESTINATION ${config_folder})

file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(package sdfg sdfg-rt)
    configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

file(GLOB pages_1 CONFIGURE_DEPENDS man/*.1)
file(GLOB pages_3 CONFIGURE_DEPENDS man/*.3)
install(FILES ${pages_1} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages_3} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
# The completion of bash is loaded by the name of the command.
foreach(tool sdfg-run sdfg-bench sdfg-cc sdfg-cache)
    install(FILES completions/sdfg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${tool})
endforeach()
install(FILES completions/_sdfg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt -D FOLDER=${config_folder}
                  -D PREFIX=${CMAKE_INSTALL_PREFIX} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
