# What `cmake --install` puts where, and the package that find_package(Tesela) finds.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tesela)

install(TARGETS tesela EXPORT TeselaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT TeselaTargets NAMESPACE Tesela:: DESTINATION ${package_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tesela DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h"
        PATTERN io.h EXCLUDE
        PATTERN flow_io.h EXCLUDE
        PATTERN video_io.h EXCLUDE)

# The file library stands in a file of its own: who does not ask for it needs none of its formats.
if(TARGET tesela_io)
    set_target_properties(tesela_io PROPERTIES EXPORT_NAME io)
    install(TARGETS tesela_io EXPORT TeselaIoTargets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set_target_properties(tesela_tissue PROPERTIES EXPORT_NAME tissue)
    install(TARGETS tesela_tissue EXPORT TeselaIoTargets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(TARGETS tesela_decode RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tesela COMPONENT program)
    install(EXPORT TeselaIoTargets NAMESPACE Tesela:: DESTINATION ${package_folder})
    install(FILES ${PROJECT_SOURCE_DIR}/include/tesela/flow_io.h
                  ${PROJECT_SOURCE_DIR}/include/tesela/io.h
                  ${PROJECT_SOURCE_DIR}/include/tesela/video_io.h
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tesela)
endif()

if(TARGET tesela_cli)
    install(TARGETS tesela_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    install(TARGETS tesela_program LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tesela COMPONENT program)
    set(documents ${PROJECT_BINARY_DIR}/documents)
    install(FILES ${documents}/tesela.bash RENAME tesela
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${documents}/tesela.zsh RENAME _tesela
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${documents}/tesela.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    install(DIRECTORY ${documents}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TeselaConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TeselaConfig.cmake
                              INSTALL_DESTINATION ${package_folder}
                              PATH_VARS CMAKE_INSTALL_LIBEXECDIR)
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TeselaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TeselaConfig.cmake
              ${PROJECT_BINARY_DIR}/TeselaConfigVersion.cmake
        DESTINATION ${package_folder})
