# The OpenCL back end. Kernels are preprocessed here and embedded as text, which the driver compiles
# on first use; the loader is opened at run time.
# Debian packages: opencl-headers
# Headers of its own: ^(?:CL/|CL\.h)

list(APPEND TESELA_BACK_ENDS opencl)

function(tesela_opencl_library target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compute/opencl/*.cpp)
    target_sources(${target} PRIVATE ${sources})
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

function(tesela_opencl_kernel target name path generated)
    set(text ${generated}/${name}.cl)
    set(source ${generated}/${name}.cl.cpp)
    set(embed ${PROJECT_SOURCE_DIR}/src/compute/opencl/embed_text.cmake)
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR} ${path})
    file(MAKE_DIRECTORY ${generated})
    # Run in the repository's root, so that line markers, and with them a driver's errors, name files
    # relative to it. The build looks for what they depend on elsewhere.
    string(REPLACE " " "\\\\ " root ${PROJECT_SOURCE_DIR})
    add_custom_command(
        OUTPUT ${text}
        COMMAND ${CMAKE_CXX_COMPILER} -E -undef -std=c99 -D__OPENCL_C_VERSION__=120
                -DT_DIALECT="kernels/dialect_opencl.h" -x c -Isrc -MD -MF ${text}.d -MQ ${text}
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
