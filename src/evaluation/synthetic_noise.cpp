#include "tesela/synthetic_noise.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tesela {
namespace {

// Pairs of independent normal deviates: G. E. P. Box, M. E. Muller, 1958. The distributions of the
// standard library differ between systems.
class NormalPairs {
  public:
    explicit NormalPairs(std::uint64_t seed) : generator_(seed) {}

    std::pair<double, double> next() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        const double angle = 2 * std::acos(-1.0) * uniform();
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }

  private:
    double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

    std::mt19937_64 generator_;
};

template <class T>
T pixel_of(double value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(std::clamp<double>(std::nearbyint(value),
                                                 std::numeric_limits<T>::lowest(),
                                                 std::numeric_limits<T>::max()));
    else
        return static_cast<T>(value);
}

}  // namespace

AnyImage add_noise(const AnyImageView& image, NoiseKind kind, double sigma, std::uint64_t seed) {
    if (!std::isfinite(sigma) || sigma < 0)
        throw InvalidArgument("--sigma is " + detail::shown(sigma) +
                              "; it must be a finite number and not negative");
    NormalPairs normal(seed);
    return image.visit([&]<class T>(const PixelView<T>& pixels) -> AnyImage {
        Image<T> noisy(pixels.shape(), pixels.geometry);
        noisy.has_alpha = pixels.has_alpha;
        const int channels = pixels.shape().channels;
        const int noisy_channels = channels - (pixels.has_alpha ? 1 : 0);
        int channel = 0;
        T* next = noisy.data();
        for (const T pixel : pixels.pixels()) {
            const bool is_alpha = channel >= noisy_channels;
            channel = channel + 1 < channels ? channel + 1 : 0;
            T& made = *next++;
            made = pixel;
            if (is_alpha) continue;
            const auto [first, second] = normal.next();
            const double value = static_cast<double>(pixel) + sigma * first;
            made =
                pixel_of<T>(kind == NoiseKind::rician ? std::hypot(value, sigma * second) : value);
        }
        return noisy;
    });
}

}  // namespace tesela
