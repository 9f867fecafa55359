# Every library berth uses is found here and nowhere else. All of them are Debian packages
# (tools/packages.txt); docs/DEPENDENCIES.md says what each is for.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(leveldb REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(dnnl REQUIRED)

if(BERTH_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# OpenCL: headers, the ICD loader and CLBlast. BERTH_HAVE_OPENCL says whether they are there.
set(BERTH_HAVE_OPENCL OFF)
if(NOT BERTH_WITH_OPENCL STREQUAL "OFF")
  find_package(OpenCL QUIET)
  find_package(CLBlast QUIET)
  if(OpenCL_FOUND AND CLBlast_FOUND)
    set(BERTH_HAVE_OPENCL ON)
  elseif(BERTH_WITH_OPENCL STREQUAL "ON")
    message(FATAL_ERROR "BERTH_WITH_OPENCL=ON, but OpenCL or CLBlast is missing: "
      "install ocl-icd-opencl-dev, opencl-headers and libclblast-dev.")
  else()
    message(STATUS "berth: no OpenCL plugin: OpenCL or CLBlast is missing "
      "(install ocl-icd-opencl-dev, opencl-headers and libclblast-dev).")
  endif()
endif()
