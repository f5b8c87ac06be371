#include "segmentation/nuclei/nucleus_channel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "pixels/plane_of.h"

namespace tesela {
namespace {

int colors_of(const AnyImageView& image) {
    return image.shape().channels - (image.has_alpha() ? 1 : 0);
}

// Whether the mean of the colors is in the upper half of the range of the pixel type.
bool is_on_bright_ground(const AnyImageView& image) {
    const int colors = colors_of(image), stride = image.shape().channels;
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (!std::is_same_v<T, std::uint8_t> && !std::is_same_v<T, std::uint16_t>)
            return false;
        double sum = 0;
        for (std::size_t i = 0; i < typed.pixels().size(); ++i)
            if (static_cast<int>(i % static_cast<std::size_t>(stride)) < colors)
                sum += static_cast<double>(typed.pixels()[i]);
        const auto full = static_cast<double>(std::numeric_limits<T>::max());
        return sum > full / 2 * static_cast<double>(typed.shape().points()) * colors;
    });
}

// The brightest color of each pixel.
Image<float> brightest(const AnyImageView& image) {
    Image<float> values(plane_of(image.shape()), image.geometry());
    const auto colors = static_cast<std::size_t>(colors_of(image));
    const auto stride = static_cast<std::size_t>(image.shape().channels);
    image.visit([&](const auto& typed) {
        for (std::size_t i = 0; i < values.pixels().size(); ++i) {
            const auto first = typed.pixels().begin() + static_cast<std::ptrdiff_t>(i * stride);
            values.pixels()[i] = static_cast<float>(
                *std::max_element(first, first + static_cast<std::ptrdiff_t>(colors)));
            // A comparison with NaN passes over it.
            for (std::size_t c = 0; c < colors; ++c)
                if (first[static_cast<std::ptrdiff_t>(c)] != first[static_cast<std::ptrdiff_t>(c)])
                    values.pixels()[i] = std::numeric_limits<float>::quiet_NaN();
        }
    });
    return values;
}

// What neither stain explains, in the mean.
double unexplained(const Image<float>& amounts) {
    double sum = 0;
    for (std::size_t i = 2; i < amounts.pixels().size(); i += 3)
        sum += std::abs(static_cast<double>(amounts.pixels()[i]));
    return sum;
}

Image<float> amount_of(const Image<float>& amounts, std::size_t stain) {
    Image<float> values(plane_of(amounts.shape()), amounts.geometry);
    for (std::size_t i = 0; i < values.pixels().size(); ++i)
        values.pixels()[i] = std::max(amounts.pixels()[3 * i + stain], 0.0f);
    return values;
}

// The stains of a section, of those that explain its colors better.
NucleusChannel section_channel(const AnyImageView& image, const NucleiOptions& options,
                               Queue& queue) {
    const bool with_dab = options.positive == PositiveStain::dab;
    NucleusChannel made{.stain = NucleusStain::hematoxylin, .section = StainSet::hdab};
    Image<float> amounts = separate_stains(image, stain_matrix(StainSet::hdab), queue);
    if (!with_dab) {
        Image<float> with_eosin = separate_stains(image, stain_matrix(StainSet::he), queue);
        if (unexplained(with_eosin) < unexplained(amounts)) {
            made.section = StainSet::he;
            amounts = std::move(with_eosin);
        }
    }
    made.values = amount_of(amounts, 0);
    if (!with_dab) return made;
    made.dab = amount_of(amounts, 1);
    if (options.stain == NucleusStain::automatic)
        for (std::size_t i = 0; i < made.values.pixels().size(); ++i)
            made.values.pixels()[i] += made.dab.pixels()[i];
    return made;
}

}  // namespace

NucleusChannel nucleus_channel(const AnyImageView& image, const NucleiOptions& options,
                               Queue& queue) {
    const Shape& shape = image.shape();
    const int colors = colors_of(image);
    if (shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat(
            "nuclei are found in pictures, and this is a volume or series: take one slice of it");
    if (colors != 1 && colors != 3)
        throw UnsupportedFormat("nuclei are found in gray or RGB pictures, and this one has " +
                                std::to_string(colors) +
                                " channels: choose one with 'image convert --channel'");
    const bool asks_for_section =
        options.stain == NucleusStain::hematoxylin || options.positive == PositiveStain::dab;
    if (asks_for_section && options.stain == NucleusStain::dapi)
        throw InvalidArgument(
            "--positive dab is of stained sections, and --stain is dapi: give hematoxylin");
    if (asks_for_section && colors != 3)
        throw UnsupportedFormat(
            "hematoxylin and DAB are told apart by color, and this picture is "
            "gray: give an RGB picture, or --stain dapi for bright nuclei");
    const bool chooses_section =
        options.stain == NucleusStain::automatic && colors == 3 && is_on_bright_ground(image);
    if (asks_for_section || chooses_section) return section_channel(image, options, queue);
    return {.stain = NucleusStain::dapi, .values = brightest(image)};
}

}  // namespace tesela
