# cmake -DNPM=npm -DSOURCE=web -DFOLDER=build/web -DSTAMP=file -DFLAGS="..." -DWHAT="..." -DWITHOUT="..." -P npm_ci.cmake
# Installs what the lock file of SOURCE names into FOLDER, and nothing else.
foreach(file package.json package-lock.json .npmrc)
  configure_file(${SOURCE}/${file} ${FOLDER}/${file} COPYONLY)
endforeach()
execute_process(COMMAND ${NPM} ci --ignore-scripts ${FLAGS} WORKING_DIRECTORY ${FOLDER}
                OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log RESULT_VARIABLE failed)
if(failed)
  message(NOTICE "dpfermi: npm could not install ${WHAT}: is the package registry within reach? Without it, ${WITHOUT} (log: ${FOLDER}/npm.log)")
  message(FATAL_ERROR "npm ci failed")
endif()
file(TOUCH ${STAMP})
