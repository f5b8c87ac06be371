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

# Static libraries by default. With BUILD_SHARED_LIBS the many test and benchmark programs share one
# copy of the library, which links in seconds and keeps the bundle small.
option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
file(RELATIVE_PATH _from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH "$ORIGIN/${_from_bin_to_lib}")
# Objects are the same for both forms, so that a change of form compiles nothing.
function(tesela_library_form target)
    set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                          INSTALL_RPATH "$ORIGIN")
endfunction()

find_program(CCACHE_PROGRAM ccache)
macro(tesela_use_ccache language)
    if(CCACHE_PROGRAM AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
endmacro()
tesela_use_ccache(CXX)

# Warnings are errors with the compilers that the checks run; newer ones know others.
set(TESELA_WARNINGS_ARE_ERRORS "")
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
    set(TESELA_WARNINGS_ARE_ERRORS -Werror)
endif()

# Every target of the tree links this; it is no part of the installed package.
add_library(tesela_settings INTERFACE)
target_compile_options(tesela_settings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion ${TESELA_WARNINGS_ARE_ERRORS}>
    # GCC 12 sees overlaps and overflows where text is put before a temporary string (its bug 105651); with
    # precompiled headers it no longer knows that these are the system's own. Clang warns of ours.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>
    # Collecting the compiler's garbage takes a tenth of its time, and saves 50 MB.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=500000>
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

if(TESELA_SANITIZE)
    # GCC's sanitizers add code that trips its own flow warnings in optimized builds.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TESELA_SANITIZE}>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
    add_link_options(-fsanitize=${TESELA_SANITIZE})
endif()
