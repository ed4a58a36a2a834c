# find_package(dpfermi) for consumers: one target per module, and dpfermi::dpfermi for all of them;
# dpfermi::c is the C interface;
# dpfermi::torch is a component (src/torch).
include(CMakePackageConfigHelpers)
get_property(modules GLOBAL PROPERTY DPFERMI_MODULES)

add_library(dpfermi_all INTERFACE)
set_target_properties(dpfermi_all PROPERTIES EXPORT_NAME dpfermi)
target_link_libraries(dpfermi_all INTERFACE ${modules})

install(TARGETS ${modules} dpfermi_all dpfermi_c EXPORT dpfermiTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(EXPORT dpfermiTargets NAMESPACE dpfermi::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dpfermi COMPONENT development)
# The headers of torch/ come with the component.
install(DIRECTORY include/dpfermi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        PATTERN torch EXCLUDE)
configure_package_config_file(cmake/dpfermiConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dpfermiConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dpfermi)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dpfermiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dpfermiConfig.cmake
              ${PROJECT_BINARY_DIR}/dpfermiConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dpfermi COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
