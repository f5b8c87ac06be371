// Debian configures ITK's compiler detection for GCC alone, and the header refuses any other
// compiler. Clang takes all that it defines for GCC, so Clang passes for one while it is read.
#pragma once
#pragma GCC system_header
#pragma push_macro("__clang__")
#pragma push_macro("__GNUC__")
#undef __clang__
#undef __GNUC__
#define __GNUC__ 12
#include <itk_compiler_detection.h>
#pragma pop_macro("__GNUC__")
#pragma pop_macro("__clang__")
