# The CUDA back end, where nvcc is found. Kernels are compiled ahead of time; the runtime is linked
# statically, so that the program starts on a machine without driver and toolkit.
# Headers of its own: ^(?:cuda|cufft|cub/|thrust/|nv|device_|math_constants)

option(TESELA_WITH_CUDA "Build the CUDA back end where nvcc is found" ON)

if(TESELA_SANITIZE)
    set(TESELA_WITH_CUDA OFF)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/kernels.cmake)
if("cuda" IN_LIST TESELA_BACK_ENDS)
    tesela_use_ccache(CUDA)
    # What links the runtime does not see its headers: host code is compiled as without CUDA.
    set_property(TARGET CUDA::cudart CUDA::cudart_static PROPERTY INTERFACE_INCLUDE_DIRECTORIES)
    # What is installed and links the shared runtime finds it, as its copy among the modules: whatever holds
    # kernels. cuFFT is found in the toolkit.
    if(BUILD_SHARED_LIBS)
        set(TESELA_CUDA_RPATH "$ORIGIN/tesela;${CUDAToolkit_LIBRARY_DIR}")
    endif()
    target_compile_options(tesela_settings INTERFACE
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
else()
    message(STATUS "CUDA back end: not built (no nvcc)")
endif()

function(tesela_cuda_library target)
    set(folder ${PROJECT_SOURCE_DIR}/src/compute/cuda)
    if(NOT "cuda" IN_LIST TESELA_BACK_ENDS)
        target_sources(${target} PRIVATE ${folder}/not_built.cpp)
        return()
    endif()
    file(GLOB host_sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(REMOVE_ITEM host_sources ${folder}/not_built.cpp)
    add_library(tesela_cuda_host OBJECT ${host_sources})
    target_link_libraries(tesela_cuda_host PRIVATE tesela_settings tesela_kernel_interface CUDA::toolkit)
    tesela_precompile(library tesela_cuda_host)
    file(GLOB device_sources CONFIGURE_DEPENDS ${folder}/*.cu)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:tesela_cuda_host> ${device_sources})
    target_link_libraries(${target}
        PRIVATE $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,CUDA::cudart,CUDA::cudart_static>)
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH "${TESELA_CUDA_RPATH}")
endfunction()
