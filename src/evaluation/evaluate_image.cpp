#include "tesela/evaluate_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/single_precision.h"
#include "tesela/options.h"

namespace tesela {
namespace {

constexpr std::int64_t window = 7, reach = window / 2;

// One channel of one frame.
struct Plane {
    Shape shape;
    std::vector<double> values;
};

Plane plane_at(const AnyImageView& image, std::int64_t t, int channel) {
    const Shape& shape = image.shape();
    Plane plane{{shape.x, shape.y, shape.z}, {}};
    plane.values.reserve(static_cast<std::size_t>(plane.shape.points()));
    image.visit([&](const auto& pixels) {
        const std::int64_t first = t * plane.shape.points() * shape.channels + channel;
        for (std::int64_t i = 0; i < plane.shape.points(); ++i) {
            plane.values.push_back(static_cast<double>(pixels.data()[first + i * shape.channels]));
        }
    });
    return plane;
}

// Means over windows, right where the whole window is within the image.
std::vector<double> window_means(std::vector<double> values, const Shape& shape) {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    std::int64_t step = 1;
    for (const std::int64_t length : lengths) {
        if (length > 1) {
            const std::vector<double> before = values;
            for (std::int64_t i = 0; i < std::int64_t(values.size()); ++i) {
                const std::int64_t at = i / step % length;
                if (at < reach || at + reach >= length) continue;
                double sum = 0;
                for (std::int64_t k = -reach; k <= reach; ++k)
                    sum += before[static_cast<std::size_t>(i + k * step)];
                values[static_cast<std::size_t>(i)] = sum / window;
            }
        }
        step *= length;
    }
    return values;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> products(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) products[i] = a[i] * b[i];
    return products;
}

struct Sum {
    double total = 0;
    std::int64_t count = 0;
    void add(double value) {
        total += value;
        ++count;
    }
};

void add_ssim(const Plane& a, const Plane& b, double peak, const std::optional<LabelView>& mask,
              Sum& sum) {
    const Shape& shape = a.shape;
    double points = 1;
    for (const std::int64_t length : {shape.x, shape.y, shape.z}) {
        if (length > 1 && length < window) return;
        points *= length > 1 ? window : 1;
    }
    if (points == 1) return;
    const double sample = points / (points - 1), c1 = 1e-4 * peak * peak, c2 = 9e-4 * peak * peak;
    const auto mean_a = window_means(a.values, shape), mean_b = window_means(b.values, shape);
    const auto aa = window_means(product(a.values, a.values), shape),
               bb = window_means(product(b.values, b.values), shape),
               ab = window_means(product(a.values, b.values), shape);
    const auto inside = [](std::int64_t at, std::int64_t length) {
        return length == 1 || (at >= reach && at + reach < length);
    };
    for (std::size_t i = 0; i < aa.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (!inside(at % shape.x, shape.x) || !inside(at / shape.x % shape.y, shape.y) ||
            !inside(at / shape.x / shape.y, shape.z) || (mask && mask->pixels()[i] == 0))
            continue;
        const double variance_a = sample * (aa[i] - mean_a[i] * mean_a[i]);
        const double variance_b = sample * (bb[i] - mean_b[i] * mean_b[i]);
        const double covariance = sample * (ab[i] - mean_a[i] * mean_b[i]);
        sum.add((2 * mean_a[i] * mean_b[i] + c1) * (2 * covariance + c2) /
                ((mean_a[i] * mean_a[i] + mean_b[i] * mean_b[i] + c1) *
                 (variance_a + variance_b + c2)));
    }
}

double peak_of(const AnyImageView& truth, const EvaluateImageOptions& options) {
    if (options.peak) {
        if (!std::isfinite(*options.peak) || *options.peak <= 0)
            throw InvalidArgument("--peak is " + detail::shown(*options.peak) +
                                  "; it must be above 0");
        return *options.peak;
    }
    if (pixel_type_bytes(truth.pixel_type()) == 1) return 255;
    if (pixel_type_bytes(truth.pixel_type()) == 2) return 65535;
    return truth.visit([](const auto& pixels) {
        const auto [low, high] =
            std::minmax_element(pixels.pixels().begin(), pixels.pixels().end());
        return *high > *low ? static_cast<double>(*high) - static_cast<double>(*low) : 1.0;
    });
}

}  // namespace

ImageEvaluation evaluate_image(const AnyImageView& result, const AnyImageView& truth,
                               const EvaluateImageOptions& options,
                               const std::optional<LabelView>& mask) {
    const Shape& shape = truth.shape();
    if (result.shape() != shape)
        throw InvalidArgument("the images have different sizes or numbers of channels");
    if (mask && (mask->shape().x != shape.x || mask->shape().y != shape.y ||
                 mask->shape().z != shape.z || mask->shape().t != 1))
        throw InvalidArgument("the mask has another size than the images");
    constexpr double largest = 1e70;  // SSIM has fourth powers
    require_values(result, largest);
    require_values(truth, largest);
    ImageEvaluation found;
    found.peak = peak_of(truth, options);
    Sum squares, ssim;
    const int channels = shape.channels - (truth.has_alpha() ? 1 : 0);
    for (std::int64_t t = 0; t < shape.t; ++t)
        for (int channel = 0; channel < channels; ++channel) {
            const Plane a = plane_at(result, t, channel), b = plane_at(truth, t, channel);
            for (std::size_t i = 0; i < a.values.size(); ++i)
                if (!mask || mask->pixels()[i] != 0)
                    squares.add((a.values[i] - b.values[i]) * (a.values[i] - b.values[i]));
            add_ssim(a, b, found.peak, mask, ssim);
        }
    if (squares.count == 0) throw InvalidArgument("the mask has no pixel that is not 0");
    found.points = squares.count / channels;
    found.mse = squares.total / static_cast<double>(squares.count);
    found.psnr = 10 * std::log10(found.peak * found.peak / found.mse);
    found.ssim = ssim.count > 0 ? ssim.total / static_cast<double>(ssim.count)
                                : std::numeric_limits<double>::quiet_NaN();
    return found;
}

}  // namespace tesela
