// Wavelet transforms of floats and, reversibly, of integers.
#define T_FILE wavelet
#include "kernels/begin.h"
#include "kernels/transforms/wavelet_packet.h"

#define WAVELET_VALUE f32
#define WAVELET_SCALE f32
#define WAVELET_OF(name) T_JOIN(name, _f32)
#include "kernels/transforms/wavelet.body.h"
#include "kernels/transforms/wavelet_packet.body.h"
// For GPUs alone.
#include "kernels/transforms/gpu/wavelet_tiles.body.h"
#undef WAVELET_OF
#undef WAVELET_SCALE
#undef WAVELET_VALUE

#define WAVELET_INTEGER
#define WAVELET_VALUE i32
#define WAVELET_SCALE f32
#define WAVELET_OF(name) T_JOIN(name, _i32)
#include "kernels/transforms/wavelet.body.h"
#include "kernels/transforms/wavelet_packet.body.h"
// For GPUs alone.
#include "kernels/transforms/gpu/wavelet_tiles.body.h"
#undef WAVELET_OF
#undef WAVELET_SCALE
#undef WAVELET_VALUE
#undef WAVELET_INTEGER

#include "kernels/end.h"
