# dependencies.cmake - the libraries that Credence stands on, one line each.
#
#   credence_depends(NAME DEBIAN package FOR "what it does here"
#                    [INLINED | OPENED package [LIBRARY lib HEADER file]] [OPTIONAL])
#
# NAME is the pkg-config module. Of a library that is INLINED only the headers are used, which have
# all of it. A library that is OPENED is not linked but opened when it is first
# needed (src/base/library.h): CREDENCE_<NAME> tells the file that the loader looks for and the
# Debian package that has it. One that ships no .pc file names its LIBRARY and HEADER. Without an
# OPTIONAL library the build goes on, says what will be missing, and does not define
# CREDENCE_HAVE_<NAME>; without any other it stops and names the Debian package.
# docs/dependencies.md tells why each was chosen.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(CREDENCE_LIBRARIES Threads::Threads m ${CMAKE_DL_LIBS})
set(CREDENCE_INCLUDES "")      # of what is inlined or opened: the headers,
set(CREDENCE_OPENED "")        # and the Debian packages of what is opened
set(CREDENCE_PC_MODULES "")    # for credence.pc: what a static link needs besides

# The name by which a program that was linked with a library looks for it.
function(credence_soname library out)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE head)
    if(NOT head MATCHES "SONAME +([^\n ]+)")
        message(FATAL_ERROR "Credence opens ${library} as it runs, but that is no shared library")
    endif()
    set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

function(credence_depends name)
    cmake_parse_arguments(PARSE_ARGV 1 dep "INLINED;OPTIONAL" "DEBIAN;FOR;LIBRARY;HEADER;OPENED" "")
    string(MAKE_C_IDENTIFIER "${name}" id)
    string(TOUPPER "${id}" macro)
    if(dep_LIBRARY)
        find_library(${id}_LINK_LIBRARIES ${dep_LIBRARY})
        find_path(${id}_INCLUDE_DIRS ${dep_HEADER})
        if(${id}_LINK_LIBRARIES AND ${id}_INCLUDE_DIRS)
            set(${id}_FOUND TRUE)
        endif()
    else()
        pkg_check_modules(${id} QUIET IMPORTED_TARGET ${name})
    endif()

    if(NOT ${id}_FOUND AND dep_OPTIONAL)
        message(STATUS "Without ${name} (Debian: ${dep_DEBIAN}) there is no ${dep_FOR}")
    elseif(NOT ${id}_FOUND)
        message(FATAL_ERROR "Credence needs ${name} for ${dep_FOR}: apt-get install ${dep_DEBIAN}")
    elseif(dep_INLINED)
        list(APPEND CREDENCE_INCLUDES ${${id}_INCLUDE_DIRS})
    elseif(dep_OPENED)
        list(GET ${id}_LINK_LIBRARIES 0 library)
        credence_soname(${library} file)
        add_compile_definitions("CREDENCE_${macro}=\"${file}\", \"${dep_OPENED}\"")
        list(APPEND CREDENCE_INCLUDES ${${id}_INCLUDE_DIRS})
        list(APPEND CREDENCE_OPENED ${dep_OPENED})
    else()
        list(APPEND CREDENCE_LIBRARIES PkgConfig::${id})
        string(APPEND CREDENCE_PC_MODULES " ${name}")
    endif()
    if(${id}_FOUND AND dep_OPTIONAL)
        add_compile_definitions(CREDENCE_HAVE_${macro})
    endif()
    return(PROPAGATE CREDENCE_LIBRARIES CREDENCE_INCLUDES CREDENCE_OPENED CREDENCE_PC_MODULES)
endfunction()

credence_depends(zlib       DEBIAN zlib1g-dev     FOR "gzip with its checksums")
credence_depends(libxxhash  DEBIAN libxxhash-dev  FOR "hashing and checksums" INLINED)
credence_depends(libutf8proc DEBIAN libutf8proc-dev FOR "Unicode: categories, case, normal forms")
credence_depends(liblbfgs   DEBIAN liblbfgs-dev   FOR "L-BFGS and OWL-QN" OPENED liblbfgs0)
credence_depends(openblas   DEBIAN libopenblas-pthread-dev FOR "products and factors of matrices"
                 OPENED libopenblas0-pthread)
credence_depends(libstemmer DEBIAN libstemmer-dev FOR "stems of words"
                 OPENED libstemmer0d LIBRARY stemmer HEADER libstemmer.h)
credence_depends(libarchive DEBIAN libarchive-dev FOR "compressed and archived input"
                 OPENED libarchive13)
credence_depends(lmdb       DEBIAN liblmdb-dev    FOR "stores that learn row by row" OPENED liblmdb0)
credence_depends(libpq      DEBIAN libpq-dev      FOR "stores on PostgreSQL" OPENED libpq5)
credence_depends(cairo      DEBIAN libcairo2-dev  FOR "pictures as PNG and PDF"
                 OPENED libcairo2 OPTIONAL)
credence_depends(libgvc     DEBIAN libgraphviz-dev FOR "layout of network graphs"
                 OPENED libgvc6 OPTIONAL)

# --- The command's start ------------------------------------------------------------------------

# A mail server starts the command for each message, and every library that the loader opens costs a
# few percent of a lesson. So the archives of those that it needs for mail are put into it, where
# there are any; what the linker then finds unneeded is not opened.
option(CREDENCE_ARCHIVES "Put the archives of small libraries into the command" ON)

include(CheckLinkerFlag)
check_linker_flag(C LINKER:-z,pack-relative-relocs CREDENCE_HAVE_RELR)

function(credence_quick_start command)
    if(CREDENCE_HAVE_RELR)
        target_link_options(${command} PRIVATE LINKER:-z,pack-relative-relocs)
    endif()
    foreach(name IN ITEMS z utf8proc lmdb)
        find_library(CREDENCE_ARCHIVE_${name} lib${name}.a)
        mark_as_advanced(CREDENCE_ARCHIVE_${name})
        if(CREDENCE_ARCHIVES AND CREDENCE_ARCHIVE_${name})
            target_link_libraries(${command} PRIVATE ${CREDENCE_ARCHIVE_${name}})
            target_link_options(${command} PRIVATE LINKER:--as-needed)
        endif()
    endforeach()
    if(CREDENCE_ARCHIVES AND CREDENCE_ARCHIVE_lmdb) # src/store/kv_lmdb.c does without it, too
        target_link_options(${command} PRIVATE LINKER:--undefined=mdb_env_open)
    endif()
endfunction()
