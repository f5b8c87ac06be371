// YUV of 8 bits, as videos have it, from and to RGB: ITU-R BT.601-7 and BT.709-6.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tesela::io {

// Weights of red and blue in luma.
struct YuvWeights {
    double red, blue;
};
inline constexpr YuvWeights bt601{0.299, 0.114}, bt709{0.2126, 0.0722};

// Both directions, in integers of 1/65536.
class YuvMatrix {
  public:
    // `full_range`: luma and chroma take 0..255; else 16..235 and 16..240.
    YuvMatrix(const YuvWeights& weights, bool full_range) : black_(full_range ? 0 : 16) {
        const double kr = weights.red, kb = weights.blue, kg = 1 - kr - kb;
        const double luma = full_range ? 1 : 219.0 / 255;
        const double chroma = full_range ? 1 : 224.0 / 255;
        to_rgb_ = {fixed(1 / luma), fixed(2 * (1 - kr) / chroma),
                   fixed(2 * (1 - kb) * kb / kg / chroma), fixed(2 * (1 - kr) * kr / kg / chroma),
                   fixed(2 * (1 - kb) / chroma)};
        const double u = chroma / 2 / (1 - kb), v = chroma / 2 / (1 - kr);
        to_y_ = {fixed(kr * luma), fixed(kg * luma), fixed(kb * luma)};
        to_u_ = {fixed(-kr * u), fixed(-kg * u), fixed((1 - kb) * u)};
        to_v_ = {fixed((1 - kr) * v), fixed(-kg * v), fixed(-kb * v)};
    }

    std::uint8_t gray(std::uint8_t y) const { return clipped(to_rgb_[0] * (y - black_)); }
    std::uint8_t luma(std::uint8_t gray) const {
        return clipped((to_y_[0] + to_y_[1] + to_y_[2]) * gray + black_ * one);
    }
    void rgb(std::uint8_t y, std::uint8_t u, std::uint8_t v, std::uint8_t* rgb) const {
        const std::int32_t gray = to_rgb_[0] * (y - black_), cb = u - 128, cr = v - 128;
        rgb[0] = clipped(gray + to_rgb_[1] * cr);
        rgb[1] = clipped(gray - to_rgb_[2] * cb - to_rgb_[3] * cr);
        rgb[2] = clipped(gray + to_rgb_[4] * cb);
    }
    std::array<std::uint8_t, 3> yuv(const std::uint8_t* rgb) const {
        return {clipped(sum(to_y_, rgb) + black_ * one), clipped(sum(to_u_, rgb) + 128 * one),
                clipped(sum(to_v_, rgb) + 128 * one)};
    }

  private:
    using Row = std::array<std::int32_t, 3>;
    static constexpr std::int32_t one = 1 << 16;

    static std::int32_t fixed(double value) {
        return static_cast<std::int32_t>(std::lround(value * one));
    }
    static std::int32_t sum(const Row& row, const std::uint8_t* rgb) {
        return row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2];
    }
    static std::uint8_t clipped(std::int32_t value) {
        return static_cast<std::uint8_t>(std::clamp((value + one / 2) >> 16, 0, 255));
    }

    std::int32_t black_;
    std::array<std::int32_t, 5> to_rgb_{};  // of y; v in red; u and v in green; u in blue
    Row to_y_{}, to_u_{}, to_v_{};
};

}  // namespace tesela::io
