// The kernels of one precision.
#pragma once

#include "kernels/transforms/zernike.kernel.h"
#include "kernels/transforms/zernike_f64.kernel.h"

namespace tesela {

template <class T>
struct ZernikeKernels;

#define TESELA_ZERNIKE_KERNELS(T, suffix)                                                 \
    template <>                                                                           \
    struct ZernikeKernels<T> {                                                            \
        static constexpr auto& fold = kernels::zernike_fold_##suffix;                     \
        static constexpr auto& gather = kernels::zernike_gather_##suffix;                 \
        static constexpr auto& gather_objects = kernels::zernike_gather_objects_##suffix; \
        static constexpr auto& sums = kernels::zernike_sums_##suffix;                     \
        static constexpr auto& totals = kernels::zernike_totals_##suffix;                 \
        static constexpr auto& render = kernels::zernike_render_##suffix;                 \
    };
TESELA_ZERNIKE_KERNELS(float, f32)
TESELA_ZERNIKE_KERNELS(double, f64)
#undef TESELA_ZERNIKE_KERNELS

}  // namespace tesela
