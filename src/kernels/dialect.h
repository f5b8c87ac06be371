// The kernel dialect: the common subset of C99, OpenCL C 1.2 and CUDA C++ in which every kernel is
// written once. docs/kernels.md gives each word with its three expansions and the rules.
#ifndef TESELA_KERNELS_DIALECT_H
#define TESELA_KERNELS_DIALECT_H

// The build of a back end names its header; host code that includes a kernel file names none.
#ifdef T_DIALECT
    #include T_DIALECT
#else
    #include "kernels/dialect_declare.h"
#endif

// ---- Words that expand alike everywhere ------------------------------------------------------

#define T_STRIP(...) __VA_ARGS__
#define T_JOIN_(a, b) a##b
#define T_JOIN(a, b) T_JOIN_(a, b)
#define T_TEXT_(a) #a
#define T_TEXT(a) T_TEXT_(a)

#define T_MIN(a, b) ((b) < (a) ? (b) : (a))
#define T_MAX(a, b) ((a) < (b) ? (b) : (a))
#define T_ABS(a) ((a) < 0 ? -(a) : (a))
#define T_CLAMP(a, lowest, highest) T_MIN(T_MAX(a, lowest), highest)

#endif
