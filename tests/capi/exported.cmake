# cmake -DNM=nm -DLIBRARY=libdpfermi.so -DSONAME=libdpfermi.so.N -DHEADER=dpfermi_c.h -P exported.cmake
# The library offers the functions of the header in the version of its ABI, and nothing else; its name has that version too.
file(READ ${HEADER} header)
string(REGEX MATCH "#define DPFERMI_ABI ([0-9]+)" found "${header}")
set(version DPFERMI_${CMAKE_MATCH_1})
if(NOT SONAME STREQUAL libdpfermi.so.${CMAKE_MATCH_1})
  message(FATAL_ERROR "${SONAME} is not named after ABI ${CMAKE_MATCH_1}")
endif()
string(REGEX MATCHALL "dpfermi_[a-z_]+\\(" declared "${header}")
# Comments write functions with their parentheses as well.
list(REMOVE_DUPLICATES declared)
list(TRANSFORM declared REPLACE "\\($" "@@${version}")
list(SORT declared)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n ]+ [A-Z][^\n]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " .*" "")
list(REMOVE_ITEM symbols ${version} ${version}@@${version})
list(SORT symbols)
list(LENGTH symbols count)
if(count LESS 30 OR NOT "${symbols}" STREQUAL "${declared}")
  message(FATAL_ERROR "the library offers\n${symbols}\nand the header declares\n${declared}")
endif()
message("${count} functions, version ${version}")
