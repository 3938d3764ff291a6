# embed(OUT NAME TEXT): OUT becomes a C file with the text as the bytes `NAME` of `NAME_size`.
function(embed out name text)
    string(HEX "${text}" bytes)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
         "extern const unsigned char @name@[];\nextern const unsigned long @name@_size;\n\
const unsigned char @name@[] = { @bytes@ };\nconst unsigned long @name@_size = sizeof @name@;\n")
endfunction()

# The file as text; the build is configured anew when it changes.
function(embedded_file out path)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    set(${out} "${text}" PARENT_SCOPE)
endfunction()
