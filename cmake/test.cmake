# dpfermi_add_tests(FOLDER [LINK targets...])
#
# tests/FOLDER/*_test.cc as one program linked with the module of that name; every case becomes a
# ctest entry labelled fast. Files named *_statistical_test.cc and *_slow_test.cc form programs of
# their own, labelled so. What takes longest starts first (COST), so that no core waits at the end.
set(DPFERMI_COST_fast 1)
set(DPFERMI_COST_statistical 10)
set(DPFERMI_COST_slow 100)
function(dpfermi_add_tests folder)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB all CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cc)
  foreach(label fast statistical slow)
    set(sources ${all})
    if(label STREQUAL fast)
      list(FILTER sources EXCLUDE REGEX "_(statistical|slow)_test\\.cc$")
    else()
      list(FILTER sources INCLUDE REGEX "_${label}_test\\.cc$")
    endif()
    if(sources)
      set(target test_${name}_${label})
      dpfermi_units(units ${target} ${sources})
      add_executable(${target} ${units})
      target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests
                                 ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
      target_link_libraries(${target} PRIVATE dpfermi_${name} GTest::gmock GTest::gtest_main
                            fmt::fmt ${ARG_LINK})
      target_compile_definitions(${target} PRIVATE DPFERMI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${label} TIMEOUT 1800
                           COST ${DPFERMI_COST_${label}})
    endif()
  endforeach()
endfunction()
