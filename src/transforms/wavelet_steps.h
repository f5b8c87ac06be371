// The lifting steps of each wavelet, as kernels take them.
#pragma once

#include "kernels/transforms/wavelet.kernel.h"
#include "kernels/transforms/wavelet_f64.kernel.h"
#include "tesela/wavelet.h"

namespace tesela {

template <class T>
struct WaveletKernels;
template <>
struct WaveletKernels<float> {
    using Steps = kernels::wavelet_steps_f32;
    static constexpr auto& forward_x = kernels::wavelet_forward_x_f32;
    static constexpr auto& inverse_x = kernels::wavelet_inverse_x_f32;
    static constexpr auto& forward_along = kernels::wavelet_forward_along_f32;
    static constexpr auto& inverse_along = kernels::wavelet_inverse_along_f32;
    static constexpr auto& forward_ends = kernels::wavelet_forward_ends_f32;
    static constexpr auto& inverse_ends = kernels::wavelet_inverse_ends_f32;
    static constexpr auto& forward_tile = kernels::wavelet_forward_tile_f32;
    static constexpr auto& inverse_tile = kernels::wavelet_inverse_tile_f32;
    static constexpr auto& copy = kernels::wavelet_copy_f32;
    static constexpr auto& packet_cost = kernels::wavelet_packet_cost_f32;
    static constexpr auto& packet_take = kernels::wavelet_packet_take_f32;
};
template <>
struct WaveletKernels<double> {
    using Steps = kernels::wavelet_steps_f64;
    static constexpr auto& forward_x = kernels::wavelet_forward_x_f64;
    static constexpr auto& inverse_x = kernels::wavelet_inverse_x_f64;
    static constexpr auto& forward_along = kernels::wavelet_forward_along_f64;
    static constexpr auto& inverse_along = kernels::wavelet_inverse_along_f64;
    static constexpr auto& forward_ends = kernels::wavelet_forward_ends_f64;
    static constexpr auto& inverse_ends = kernels::wavelet_inverse_ends_f64;
    static constexpr auto& forward_tile = kernels::wavelet_forward_tile_f64;
    static constexpr auto& inverse_tile = kernels::wavelet_inverse_tile_f64;
    static constexpr auto& copy = kernels::wavelet_copy_f64;
    static constexpr auto& packet_cost = kernels::wavelet_packet_cost_f64;
    static constexpr auto& packet_take = kernels::wavelet_packet_take_f64;
};
template <>
struct WaveletKernels<std::int32_t> {
    using Steps = kernels::wavelet_steps_i32;
    static constexpr auto& forward_x = kernels::wavelet_forward_x_i32;
    static constexpr auto& inverse_x = kernels::wavelet_inverse_x_i32;
    static constexpr auto& forward_along = kernels::wavelet_forward_along_i32;
    static constexpr auto& inverse_along = kernels::wavelet_inverse_along_i32;
    static constexpr auto& forward_ends = kernels::wavelet_forward_ends_i32;
    static constexpr auto& inverse_ends = kernels::wavelet_inverse_ends_i32;
    static constexpr auto& forward_tile = kernels::wavelet_forward_tile_i32;
    static constexpr auto& copy = kernels::wavelet_copy_i32;
    static constexpr auto& packet_cost = kernels::wavelet_packet_cost_i32;
    static constexpr auto& packet_take = kernels::wavelet_packet_take_i32;
};

// Of a forward transform, and of its inverse. The wavelet must be one of T.
template <class T>
typename WaveletKernels<T>::Steps wavelet_steps(Wavelet wavelet, bool is_inverse);

}  // namespace tesela
