# dependencies.cmake - the libraries that Credence stands on, one line each.
#
#   credence_depends(NAME DEBIAN package FOR "what it does here" [LIBRARY lib HEADER file] [OPTIONAL])
#
# NAME is the pkg-config module. A library that ships no .pc file names its LIBRARY and HEADER
# instead. Without an OPTIONAL library the build goes on, says what will be missing, and does not
# define CREDENCE_HAVE_<NAME>; without any other it stops and names the Debian package.
# docs/dependencies.md tells why each was chosen.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
set(CREDENCE_LIBRARIES Threads::Threads m)
set(CREDENCE_PC_MODULES "")    # for credence.pc: what a static link needs besides
set(CREDENCE_PC_LIBRARIES "-lpthread -lm")

function(credence_depends name)
    cmake_parse_arguments(PARSE_ARGV 1 dep OPTIONAL "DEBIAN;FOR;LIBRARY;HEADER" "")
    string(MAKE_C_IDENTIFIER "${name}" id)
    if(dep_LIBRARY)
        find_library(${id}_LIBRARY ${dep_LIBRARY})
        find_path(${id}_INCLUDE ${dep_HEADER})
        if(${id}_LIBRARY AND ${id}_INCLUDE)
            add_library(${id} INTERFACE IMPORTED)
            target_link_libraries(${id} INTERFACE ${${id}_LIBRARY})
            target_include_directories(${id} INTERFACE ${${id}_INCLUDE})
            set(target ${id})
            string(APPEND CREDENCE_PC_LIBRARIES " -l${dep_LIBRARY}")
        endif()
    else()
        pkg_check_modules(${id} QUIET IMPORTED_TARGET ${name})
        if(${id}_FOUND)
            set(target PkgConfig::${id})
            string(APPEND CREDENCE_PC_MODULES " ${name}")
        endif()
    endif()

    if(target)
        list(APPEND CREDENCE_LIBRARIES ${target})
    elseif(dep_OPTIONAL)
        message(STATUS "Without ${name} (Debian: ${dep_DEBIAN}) there is no ${dep_FOR}")
    else()
        message(FATAL_ERROR "Credence needs ${name} for ${dep_FOR}: apt-get install ${dep_DEBIAN}")
    endif()
    if(target AND dep_OPTIONAL)
        string(TOUPPER "${id}" macro)
        add_compile_definitions(CREDENCE_HAVE_${macro})
    endif()
    return(PROPAGATE CREDENCE_LIBRARIES CREDENCE_PC_MODULES CREDENCE_PC_LIBRARIES)
endfunction()

credence_depends(libarchive DEBIAN libarchive-dev FOR "compressed and archived input")
credence_depends(zlib       DEBIAN zlib1g-dev     FOR "gzip with its checksums")
credence_depends(libxxhash  DEBIAN libxxhash-dev  FOR "hashing and checksums")
credence_depends(libutf8proc DEBIAN libutf8proc-dev FOR "Unicode: categories, case, normal forms")
credence_depends(libstemmer DEBIAN libstemmer-dev FOR "stems of words" LIBRARY stemmer HEADER libstemmer.h)
credence_depends(lapacke    DEBIAN liblapacke-dev FOR "Cholesky, QR and eigenvalues")
credence_depends(openblas   DEBIAN libopenblas-serial-dev FOR "cross products and matrix factors")
credence_depends(liblbfgs   DEBIAN liblbfgs-dev   FOR "L-BFGS and OWL-QN")
credence_depends(cairo      DEBIAN libcairo2-dev  FOR "pictures as PNG and PDF" OPTIONAL)
credence_depends(libgvc     DEBIAN libgraphviz-dev FOR "layout of network graphs" OPTIONAL)

# The shared liblapacke brings a second LAPACK and BLAS with it, and every start of the command would
# bind them although OpenBLAS answers. Of the archive only what is called is linked.
find_library(lapacke_ARCHIVE liblapacke.a)
if(lapacke_ARCHIVE)
    list(TRANSFORM CREDENCE_LIBRARIES REPLACE "^PkgConfig::lapacke$" "${lapacke_ARCHIVE}")
    include_directories(SYSTEM ${lapacke_INCLUDE_DIRS})
endif()
