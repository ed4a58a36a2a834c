# cmake -DTOOL=dpfermi -DOUTPUT=folder -P write_reference.cmake
# The completion scripts and compressed man pages of the tool, by the tool itself. gzip keeps no time: the same tool
# writes the same bytes.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${said}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUTPUT})
file(MAKE_DIRECTORY ${OUTPUT})
foreach(shell bash zsh fish)
  run(${TOOL} completion ${shell} OUTPUT_FILE ${OUTPUT}/dpfermi.${shell})
endforeach()
run(${TOOL} reference --format man --out ${OUTPUT}/man1)
file(GLOB pages ${OUTPUT}/man1/*.1)
run(gzip -9n ${pages})
