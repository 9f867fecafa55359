# The golden data: TensorFlow's recorded answers, kept as archives in conformance/golden and
# unpacked into the build tree when it is configured. A test that links berth::golden finds the
# folder in the macro BERTH_GOLDEN_DIR; CMake code and scripts in the variable of that name.

if(BERTH_BUILD_TESTS)
  set(BERTH_GOLDEN_DIR "${CMAKE_BINARY_DIR}/golden")
  foreach(name IN ITEMS files models ops placement)
    set(archive "${PROJECT_SOURCE_DIR}/conformance/golden/${name}.tar.xz")
    set(stamp "${BERTH_GOLDEN_DIR}/${name}.sha256")
    # A changed archive configures anew, which unpacks it.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${archive}")
    file(SHA256 "${archive}" sum)
    set(unpacked "")
    if(EXISTS "${stamp}")
      file(READ "${stamp}" unpacked)
    endif()
    if(NOT unpacked STREQUAL sum)
      file(REMOVE_RECURSE "${BERTH_GOLDEN_DIR}/${name}")
      file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${BERTH_GOLDEN_DIR}")
      file(WRITE "${stamp}" "${sum}")
    endif()
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/conformance/golden/ops_index.json"
    "${BERTH_GOLDEN_DIR}/ops_index.json" COPYONLY)

  add_library(berth_golden INTERFACE)
  add_library(berth::golden ALIAS berth_golden)
  target_compile_definitions(berth_golden INTERFACE BERTH_GOLDEN_DIR="${BERTH_GOLDEN_DIR}")
endif()
