# cmake -DWEB=web -DMODULES=node_modules -DOUTPUT=folder "-DSTYLES=a;b" "-DSCRIPTS=a;b"
#       -P bundle_page.cmake
# The parts of the report page as single files: scripts share one scope of their own.
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
join_files(library.js "" "" ${MODULES}/vega/build/vega.min.js
           ${MODULES}/vega-lite/build/vega-lite.min.js)
join_files(licences.txt "" "" ${WEB}/licences.txt)
