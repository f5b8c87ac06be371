// YUV of 8 to 16 bits, as videos have it, from and to RGB: ITU-R BT.601-7, BT.709-6 and, for more
// than 8 bits, BT.2020-2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tesela::io {

// Weights of red and blue in luma.
struct YuvWeights {
    double red, blue;
};
inline constexpr YuvWeights bt601{0.299, 0.114}, bt709{0.2126, 0.0722};

// Both directions, in integers of 2^-16 or, for samples of 16 bits, of 2^-32. RGB and gray take all
// of a Sample, which has 8 or 16 bits.
template <class Sample>
class YuvMatrix {
  public:
    // `full_range`: luma and chroma take all values of `bits`; else 16..235 and 16..240 of 255, or
    // so many times as much as there are more bits.
    YuvMatrix(const YuvWeights& weights, bool full_range, int bits = 8 * sizeof(Sample))
        : black_(full_range ? 0 : Sum{16} << (bits - 8)), middle_(Sum{128} << (bits - 8)) {
        const double kr = weights.red, kb = weights.blue, kg = 1 - kr - kb;
        const double step = std::ldexp(1.0, bits - 8), white = std::numeric_limits<Sample>::max();
        const double all = std::ldexp(1.0, bits) - 1;
        const double luma = (full_range ? all : 219 * step) / white;
        const double chroma = (full_range ? all : 224 * step) / white;
        to_rgb_ = {fixed(1 / luma), fixed(2 * (1 - kr) / chroma),
                   fixed(2 * (1 - kb) * kb / kg / chroma), fixed(2 * (1 - kr) * kr / kg / chroma),
                   fixed(2 * (1 - kb) / chroma)};
        const double u = chroma / 2 / (1 - kb), v = chroma / 2 / (1 - kr);
        to_y_ = {fixed(kr * luma), fixed(kg * luma), fixed(kb * luma)};
        to_u_ = {fixed(-kr * u), fixed(-kg * u), fixed((1 - kb) * u)};
        to_v_ = {fixed((1 - kr) * v), fixed(-kg * v), fixed(-kb * v)};
    }

    Sample gray(Sample y) const { return clipped(to_rgb_[0] * (y - black_)); }
    void rgb(Sample y, Sample u, Sample v, Sample* rgb) const {
        const Sum gray = to_rgb_[0] * (y - black_), cb = u - middle_, cr = v - middle_;
        rgb[0] = clipped(gray + to_rgb_[1] * cr);
        rgb[1] = clipped(gray - to_rgb_[2] * cb - to_rgb_[3] * cr);
        rgb[2] = clipped(gray + to_rgb_[4] * cb);
    }
    // These are for as many bits as a Sample has.
    Sample luma(Sample gray) const {
        return clipped((to_y_[0] + to_y_[1] + to_y_[2]) * gray + black_ * one);
    }
    std::array<Sample, 3> yuv(const Sample* rgb) const {
        return {clipped(sum(to_y_, rgb) + black_ * one), clipped(sum(to_u_, rgb) + middle_ * one),
                clipped(sum(to_v_, rgb) + middle_ * one)};
    }

  private:
    using Sum = std::conditional_t<sizeof(Sample) == 1, std::int32_t, std::int64_t>;
    using Row = std::array<Sum, 3>;
    static constexpr int fraction_bits = 16 * sizeof(Sample);
    static constexpr Sum one = Sum{1} << fraction_bits;

    static Sum fixed(double value) {
        return static_cast<Sum>(std::llround(value * static_cast<double>(one)));
    }
    static Sum sum(const Row& row, const Sample* rgb) {
        return row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2];
    }
    static Sample clipped(Sum value) {
        return static_cast<Sample>(std::clamp<Sum>((value + one / 2) >> fraction_bits, 0,
                                                   std::numeric_limits<Sample>::max()));
    }

    Sum black_, middle_;
    std::array<Sum, 5> to_rgb_{};  // of y; v in red; u and v in green; u in blue
    Row to_y_{}, to_u_{}, to_v_{};
};

}  // namespace tesela::io
