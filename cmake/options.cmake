# Every option berth has, each with its meaning. Values other than the default are printed at
# the end of the configure step.

set(BERTH_OPTIONS "" CACHE INTERNAL "names of the options below, for berth_print_options")

# berth_option(NAME DEFAULT TEXT): a cache variable whose default is remembered.
function(berth_option name default text)
  set(${name} "${default}" CACHE STRING "${text}")
  set(BERTH_DEFAULT_${name} "${default}" CACHE INTERNAL "")
  list(APPEND BERTH_OPTIONS ${name})
  set(BERTH_OPTIONS "${BERTH_OPTIONS}" CACHE INTERNAL "")
endfunction()

berth_option(BERTH_BUILD_TESTS OFF "Build the tests (needs GoogleTest).")
berth_option(BERTH_WARNINGS_AS_ERRORS OFF "Treat every compiler warning as an error.")
berth_option(BERTH_SANITIZE "" "Value for -fsanitize=, such as address,undefined or thread.")
berth_option(BERTH_PARTS "" "Top-level folders to build (a list); empty builds them all.")
berth_option(BERTH_CPU_LEVELS own "x86-64 levels of the CPU kernels: own (the building machine's best) or a list of v2;v3;v4.")
berth_option(BERTH_WITH_CUDA AUTO "The CUDA plugin: AUTO (where nvcc is found), ON or OFF.")
berth_option(BERTH_CUDA_ARCHITECTURES "80-real;90" "GPU generations the CUDA code is built for.")
berth_option(BERTH_WITH_OPENCL AUTO "The OpenCL plugin: AUTO (where the headers are), ON or OFF.")
set_property(CACHE BERTH_WITH_CUDA BERTH_WITH_OPENCL PROPERTY STRINGS AUTO ON OFF)

function(berth_print_options)
  foreach(name IN LISTS BERTH_OPTIONS)
    if(NOT "${${name}}" STREQUAL "${BERTH_DEFAULT_${name}}")
      message(STATUS "berth: ${name}=${${name}}")
    endif()
  endforeach()
endfunction()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# Release code is optimised, keeps line tables for stack traces, and stays exact: neither
# -ffast-math nor -march=native is ever used.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The tree runs in place: the same relative layout under the build folder as after an install.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(BERTH_PLUGIN_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/berth/plugins")

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BERTH_CCACHE ccache)
  mark_as_advanced(BERTH_CCACHE)
  if(BERTH_CCACHE)
    # Paths count from the root of the tree, so that another clone finds the same objects.
    set(_launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      CCACHE_NOHASHDIR=1 "${BERTH_CCACHE}")
    foreach(_language IN ITEMS C CXX CUDA)
      set(CMAKE_${_language}_COMPILER_LAUNCHER "${_launcher}")
    endforeach()
  endif()
endif()
