# Run while the archive is made: copies the libraries that `programs` and `modules` need, and those that are
# `opened` at run time, to `library_folder`, and the licenses of their Debian packages to `document_folder`.

# glibc and the compiler's libraries are the machine's own; those of Tesela are among the modules.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} MODULES ${modules}
     RESOLVED_DEPENDENCIES_VAR libraries
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|mvec|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s)\\.so"
     POST_EXCLUDE_REGEXES "/libtesela[_a-z]*\\.so")

set(files "")
foreach(library ${libraries} ${opened})
    get_filename_component(name ${library} NAME)
    file(REAL_PATH ${library} file)
    file(INSTALL ${file} DESTINATION ${library_folder} RENAME ${name})
    list(APPEND files ${file})
endforeach()

# Debian moves /lib to /usr/lib: a package lists its files in the one or in the other.
string(REPLACE "/usr/lib/" "/lib/" moved "${files}")
execute_process(COMMAND dpkg-query --search ${files} ${moved} OUTPUT_VARIABLE lines ERROR_QUIET)
string(REPLACE "\n" ";" lines "${lines}")
foreach(line ${lines})
    if(line MATCHES "^([^:,]+).*: (/usr)?(/lib/.+)$")
        set(package_of_/usr${CMAKE_MATCH_3} ${CMAKE_MATCH_1})
    endif()
endforeach()

# Of these, headers alone are used.
set(packages libcli11-dev libeigen3-dev libxxhash-dev nlohmann-json3-dev)
foreach(file ${files})
    if(file MATCHES "/libcudart")  # of shared builds with CUDA, which stay on this machine
        continue()
    endif()
    if(NOT package_of_${file})
        message(FATAL_ERROR "${file} belongs to no Debian package, so that its license is not known")
    endif()
    list(APPEND packages ${package_of_${file}})
endforeach()
list(REMOVE_DUPLICATES packages)
list(SORT packages)

set(list "Libraries in this archive, as Debian built them; `apt-get source PACKAGE=VERSION` has their source.\n\n")
foreach(package ${packages})
    execute_process(COMMAND dpkg-query --show
                            "--showformat=\${Package} \${source:Package}=\${source:Version}\\n" ${package}
                    OUTPUT_VARIABLE line COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND list "${line}")
    file(REAL_PATH /usr/share/doc/${package}/copyright license)
    file(INSTALL ${license} DESTINATION ${document_folder}/licenses RENAME ${package})
endforeach()
file(WRITE $ENV{DESTDIR}${document_folder}/LIBRARIES "${list}")
