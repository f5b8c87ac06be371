# Read by cpack, before packages of each kind. `cpack -G DEB`: Debian packages for the release that they are made on, with
# its libraries. Those of a shared build with CUDA hold NVIDIA's runtime and stay on this machine.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL ${CPACK_TESELA_COMPONENTS})
set(CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_TESELA_BUILD};Tesela;ALL;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/DebianCopyright.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Tesela's developers")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CPACK_TESELA_PRIVATE_FOLDERS})
set(sentence "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}.")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # which would be that of each package
set(same_version "tesela (= ${CPACK_PACKAGE_VERSION})")

# tesela_package(COMPONENT NAME SECTION SUMMARY)
macro(tesela_package component name section summary)
    set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
    set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section})
    set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${sentence}")
endmacro()
tesela_package(PROGRAM tesela science "segmentation, motion and registration of images: the program")
# Opened at run time.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS tesela-video)

tesela_package(VIDEO tesela-video science "videos for Tesela, by FFmpeg's libraries")
set(CPACK_DEBIAN_VIDEO_PACKAGE_DEPENDS "${same_version}")

tesela_package(DEVELOPMENT libtesela-dev libdevel "Tesela's library for C++: headers and CMake package")
# Who links static libraries links what these need.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same_version}")
if(NOT CPACK_TESELA_IS_SHARED)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libtbb-dev, zlib1g-dev, libpng-dev, libjpeg-dev, libtiff-dev, "
                  "libpugixml-dev, libzstd-dev, libisal-dev, libdeflate-dev, libsvm-dev")
endif()

tesela_package(PYTHON python3-tesela python "Tesela for Python")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3-numpy (>= 1:1.24)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/python3-tesela/postinst
                                              ${CMAKE_CURRENT_LIST_DIR}/debian/python3-tesela/prerm)
