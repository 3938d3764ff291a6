# What the wheel holds besides the package (pyproject.toml): the libraries, without symbols, in the folder of the package, where
# python/sdfg/_library.py, the core and the programs that it exports look for them. With -DSDFG_PREBUILT=FOLDER nothing is compiled: the
# libraries are those of a release build.
set(SDFG_PREBUILT "" CACHE PATH "folder of a release build whose libraries go into the wheel")
set(wheel_libraries sdfg sdfg-codegen sdfg-rt sdfg-dacestub)
set(wheel_names libsdfg.so libsdfg-codegen.so libsdfg-rt.so.0 libsdfg-dacestub.so)
if(SDFG_PREBUILT)
    add_custom_target(wheel)
else()
    add_custom_target(wheel DEPENDS ${wheel_libraries})
endif()
foreach(library name IN ZIP_LISTS wheel_libraries wheel_names)
    set(file $<TARGET_FILE:${library}>)
    if(SDFG_PREBUILT)
        file(REAL_PATH ${name} file BASE_DIRECTORY ${SDFG_PREBUILT})
    endif()
    install(PROGRAMS ${file} DESTINATION sdfg RENAME ${name} COMPONENT wheel)
    install(CODE "execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/sdfg/${name}\"
                                  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT wheel)
endforeach()
