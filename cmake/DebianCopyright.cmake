# Run by cpack once the files of all Debian packages lie in their folders: the license where Debian looks for it.
foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} name)
    set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME})
    file(MAKE_DIRECTORY ${folder})
    file(COPY_FILE ${CPACK_RESOURCE_FILE_LICENSE} ${folder}/copyright)
endforeach()
