# fuzz.cmake - one program per fuzz/fuzz_THING.c.
#
# In the fuzz preset each is a libFuzzer program. Everywhere else it is linked with fuzz/replay.c,
# which feeds it the seeds once: so `make test` and the sanitizer runs replay every seed, among
# them the inputs that once crashed.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
    cmake_path(GET source STEM program)
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
    target_link_libraries(${program} PRIVATE credence_static)
    if(NOT CREDENCE_FUZZ)
        string(REGEX REPLACE "^fuzz_" "" thing ${program})
        credence_test(fuzz/${thing} ${source} ${program} ${PROJECT_SOURCE_DIR}/fuzz/seeds/${thing})
    endif()
endforeach()
