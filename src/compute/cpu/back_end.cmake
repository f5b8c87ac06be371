# The CPU back end. Kernels are compiled ahead of time, once for each instruction-set level.
# Debian packages: libtbb-dev
# Headers of its own: ^(?:tbb|oneapi)/

option(TESELA_STD_THREADS "Run the CPU back end on std::thread instead of oneTBB (for TSan)" OFF)
option(TESELA_ONE_CPU_LEVEL "Compile kernels once, for the baseline of the compiler: quicker to build" OFF)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)
list(APPEND TESELA_BACK_ENDS cpu)
list(APPEND TESELA_PACKAGES Threads)
if(NOT TESELA_STD_THREADS)
    list(APPEND TESELA_PACKAGES TBB)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT TESELA_ONE_CPU_LEVEL)
    set(TESELA_CPU_LEVELS v2 v3 v4)
    target_compile_definitions(tesela_kernel_interface INTERFACE TESELA_CPU_LEVELS_X86)
else()
    set(TESELA_CPU_LEVELS base)
endif()

# Nobody reads errno or floating-point exception flags of a kernel; g++ does not vectorize a selection
# between computed values where it must keep the flags. The results are the same bits.
set(TESELA_CPU_KERNEL_FLAGS -std=c++20 -ffp-contract=off -fno-math-errno -fno-trapping-math
    -Wall -Wextra -Wno-unknown-pragmas ${TESELA_WARNINGS_ARE_ERRORS})
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND TESELA_CPU_KERNEL_FLAGS -Wno-pass-failed)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    list(APPEND TESELA_CPU_KERNEL_FLAGS -O3)
else()
    list(APPEND TESELA_CPU_KERNEL_FLAGS -DT_CHECKED)  # phases run backwards
endif()

function(tesela_cpu_library target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compute/cpu/*.cpp)
    target_sources(${target} PRIVATE ${sources})
    target_link_libraries(${target} PRIVATE Threads::Threads)
    if(TESELA_STD_THREADS)
        target_compile_definitions(${target} PRIVATE TESELA_STD_THREADS)
    else()
        target_link_libraries(${target} PRIVATE TBB::tbb)
    endif()
endfunction()

function(tesela_cpu_kernel target name path generated)
    foreach(level ${TESELA_CPU_LEVELS})
        set(source ${generated}/${name}.cpu_${level}.cpp)
        tesela_kernel_source(${source} cpu ${path})
        set(flags ${TESELA_CPU_KERNEL_FLAGS} -DT_CPU_LEVEL=${level})
        if(NOT level STREQUAL "base")
            list(APPEND flags -march=x86-64-${level})
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}"
                                    OBJECT_DEPENDS ${path})
        target_sources(${target} PRIVATE ${source})
    endforeach()
endfunction()
