# MLIR 22, as shared libraries and for libtenferro-compiler as archives on request, tablegen helpers and one precompiled header for everything above the wall.

set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir CACHE PATH "MLIRConfig.cmake's folder")
set(LLVM_DIR /usr/lib/llvm-22/lib/cmake/llvm CACHE PATH "LLVMConfig.cmake's folder")
find_package(MLIR REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(TENFERRO_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(REMOVE_ITEM TENFERRO_LLVM_DEFINITIONS "-D_GLIBCXX_USE_CXX11_ABI=1")

# What every target that sees MLIR gets: include paths, flags (RTTI on, exceptions off, as Debian's LLVM is built) and
# the two dylibs, but for a target that has its own copy (TENFERRO_OWN_LLVM). Never a component library beside them.
add_library(tenferro-mlir INTERFACE)
target_include_directories(tenferro-mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(tenferro-mlir INTERFACE ${TENFERRO_LLVM_DEFINITIONS})
target_compile_options(tenferro-mlir INTERFACE -fno-exceptions -funwind-tables)
target_link_libraries(tenferro-mlir INTERFACE
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TENFERRO_OWN_LLVM>>>:MLIR>" "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TENFERRO_OWN_LLVM>>>:LLVM>")

# tenferro_own_llvm(target): links what the target uses of MLIR and LLVM from their archives. Its version script has to hide it.
function(tenferro_own_llvm target)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  foreach(needed MLIRIR LLVMX86CodeGen)
    if(NOT "${LLVM_LIBRARY_DIR}/lib${needed}.a" IN_LIST archives)
      message(FATAL_ERROR "TENFERRO_STATIC_LLVM needs the archives of MLIR and LLVM, but ${LLVM_LIBRARY_DIR}/lib${needed}.a is missing")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES TENFERRO_OWN_LLVM ON)
  target_link_libraries(${target} PRIVATE -Wl,--start-group ${archives} -Wl,--end-group -Wl,--as-needed z zstd ${CMAKE_DL_LIBS} pthread)
endfunction()

# tenferro_compiler_library(name SOURCES... [LINK libs...] [DEPENDS targets...]): a static library above the wall, with the shared PCH.
function(tenferro_compiler_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tenferro-mlir tenferro-core ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM tenferro-pch)
  endif()
endfunction()

# The shared precompiled header of the compiler: upstream headers only, so that our own edits never rebuild it.
file(WRITE ${PROJECT_BINARY_DIR}/pch/Pch.cpp "// The home of the shared precompiled header.\n")
add_library(tenferro-pch OBJECT ${PROJECT_BINARY_DIR}/pch/Pch.cpp)
target_link_libraries(tenferro-pch PUBLIC tenferro-mlir)
target_precompile_headers(tenferro-pch PRIVATE ${PROJECT_SOURCE_DIR}/tools/cmake/Pch.h)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-instantiate-templates>)
  set_target_properties(tenferro-pch PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # Without the header's own path (the default has both), and with a sum beside it that ccache hashes instead of its bytes, which
  # hold the checkout's path: so a second checkout compiles from the cache. All that header reads is upstream's.
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
  file(SHA256 ${PROJECT_SOURCE_DIR}/tools/cmake/Pch.h pch_text)
  file(SHA256 ${MLIR_DIR}/MLIRConfigVersion.cmake pch_upstream)
  string(SHA256 pch_sum "${pch_text} ${pch_upstream} ${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER_VERSION}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/tenferro-pch.dir/cmake_pch.hxx.pch.sum "${pch_sum}\n")
endif()
