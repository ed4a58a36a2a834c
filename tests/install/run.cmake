# cmake -DBUILD=build-folder -DSOURCE=tests/install -DWORK=scratch -P run.cmake
# Installs the project into a scratch prefix, builds the consumer against it and runs it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(MUTANTS)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0 OR EXISTS ${WORK}/prefix)
    message(FATAL_ERROR "a build with planted defects was installed")
  endif()
  set(ENV{DPFERMI_INSTALL_MUTANTS} 1)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_EXE_LINKER_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(NOT out MATCHES "absent.csv: no such file")
  message(FATAL_ERROR "the consumer printed: ${out}")
endif()
run(${WORK}/prefix/bin/dpfermi --version)
message("${out}")
