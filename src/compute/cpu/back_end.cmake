# The CPU back end. Kernels are compiled ahead of time, once for each instruction-set level.
# Debian packages: libtbb-dev
# Headers of its own: ^(?:tbb|oneapi)/

option(TESELA_STD_THREADS "Run the CPU back end on std::thread instead of oneTBB (for TSan)" OFF)
set(TESELA_CPU_LEVELS "v2;v3;v4" CACHE STRING "Levels of x86-64 that kernels are compiled for: fewer build quicker")
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)
list(APPEND TESELA_BACK_ENDS cpu)
list(APPEND TESELA_PACKAGES Threads)
if(NOT TESELA_STD_THREADS)
    list(APPEND TESELA_PACKAGES TBB)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(_known_levels v2 v3 v4)
    set(_levels ${TESELA_CPU_LEVELS})
else()
    set(_known_levels base)
    set(_levels base)
endif()
foreach(level ${_levels})
    if(NOT level IN_LIST _known_levels)
        message(FATAL_ERROR "TESELA_CPU_LEVELS holds '${level}'; levels are ${_known_levels}")
    endif()
endforeach()
if(NOT _levels)
    message(FATAL_ERROR "TESELA_CPU_LEVELS is empty; levels are ${_known_levels}")
endif()
set(TESELA_BUILT_CPU_LEVELS ${_levels})
set(TESELA_ARE_CPU_LEVELS_BUILT "")
foreach(level ${_known_levels})
    if(level IN_LIST _levels)
        list(APPEND TESELA_ARE_CPU_LEVELS_BUILT true)
    else()
        list(APPEND TESELA_ARE_CPU_LEVELS_BUILT false)
        list(APPEND TESELA_LEFT_OUT cpu_${level})
    endif()
endforeach()

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
    # In a source of its own, so that the others are the same in all builds.
    list(JOIN TESELA_ARE_CPU_LEVELS_BUILT ", " built)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/built_cpu_levels.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"compute/cpu/level.h\"
namespace tesela::detail {
const BuiltCpuLevels built_cpu_levels{${built}};
}
")
    target_sources(${target} PRIVATE ${source})
    target_link_libraries(${target} PRIVATE Threads::Threads)
    if(TESELA_STD_THREADS)
        target_compile_definitions(${target} PRIVATE TESELA_STD_THREADS)
    else()
        target_link_libraries(${target} PRIVATE TBB::tbb)
    endif()
endfunction()

function(tesela_cpu_kernel target name path generated)
    foreach(level ${TESELA_BUILT_CPU_LEVELS})
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
