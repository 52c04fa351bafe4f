# libtenferro opens libtenferro-compiler at run time; structures cross that wall. Both sides carry a hash of the files
# that define them, and a library of another build is refused instead of misread.

file(GLOB interface_files
  ${CMAKE_SOURCE_DIR}/dialects/tenferro/*.td ${CMAKE_SOURCE_DIR}/include/tenferro/DType.h
  ${CMAKE_SOURCE_DIR}/include/tenferro/Error.h ${CMAKE_SOURCE_DIR}/include/tenferro/Shape.h
  ${CMAKE_SOURCE_DIR}/lib/Core/Expected.h ${CMAKE_SOURCE_DIR}/lib/Core/Graph.h ${CMAKE_SOURCE_DIR}/lib/Core/OpSchema.h
  ${CMAKE_SOURCE_DIR}/runtime/core/KernelAbi.h ${CMAKE_SOURCE_DIR}/runtime/core/Program.h
  ${CMAKE_SOURCE_DIR}/lib/Compiler/CompileInterface.h)
set(interface_text "")
foreach(file ${interface_files})
  file(SHA256 ${file} hash)
  string(APPEND interface_text ${hash})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
string(SHA256 interface_hash "${interface_text}")
string(SUBSTRING ${interface_hash} 0 16 TENFERRO_INTERFACE_ID)
configure_file(${CMAKE_SOURCE_DIR}/lib/Compiler/InterfaceId.h.in ${CMAKE_BINARY_DIR}/lib/Compiler/InterfaceId.h @ONLY)
