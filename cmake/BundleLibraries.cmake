# Run while the archive is made: copies the libraries that `programs` and `modules` need, and those that are
# `opened` at run time, to `library_folder`, and the licenses of their Debian packages to `document_folder`.
include(${CMAKE_CURRENT_LIST_DIR}/LibraryLicenses.cmake)

needed_libraries(libraries EXECUTABLES ${programs} MODULES ${modules})
foreach(library ${libraries} ${opened})
    get_filename_component(name ${library} NAME)
    file(REAL_PATH ${library} file)
    file(INSTALL ${file} DESTINATION ${library_folder} RENAME ${name})
endforeach()
write_library_licenses(${document_folder} ${libraries} ${opened})
