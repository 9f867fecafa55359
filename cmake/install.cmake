# What `cmake --install` gives: libberth, the plugins, bin/berth, the SDK's headers and the
# package that find_package(berth) finds. Plugins and executables install by themselves
# (cmake/targets.cmake).

set(BERTH_INSTALL_CMAKEDIR "${CMAKE_INSTALL_LIBDIR}/cmake/berth")
# The C++ layer is included as "sdk/cpp/…", in the tree and after an install alike.
set(BERTH_INSTALL_SDKDIR "${CMAKE_INSTALL_INCLUDEDIR}/berth-sdk")

# berth_install_target(TARGET NAME): exports TARGET to the package as berth::NAME.
function(berth_install_target target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT berth
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${BERTH_INSTALL_SDKDIR}")
  set_property(GLOBAL APPEND PROPERTY BERTH_INSTALLED_TARGETS ${target})
endfunction()

# Installs headers and package files; called once all parts have been added.
function(berth_install_package)
  get_property(targets GLOBAL PROPERTY BERTH_INSTALLED_TARGETS)
  if(NOT targets)
    return()
  endif()
  include(CMakePackageConfigHelpers)
  set(headers FILES_MATCHING PATTERN "*.h" PATTERN "*_test*" EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/sdk/include/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${headers})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/sdk/cpp"
    DESTINATION "${BERTH_INSTALL_SDKDIR}/sdk" ${headers})
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/sdk/template"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/berth")
  install(EXPORT berth NAMESPACE berth:: FILE berthTargets.cmake
    DESTINATION "${BERTH_INSTALL_CMAKEDIR}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/berthConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/berthConfig.cmake" INSTALL_DESTINATION "${BERTH_INSTALL_CMAKEDIR}")
  # 0.N may break with N.
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/berthConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/berthConfig.cmake"
    "${PROJECT_BINARY_DIR}/berthConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/plugin.map"
    DESTINATION "${BERTH_INSTALL_CMAKEDIR}")
endfunction()
