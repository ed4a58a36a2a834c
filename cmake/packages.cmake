# Debian packages by CPack: make package. One component is one package; docs/how-to/install.md says who needs which.
set(DPFERMI_MAINTAINER "The dpfermi developers <maintainers@dpfermi.invalid>" CACHE STRING
    "Who answers for the Debian packages that are built here: NAME <ADDRESS>")

# dpfermi_wrap(OUT TEXT): the words of TEXT in lines that fit a screen.
function(dpfermi_wrap out text)
  set(lines "")
  set(line "")
  string(REPLACE " " ";" words "${text}")
  foreach(word ${words})
    string(LENGTH "${line} ${word}" length)
    if(line STREQUAL "" OR length GREATER 76)
      string(APPEND lines "\n${word}")
      set(line "${word}")
    else()
      string(APPEND lines " ${word}")
      string(APPEND line " ${word}")
    endif()
  endforeach()
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# dpfermi_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [DEPENDS packages...] [NEEDS components...]
#                 [RECOMMENDS packages...] [SUGGESTS packages...])
# Shared libraries that its programs use are found by dpkg-shlibdeps; DEPENDS names what they are not.
# NEEDS: components whose packages must have the same version.
function(dpfermi_package component name section summary description)
  cmake_parse_arguments(ARG "" "" "DEPENDS;NEEDS;RECOMMENDS;SUGGESTS" ${ARGN})
  string(TOUPPER ${component} upper)
  foreach(relation DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN ARG_${relation} ", " packages)
    set(CPACK_DEBIAN_${upper}_PACKAGE_${relation} "${packages}" PARENT_SCOPE)
  endforeach()
  dpfermi_wrap(text "${description} ${cpu_note}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DEPENDS ${ARG_NEEDS} PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  # What Debian wants of every package. Only packages have them: EXCLUDE_FROM_ALL.
  set(docs ${PROJECT_BINARY_DIR}/packages/${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/copyright ${docs}/copyright COPYONLY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in ${docs}/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${docs}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${docs}/copyright ${docs}/changelog.gz ${PROJECT_SOURCE_DIR}/web/licences.txt
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# SOURCE_DATE_EPOCH, where it is set: the same sources give the same bytes.
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(cpu_note "The package is built for ${DPFERMI_ARCH} processors. On older ones the program dpfermi says so in one line.")
if(DPFERMI_ARCH STREQUAL "x86-64-v3")
  set(cpu_note "The package is built for processors with AVX2 and FMA (x86-64-v3: Intel since 2013, AMD since 2015). On older ones the program dpfermi says so in one line.")
endif()
set(CPACK_COMPONENTS_ALL "")

dpfermi_package(tool dpfermi science "classifiers that are accurate, fair and differentially private"
  "The command-line tool: it trains classifiers on tables whose sensitive attribute, or whole record, is protected by differential privacy with a certified (epsilon, delta), and charges every release to a ledger."
  RECOMMENDS ca-certificates
  SUGGESTS dpfermi-deep libpq5 python3-dpfermi)
dpfermi_package(library libdpfermi1 libs "fair and private classifiers: C interface"
  "The shared library libdpfermi, which other languages call.")
dpfermi_package(development libdpfermi-dev libdevel "fair and private classifiers: C++ and C development files"
  "Headers, static libraries, and what find_package(dpfermi) of CMake needs."
  NEEDS library
  # What cmake/dpfermiConfig.cmake.in looks for.
  DEPENDS libexpected-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libssl-dev libeigen3-dev libsqlite3-dev
          libboost-dev libprotobuf-dev libonnx-dev pkg-config libzip-dev libjpeg62-turbo-dev coinor-libclp-dev
          liblbfgs-dev libxgboost-dev
  SUGGESTS cmake)
dpfermi_package(python python3-dpfermi python "fair and private classifiers for Python"
  "Estimators in the manner of scikit-learn. Every fit charges a ledger on disk before it reads protected data, so that the guarantee survives cross-validation and grid search."
  NEEDS library
  DEPENDS "python3 (>= 3.9)" python3-numpy
  RECOMMENDS python3-sklearn python3-pandas
  SUGGESTS python3-matplotlib python3-tqdm)

# The Python package beside a link to the library of the package libdpfermi1.
set(python_folder lib/python3/dist-packages)
install(DIRECTORY python/dpfermi DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed)
file(RELATIVE_PATH library /${python_folder}/dpfermi /${CMAKE_INSTALL_LIBDIR}/libdpfermi.so.1)
file(CREATE_LINK ${library} ${PROJECT_BINARY_DIR}/packages/libdpfermi.so SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/packages/libdpfermi.so DESTINATION ${python_folder}/dpfermi
        COMPONENT python EXCLUDE_FROM_ALL)
set(metadata ${PROJECT_BINARY_DIR}/packages/metadata)
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -E rm -rf ${metadata})
              file(MAKE_DIRECTORY ${metadata})
              execute_process(COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/cmake/debian/python_metadata.py ${metadata}
                              WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${metadata}/dpfermi-${PROJECT_VERSION}.dist-info DESTINATION ${python_folder}
        COMPONENT python EXCLUDE_FROM_ALL FILES_MATCHING PATTERN METADATA PATTERN top_level.txt)
# As dh_python3 does: modules are compiled when they are installed, and the compiled files go with them.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/debian/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_DEEP_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

if(DPFERMI_TORCH)
  dpfermi_package(deep dpfermi-deep science "fair and private classifiers: deep models"
    "The program dpfermi-deep, which the tool starts for images and networks, and its library."
    RECOMMENDS dpfermi)
  dpfermi_package(deep_development libdpfermi-torch-dev libdevel "fair and private classifiers: development files of deep models"
    "Headers and the component torch of find_package(dpfermi)."
    NEEDS deep development
    DEPENDS libtorch-dev)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src/torch)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${DPFERMI_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
# Else it comes before the summary of each package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "${DPFERMI_MAINTAINER}")
include(CPack)
