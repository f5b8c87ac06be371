# Makes a C++ file that holds an OpenCL text: cmake -DTEXT=in.cl -DSOURCE=out.cpp -DNAME=n -DFILE=f -P
file(READ ${TEXT} text)
if(text MATCHES "cl_khr_fp64")
    set(uses_f64 true)
else()
    set(uses_f64 false)
endif()
file(WRITE ${SOURCE} "#include \"kernels/kernel_code.h\"

extern \"C\" const tesela::detail::KernelText tesela_text_${NAME};
const tesela::detail::KernelText tesela_text_${NAME}{\"${FILE}\", R\"TESELA(${text})TESELA\", ${uses_f64}};
")
