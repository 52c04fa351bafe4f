# Warnings, sanitizers, ccache and linker, for every target of ours.

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffp-contract=off -fno-math-errno)

# The function check reads a signature before the called function, where generated kernels have none.
if(TENFERRO_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr,function)
elseif(TENFERRO_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -g1)
  add_link_options(-fsanitize=thread)
elseif(TENFERRO_SANITIZE)
  message(FATAL_ERROR "TENFERRO_SANITIZE is empty, address or thread, but got '${TENFERRO_SANITIZE}'")
endif()
if(TENFERRO_SANITIZE)
  add_library(tenferro-sanitizer-defaults OBJECT ${CMAKE_CURRENT_LIST_DIR}/SanitizerDefaults.cpp)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:tenferro-sanitizer-defaults>)
endif()

if(TENFERRO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(TENFERRO_CCACHE ccache)
if(TENFERRO_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 ${TENFERRO_CCACHE})
endif()

find_program(TENFERRO_LLD NAMES ld.lld-22 ld.lld PATHS /usr/lib/llvm-22/bin)
if(TENFERRO_LLD)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_link_options(--ld-path=${TENFERRO_LLD})
  endif()
endif()
