# The OpenCL back end. Kernels are preprocessed here and embedded as text, which the driver compiles
# on first use; the loader is opened at run time.
# Debian packages: opencl-headers
# Headers of its own: ^(?:CL/|CL\.h)

include(${CMAKE_CURRENT_LIST_DIR}/kernels.cmake)

function(tesela_opencl_library target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/compute/opencl/*.cpp)
    target_sources(${target} PRIVATE ${sources})
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
