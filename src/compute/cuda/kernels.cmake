# How kernels are compiled for CUDA, ahead of time, where TESELA_WITH_CUDA is set and nvcc is found. Also part of
# the installed package (cmake/TeselaAddKernels.cmake).

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

if(TESELA_WITH_CUDA)
    _tesela_find_nvcc()
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 90)
        endif()
        # A program with kernels of its own must share the runtime of a shared library.
        set(CMAKE_CUDA_RUNTIME_LIBRARY $<IF:$<BOOL:${TESELA_IS_SHARED}>,Shared,Static>)
        enable_language(CUDA)
        if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
        endif()
        if(NOT CMAKE_CUDA_STANDARD)  # that of a project with kernels of its own stays
            set(CMAKE_CUDA_STANDARD 20)
            set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        endif()
        find_package(CUDAToolkit REQUIRED QUIET)
        # The runtime, and cuFFT when the program runs. CMake takes folders of nvcc's own for those of the system.
        list(APPEND CMAKE_BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})
        list(APPEND TESELA_BACK_ENDS cuda)
        message(STATUS "CUDA kernels: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, "
                       "architectures ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
endif()
if(NOT "cuda" IN_LIST TESELA_BACK_ENDS)
    list(APPEND TESELA_LEFT_OUT cuda)
endif()

function(tesela_cuda_kernel target name path generated)
    set(source ${generated}/${name}.cu)
    tesela_kernel_source(${source} cuda ${path})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS --fmad=false)
    target_sources(${target} PRIVATE ${source})
endfunction()
