# What `cmake --install` puts where, and the package that find_package(Tesela) finds. The component
# `program` is what runs, `video` the module that reads and writes videos, whose FFmpeg is under the GPL;
# `development` is for those who compile against the library, `python` the module for Python.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tesela)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

function(tesela_install_library target name export)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT ${export}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                    COMPONENT program NAMELINK_COMPONENT development)
endfunction()

tesela_install_library(tesela tesela TeselaTargets)
install(EXPORT TeselaTargets NAMESPACE Tesela:: DESTINATION ${package_folder})

# Headers of files and tissue are known by their names, as scripts/dev/check_layers knows them.
if(NOT TARGET tesela_io)
    set(without_files REGEX "/([a-z]+_)?io\\.h$|/tissue_[a-z]+\\.h$" EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tesela DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" ${without_files})

# What kernels of somebody else's are written in, and how they are compiled.
file(GLOB dialect CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernels/*.h)
install(FILES ${dialect} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tesela-kernels/kernels)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/compute/ DESTINATION ${package_folder}/kernels
        FILES_MATCHING PATTERN "kernels.cmake" PATTERN "embed_text.cmake")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/TeselaAddKernels.cmake
              ${PROJECT_SOURCE_DIR}/cmake/left_out_kernels.cmake DESTINATION ${package_folder}/kernels)

# The file library is exported by itself: who does not ask for it needs none of its formats.
if(TARGET tesela_io)
    tesela_install_library(tesela_io io TeselaIoTargets)
    tesela_install_library(tesela_tissue tissue TeselaIoTargets)
    install(EXPORT TeselaIoTargets NAMESPACE Tesela:: DESTINATION ${package_folder})
    get_property(modules GLOBAL PROPERTY TESELA_MODULES)
    if(TARGET tesela_video)
        list(REMOVE_ITEM modules tesela_video)
        install(TARGETS tesela_video DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela COMPONENT video)
    endif()
    install(TARGETS ${modules} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela COMPONENT program)
    install(TARGETS tesela_decode DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tesela COMPONENT program)
endif()

if(TARGET tesela_cli)
    install(TARGETS tesela_cli DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    install(TARGETS tesela_program DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela COMPONENT program)
    set(documents ${PROJECT_BINARY_DIR}/documents)
    install(FILES ${documents}/tesela.bash RENAME tesela COMPONENT program
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${documents}/tesela.zsh RENAME _tesela COMPONENT program
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${documents}/tesela.fish COMPONENT program
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    install(DIRECTORY ${documents}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

set(TESELA_HAS_CUDA OFF)
if("cuda" IN_LIST TESELA_BACK_ENDS)
    set(TESELA_HAS_CUDA ON)
    if(BUILD_SHARED_LIBS)
        set(name libcudart.so.${CUDAToolkit_VERSION_MAJOR})
        file(REAL_PATH ${CUDAToolkit_LIBRARY_DIR}/${name} runtime)
        install(FILES ${runtime} RENAME ${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela COMPONENT program)
    else()
        install(FILES ${CUDAToolkit_LIBRARY_DIR}/libcudart_static.a DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela)
    endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TeselaConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TeselaConfig.cmake
                              INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_LIBEXECDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TeselaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TeselaConfig.cmake
              ${PROJECT_BINARY_DIR}/TeselaConfigVersion.cmake
        DESTINATION ${package_folder})

# The last rule. After it CMake would write a list of the files into the build folder, which belongs to root
# where root installs, so that nobody else could install from that folder again.
install(CODE "return()" ALL_COMPONENTS)
