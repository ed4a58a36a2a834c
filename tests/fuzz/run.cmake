# cmake -DSOURCE=project -DBUILD=scratch -DSECONDS=n -P run.cmake
# Builds every fuzz target with clang and runs each for a fixed number of seconds from its seeds.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --preset fuzz -S ${SOURCE} -B ${BUILD})
file(GLOB seeds ${SOURCE}/tests/fuzz/seeds/*)
foreach(seeds_of ${seeds})
  get_filename_component(target ${seeds_of} NAME)
  run(${CMAKE_COMMAND} --build ${BUILD} --target fuzz_${target})
  file(MAKE_DIRECTORY ${BUILD}/corpus/${target})
  run(${BUILD}/tests/fuzz/fuzz_${target} -max_total_time=${SECONDS} -timeout=60 -rss_limit_mb=2048
      -seed=1 -artifact_prefix=${BUILD}/ ${BUILD}/corpus/${target} ${seeds_of})
  message("fuzz_${target}: ${SECONDS} s, nothing found")
endforeach()
