# frontends.cmake - the front ends beside the command: each a folder with a CMakeLists.txt.
#
# A front end sees include/ only, never src/. Its CMakeLists.txt looks for what it stands on; where
# that is missing it says so and what would bring it, and returns: the rest is built without it.
# Tests are registered with credence_test() and carry the folder's name as a label, so that
# `make check` can leave them out. Sanitizer and fuzz builds have the library and the command only,
# unless a front end asks for CREDENCE_SANITIZE itself.
set(CREDENCE_FRONTENDS serve python sql mpi milter CACHE STRING "Front ends to build where possible")

# Say why a front end is left out.
function(credence_without frontend needs)
    message(STATUS "Without ${needs} there is no ${frontend}: scripts/deps.sh ${frontend}")
endfunction()

# A Debian package of a front end's own: what is installed under a component, and what it depends on.
# `make install` leaves such components out where they are EXCLUDE_FROM_ALL.
function(credence_package component name)
    list(JOIN ARGN "|" needs)
    set_property(GLOBAL APPEND PROPERTY CREDENCE_PACKAGES "${component}|${name}|${needs}")
endfunction()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME credence)

if(CREDENCE_FUZZ)
    set(CREDENCE_FRONTENDS serve) # requests are fuzzed, too
endif()
foreach(frontend ${CREDENCE_FRONTENDS})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${frontend}/CMakeLists.txt)
        add_subdirectory(${frontend})
    endif()
endforeach()
