// As wavelet.kernel.h, in double precision.
#define T_FILE wavelet_f64
#define T_USES_F64
#include "kernels/begin.h"
#include "kernels/transforms/wavelet_packet.h"

#define WAVELET_VALUE f64
#define WAVELET_SCALE f64
#define WAVELET_OF(name) T_JOIN(name, _f64)
#include "kernels/transforms/wavelet.body.h"
#include "kernels/transforms/wavelet_packet.body.h"
// For GPUs alone.
#include "kernels/transforms/gpu/wavelet_tiles.body.h"
#undef WAVELET_OF
#undef WAVELET_SCALE
#undef WAVELET_VALUE

#include "kernels/end.h"
