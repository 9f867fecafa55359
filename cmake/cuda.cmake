# CUDA: BERTH_HAVE_CUDA says whether nvcc, cuBLAS and cuDNN are there. The system's nvcc is
# looked for first, then the one that `make cuda-toolkit` puts into build/. Links are made with
# CUDA::cudart, CUDA::cublas and berth::cudnn.

set(BERTH_HAVE_CUDA OFF)

# Sets OUT to what is missing for CUDA, or to "" when the language is enabled and all is there.
macro(_berth_enable_cuda out)
  set(${out} "")
  find_program(BERTH_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(NOT BERTH_NVCC)
    find_program(BERTH_NVCC nvcc PATHS "${PROJECT_SOURCE_DIR}/build/cuda-toolkit/bin"
      NO_DEFAULT_PATH)
  endif()
  mark_as_advanced(BERTH_NVCC)
  if(NOT BERTH_NVCC)
    set(${out} "nvcc is not there")
  else()
    set(CMAKE_CUDA_COMPILER "${BERTH_NVCC}")
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
    set(CMAKE_CUDA_ARCHITECTURES "${BERTH_CUDA_ARCHITECTURES}")
    set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
    enable_language(CUDA)
    set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O3 -g1 -DNDEBUG")
    find_package(CUDAToolkit REQUIRED)
    find_library(BERTH_CUDNN_LIBRARY cudnn PATHS ${CUDAToolkit_LIBRARY_DIR})
    find_path(BERTH_CUDNN_INCLUDE cudnn.h PATHS ${CUDAToolkit_INCLUDE_DIRS})
    mark_as_advanced(BERTH_CUDNN_LIBRARY BERTH_CUDNN_INCLUDE)
    if(NOT TARGET CUDA::cublas)
      set(${out} "cuBLAS is not beside ${BERTH_NVCC}")
    elseif(NOT BERTH_CUDNN_LIBRARY OR NOT BERTH_CUDNN_INCLUDE)
      set(${out} "cuDNN is not beside ${BERTH_NVCC}")
    endif()
  endif()
endmacro()

if(NOT BERTH_WITH_CUDA STREQUAL "OFF")
  _berth_enable_cuda(_cuda_missing)
  if(NOT _cuda_missing)
    set(BERTH_HAVE_CUDA ON)
    add_library(berth_cudnn UNKNOWN IMPORTED)
    set_target_properties(berth_cudnn PROPERTIES
      IMPORTED_LOCATION "${BERTH_CUDNN_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${BERTH_CUDNN_INCLUDE}")
    add_library(berth::cudnn ALIAS berth_cudnn)
  elseif(BERTH_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BERTH_WITH_CUDA=ON, but ${_cuda_missing}: `make cuda-toolkit` brings it.")
  else()
    message(STATUS "berth: no CUDA plugin: ${_cuda_missing} (`make cuda-toolkit` brings it).")
  endif()
endif()
