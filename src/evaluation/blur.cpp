#include "evaluation/blur.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tesela::evaluation {
namespace {

// Along rows, into columns: twice is a blur along both axes.
Image<float> blurred_and_turned(const Image<float>& image, double sigma) {
    const auto reach = static_cast<std::int64_t>(std::ceil(4 * sigma));
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t k = -reach; k <= reach; ++k) {
        weights.push_back(std::exp(-static_cast<double>(k * k) / (2 * sigma * sigma)));
        sum += weights.back();
    }
    const Shape& shape = image.shape();
    Image<float> turned({shape.y, shape.x});
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            double value = 0;
            for (std::int64_t k = -reach; k <= reach; ++k)
                value +=
                    weights[static_cast<std::size_t>(k + reach)] *
                    static_cast<double>(image(std::clamp<std::int64_t>(x + k, 0, shape.x - 1), y));
            turned(y, x) = static_cast<float>(value / sum);
        }
    return turned;
}

}  // namespace

Image<float> blurred(const Image<float>& image, double sigma) {
    return blurred_and_turned(blurred_and_turned(image, sigma), sigma);
}

}  // namespace tesela::evaluation
