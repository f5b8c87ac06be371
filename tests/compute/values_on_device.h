// What tests of single words on every device share.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "devices.h"
#include "tesela/compute/queue.h"

namespace tesela::testing {

// With a queue of the device, and values for it.
class ValuesOnDevice : public OnDevice {
  protected:
    Queue queue{GetParam()};

    template <class T>
    std::vector<T> random_values(std::int64_t n, unsigned seed) {
        std::mt19937_64 generator(seed);
        std::vector<T> values(static_cast<std::size_t>(n));
        for (T& value : values) {
            if constexpr (std::is_floating_point_v<T>)
                value = static_cast<T>(static_cast<double>(generator() % 2000001) / 1000.0 - 1000);
            else
                value = static_cast<T>(generator());
        }
        return values;
    }
    template <class T>
    Buffer<T> upload(const std::vector<T>& values) {
        return queue.upload(std::span<const T>(values), "test values");
    }
};

}  // namespace tesela::testing
