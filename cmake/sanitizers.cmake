# BERTH_SANITIZE: every object is instrumented, so that the flags are directory-wide rather than
# per target. Suppressions stand in cmake/sanitizers/, for third-party libraries only.

if(NOT BERTH_SANITIZE)
  return()
endif()

add_compile_options("-fsanitize=${BERTH_SANITIZE}")
add_link_options("-fsanitize=${BERTH_SANITIZE}")
if(BERTH_SANITIZE MATCHES "undefined")
  # A finding must end the test, or nobody sees it.
  add_compile_options(-fno-sanitize-recover=undefined)
endif()

if(BERTH_SANITIZE MATCHES "thread")
  set(_source "${PROJECT_SOURCE_DIR}/cmake/sanitizers/tsan_absl.cc")
  add_library(berth_tsan_absl STATIC "${_source}")
  target_compile_features(berth_tsan_absl PRIVATE cxx_std_20)
  # The linker also redirects what absl's own shared objects refer to.
  set_target_properties(berth_tsan_absl PROPERTIES CXX_VISIBILITY_PRESET default)
  target_link_libraries(berth_tsan_absl PRIVATE absl::synchronization)
  target_link_libraries(berth_build_flags INTERFACE berth_tsan_absl)
  # Each function it defines is one the linker sends there.
  file(STRINGS "${_source}" _lines REGEX "_ZN")
  string(REGEX MATCHALL "_ZNK?4absl[A-Za-z0-9_]+" _names "${_lines}")
  list(REMOVE_DUPLICATES _names)
  list(TRANSFORM _names PREPEND "LINKER:--wrap=")
  add_link_options(${_names})
endif()
