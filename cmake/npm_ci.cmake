# cmake -DNPM=npm -DSOURCE=web -DFOLDER=build/web -DSTAMP=file -DFLAGS="..." -P npm_ci.cmake
# Installs what the lock file of SOURCE names into FOLDER, and nothing else.
foreach(file package.json package-lock.json .npmrc)
  configure_file(${SOURCE}/${file} ${FOLDER}/${file} COPYONLY)
endforeach()
execute_process(COMMAND ${NPM} ci --ignore-scripts ${FLAGS} WORKING_DIRECTORY ${FOLDER}
                OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log RESULT_VARIABLE failed)
if(failed)
  message(NOTICE "dpfermi: npm could not install the charting library of reports: is the package registry within reach? Without it, put vega and vega-lite into a folder and configure with -DDPFERMI_NODE_MODULES=FOLDER (log: ${FOLDER}/npm.log)")
  message(FATAL_ERROR "npm ci failed")
endif()
file(TOUCH ${STAMP})
