// Pixels of tiles: copies, means, thumbnails.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/with_type.h"
#include "tesela/tile_source.h"

namespace tesela {
namespace {

template <class T>
T rounded(double value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
    return static_cast<T>(std::floor(value + 0.5));
}

template <class T>
AnyImage filled(const Shape& shape, const std::vector<double>& background) {
    Image<T> image(shape);
    const auto channels = static_cast<std::size_t>(shape.channels);
    if (std::all_of(background.begin(), background.end(), [](double v) { return v == 0; }))
        return image;
    if (background.size() != channels)
        throw InvalidArgument("the background needs a value for each channel");
    if (std::all_of(background.begin(), background.end(),
                    [&](double v) { return v == background.front(); })) {
        std::fill(image.pixels().begin(), image.pixels().end(), rounded<T>(background.front()));
        return image;
    }
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = rounded<T>(background[i % channels]);
    return image;
}

// Four times the mean, exactly for integers of up to 32 bits.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <class T>
T mean_of_four(Sum<T> sum) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(sum / 4);
    else
        return static_cast<T>((sum + 2) >> 2);
}

template <class T>
AnyImage halved_image(const PixelView<T>& image, bool labels) {
    const Shape& s = image.shape();
    Image<T> half(Shape{(s.x + 1) / 2, (s.y + 1) / 2, 1, 1, s.channels});
    half.has_alpha = image.has_alpha;
    for (std::int64_t y = 0; y < half.shape().y; ++y) {
        const T* upper = image.data() + 2 * y * s.x * s.channels;
        const T* lower = 2 * y + 1 < s.y ? upper + s.x * s.channels : upper;
        T* out = half.data() + y * half.shape().x * s.channels;
        for (std::int64_t x = 0; x < half.shape().x; ++x) {
            const std::int64_t left = 2 * x * s.channels;
            const std::int64_t right = 2 * x + 1 < s.x ? left + s.channels : left;
            for (int c = 0; c < s.channels; ++c)
                *out++ = labels ? upper[left + c]
                                : mean_of_four<T>(Sum<T>(upper[left + c]) + upper[right + c] +
                                                  lower[left + c] + lower[right + c]);
        }
    }
    return half;
}

// Where the pixels of a scaled axis begin on the axis itself.
std::vector<double> borders(std::int64_t from, std::int64_t to) {
    std::vector<double> at;
    for (std::int64_t i = 0; i <= to; ++i)
        at.push_back(static_cast<double>(i) * static_cast<double>(from) / static_cast<double>(to));
    return at;
}

// Adds one row of a level, weighted, to sums over the area of each pixel of the thumbnail.
template <class T>
void add_row(const T* row, int channels, std::int64_t length, const std::vector<double>& x_borders,
             double weight, double* sums) {
    for (std::size_t i = 0; i + 1 < x_borders.size(); ++i, sums += channels) {
        const double left = x_borders[i], right = x_borders[i + 1];
        const auto last =
            std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(right)), length);
        for (auto x = static_cast<std::int64_t>(left); x < last; ++x) {
            const double share = std::min(right, static_cast<double>(x + 1)) -
                                 std::max(left, static_cast<double>(x));
            for (int c = 0; c < channels; ++c)
                sums[c] += weight * share * static_cast<double>(row[x * channels + c]);
        }
    }
}

template <class T>
AnyImage thumbnail_of(const TileSource& source, int index, std::int64_t width,
                      std::int64_t height) {
    const TileLevel& level = source.facts().levels[static_cast<std::size_t>(index)];
    const int channels = level.shape.channels;
    Image<T> small(Shape{width, height, 1, 1, channels});
    const std::vector<double> x_borders = borders(level.shape.x, width);
    const std::vector<double> y_borders = borders(level.shape.y, height);
    std::vector<double> sums(static_cast<std::size_t>(width * channels));
    AnyImage strip;
    std::int64_t strip_row = -1;
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
        std::fill(sums.begin(), sums.end(), 0.0);
        const double top = y_borders[y], bottom = y_borders[y + 1];
        const auto last =
            std::min<std::int64_t>(static_cast<std::int64_t>(std::ceil(bottom)), level.shape.y);
        for (auto row = static_cast<std::int64_t>(top); row < last; ++row) {
            if (row / level.tile_height != strip_row) {
                strip_row = row / level.tile_height;
                const std::int64_t first = strip_row * level.tile_height;
                strip = source.read(index, {0, first, level.shape.x,
                                            std::min(level.tile_height, level.shape.y - first)});
            }
            const T* pixels = std::get<Image<T>>(strip).data() +
                              (row - strip_row * level.tile_height) * level.shape.x * channels;
            const double share = std::min(bottom, static_cast<double>(row + 1)) -
                                 std::max(top, static_cast<double>(row));
            add_row(pixels, channels, level.shape.x, x_borders, share, sums.data());
        }
        const double area = (bottom - top) * x_borders[1];
        T* out = small.data() + static_cast<std::int64_t>(y) * width * channels;
        for (const double sum : sums) *out++ = rounded<T>(sum / area);
    }
    small.has_alpha = source.facts().has_alpha;
    return small;
}

}  // namespace

