# The back ends, each of which says in src/compute/NAME/back_end.cmake how it is built:
#   list(APPEND TESELA_BACK_ENDS NAME)   where this machine can build it
#   list(APPEND TESELA_LEFT_OUT PREFIX)  where it does not, or not wholly: entries of kernels, tesela_PREFIX_NAME,
#                                        that nobody calls and that have to be defined all the same
#   list(APPEND TESELA_PACKAGES P)       for what an installed Tesela has to find again
#   tesela_NAME_library(target)          adds its sources and libraries; also where it is not built
#   tesela_NAME_kernel(target name path generated)   compiles one kernel file
#
# tesela_add_kernels(target file.kernel.h ...)
#
# Compiles each kernel file for every back end that is built into `target`. Host code that includes
# the kernel file links `target` and gets typed handles (docs/kernels.md).

# What host code needs to know of the build when it declares kernels.
add_library(tesela_kernel_interface INTERFACE)
target_include_directories(tesela_kernel_interface INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                             ${PROJECT_SOURCE_DIR}/include)

set(TESELA_BACK_ENDS "")
set(TESELA_LEFT_OUT "")
set(TESELA_PACKAGES "")
set(TESELA_KNOWN_BACK_ENDS "")
file(GLOB folders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compute/*/back_end.cmake)
foreach(file ${folders})
    include(${file})
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    list(APPEND TESELA_KNOWN_BACK_ENDS ${name})
endforeach()

function(tesela_add_back_ends target)
    foreach(back_end ${TESELA_KNOWN_BACK_ENDS})
        cmake_language(CALL tesela_${back_end}_library ${target})
    endforeach()
endfunction()

# Writes the file that compiles a kernel file with the dialect of a back end. It is the same in every
# checkout, so that a compiler cache serves them all.
function(tesela_kernel_source source back_end path)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/src ${path})
    file(CONFIGURE OUTPUT ${source}
         CONTENT "#define T_DIALECT \"kernels/dialect_${back_end}.h\"\n#include \"${relative}\"\n")
endfunction()

# The source that stands for the kernels that this build leaves out; their names are read from the
# preprocessed texts.
function(tesela_define_left_out target source)
    set(script ${PROJECT_SOURCE_DIR}/cmake/left_out_kernels.cmake)
    list(JOIN TESELA_LEFT_OUT "," prefixes)
    list(JOIN ARGN "," texts)
    add_custom_command(
        OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DPREFIXES=${prefixes} -DTEXTS=${texts} -DSOURCE=${source} -P ${script}
        DEPENDS ${ARGN} ${script}
        COMMENT "Kernels that are left out: ${prefixes}"
        VERBATIM)
    target_sources(${target} PRIVATE ${source})
endfunction()

function(tesela_add_kernels target)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/kernels)
    set(objects ${target}_kernels)
    add_library(${objects} OBJECT)
    target_link_libraries(${objects} PRIVATE tesela_kernel_interface)
    foreach(file ${ARGN})
        get_filename_component(path ${file} ABSOLUTE)
        get_filename_component(name ${file} NAME)
        string(REPLACE ".kernel.h" "" name ${name})
        foreach(back_end ${TESELA_BACK_ENDS})
            cmake_language(CALL tesela_${back_end}_kernel ${objects} ${name} ${path} ${generated})
        endforeach()
        list(APPEND texts ${generated}/${name}.cl)
    endforeach()
    if(TESELA_LEFT_OUT)
        tesela_define_left_out(${objects} ${generated}/left_out.cpp ${texts})
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    target_include_directories(${target} PRIVATE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:tesela_kernel_interface,INTERFACE_INCLUDE_DIRECTORIES>>)
    target_compile_definitions(${target} PRIVATE
        $<TARGET_PROPERTY:tesela_kernel_interface,INTERFACE_COMPILE_DEFINITIONS>)
endfunction()
