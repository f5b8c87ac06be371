# The CPU back end. Kernels are compiled ahead of time, once for each instruction-set level.
# Debian packages: libtbb-dev
# Headers of its own: ^(?:tbb|oneapi)/

option(TESELA_STD_THREADS "Run the CPU back end on std::thread instead of oneTBB (for TSan)" OFF)
set(TESELA_CPU_LEVELS "v2;v3;v4" CACHE STRING "Levels of x86-64 that kernels are compiled for: fewer build quicker")
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)
list(APPEND TESELA_PACKAGES Threads)
if(NOT TESELA_STD_THREADS)
    list(APPEND TESELA_PACKAGES TBB)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/kernels.cmake)

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
