# libtenferro opens libtenferro-compiler at run time; structures cross that wall. Both sides carry a hash of the files
# that define them, and a library of another build is refused instead of misread.

file(GLOB interface_files
  ${PROJECT_SOURCE_DIR}/dialects/tenferro/*.td ${PROJECT_SOURCE_DIR}/include/tenferro/DType.h
  ${PROJECT_SOURCE_DIR}/include/tenferro/Error.h ${PROJECT_SOURCE_DIR}/include/tenferro/Indexing.h ${PROJECT_SOURCE_DIR}/include/tenferro/Shape.h
  ${PROJECT_SOURCE_DIR}/lib/Core/Expected.h ${PROJECT_SOURCE_DIR}/lib/Core/Graph.h ${PROJECT_SOURCE_DIR}/lib/Core/OpSchema.h
  ${PROJECT_SOURCE_DIR}/runtime/core/Boxed.h ${PROJECT_SOURCE_DIR}/runtime/core/KernelAbi.h
  ${PROJECT_SOURCE_DIR}/runtime/program/Program.h ${PROJECT_SOURCE_DIR}/runtime/launch/WindowDimensions.h
  ${PROJECT_SOURCE_DIR}/lib/Compiler/CompileInterface.h)
set(interface_text "")
foreach(file ${interface_files})
  file(SHA256 ${file} hash)
  string(APPEND interface_text ${hash})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
string(SHA256 interface_hash "${interface_text}")
string(SUBSTRING ${interface_hash} 0 16 TENFERRO_INTERFACE_ID)
configure_file(${PROJECT_SOURCE_DIR}/lib/Compiler/InterfaceId.h.in ${PROJECT_BINARY_DIR}/lib/Compiler/InterfaceId.h @ONLY)
