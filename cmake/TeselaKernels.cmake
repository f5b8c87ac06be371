# tesela_add_kernels(target file.kernel.h ...)
#
# Compiles each kernel file for every back end into `target`:
#   CPU     once for each instruction-set level (x86-64-v2, -v3, -v4; the baseline elsewhere);
#   CUDA    with nvcc, where it was found;
#   OpenCL  preprocessed here and embedded as text; the driver compiles it on first use.
# Host code that includes the kernel file links `target` and gets typed handles (docs/kernels.md).

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(TESELA_CPU_LEVELS v2 v3 v4)
else()
    set(TESELA_CPU_LEVELS base)
endif()

# What host code needs to know of the build when it declares kernels.
add_library(tesela_kernel_interface INTERFACE)
target_include_directories(tesela_kernel_interface INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                             ${PROJECT_SOURCE_DIR}/include)
if(NOT "base" IN_LIST TESELA_CPU_LEVELS)
    target_compile_definitions(tesela_kernel_interface INTERFACE TESELA_CPU_LEVELS_X86)
endif()
if(TESELA_CUDA)
    target_compile_definitions(tesela_kernel_interface INTERFACE TESELA_HAS_CUDA)
endif()

# Nobody reads errno or floating-point exception flags of a kernel; g++ does not vectorize a selection
# between computed values where it must keep the flags. The results are the same bits.
set(TESELA_CPU_KERNEL_FLAGS -std=c++20 -ffp-contract=off -fno-math-errno -fno-trapping-math
    -Wall -Wextra -Wno-unknown-pragmas -Werror)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND TESELA_CPU_KERNEL_FLAGS -Wno-pass-failed)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    list(APPEND TESELA_CPU_KERNEL_FLAGS -O3)
else()
    list(APPEND TESELA_CPU_KERNEL_FLAGS -DT_CHECKED)  # phases run backwards
endif()

function(tesela_add_kernels target)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    set(objects ${target}_kernels)
    add_library(${objects} OBJECT)
    target_link_libraries(${objects} PRIVATE tesela_kernel_interface)
    foreach(file ${ARGN})
        get_filename_component(path ${file} ABSOLUTE)
        get_filename_component(name ${file} NAME)
        string(REPLACE ".kernel.h" "" name ${name})
        _tesela_cpu_kernel(${objects} ${name} ${path} ${generated})
        _tesela_cuda_kernel(${objects} ${name} ${path} ${generated})
        _tesela_opencl_kernel(${objects} ${name} ${path} ${generated})
    endforeach()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    target_include_directories(${target} PRIVATE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:tesela_kernel_interface,INTERFACE_INCLUDE_DIRECTORIES>>)
    target_compile_definitions(${target} PRIVATE
        $<TARGET_PROPERTY:tesela_kernel_interface,INTERFACE_COMPILE_DEFINITIONS>)
endfunction()

function(_tesela_cpu_kernel target name path generated)
    foreach(level ${TESELA_CPU_LEVELS})
        set(source ${generated}/${name}.cpu_${level}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${path}\"\n")
        set(flags ${TESELA_CPU_KERNEL_FLAGS} -DT_TARGET_CPU -DT_CPU_LEVEL=${level})
        if(NOT level STREQUAL "base")
            list(APPEND flags -march=x86-64-${level})
        endif()
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
            # The vectorizer's report, read by ./dev check.
            list(APPEND flags -fopt-info-vec-optimized=${generated}/${name}.${level}.vec)
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}"
                                    OBJECT_DEPENDS ${path})
        target_sources(${target} PRIVATE ${source})
    endforeach()
endfunction()

function(_tesela_cuda_kernel target name path generated)
    if(NOT TESELA_CUDA)
        return()
    endif()
    set(source ${generated}/${name}.cu)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${path}\"\n")
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-DT_TARGET_CUDA;--fmad=false")
    target_sources(${target} PRIVATE ${source})
endfunction()

function(_tesela_opencl_kernel target name path generated)
    set(text ${generated}/${name}.cl)
    set(source ${generated}/${name}.cl.cpp)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${path})
    file(MAKE_DIRECTORY ${generated})
    # Run in the repository's root, so that line markers, and with them a driver's errors, name files
    # relative to it.
    add_custom_command(
        OUTPUT ${text}
        COMMAND ${CMAKE_CXX_COMPILER} -E -undef -std=c99 -D__OPENCL_C_VERSION__=120
                -DT_TARGET_OPENCL -x c -Isrc -MD -MF ${text}.d -MT ${text} -o ${text} ${relative}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        MAIN_DEPENDENCY ${path}
        DEPFILE ${text}.d
        COMMENT "OpenCL text of ${name}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DTEXT=${text} -DSOURCE=${source} -DNAME=${name}
                -DFILE=${relative} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedKernelText.cmake
        DEPENDS ${text} ${PROJECT_SOURCE_DIR}/cmake/EmbedKernelText.cmake
        VERBATIM)
    target_sources(${target} PRIVATE ${source})
    set_property(GLOBAL APPEND PROPERTY TESELA_OPENCL_TEXTS ${text})
endfunction()
