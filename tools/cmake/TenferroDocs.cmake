# Target `tenferro-docs`: the reference of operations, interfaces and passes as Markdown in build/<preset>/docs, from the
# .td files alone.

set(docs ${PROJECT_BINARY_DIR}/docs)
file(MAKE_DIRECTORY ${docs})
set(pages "")

# tenferro_page(file td generator...): one page, made anew when any .td file changes.
file(GLOB_RECURSE td_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dialects/*.td ${PROJECT_SOURCE_DIR}/lib/*.td)
function(tenferro_page file td)
  add_custom_command(OUTPUT ${docs}/${file}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${PROJECT_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS} ${td} -o ${docs}/${file}
    DEPENDS ${td_files} VERBATIM COMMENT "Writing docs/${file}")
  set(pages ${pages} ${docs}/${file} PARENT_SCOPE)
endfunction()

set(dialect ${PROJECT_SOURCE_DIR}/dialects/tenferro)
tenferro_page(dialect.md ${dialect}/Ops.td -gen-dialect-doc -dialect=tenferro)
tenferro_page(interfaces.md ${dialect}/Interfaces.td -gen-op-interface-docs)
file(GLOB_RECURSE pass_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/Passes.td ${PROJECT_SOURCE_DIR}/lib/*/Passes.td)
foreach(td ${pass_files})
  cmake_path(GET td PARENT_PATH folder)
  cmake_path(GET folder FILENAME name)
  tenferro_page(passes-${name}.md ${td} -gen-pass-doc)
endforeach()

add_custom_target(tenferro-docs DEPENDS ${pages})
