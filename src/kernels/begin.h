// First include of every kernel file, after `#define T_FILE <name of the file without its suffix>`.
// No include guard: end.h closes what this opens.
#include "kernels/dialect.h"
T_FILE_BEGIN
