# tesela_precompile(set target...): the targets read their system headers precompiled.
#
# Of what the compiler reads of a typical source 97 % are headers of the standard library. A set is compiled
# once; targets share it whose optimization is the same:
#   library   the library and benchmarks
#   program   what is built by tesela_build_fast, with the headers of the command line's libraries
#   tests     the same with GoogleTest
#
# Only headers that come with the system: one of ours would be compiled into everything. Not with Clang, whose
# precompiled files hold the path of their checkout, so that a compiler cache serves no other one. A source
# includes what it uses all the same; the sanitizers' builds find what is missing.
option(TESELA_PRECOMPILED_HEADERS "Precompile system headers (GCC)" ON)

set(_standard <algorithm> <any> <array> <atomic> <chrono> <cmath> <complex> <condition_variable> <cstdint> <cstdlib>
    <cstring> <deque> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set>
    <span> <sstream> <string> <string_view> <thread> <tuple> <type_traits> <utility> <variant> <vector>)
set(TESELA_HEADERS_library ${_standard})
set(TESELA_HEADERS_program ${_standard} <fmt/format.h> <nlohmann/json.hpp>)
set(TESELA_HEADERS_tests ${_standard} <gtest/gtest.h> <nlohmann/json.hpp>)
# Whose macros these headers see.
set(TESELA_LIBRARIES_program fmt::fmt)
set(TESELA_LIBRARIES_tests GTest::gtest)

# Programs are compiled as libraries are, or each set were needed twice.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})

# For what parses, composes and compares: the work is in the library, so that building fast counts.
macro(tesela_build_fast)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-O1>)
    endif()
endmacro()

function(tesela_precompile set)
    if(NOT TESELA_PRECOMPILED_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        return()
    endif()
    set(holder tesela_precompiled_${set})
    if(NOT TARGET ${holder})
        set(source ${PROJECT_BINARY_DIR}/precompiled/${set}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but its precompiled headers.\n")
        add_library(${holder} OBJECT ${source})
        target_link_libraries(${holder} PRIVATE tesela_settings ${TESELA_LIBRARIES_${set}})
        target_precompile_headers(${holder} PRIVATE ${TESELA_HEADERS_${set}})
    endif()
    foreach(target ${ARGN})
        target_precompile_headers(${target} REUSE_FROM ${holder})
    endforeach()
endfunction()
