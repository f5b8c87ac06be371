# Of libraries that travel with the program or the module: which ones those are, and their licenses as Debian has them.

# needed_libraries(result EXECUTABLES file... MODULES file...): the files of the libraries that these need.
function(needed_libraries result)
    # glibc and the compiler's libraries are the machine's own; those of Tesela are among the modules.
    file(GET_RUNTIME_DEPENDENCIES ${ARGN} RESOLVED_DEPENDENCIES_VAR libraries
         PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|mvec|dl|rt|pthread|resolv|util|stdc\\+\\+|gcc_s)\\.so"
         POST_EXCLUDE_REGEXES "/libtesela[_a-z]*\\.so")
    set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# write_library_licenses(folder file...): LIBRARIES, which lists the Debian packages of these libraries, and
# the text of each one's license in `licenses`.
function(write_library_licenses folder)
    set(files "")
    foreach(file ${ARGN})
        file(REAL_PATH ${file} file)
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

    set(list "Libraries that travel with Tesela, as Debian built them; `apt-get source PACKAGE=VERSION` has their source.\n\n")
    foreach(package ${packages})
        execute_process(COMMAND dpkg-query --show
                                "--showformat=\${Package} \${source:Package}=\${source:Version}\\n" ${package}
                        OUTPUT_VARIABLE line COMMAND_ERROR_IS_FATAL ANY)
        string(APPEND list "${line}")
        file(REAL_PATH /usr/share/doc/${package}/copyright license)
        file(INSTALL ${license} DESTINATION ${folder}/licenses RENAME ${package})
    endforeach()
    file(WRITE $ENV{DESTDIR}${folder}/LIBRARIES "${list}")
endfunction()
