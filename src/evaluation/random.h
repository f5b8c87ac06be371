// Random numbers that are the same with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace tesela::evaluation {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    double normal() {
        const double length = std::sqrt(-2 * std::log(1 - uniform()));
        return length * std::cos(2 * std::numbers::pi * uniform());
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace tesela::evaluation