AnyImage filled_image(PixelType type, const Shape& shape, const std::vector<double>& background) {
    return detail::with_type(type,
                             [&](auto zero) { return filled<decltype(zero)>(shape, background); });
}

void copy_box(const AnyImageView& from, const TileBox& box, AnyImage& to, std::int64_t x,
              std::int64_t y) {
    from.visit([&]<class T>(const PixelView<T>& source) {
        auto& target = std::get<Image<T>>(to);
        const std::int64_t channels = source.shape().channels;
        for (std::int64_t row = 0; row < box.height; ++row)
            std::copy_n(source.data() + ((box.y + row) * source.shape().x + box.x) * channels,
                        box.width * channels,
                        target.data() + ((y + row) * target.shape().x + x) * channels);
    });
}

AnyImage part_of(const AnyImageView& image, const TileBox& box) {
    AnyImage part =
        filled_image(image.pixel_type(), {box.width, box.height, 1, 1, image.shape().channels});
    copy_box(image, box, part, 0, 0);
    std::visit([&](auto& pixels) { pixels.has_alpha = image.has_alpha(); }, part);
    return part;
}

AnyImage halved(const AnyImageView& image, bool labels) {
    return image.visit([&](const auto& pixels) { return halved_image(pixels, labels); });
}

namespace {

// The size of a thumbnail, and the level that it is made from.
struct ThumbnailPlan {
    std::int64_t width = 0, height = 0;
    int level = 0;
};

ThumbnailPlan plan_of(const TileSource& source, std::int64_t longest) {
    const auto& levels = source.facts().levels;
    const Shape& full = levels.front().shape;
    if (longest < 1)
        throw InvalidArgument("a thumbnail of " + std::to_string(longest) + " pixels cannot be");
    const std::int64_t side = std::max(full.x, full.y);
    longest = std::min(longest, side);
    const auto scaled = [&](std::int64_t length) {
        return std::max<std::int64_t>(
            1, std::llround(static_cast<double>(length) * static_cast<double>(longest) /
                            static_cast<double>(side)));
    };
    ThumbnailPlan plan{scaled(full.x), scaled(full.y), 0};
    for (std::size_t i = 1; i < levels.size(); ++i)
        if (levels[i].shape.x >= plan.width && levels[i].shape.y >= plan.height)
            plan.level = static_cast<int>(i);
    return plan;
}

}  // namespace

std::int64_t thumbnail_bytes(const TileSource& source, std::int64_t longest) {
    const ThumbnailPlan plan = plan_of(source, longest);
    const TileLevel& level = source.facts().levels[static_cast<std::size_t>(plan.level)];
    const std::int64_t pixel = level.shape.channels * pixel_type_bytes(source.facts().type);
    return pixel * (plan.width * plan.height +
                    2 * level.shape.x * std::min(level.tile_height, level.shape.y));
}

AnyImage thumbnail(const TileSource& source, std::int64_t longest) {
    const ThumbnailPlan plan = plan_of(source, longest);
    const auto& levels = source.facts().levels;
    const Shape& full = levels.front().shape;
    AnyImage small = detail::with_type(source.facts().type, [&](auto zero) {
        return thumbnail_of<decltype(zero)>(source, plan.level, plan.width, plan.height);
    });
    if (levels.front().geometry.known()) {
        const Geometry& first = levels.front().geometry;
        Geometry& geometry = geometry_of(small);
        geometry = first;
        const double steps[2] = {static_cast<double>(full.x) / static_cast<double>(plan.width),
                                 static_cast<double>(full.y) / static_cast<double>(plan.height)};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            geometry.spacing[axis] = first.spacing[axis] * steps[axis];
            for (std::size_t row = 0; row < 3; ++row)
                geometry.origin[row] +=
                    first.direction[3 * row + axis] * first.spacing[axis] * (steps[axis] - 1) / 2;
        }
    }
    return small;
}

}  // namespace tesela
