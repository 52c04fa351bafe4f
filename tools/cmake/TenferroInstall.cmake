# What users get: three libraries, the public headers, the tools, and how find_package and pkg-config find them. Every
# path is relative to the files themselves, so that the tree can be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tenferro)
set(libraries tenferro-core tenferro)
set_target_properties(${libraries} PROPERTIES INSTALL_RPATH "$ORIGIN")

install(TARGETS ${libraries} EXPORT tenferroTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tenferro DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")

# Opened at run time from beside libtenferro; no program links it.
if(TARGET tenferro-compiler)
  set_target_properties(tenferro-compiler PROPERTIES INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS tenferro-compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
foreach(tool IN ITEMS tenferro-opt tenferro-run tenferro-cases tenferro-bench tenferro-lsp-server)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

install(EXPORT tenferroTargets NAMESPACE tenferro:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tenferroConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/tenferroConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/tenferroConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/tenferroConfig.cmake ${PROJECT_BINARY_DIR}/package/tenferroConfigVersion.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(${CMAKE_CURRENT_LIST_DIR}/tenferro.pc.in ${PROJECT_BINARY_DIR}/package/tenferro.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/tenferro.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The README and what it refers to, in the same folders below, so that its links and examples are there too.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(path IN ITEMS dialects/tenferro lib/AutoDiff test/Cases)
  install(FILES ${PROJECT_SOURCE_DIR}/${path}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/${path})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/test/bench/speed.svg DESTINATION ${CMAKE_INSTALL_DOCDIR}/test/bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/test/Examples ${PROJECT_SOURCE_DIR}/test/Cases DESTINATION ${CMAKE_INSTALL_DOCDIR}/test
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.jsonl")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/test/data/digits ${PROJECT_SOURCE_DIR}/test/data/einsum
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/test/data)
