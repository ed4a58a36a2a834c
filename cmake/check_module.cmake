# The accountant as a WebAssembly module (apps/dpfermi_check) for the pages whose readers recompute what a
# statement promises. docs/decisions/0014-check-in-the-browser.md says why it is built this way.
set(DPFERMI_BROWSER_CHECK AUTO CACHE STRING
    "Whether pages hold the accountant as WebAssembly: ON, OFF, or AUTO (where the compiler for it is found)")
set_property(CACHE DPFERMI_BROWSER_CHECK PROPERTY STRINGS AUTO ON OFF)

# One version for compiler, linker and library: Debian's clang-16, lld-16, libc++-16-dev-wasm32 and what they need.
find_program(DPFERMI_WASM_CXX clang++-16)
find_program(DPFERMI_WASM_LD wasm-ld-16)
set(wasm_llvm /usr/lib/llvm-16)
set(wasm_libc /usr/lib/wasm32-wasi)
set(wasm_builtins ${wasm_llvm}/lib/clang/16/lib/wasi/libclang_rt.builtins-wasm32.a)

# dpfermi_check_module(OUT): the module, packed as text, or an empty string where none is built.
function(dpfermi_check_module out)
  set(${out} "" PARENT_SCOPE)
  set(missing "")
  foreach(file ${DPFERMI_WASM_CXX} ${DPFERMI_WASM_LD} ${wasm_llvm}/include/wasm32-wasi/c++/v1/vector
          ${wasm_llvm}/lib/wasm32-wasi/libc++abi.a ${wasm_libc}/libc.a ${wasm_builtins})
    if(NOT EXISTS ${file})
      list(APPEND missing ${file})
    endif()
  endforeach()
  if(DPFERMI_BROWSER_CHECK STREQUAL OFF OR (missing AND DPFERMI_BROWSER_CHECK STREQUAL AUTO))
    return()
  endif()
  if(missing)
    message(FATAL_ERROR "the compiler for WebAssembly is incomplete (${missing}); install it: "
                        "tools/install_dependencies.sh wasm, or configure with -DDPFERMI_BROWSER_CHECK=OFF")
  endif()

  # What answers questions about an event; prices and calibration ask on behalf of a run.
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/privacy/accountant/*.cc)
  list(FILTER sources EXCLUDE REGEX "/(price|calibrate|paper_bound)\\.cc$")
  list(APPEND sources ${PROJECT_SOURCE_DIR}/src/privacy/event.cc ${PROJECT_SOURCE_DIR}/src/privacy/adjacency.cc
       ${PROJECT_SOURCE_DIR}/apps/dpfermi_check/accountant.cc)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM eigen PREPEND -idirafter)
  # The same rules for numbers as cmake/compiler.cmake; WebAssembly itself has no others. Nothing throws:
  # what runs out of memory traps.
  set(flags --target=wasm32-wasi -std=c++20 -O2 -DNDEBUG -ffp-contract=off -fno-math-errno -fno-trapping-math
      -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections -DFMT_HEADER_ONLY -DFMT_EXCEPTIONS=0
      -DFMT_STATIC_THOUSANDS_SEPARATOR -DEIGEN_NO_IO -DBOOST_NO_EXCEPTIONS
      -nostdinc++ -isystem ${wasm_llvm}/include/wasm32-wasi/c++/v1 ${eigen}
      -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include)
  set(folder ${PROJECT_BINARY_DIR}/web/check)
  dpfermi_units(units dpfermi_check ${sources})
  set(objects "")
  foreach(unit ${units})
    get_filename_component(name ${unit} NAME_WE)
    set(object ${folder}/${name}.o)
    add_custom_command(OUTPUT ${object} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DPFERMI_WASM_CXX} ${flags} -MD -MF ${object}.d -c ${unit} -o ${object}
      DEPENDS ${unit} DEPFILE ${object}.d
      COMMENT "Compiling the accountant to WebAssembly")
    list(APPEND objects ${object})
  endforeach()
  set(packed ${folder}/check_module.txt)
  add_custom_command(OUTPUT ${packed} VERBATIM
    COMMAND ${DPFERMI_WASM_LD} --gc-sections --strip-all -z stack-size=1048576 --entry=_initialize
            -L${wasm_libc} -L${wasm_llvm}/lib/wasm32-wasi ${wasm_libc}/crt1-reactor.o ${objects}
            -lc++ -lc++abi -lc ${wasm_builtins} -o ${folder}/accountant.wasm
    COMMAND sh -c "gzip -9 -n -c accountant.wasm | base64 -w 0 > check_module.txt"
    WORKING_DIRECTORY ${folder}
    DEPENDS ${objects}
    COMMENT "Linking the accountant as a WebAssembly module")
  set(${out} ${packed} PARENT_SCOPE)
endfunction()
