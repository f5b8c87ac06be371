# cmake -DPREFIXES=cpu_v3,cuda -DTEXTS=a.cl,b.cl -DSOURCE=out.cpp -P left_out_kernels.cmake
#
# Host code names every compiled form of a kernel. This defines those that a build leaves out, none of which
# is ever called: a CPU level that was not built is not chosen, and a back end that was not built has no device.
string(REPLACE "," ";" PREFIXES "${PREFIXES}")
string(REPLACE "," ";" TEXTS "${TEXTS}")

set(names "")
foreach(file ${TEXTS})
    file(READ ${file} text)
    string(REGEX MATCHALL "__kernel [^;{]*void [A-Za-z0-9_]+\\(" heads "${text}")
    if(NOT heads)
        message(FATAL_ERROR "${file}: no kernel found")
    endif()
    list(TRANSFORM heads REPLACE ".*void ([A-Za-z0-9_]+)\\(" "\\1")
    list(APPEND names ${heads})
endforeach()

set(entries "")
foreach(prefix ${PREFIXES})
    foreach(name ${names})
        if(prefix STREQUAL "cuda")
            string(APPEND entries "const void* tesela_cuda_${name}() { return nullptr; }\n")
        else()
            string(APPEND entries "void tesela_${prefix}_${name}(const T_Box*, void* const*) { __builtin_trap(); }\n")
        endif()
    endforeach()
endforeach()
file(WRITE ${SOURCE} "#include \"kernels/cpu_box.h\"

extern \"C\" {
${entries}}
")
