# The version that `fwatchdog -version` prints: the project's, and the commit it was built from.
find_package(Git QUIET)
set(FWD_COMMIT unknown)
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(FWD_COMMIT ${commit})
  endif()
endif()
