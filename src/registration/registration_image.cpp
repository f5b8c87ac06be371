// Preprocessing: one channel of an image in levels, and its tissue.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/single_precision.h"
#include "filters/stained_pixels.h"
#include "kernels/registration/gradient_field.kernel.h"
#include "registration/compared_channel.h"
#include "registration/levels.h"
#include "tesela/registration.h"

namespace tesela {
namespace {

constexpr std::int64_t longest_side = 2048;  // of the finest level, unless a resolution is given
constexpr int tissue_side = 256;             // of the grid of tissue of a picture
constexpr int volume_tissue_side = 128;      // of a volume

// The density of a picture in color, or the amount of a stain.
Buffer<float> stain_amount(Queue& queue, const AnyImageView& image, RegistrationChannel channel) {
    return with_colors(image, [&](const auto& picture) {
        using T = typename std::decay_t<decltype(picture)>::value_type;
        const std::int64_t count = picture.shape().points();
        const Buffer<const T> pixels =
            queue.lend(std::span<const T>(picture.pixels()), "picture to register");
        const Buffer<float> table = density_table<T>(queue, {1, 1, 1});
        auto amounts = queue.allocate<float>(3 * count, "stain amounts");
        stain_amounts<T>(queue, pixels, picture.shape().channels, table,
                         compared_densities(channel), amounts);
        auto gray = queue.allocate<float>(count, "registration image");
        queue.launch(kernels::take_channel, Range{count}, amounts, gray, 3, 0);
        return gray;
    });
}

// The mean of the channels, from 0 to 1.
std::vector<float> brightness(const AnyImageView& image) {
    require_values(image, largest_compared);
    const Shape& shape = image.shape();
    std::vector<float> gray(static_cast<std::size_t>(shape.points()));
    image.visit([&](const auto& pixels) {
        for (std::size_t i = 0; i < gray.size(); ++i) {
            double sum = 0;
            for (int c = 0; c < shape.channels; ++c)
                sum += static_cast<double>(
                    pixels.pixels()[i * static_cast<std::size_t>(shape.channels) +
                                    static_cast<std::size_t>(c)]);
            gray[i] = static_cast<float>(sum / shape.channels);
        }
    });
    const auto [lowest, highest] = std::minmax_element(gray.begin(), gray.end());
    const float low = *lowest, range = std::max(*highest - low, 1e-30f);
    for (float& value : gray) value = (value - low) / range;
    return gray;
}

Buffer<float> weight_of(Queue& queue, const std::optional<AnyImageView>& mask, const Shape& shape) {
    std::vector<float> weight(static_cast<std::size_t>(shape.points()), 1.0f);
    if (mask) {
        Shape one = mask->shape();
        one.channels = 1;
        Shape wanted = shape;
        wanted.channels = 1;
        if (one != wanted)
            throw InvalidArgument(
                "its mask has another size: give one mask pixel for each of its pixels");
        mask->visit([&](const auto& pixels) {
            const auto channels = static_cast<std::size_t>(pixels.shape().channels);
            for (std::size_t i = 0; i < weight.size(); ++i)
                weight[i] = pixels.pixels()[i * channels] != 0 ? 1.0f : 0.0f;
        });
        if (std::all_of(weight.begin(), weight.end(), [](float w) { return w == 0; }))
            throw InvalidArgument("its mask is 0 everywhere: nothing could be compared");
    }
    return queue.upload(std::span<const float>(weight), "registration mask");
}

// The threshold with the largest variance between two classes (N. Otsu, 1979).
float otsu(const std::vector<float>& values) {
    constexpr int bins = 256;
    const float highest = *std::max_element(values.begin(), values.end());
    std::array<double, bins> counts{};
    for (const float value : values)
        counts[static_cast<std::size_t>(std::min(bins - 1.0f, value / highest * bins))] += 1;
    double total = 0, moment = 0;
    for (int i = 0; i < bins; ++i) {
        total += counts[std::size_t(i)];
        moment += i * counts[std::size_t(i)];
    }
    double below = 0, moment_below = 0, best = -1;
    int cut = 0;
    for (int i = 0; i + 1 < bins; ++i) {
        below += counts[std::size_t(i)];
        moment_below += i * counts[std::size_t(i)];
        if (below == 0 || below == total) continue;
        const double apart = moment_below / below - (moment - moment_below) / (total - below);
        const double between = below * (total - below) * apart * apart;
        if (between <= best) continue;
        best = between;
        cut = i + 1;
    }
    return highest * static_cast<float>(cut) / bins;
}

// Tissue is where values differ from those along the border of the image (Otsu's threshold).
void find_tissue(Queue& queue, RegistrationImage& image) {
    const RegistrationLevel& coarse =
        first_within(image.levels, image.dimensions() == 3 ? volume_tissue_side : tissue_side);
    std::vector<float> values = queue.download(coarse.gray);
    const Shape& shape = coarse.shape;
    std::vector<float> border;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                if (x == 0 || y == 0 || x + 1 == shape.x || y + 1 == shape.y)
                    border.push_back(
                        values[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)]);
    std::nth_element(border.begin(), border.begin() + std::ssize(border) / 2, border.end());
    const float background = border[border.size() / 2];
    for (float& value : values) value = std::abs(value - background);
    constexpr float least_contrast = 0.01f;  // of the whole range
    if (*std::max_element(values.begin(), values.end()) < least_contrast)
        throw InvalidArgument("it contains no tissue: all pixels have nearly the same value");
    const float threshold = otsu(values);
    image.tissue_shape = shape;
    image.tissue_placed = coarse.placed;
    image.tissue.resize(values.size());
    std::transform(values.begin(), values.end(), image.tissue.begin(),
                   [&](float value) { return value >= threshold ? 1 : 0; });
}

// Drops levels that are finer than asked for.
void drop_fine_levels(RegistrationImage& image, const RegistrationOptions& options) {
    double wanted = 0;
    if (options.resolution) {
        const bool known = image.grid.geometry.known();
        if (options.resolution->physical() && !known)
            throw InvalidArgument("its pixels have no physical size: give --resolution in px");
        wanted = options.resolution->physical()
                     ? options.resolution->millimeters()
                     : options.resolution->value * finest_spacing(image.levels.front());
    }
    constexpr double tolerance = 1.01;
    while (image.levels.size() > 1 &&
           (options.resolution ? finest_spacing(image.levels[1]) <= wanted * tolerance
                               : image.levels.front().longest() > longest_side))
        image.levels.erase(image.levels.begin());
}

}  // namespace

