# The page of a report: its parts from web/, and the charting library, which npm installs into the
# build folder when the lock file changed. docs/decisions/0006-report-page.md says why.
set(DPFERMI_NODE_MODULES "" CACHE PATH
    "Folder that holds vega, vega-lite and vega-interpreter (empty: npm installs them at build)")
if(NOT DPFERMI_NODE_MODULES)
  find_program(DPFERMI_NPM npm)
  if(NOT DPFERMI_NPM)
    message(FATAL_ERROR "npm is missing, which installs the charting library of reports; install "
                        "it: tools/install_dependencies.sh build")
  endif()
endif()

set(web_build ${PROJECT_BINARY_DIR}/web)
set(web_modules ${web_build}/node_modules)
if(DPFERMI_NODE_MODULES)
  set(web_modules ${DPFERMI_NODE_MODULES})
endif()
set(web_styles base.css answers.css charts.css print.css)
set(web_scripts data.js theme.js specs.js chart.js filters.js closer.js main.js)

# dpfermi_embed_page(MODULE HEADER FUNCTION): the parts become what FUNCTION returns.
function(dpfermi_embed_page module header function)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(installed "")
  if(NOT DPFERMI_NODE_MODULES)
    set(installed ${web_build}/installed)
    # Tests need packages that the page does not.
    set(flags --omit=dev)
    if(DPFERMI_DEVELOPER)
      set(flags "")
    endif()
    add_custom_command(OUTPUT ${installed} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DNPM=${DPFERMI_NPM} -DSOURCE=${web} -DFOLDER=${web_build}
              -DSTAMP=${installed} -DFLAGS=${flags} "-DWHAT=the charting library of reports"
              "-DWITHOUT=put vega, vega-lite and vega-interpreter into a folder and configure with -DDPFERMI_NODE_MODULES=FOLDER"
              -P ${PROJECT_SOURCE_DIR}/cmake/npm_ci.cmake
      DEPENDS ${web}/package.json ${web}/package-lock.json
      COMMENT "Installing the charting library of reports (npm)")
  endif()

  dpfermi_check_module(module_text)
  set(parts page.html public.html styles.css script.js library.js licences.txt
      check_styles.css check_script.js check_module.txt check_licences.txt)
  list(TRANSFORM parts PREPEND ${web_build}/parts/)
  list(TRANSFORM web_styles PREPEND ${web}/styles/ OUTPUT_VARIABLE styles)
  list(TRANSFORM web_scripts PREPEND ${web}/scripts/ OUTPUT_VARIABLE scripts)
  set(bundle ${PROJECT_SOURCE_DIR}/cmake/bundle_page.cmake)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  add_custom_command(OUTPUT ${output} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DMODULES=${web_modules} -DOUTPUT=${web_build}/parts
            "-DSTYLES=${styles}" "-DSCRIPTS=${scripts}" -DMODULE=${module_text} -P ${bundle}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DINPUTS=${parts}" -DHEADER=${header}
            -DFUNCTION=${function} -P ${embed}
    DEPENDS ${web}/page.html ${web}/public.html ${web}/licences.txt ${styles} ${scripts}
            ${web}/check/check.css ${web}/check/check.js ${web}/check/licences.txt ${module_text}
            ${installed} ${bundle} ${embed}
    COMMENT "Embedding the report page")
  target_sources(dpfermi_${module} PRIVATE ${output})
endfunction()
