# The functions that make targets. Sources are listed, never globbed; every link says PUBLIC or
# PRIVATE; the target berth_x has the alias berth::x.

# Flags, language level and include roots that every C++ target of ours has.
function(_berth_common target visibility)
  # Those who use an installed berth choose their own level; its headers need C++17 at most.
  target_compile_features(${target} ${visibility} $<BUILD_INTERFACE:cxx_std_20>)
  if(NOT visibility STREQUAL "INTERFACE")
    target_compile_features(${target} PRIVATE c_std_11)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:berth_build_flags>)
  endif()
  # Paths start at the root ("core/base/status.h") or in sdk/include (<berth/kernel.h>).
  target_include_directories(${target} ${visibility}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/sdk/include>")
endfunction()

# berth_library(NAME core_placer SOURCES a.cc … [PUBLIC lib…] [PRIVATE lib…] [SHARED] [INSTALL])
# Makes berth_core_placer, alias berth::core_placer. Static unless SHARED; without sources it is
# an interface library, whose links are all PUBLIC. The shared library named "berth" is
# libberth.so. INSTALL puts it into find_package(berth) under its alias; its PUBLIC links must
# then be installed too.
function(berth_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "SHARED;INSTALL" "NAME" "SOURCES;PUBLIC;PRIVATE")
  _berth_reject_unparsed(berth_library "${arg_UNPARSED_ARGUMENTS}")
  set(target berth_${arg_NAME})
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    _berth_common(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
  elseif(arg_SHARED)
    add_library(${target} SHARED ${arg_SOURCES})
    _berth_common(${target} PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    set_target_properties(${target} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    if(arg_NAME STREQUAL "berth")
      set_target_properties(${target} PROPERTIES OUTPUT_NAME berth)
    endif()
  else()
    add_library(${target} STATIC ${arg_SOURCES})
    _berth_common(${target} PUBLIC)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  endif()
  add_library(berth::${arg_NAME} ALIAS ${target})
  if(arg_INSTALL)
    berth_install_target(${target} ${arg_NAME})
  endif()
endfunction()

# berth_plugin(NAME cpu SOURCES plugin.cc … [PRIVATE lib…] [TEST] [ALL_SYMBOLS])
# Makes the module libberth_cpu.so in lib/berth/plugins; its one exported symbol is
# berth_plugin_query. The target is berth_plugin_cpu; it installs by itself.
# TEST: a plugin for tests alone; it lies in test-plugins/ and is not installed.
# ALL_SYMBOLS: no version script and default visibility (for plugins that are bad on purpose).
function(berth_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "TEST;ALL_SYMBOLS" "NAME" "SOURCES;PRIVATE")
  _berth_reject_unparsed(berth_plugin "${arg_UNPARSED_ARGUMENTS}")
  set(target berth_plugin_${arg_NAME})
  add_library(${target} MODULE ${arg_SOURCES})
  if(arg_TEST)
    _berth_only_for_tests(${target})
  endif()
  _berth_common(${target} PRIVATE)
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  set(folder "${BERTH_PLUGIN_OUTPUT_DIRECTORY}")
  if(arg_TEST)
    set(folder "${CMAKE_BINARY_DIR}/test-plugins")
  else()
    install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/berth/plugins")
    # A toolkit outside the loader's usual folders (CUDA) is found where it was linked from.
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "berth_${arg_NAME}" LIBRARY_OUTPUT_DIRECTORY "${folder}")
  if(arg_ALL_SYMBOLS)
    set_target_properties(${target} PROPERTIES
      C_VISIBILITY_PRESET default CXX_VISIBILITY_PRESET default
      VISIBILITY_INLINES_HIDDEN OFF)
  else()
    set(script "${PROJECT_SOURCE_DIR}/cmake/plugin.map")
    target_link_options(${target} PRIVATE "-Wl,--version-script=${script}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
  endif()
endfunction()

# berth_executable(NAME berth SOURCES main.cc … [PRIVATE lib…] [INSTALL])
# Makes bin/berth. INSTALL puts it into the install's bin as well.
function(berth_executable)
  cmake_parse_arguments(PARSE_ARGV 0 arg "INSTALL" "NAME" "SOURCES;PRIVATE")
  _berth_reject_unparsed(berth_executable "${arg_UNPARSED_ARGUMENTS}")
  string(MAKE_C_IDENTIFIER "berth_bin_${arg_NAME}" target)
  add_executable(${target} ${arg_SOURCES})
  _berth_common(${target} PRIVATE)
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "${arg_NAME}" INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  if(arg_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endfunction()

# berth_test(NAME placer_test SOURCES placer_test.cc DEPS lib… [LABEL core] [RESOURCE_LOCK gpu]
#            [ENVIRONMENT VAR=value…] [TIMEOUT seconds])
# One GoogleTest program and one ctest test of that name, run in the source folder of the test.
# The label is the top-level folder unless given.
function(berth_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;RESOURCE_LOCK;TIMEOUT"
    "SOURCES;DEPS;LABEL;ENVIRONMENT")
  _berth_reject_unparsed(berth_test "${arg_UNPARSED_ARGUMENTS}")
  if(NOT BERTH_BUILD_TESTS)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  _berth_only_for_tests(${arg_NAME})
  _berth_common(${arg_NAME} PRIVATE)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  # A test's own code need not be fast, but there is much of it: -O3 doubles its build.
  target_compile_options(${arg_NAME} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  set_target_properties(${arg_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  _berth_test_properties(${arg_NAME} "${arg_LABEL}" "${arg_RESOURCE_LOCK}" "${arg_TIMEOUT}")
  set_property(TEST ${arg_NAME} APPEND PROPERTY ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

# berth_script_test(NAME check_includes COMMAND tools/check_includes … [LABEL …]
#                   [RESOURCE_LOCK …] [ENVIRONMENT …] [TIMEOUT seconds])
# A ctest test that is a command, run in the repository root.
function(berth_script_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;RESOURCE_LOCK;TIMEOUT"
    "COMMAND;LABEL;ENVIRONMENT")
  _berth_reject_unparsed(berth_script_test "${arg_UNPARSED_ARGUMENTS}")
  if(NOT BERTH_BUILD_TESTS)
    return()
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  _berth_test_properties(${arg_NAME} "${arg_LABEL}" "${arg_RESOURCE_LOCK}" "${arg_TIMEOUT}")
  set_property(TEST ${arg_NAME} APPEND PROPERTY ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

# berth_conform_test(cpu [OPTION key=value] [RESOURCE_LOCK gpu]): the ctest test conform_cpu, which judges the plugin
# of that name with berth-conform, by the expected.json beside its CMakeLists.txt. The reports are
# conform_cpu.json and .html in the build folder.
function(berth_conform_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPTION;RESOURCE_LOCK" "")
  if(NOT BERTH_BUILD_TESTS OR BERTH_PARTS)
    return()
  endif()
  set(report "${CMAKE_BINARY_DIR}/conform_${name}")
  set(option "")
  if(arg_OPTION)
    set(option --option "${arg_OPTION}")
  endif()
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  berth_script_test(NAME conform_${name}
    COMMAND $<TARGET_FILE:berth_bin_berth_conform> --plugin $<TARGET_FILE:berth_plugin_${name}>
      --expect ${folder}/expected.json --jobs 2 --quiet ${option}
      --json ${report}.json --html ${report}.html --junit ${report}.xml
    RESOURCE_LOCK "${arg_RESOURCE_LOCK}" TIMEOUT 600)
  set_tests_properties(conform_${name} PROPERTIES FIXTURES_SETUP conform_reports)
endfunction()

function(_berth_test_properties name label lock timeout)
  if(NOT label)
    file(RELATIVE_PATH label "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REGEX REPLACE "/.*" "" label "${label}")
  endif()
  if(NOT timeout)
    set(timeout 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT "${timeout}")
  if(lock)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK "${lock}")
  endif()
  if(BERTH_SANITIZE)
    set(folder "${PROJECT_SOURCE_DIR}/cmake/sanitizers")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "ASAN_OPTIONS=allocator_may_return_null=1:strict_string_checks=1;LSAN_OPTIONS=suppressions=${folder}/lsan.txt;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=suppressions=${folder}/tsan.txt:halt_on_error=1:allocator_may_return_null=1")
  endif()
endfunction()

# Built by the target berth_tests (make test) and not by the default one (make build, make demo).
function(_berth_only_for_tests target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(NOT TARGET berth_tests)
    add_custom_target(berth_tests)
  endif()
  add_dependencies(berth_tests ${target})
endfunction()

function(_berth_reject_unparsed function unparsed)
  if(unparsed)
    message(FATAL_ERROR "${function}: what is meant by \"${unparsed}\"?")
  endif()
endfunction()
