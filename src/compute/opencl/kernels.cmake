# How kernels become OpenCL texts: preprocessed here and embedded, for the driver to compile on first use. Also
# part of the installed package (cmake/TeselaAddKernels.cmake).
list(APPEND TESELA_BACK_ENDS opencl)

function(tesela_opencl_kernel target name path generated)
    set(text ${generated}/${name}.cl)
    set(source ${generated}/${name}.cl.cpp)
    set(embed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_text.cmake)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${path})
    file(MAKE_DIRECTORY ${generated})
    # Run in the project's root, so that line markers, and with them a driver's errors, name files
    # relative to it. The build looks for what they depend on elsewhere.
    string(REPLACE " " "\\\\ " root ${PROJECT_SOURCE_DIR})
    add_custom_command(
        OUTPUT ${text}
        COMMAND ${CMAKE_CXX_COMPILER} -E -undef -std=c99 -D__OPENCL_C_VERSION__=120
                -DT_DIALECT="kernels/dialect_opencl.h" -x c -I${TESELA_DIALECT_FOLDER} -MD -MF ${text}.d -MQ ${text}
                -o ${text} ${relative}
        COMMAND sed -i -E "s#(^|[^\\\\]) ([a-z])#\\1 ${root}/\\2#g" ${text}.d
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        MAIN_DEPENDENCY ${path}
        DEPFILE ${text}.d
        COMMENT "OpenCL text of ${name}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DTEXT=${text} -DSOURCE=${source} -DNAME=${name}
                -DFILE=${relative} -P ${embed}
        DEPENDS ${text} ${embed}
        VERBATIM)
    target_sources(${target} PRIVATE ${source})
endfunction()
