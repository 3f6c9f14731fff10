# tests.cmake - unit tests, command tests, examples; all through CTest.
#
# tests/ROOM/test_THING.c becomes the program test_ROOM_THING and the test ROOM/THING; it may see
# src/ and tests/. tests/support/*.c is a library that each of them is linked with. tests/cli/THING.sh
# becomes the test cli/THING; exit status 77 means skipped. examples/NAME.c becomes the test
# examples/NAME; it sees what an installed user sees: the public headers and the shared library.
# tests/house.sh is the test house: what keeps the tree in order.
#
# Each test runs in an empty folder of its own and finds in its environment CREDENCE_BIN (the
# command), CREDENCE_SOURCE (the source tree) and, when the caller has set it, CREDENCE_DATA (a
# folder of public data sets). Tests that speak of threads carry the label "threads"; a comment
# "label: slow" in a test's source keeps it out of `make check`.
if(NOT BUILD_TESTING OR CREDENCE_FUZZ)
    return()
endif()
enable_testing()
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)

function(credence_test name source) # command...
    set(folder ${PROJECT_BINARY_DIR}/tests/run/${name})
    file(REMOVE_RECURSE ${folder})
    file(MAKE_DIRECTORY ${folder})
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${folder})
    file(STRINGS ${source} threaded REGEX "[Tt]hread" LIMIT_COUNT 1)
    cmake_path(GET name PARENT_PATH labels)
    if(threaded)
        list(APPEND labels threads)
    endif()
    file(STRINGS ${source} slow REGEX "label: slow" LIMIT_COUNT 1)
    if(slow)
        list(APPEND labels slow)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${labels}"
        ENVIRONMENT "CREDENCE_BIN=${PROJECT_BINARY_DIR}/credence;CREDENCE_SOURCE=${PROJECT_SOURCE_DIR}")
endfunction()

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
add_library(test_support STATIC ${support_sources})
target_include_directories(test_support PUBLIC src tests)
target_link_libraries(test_support PUBLIC credence_static PkgConfig::cmocka PkgConfig::libarchive)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/test_*.c)
foreach(source ${test_sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH room)
    cmake_path(GET path STEM thing)
    string(REGEX REPLACE "^test_" "" thing ${thing})
    string(REPLACE "/" "_" program "test_${room}_${thing}")
    add_executable(${program} ${source})
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${program} PRIVATE test_support)
    credence_test(${room}/${thing} ${source} ${program})
endforeach()

find_program(bash bash REQUIRED)
file(GLOB scripts CONFIGURE_DEPENDS tests/cli/*.sh)
foreach(script ${scripts})
    cmake_path(GET script STEM thing)
    credence_test(cli/${thing} ${script} ${bash} ${script})
    set_tests_properties(cli/${thing} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

credence_test(house ${PROJECT_SOURCE_DIR}/tests/house.sh ${bash}
    ${PROJECT_SOURCE_DIR}/tests/house.sh)

file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
    cmake_path(GET source STEM thing)
    add_executable(example_${thing} ${source})
    set_target_properties(example_${thing} PROPERTIES OUTPUT_NAME ${thing}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(example_${thing} PRIVATE credence_flags credence_shared m)
    credence_test(examples/${thing} ${source} example_${thing})
endforeach()

# The longest tests begin first, so that none is left to run alone at the end.
foreach(long cli/hostile cli/large cli/docs cli/auto train/memory_sweep train/team
        network/sampling_errors stats/fold_cuts)
    set_tests_properties(${long} PROPERTIES COST 60)
endforeach()
