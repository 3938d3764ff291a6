# What `cmake --install` puts where, and the targets by which other projects find it: pkg-config (sdfg, sdfg-rt), CMake
# (find_package(sdfg): sdfg::sdfg, sdfg::static, sdfg::rt, sdfg::rt_static). The target `uninstall` removes what was installed.
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sdfg)
set(exported sdfg-rt sdfg-rt_static)
set(exported_names rt rt_static)
set(includes)
if(NOT SDFG_RUNTIME_ONLY)
    set(includes INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    list(APPEND exported sdfg sdfg_static)
    list(APPEND exported_names sdfg static)
endif()
foreach(target name IN ZIP_LISTS exported exported_names)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    add_library(sdfg::${name} ALIAS ${target})
endforeach()
install(TARGETS ${exported} EXPORT sdfg-targets ${includes})

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/sdfgConfig.cmake.in ${CMAKE_BINARY_DIR}/sdfgConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sdfgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sdfgConfig.cmake ${CMAKE_BINARY_DIR}/sdfgConfigVersion.cmake DESTINATION ${config_folder})
install(EXPORT sdfg-targets NAMESPACE sdfg:: DESTINATION ${config_folder})

file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(packages sdfg-rt)
if(NOT SDFG_RUNTIME_ONLY)
    list(APPEND packages sdfg)
endif()
foreach(package ${packages})
    configure_file(cmake/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D BUILD=${CMAKE_BINARY_DIR} -D FOLDERS=${config_folder},${CMAKE_INSTALL_LIBDIR}/libsdfg
                  -D PREFIX=${CMAKE_INSTALL_PREFIX} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
if(SDFG_RUNTIME_ONLY)
    return()
endif()

install(TARGETS sdfg-run sdfg-bench sdfg-cc sdfg-cache)
install(TARGETS sdfg-codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}) # beside libsdfg.so
install(TARGETS sdfg-dacestub LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/libsdfg)
install(FILES engine/include/sdfg.h engine/include/sdfg_plugin.h TYPE INCLUDE)
file(GLOB pages_1 CONFIGURE_DEPENDS man/*.1)
file(GLOB pages_3 CONFIGURE_DEPENDS man/*.3)
install(FILES ${pages_1} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages_3} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
# The completion of bash is loaded by the name of the command.
foreach(tool sdfg-run sdfg-bench sdfg-cc sdfg-cache)
    install(FILES completions/sdfg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${tool})
endforeach()
install(FILES completions/_sdfg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# ---- the Python package, on request: cmake --install BUILD --component python. Into the prefix's own folder of packages, if python3 looks
# into one there; it finds the library by its place relative to the package. --------------------------------------------------------
set(SDFG_PYTHON_DIR "" CACHE PATH "where the Python package is installed; empty: the prefix's folder of packages")
find_program(python3 NAMES python3)
mark_as_advanced(python3)
if(python3)
    set(python_folder "${SDFG_PYTHON_DIR}")
    if(NOT python_folder)
        execute_process(COMMAND ${python3} ${CMAKE_SOURCE_DIR}/cmake/python_folder.py ${CMAKE_INSTALL_PREFIX}
                        OUTPUT_VARIABLE python_folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    endif()
    cmake_path(ABSOLUTE_PATH python_folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE python_full)
    file(RELATIVE_PATH from_package ${python_full}/sdfg ${CMAKE_INSTALL_FULL_LIBDIR}/libsdfg.so.0)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/python/_installed.py @ONLY CONTENT
         "\"\"\"Written by cmake --install: where the library is, from this folder.\"\"\"\nLIBRARY = \"@from_package@\"\n")
    install(DIRECTORY python/sdfg DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL PATTERN __pycache__ EXCLUDE)
    install(FILES ${CMAKE_BINARY_DIR}/python/_installed.py DESTINATION ${python_folder}/sdfg COMPONENT python EXCLUDE_FROM_ALL)
endif()
