#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "pixels/same_grid.h"
#include "tesela/overlay.h"

namespace tesela {
namespace {

// The place of each label in a list, and the list's length. Labels may be any numbers.
struct Places {
    std::vector<std::uint32_t> of_pixel;
    std::size_t count = 0;
};
Places places_of(const LabelView& labels) {
    Places places;
    places.of_pixel.reserve(labels.pixels().size());
    std::unordered_map<std::uint32_t, std::uint32_t> found;
    std::uint32_t last = 0, place = 0;
    for (const std::uint32_t label : labels.pixels()) {
        if (label != last || found.empty())
            place =
                found.try_emplace(label, static_cast<std::uint32_t>(found.size())).first->second;
        last = label;
        places.of_pixel.push_back(place);
    }
    places.count = found.size();
    return places;
}

template <class T>
Image<T> means(const PixelView<T>& original, const LabelView& labels) {
    Image<T> image(original.shape(), original.geometry);
    image.has_alpha = original.has_alpha;
    const auto pixels = original.pixels();
    std::copy(pixels.begin(), pixels.end(), image.pixels().begin());
    const int stride = image.shape().channels;
    const int channels = stride - (image.has_alpha ? 1 : 0);
    const Places places = places_of(labels);
    std::vector<double> sums(places.count * static_cast<std::size_t>(channels));
    std::vector<double> counts(places.count);
    for (std::size_t i = 0; i < places.of_pixel.size(); ++i) {
        counts[places.of_pixel[i]] += 1;
        for (int c = 0; c < channels; ++c)
            sums[places.of_pixel[i] * static_cast<std::size_t>(channels) + c] +=
                static_cast<double>(image.pixels()[i * stride + c]);
    }
    for (std::size_t i = 0; i < places.of_pixel.size(); ++i)
        for (int c = 0; c < channels && labels.pixels()[i] != 0; ++c) {
            const double mean = sums[places.of_pixel[i] * static_cast<std::size_t>(channels) + c] /
                                counts[places.of_pixel[i]];
            image.pixels()[i * stride + c] =
                static_cast<T>(std::is_integral_v<T> ? std::round(mean) : mean);
        }
    return image;
}

}  // namespace

AnyImage region_means(const AnyImageView& image, const LabelView& labels) {
    require_same_grid(image.shape(), labels.shape());
    return image.visit([&](const auto& typed) -> AnyImage { return means(typed, labels); });
}

}  // namespace tesela
