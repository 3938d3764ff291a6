# Removes what install_manifest.txt lists, below DESTDIR if that is set as it was for the installation.
if(NOT EXISTS ${MANIFEST})
    message(FATAL_ERROR "nothing was installed from here: there is no ${MANIFEST}")
endif()
file(STRINGS ${MANIFEST} files)
foreach(file ${files})
    set(path $ENV{DESTDIR}${file})
    if(EXISTS ${path} OR IS_SYMLINK ${path})
        message(STATUS "removing ${path}")
        file(REMOVE ${path})
    endif()
endforeach()
file(REMOVE_RECURSE $ENV{DESTDIR}${PREFIX}/${FOLDER}) # ours alone
