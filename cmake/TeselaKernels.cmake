# The back ends, each of which says in src/compute/NAME/back_end.cmake how it is built:
#   list(APPEND TESELA_BACK_ENDS NAME)   where this machine can build it
#   list(APPEND TESELA_LEFT_OUT PREFIX)  where it does not, or not wholly: entries of kernels, tesela_PREFIX_NAME,
#                                        that nobody calls and that have to be defined all the same
#   list(APPEND TESELA_PACKAGES P)       for what an installed Tesela has to find again
#   tesela_NAME_library(target)          adds its sources and libraries; also where it is not built
#   tesela_NAME_kernel(target name path generated)   compiles one kernel file; in kernels.cmake
#
# A back end includes its kernels.cmake, which says how kernel files are compiled for it; that file is installed too.

# What host code needs to know of the build when it declares kernels.
add_library(tesela_kernel_interface INTERFACE)
target_include_directories(tesela_kernel_interface INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                             ${PROJECT_SOURCE_DIR}/include)

set(TESELA_DIALECT_FOLDER src)
set(TESELA_KERNEL_BASE src)
set(TESELA_IS_SHARED ${BUILD_SHARED_LIBS})
include(TeselaAddKernels)

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
