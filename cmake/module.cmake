# dpfermi_add_module(FOLDER [FOLDERS parts...] [USES folders...] [PUBLIC targets...]
#                    [PRIVATE targets...])
#
# One static library per folder: code in src/FOLDER and in those of its folders that FOLDERS names. USES
# names the modules it builds on; they become part of its interface. The library of privacy/accountant is
# the target dpfermi_privacy_accountant, exported as dpfermi::privacy_accountant.
function(dpfermi_add_module folder)
  cmake_parse_arguments(ARG "" "" "FOLDERS;USES;PUBLIC;PRIVATE" ${ARGN})
  set(patterns ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  foreach(part ${ARG_FOLDERS})
    list(APPEND patterns ${PROJECT_SOURCE_DIR}/src/${folder}/${part}/*.cc)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  string(REPLACE "/" "_" name ${folder})
  set(target dpfermi_${name})
  dpfermi_units(units ${target} ${sources})
  add_library(${target} STATIC ${units})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_USES REPLACE "/" "_")
  list(TRANSFORM ARG_USES PREPEND dpfermi_)
  target_link_libraries(${target} PUBLIC ${ARG_USES} ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY DPFERMI_MODULES ${target})
endfunction()

# dpfermi_embed_texts(MODULE PATTERN HEADER FUNCTION): the files that match PATTERN, below src/,
# become what FUNCTION returns (src/core/embedded_text.h); HEADER declares it.
function(dpfermi_embed_texts module pattern header function)
  file(GLOB inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${pattern})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake)
  add_custom_command(OUTPUT ${output} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} "-DINPUTS=${inputs}" -DHEADER=${header}
            -DFUNCTION=${function} -P ${script}
    DEPENDS ${inputs} ${script})
  target_sources(dpfermi_${module} PRIVATE ${output})
endfunction()
