# cmake -DWEB=web -DMODULES=node_modules -DOUTPUT=folder "-DSTYLES=a;b" "-DSCRIPTS=a;b" -DMODULE=file
#       -P bundle_page.cmake
# The parts of the report page as single files: scripts share one scope of their own. MODULE may be empty.
function(join_files output before after)
  set(joined "${before}")
  foreach(input ${ARGN})
    file(READ ${input} text)
    string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" text "${text}")
    string(APPEND joined "${text}\n")
  endforeach()
  file(WRITE ${OUTPUT}/${output} "${joined}${after}")
endfunction()

join_files(page.html "" "" ${WEB}/page.html)
join_files(public.html "" "" ${WEB}/public.html)
join_files(styles.css "" "" ${STYLES})
join_files(script.js "(() => {\n'use strict';\n" "})();\n" ${SCRIPTS})

# The interpreter of expressions is published as a module only; what it imports is in vega already.
file(READ ${MODULES}/vega-interpreter/build/vega-interpreter.js interpreter)
string(REGEX REPLACE "^import ({[^}]*}) from 'vega-util';" "const \\1 = vega;" interpreter "${interpreter}")
string(REGEX REPLACE "\nexport { expression as expressionInterpreter };" "\nreturn expression;" interpreter "${interpreter}")
if(interpreter MATCHES "(^|\n)(import|export) ")
  message(FATAL_ERROR "vega-interpreter is not built as expected; adapt cmake/bundle_page.cmake")
endif()
file(WRITE ${OUTPUT}/interpreter.js "const expressionInterpreter = (() => {\n${interpreter}\n})();\n")
join_files(library.js "" "" ${MODULES}/vega/build/vega.min.js ${MODULES}/vega-lite/build/vega-lite.min.js
           ${OUTPUT}/interpreter.js)
join_files(licences.txt "" "" ${WEB}/licences.txt)
join_files(check_styles.css "" "" ${WEB}/check/check.css)
join_files(check_script.js "(() => {\n'use strict';\n" "})();\n" ${WEB}/check/check.js)
join_files(check_module.txt "" "" ${MODULE})
join_files(check_licences.txt "" "" ${WEB}/check/licences.txt)
