# Flags that hold for every file of the project. They are global on purpose: mixed -march flags
# break Eigen's alignment across translation units, and FMA contraction would make results depend
# on the optimiser.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

# Who builds the tests builds them often, in several folders: with ccache most of it once.
find_program(DPFERMI_CCACHE ccache)
if(DPFERMI_DEVELOPER AND DPFERMI_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${DPFERMI_CCACHE})
endif()

# Results do not depend on how a compiler fuses or orders operations. No code reads errno or traps of
# floating-point functions, and without them roots and roundings run on vectors.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)
if(DPFERMI_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-march=${DPFERMI_ARCH})
endif()
if(DPFERMI_WERROR)
  add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                      -Wno-missing-field-initializers -Werror)
endif()
if(DPFERMI_SANITIZE)
  # Sanitizers look at memory and threads, not at speed: what compiles faster does.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  add_compile_options(-fsanitize=${DPFERMI_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DPFERMI_SANITIZE})
endif()
