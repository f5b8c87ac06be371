// Small cases of the algorithms. A case adds its results to a hash, which has to be the same at
// each instruction-set level of the CPU that this processor has: LevelResults, once for each list
// of cases. scripts/dev/check_levels finds public functions that no case calls.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "segmentation/pictures.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela::testing {

// FNV-1a over the bytes of numbers.
class Hash {
  public:
    // Numbers, images, or ranges of these. Structures are added member by member: they may have
    // bytes without a value.
    template <class... T>
    Hash& add(const T&... values) {
        (add_one(values), ...);
        return *this;
    }
    std::uint64_t value() const { return value_; }

  private:
    template <class T>
    void add_one(const T& value) {
        if constexpr (std::is_arithmetic_v<T>) {
            const auto* byte = reinterpret_cast<const unsigned char*>(&value);
            for (std::size_t i = 0; i < sizeof value; ++i)
                value_ = (value_ ^ byte[i]) * 0x100000001b3ULL;
        } else {
            for (const auto& part : value) add_one(part);
        }
    }
    template <class T>
    void add_one(const std::complex<T>& value) {
        add(value.real(), value.imag());
    }
    template <class T>
    void add_one(const Image<T>& image) {
        add_one(image.pixels());
    }
    void add_one(const AnyImage& image) {
        std::visit([this](const auto& i) { add_one(i); }, image);
    }

    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

struct Case {
    const char* name;
    std::function<void(Queue&, Hash&)> run;
};

class LevelResults : public ::testing::TestWithParam<Case> {};

// A name for GoogleTest, which takes letters and digits.
std::string case_name(const ::testing::TestParamInfo<Case>& info);

inline Image<std::uint8_t> picture(int channels) {
    return quantized<std::uint8_t>(patches({97, 61, 1, 1, channels}, 0.1, 3), 255);
}
inline Image<std::int16_t> volume() {
    return quantized<std::int16_t>(patches({37, 23, 11}, 0.1, 4), 900);
}
inline Image<std::uint8_t> noise_mask(const Shape& shape) {
    Image<std::uint8_t> mask = quantized<std::uint8_t>(patches(shape, 1, 5), 255);
    for (std::uint8_t& value : mask.pixels()) value = value > 127 ? 255 : 0;
    return mask;
}
// Numbers from 0 to 1.
inline std::vector<float> noise(std::int64_t count, unsigned seed) {
    return patches({count}, 1, seed).pixels();
}

template <class T>
Buffer<T> on_device(Queue& queue, const std::vector<T>& host) {
    return queue.upload(std::span<const T>(host), "input");
}

}  // namespace tesela::testing
