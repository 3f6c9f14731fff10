# embed.cmake - files as a C file: cmake -D OUT=FILE -D FOLDER=FOLDER -D FILES=A;B -P embed.cmake
#
# The bytes stand in arrays; the table asset_files names them by their paths in the folder, with the
# first half of their SHA-256 as entity tags.
file(WRITE ${OUT}.new "/* Written by serve/embed.cmake. */\n#include \"assets.h\"\n\n")
set(number 0)
set(table "")
foreach(path ${FILES})
    file(READ ${path} bytes HEX)
    file(SIZE ${path} size)
    file(SHA256 ${path} hash)
    string(SUBSTRING ${hash} 0 32 hash)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${FOLDER} OUTPUT_VARIABLE name)
    if(name MATCHES "^\\.\\.")
        cmake_path(GET path FILENAME name)
    endif()
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    file(APPEND ${OUT}.new "static const unsigned char file_${number}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", file_${number}, ${size}, \"\\\"${hash}\\\"\"},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(APPEND ${OUT}.new "\nconst asset_file asset_files[] = {\n${table}    {0},\n};\n")
file(RENAME ${OUT}.new ${OUT})