int RegistrationImage::side_for_tissue(int side) const {
    if (dimensions() == 3) return side;
    const auto& [nx, ny] = std::array{tissue_shape.x, tissue_shape.y};
    std::int64_t left = nx, right = 0, top = ny, bottom = 0;
    for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) {
            if (!tissue[static_cast<std::size_t>(y * nx + x)]) continue;
            left = std::min(left, x);
            right = std::max(right, x + 1);
            top = std::min(top, y);
            bottom = std::max(bottom, y + 1);
        }
    const auto length =
        static_cast<double>(std::max({right - left, bottom - top, std::int64_t{1}}));
    const double share = static_cast<double>(std::max(nx, ny)) / length;
    // Levels are halved: tissue of more than two thirds of the side counts as filling it.
    return side << static_cast<int>(std::log2(share) + 0.4);
}

RegistrationImage registration_image(const AnyImageView& image, const RegistrationOptions& options,
                                     Queue& queue, const std::optional<AnyImageView>& mask) {
    const Shape& shape = image.shape();
    if (shape.t > 1) throw UnsupportedFormat("it has a time axis: give a single time point");
    constexpr std::int64_t least_side = 16;
    if (std::min(shape.x, shape.y) < least_side)
        throw InvalidArgument("it is too small: registration needs 16 pixels along x and y");
    RegistrationImage result;
    result.grid = grid_of(image);
    result.measure = options.measure.value_or(shape.z > 1 ? RegistrationMeasure::mi
                                                          : RegistrationMeasure::gradients);
    RegistrationLevel finest;
    finest.shape = {shape.x, shape.y, shape.z};
    finest.placed = placement(result.grid);
    if (has_densities(options.channel, image.pixel_type(), shape.channels, image.has_alpha())) {
        finest.gray = stain_amount(queue, image, options.channel);
    } else {
        const std::vector<float> gray = brightness(image);
        finest.gray = queue.upload(std::span<const float>(gray), "registration image");
    }
    if (mask || shape.z == 1) finest.weight = weight_of(queue, mask, shape);
    constexpr int coarsest = 48;
    result.levels = halved_levels(queue, std::move(finest), coarsest);
    find_tissue(queue, result);
    drop_fine_levels(result, options);
    finish_levels(queue, result);
    return result;
}

}  // namespace tesela
