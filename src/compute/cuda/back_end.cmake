# The CUDA back end, where nvcc is found. Kernels are compiled ahead of time; the runtime is linked
# statically, so that the program starts on a machine without driver and toolkit.
# Headers of its own: ^(?:cuda|cufft|cub/|thrust/|nv|device_|math_constants)

option(TESELA_WITH_CUDA "Build the CUDA back end where nvcc is found" ON)

# Sets CMAKE_CUDA_COMPILER where there is an nvcc that is new enough. `./dev cuda` installs one in .cache.
function(_tesela_find_nvcc)
    if(NOT CMAKE_CUDA_COMPILER)
        find_program(nvcc nvcc HINTS ENV CUDA_HOME ${PROJECT_SOURCE_DIR}/.cache/cuda/nvidia/cu13
                     PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
        if(NOT nvcc)
            return()
        endif()
        set(CMAKE_CUDA_COMPILER ${nvcc})
    endif()
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE version)
    string(REGEX MATCH "release ([0-9]+[.][0-9]+)" version "${version}")
    if(CMAKE_MATCH_1 VERSION_LESS 12.5)
        message(STATUS "CUDA back end: nvcc ${CMAKE_MATCH_1} is older than 12.5")
        unset(CMAKE_CUDA_COMPILER CACHE)
        unset(CMAKE_CUDA_COMPILER)
    endif()
    set(CMAKE_CUDA_COMPILER ${CMAKE_CUDA_COMPILER} PARENT_SCOPE)
endfunction()

if(TESELA_WITH_CUDA AND NOT TESELA_SANITIZE)
    _tesela_find_nvcc()
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 90)
        endif()
        # A test program with kernels of its own must share the runtime of a shared library.
        set(CMAKE_CUDA_RUNTIME_LIBRARY $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,Shared,Static>)
        tesela_use_ccache(CUDA)
        enable_language(CUDA)
        if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
        endif()
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        find_package(CUDAToolkit REQUIRED QUIET)
        # What links the runtime does not see its headers: host code is compiled as without CUDA.
        set_property(TARGET CUDA::cudart CUDA::cudart_static PROPERTY INTERFACE_INCLUDE_DIRECTORIES)
        # The runtime, and cuFFT when the program runs. CMake takes folders of nvcc's own for those of the system.
        list(APPEND CMAKE_BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})
        # The same for what is installed and links the shared runtime: whatever holds kernels.
        if(BUILD_SHARED_LIBS)
            set(TESELA_CUDA_RPATH ${CUDAToolkit_LIBRARY_DIR})
        endif()
        list(APPEND TESELA_BACK_ENDS cuda)
        list(APPEND TESELA_PACKAGES CUDAToolkit)
        target_compile_options(tesela_settings INTERFACE
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
        message(STATUS "CUDA back end: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, "
                       "architectures ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
endif()
if(NOT "cuda" IN_LIST TESELA_BACK_ENDS)
    list(APPEND TESELA_LEFT_OUT cuda)
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
    set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${TESELA_CUDA_RPATH})
endfunction()

function(tesela_cuda_kernel target name path generated)
    set(source ${generated}/${name}.cu)
    tesela_kernel_source(${source} cuda ${path})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS --fmad=false)
    target_sources(${target} PRIVATE ${source})
endfunction()
