# Compiler settings that hold for the whole tree.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

include(GNUInstallDirs)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    foreach(language CXX CUDA)
        if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
        endif()
    endforeach()
endif()

# Every target of the tree links this; it is no part of the installed package.
add_library(tesela_settings INTERFACE)
target_compile_options(tesela_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror>
    # GCC 12 sees overlaps where text is put before a temporary string (its bug 105651).
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)

option(TESELA_STD_THREADS "Run the CPU back end on std::thread instead of oneTBB (for TSan)" OFF)

if(TESELA_SANITIZE)
    # GCC's sanitizers add code that trips its own flow warnings in optimized builds.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESELA_SANITIZE}>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
    add_link_options(-fsanitize=${TESELA_SANITIZE})
endif()

# ---- CUDA ------------------------------------------------------------------------------------

set(TESELA_CUDA OFF)
if(TESELA_WITH_CUDA AND NOT TESELA_SANITIZE)
    if(NOT CMAKE_CUDA_COMPILER)
        find_program(TESELA_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda/bin)
        if(TESELA_NVCC)
            set(CMAKE_CUDA_COMPILER ${TESELA_NVCC})
        endif()
    endif()
    if(CMAKE_CUDA_COMPILER)
        execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE nvcc_version)
        string(REGEX MATCH "release ([0-9]+[.][0-9]+)" nvcc_version "${nvcc_version}")
        if(CMAKE_MATCH_1 VERSION_LESS 12.5)
            message(STATUS "CUDA back end: nvcc ${CMAKE_MATCH_1} is older than 12.5")
            unset(CMAKE_CUDA_COMPILER CACHE)
            unset(CMAKE_CUDA_COMPILER)
        endif()
    endif()
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 90)
        endif()
        set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
        enable_language(CUDA)
        if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
        endif()
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        find_package(CUDAToolkit REQUIRED)
        set(TESELA_CUDA ON)
        message(STATUS "CUDA back end: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}, "
                       "architectures ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
endif()
if(NOT TESELA_CUDA)
    message(STATUS "CUDA back end: not built (no nvcc)")
endif()
