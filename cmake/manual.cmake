# manual.cmake - man pages and completions, which the command writes about itself.
if(NOT CREDENCE_MANUAL OR CMAKE_CROSSCOMPILING)
    return()
endif()
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND bash ${PROJECT_SOURCE_DIR}/scripts/manual.sh $<TARGET_FILE:credence> ${manual}
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/stamp
    DEPENDS credence ${PROJECT_SOURCE_DIR}/scripts/manual.sh
    COMMENT "Writing the man pages and completions" VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/stamp)
