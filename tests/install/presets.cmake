# cmake -DPRESETS=CMakePresets.json -P presets.cmake
# Defects can be planted in the builds of tests, and in no other.
cmake_minimum_required(VERSION 3.25)
file(READ ${PRESETS} text)
string(JSON count LENGTH ${text} configurePresets)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET ${text} configurePresets ${i} name)
  string(JSON mutants ERROR_VARIABLE absent GET ${text} configurePresets ${i} cacheVariables DPFERMI_MUTANTS)
  if(mutants STREQUAL "ON" AND NOT name MATCHES "^(dev|asan|tsan)$")
    message(FATAL_ERROR "the preset ${name} contains planted defects")
  endif()
endforeach()
