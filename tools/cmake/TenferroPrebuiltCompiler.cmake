# Takes the compiler library and what it generated from another build of the same sources, so that libtenferro alone can be
# built with a sanitizer in a minute.

set(prebuilt ${TENFERRO_COMPILER_FROM}/runtime/kernels)
foreach(file ${prebuilt}/Tier0Table.cpp ${prebuilt}/tier0_v3.o ${prebuilt}/tier0_v4.o
        ${TENFERRO_COMPILER_FROM}/lib/libtenferro-compiler.so)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "TENFERRO_COMPILER_FROM is a finished build folder, but ${file} is missing")
  endif()
endforeach()

set_source_files_properties(${prebuilt}/tier0_v3.o ${prebuilt}/tier0_v4.o PROPERTIES EXTERNAL_OBJECT TRUE)
add_library(tenferro-tier0 STATIC ${prebuilt}/Tier0Table.cpp ${prebuilt}/tier0_v3.o ${prebuilt}/tier0_v4.o)

# libtenferro looks for the compiler beside itself.
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
file(CREATE_LINK ${TENFERRO_COMPILER_FROM}/lib/libtenferro-compiler.so
     ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libtenferro-compiler.so SYMBOLIC)

# Generated tables that libtenferro includes by their path in the build folder.
include_directories(AFTER ${TENFERRO_COMPILER_FROM})
