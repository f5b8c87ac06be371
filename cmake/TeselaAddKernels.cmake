# tesela_add_kernels(target file.kernel.h ...)
#
# Compiles each kernel file for every back end that is built into `target`. Host code that includes the kernel
# file links `target` and gets typed handles (docs/kernels.md). Also part of the installed package, as
# find_package(Tesela COMPONENTS kernels); cmake/TeselaKernels.cmake and cmake/TeselaConfig.cmake.in say, each for
# its side,
#   tesela_kernel_interface   the target with the include folders of the dialect
#   TESELA_DIALECT_FOLDER     the folder that holds kernels/begin.h, absolute or from the project's root
#   TESELA_KERNEL_BASE        the folder from which generated sources include kernel files, from there too
#   TESELA_IS_SHARED          whether Tesela's libraries are
# and include the kernels.cmake of each back end.

# Writes the file that compiles a kernel file with the dialect of a back end. It is the same in every
# checkout, so that a compiler cache serves them all.
function(tesela_kernel_source source back_end path)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/${TESELA_KERNEL_BASE} ${path})
    file(CONFIGURE OUTPUT ${source}
         CONTENT "#define T_DIALECT \"kernels/dialect_${back_end}.h\"\n#include \"${relative}\"\n")
endfunction()

# The source that stands for the kernels that this build leaves out; their names are read from the
# preprocessed texts.
function(tesela_define_left_out target source)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/left_out_kernels.cmake)
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
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/${TESELA_KERNEL_BASE})
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
