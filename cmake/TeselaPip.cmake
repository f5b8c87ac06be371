# What `pip install` builds unless -C cmake.define.NAME=VALUE says otherwise: kernels for this machine, which are CUDA's
# only where it has a GPU. Before the compiler is looked for, as Debian packages that are missing are named first.
function(_tesela_ask result script)
    execute_process(
        COMMAND bash -c "for part in packages cuda build; do source scripts/dev/$part.sh; done; ${script}"
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(${result} ${answer} PARENT_SCOPE)
endfunction()

find_program(dpkg_query dpkg-query NO_CACHE)
if(dpkg_query AND NOT DEFINED ENV{TESELA_NO_INSTALL})
    _tesela_ask(missing [[missing_packages "${packages_libraries[@]}" | paste -sd " "]])
    if(missing)
        message(FATAL_ERROR "Debian packages are missing: apt-get install ${missing}\n"
                            "(TESELA_NO_INSTALL=1 in the environment where what they hold is installed in another way.)")
    endif()
endif()

if(NOT DEFINED TESELA_CPU_LEVELS)
    _tesela_ask(level cpu_level)
    set(TESELA_CPU_LEVELS ${level} CACHE STRING "Levels of x86-64 that kernels are compiled for")
endif()
# Without its page the viewer's server is of no use, and takes a tenth of the time.
if(NOT DEFINED TESELA_WITH_VIEWER AND NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/viewer/web/node_modules/esbuild)
    set(TESELA_WITH_VIEWER OFF CACHE BOOL "Build the viewer into the program, where Boost is found")
endif()
if(NOT DEFINED TESELA_WITH_CUDA)
    _tesela_ask(has_gpu "gpu_is_there && echo ON || echo OFF")
    set(TESELA_WITH_CUDA ${has_gpu} CACHE BOOL "Build the CUDA back end where nvcc is found")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.24)
    set(CMAKE_CUDA_ARCHITECTURES native CACHE STRING "GPUs that kernels are compiled for")
endif()
