# cmake -DCOMPILER=... -DINCLUDE=FOLDER -DSOURCE=FOLDER -DPROGRAM=FILE -P check.cmake
#
# Compiles FILE and compares the lines with errors to the lines marked "must fail: REGEX".
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} -I${SOURCE} ${PROGRAM}
                ERROR_VARIABLE output RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} compiles")
endif()

execute_process(COMMAND grep -n "must fail: " ${PROGRAM} OUTPUT_VARIABLE marks)
string(REPLACE ";" "" marks "${marks}")
string(REGEX MATCHALL "[^\n]+" marks "${marks}")
set(expected "")
foreach(mark ${marks})
  string(REGEX MATCH "^([0-9]+):.*must fail: (.*)$" _ "${mark}")
  list(APPEND expected ${CMAKE_MATCH_1})
  set(regex "misuse\\.cc:${CMAKE_MATCH_1}:[0-9]+: error: [^\n]*(${CMAKE_MATCH_2})")
  if(NOT output MATCHES "${regex}")
    message(SEND_ERROR "not refused as expected: ${mark}")
  endif()
endforeach()

string(REGEX MATCHALL "misuse\\.cc:[0-9]+:[0-9]+: error" errors "${output}")
foreach(error ${errors})
  string(REGEX MATCH ":([0-9]+):" _ "${error}")
  if(NOT CMAKE_MATCH_1 IN_LIST expected)
    message(SEND_ERROR "unexpected ${error}\n${output}")
  endif()
endforeach()
list(LENGTH expected count)
if(count EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} marks no line")
endif()
