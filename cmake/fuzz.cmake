# fuzz.cmake - one program per fuzz/fuzz_THING.c.
#
# In the fuzz preset each is a libFuzzer program. Everywhere else it is linked with fuzz/replay.c,
# which feeds it the seeds once: so `make test` and the sanitizer runs replay every seed, among
# them the inputs that once crashed. A target that stands on more than the library says so in a comment:
# "needs: TARGET".
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
    cmake_path(GET source STEM program)
    file(STRINGS ${source} needs REGEX "needs: [a-z_]+" LIMIT_COUNT 1)
    string(REGEX REPLACE ".*needs: ([a-z_]+).*" "\\1" needs "${needs}")
    if(needs AND NOT TARGET ${needs})
        continue()
    endif()
    if(CREDENCE_FUZZ)
        add_executable(${program} ${source})
        target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    elseif(BUILD_TESTING)
        add_executable(${program} ${source} fuzz/replay.c)
    else()
        continue()
    endif()
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
    target_include_directories(${program} PRIVATE src)
    target_link_libraries(${program} PRIVATE ${needs} credence_static)
    if(NOT CREDENCE_FUZZ)
        string(REGEX REPLACE "^fuzz_" "" thing ${program})
        credence_test(fuzz/${thing} ${source} ${program} ${PROJECT_SOURCE_DIR}/fuzz/seeds/${thing})
    endif()
endforeach()
