# `cpack -G TGZ`: the program with the libraries that it needs, in an archive that runs from any folder.
# Built on Debian 12 it runs where glibc and libstdc++ are as new as those or newer. `cpack -G DEB`: Debian packages
# (TeselaDebian.cmake).

# Libraries that were not made for the archive find theirs by the run path of whoever loads the first one,
# which only the older kind of run path (RPATH, not RUNPATH) hands on.
get_property(format_modules GLOBAL PROPERTY TESELA_MODULES)
foreach(target ${format_modules} tesela tesela_io tesela_tissue tesela_program tesela_decode)
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
endforeach()

# Opened at run time: the OpenCL loader, which a machine with nothing but a GPU's driver lacks, and oneTBB's
# allocator, for which oneTBB looks where it lies itself.
set(opened "")
foreach(name libOpenCL.so.1 libtbbmalloc.so.2)
    unset(library)
    find_library(library NAMES ${name} NO_CACHE)
    if(library)
        list(APPEND opened ${library})
    endif()
endforeach()

set(modules $<TARGET_FILE:tesela_program>)
foreach(module ${format_modules})
    list(APPEND modules $<TARGET_FILE:${module}>)
endforeach()
if(BUILD_SHARED_LIBS)
    list(APPEND modules $<TARGET_FILE:tesela> $<TARGET_FILE:tesela_io> $<TARGET_FILE:tesela_tissue>)
endif()
install(CODE "
    set(programs \"$<TARGET_FILE:tesela_decode>\")
    set(modules \"${modules}\")
    set(opened \"${opened}\")
    set(library_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/tesela\")
    set(document_folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
    include(\"${PROJECT_SOURCE_DIR}/cmake/BundleLibraries.cmake\")"
    COMPONENT libraries EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tesela)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} Tesela program /
                                 ${PROJECT_BINARY_DIR} Tesela libraries /)
set(debian_components program development)
if(TARGET tesela_video)
    list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} Tesela video /)
    list(APPEND debian_components video)
endif()
if(TARGET tesela_python)
    list(APPEND debian_components python)
endif()
set(CPACK_TESELA_COMPONENTS ${debian_components})
set(CPACK_TESELA_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_TESELA_IS_SHARED ${BUILD_SHARED_LIBS})
if(BUILD_SHARED_LIBS)
    # Where dpkg-shlibdeps finds what no Debian package has.
    set(CPACK_TESELA_PRIVATE_FOLDERS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/src/io ${PROJECT_BINARY_DIR}/src/tissue
                                     ${CUDAToolkit_LIBRARY_DIR})
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/TeselaDebian.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
