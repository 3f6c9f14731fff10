# bench.cmake - the programs that bench/ measures with, one per C file.
if(NOT CREDENCE_BENCH)
    return()
endif()
file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
foreach(source ${bench_sources})
    cmake_path(GET source STEM program)
    add_executable(bench_${program} ${source})
    set_target_properties(bench_${program} PROPERTIES OUTPUT_NAME ${program}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(bench_${program} PRIVATE src)
    target_link_libraries(bench_${program} PRIVATE credence_static)
endforeach()
