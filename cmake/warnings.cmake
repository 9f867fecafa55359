# berth::build_flags carries the warnings. berth_library, berth_plugin, berth_test and
# berth_executable link it privately, so that nothing leaks to those who use us.

add_library(berth_build_flags INTERFACE)
add_library(berth::build_flags ALIAS berth_build_flags)

set(_c_family "$<COMPILE_LANGUAGE:C,CXX>")
target_compile_options(berth_build_flags INTERFACE
  "$<${_c_family}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wundef;-Wvla;-Wcast-qual;-Wformat=2>"
  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual;-Wextra-semi>")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12's optimizer finds these two in correct uses of std::string and std::optional; clang's
  # analysis (tools/lint, preset clang) looks for the real ones.
  target_compile_options(berth_build_flags INTERFACE
    "$<${_c_family}:-Wno-restrict;-Wno-maybe-uninitialized>")
endif()

if(BERTH_WARNINGS_AS_ERRORS)
  target_compile_options(berth_build_flags INTERFACE "$<${_c_family}:-Werror>")
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(berth_build_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wthread-safety>")
endif()
