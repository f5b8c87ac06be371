// Tissue against the empty background of a slide.
#include <algorithm>
#include <array>
#include <cmath>

#include "tesela/error.h"
#include "tesela/slide_region.h"
#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using std::int64_t;

constexpr double mask_micrometers = 8;
constexpr double pixels_if_unknown = 32;  // of level 0 for one of the mask
constexpr int64_t longest_mask = 16384;

constexpr int bins = 256;
constexpr double highest_density = 2.5, least_threshold = 0.05, most_threshold = 0.2;

double density(const std::uint8_t* pixel) {
    static const auto of_value = [] {
        std::array<double, 256> densities{};
        for (std::size_t v = 0; v < densities.size(); ++v)
            densities[v] = std::log10(256.0 / (static_cast<double>(v) + 1.0));
        return densities;
    }();
    return (of_value[pixel[0]] + of_value[pixel[1]] + of_value[pixel[2]]) / 3;
}

// The middle of the bins between the classes (N. Otsu, IEEE TSMC 9(1), 1979).
double otsu_threshold(const std::array<int64_t, bins>& histogram) {
    double all = 0, sum = 0;
    for (int b = 0; b < bins; ++b) {
        all += static_cast<double>(histogram[static_cast<std::size_t>(b)]);
        sum += b * static_cast<double>(histogram[static_cast<std::size_t>(b)]);
    }
    double below = 0, below_sum = 0, best = -1, place = 0;
    for (int b = 0; b + 1 < bins; ++b) {
        below += static_cast<double>(histogram[static_cast<std::size_t>(b)]);
        below_sum += b * static_cast<double>(histogram[static_cast<std::size_t>(b)]);
        if (below == 0 || below == all) continue;
        const double difference = below_sum / below - (sum - below_sum) / (all - below);
        const double between = below * (all - below) * difference * difference;
        if (between > best) {
            best = between;
            place = b + 1;
        }
    }
    return place * highest_density / bins;
}

// Pale cells within a tissue are no background: gaps of up to twice this many pixels are closed.
constexpr int64_t gap = 1;

// Each pixel becomes the highest (or lowest) value of those up to `gap` away along one axis;
// those beyond the mask do not count.
template <class Better>
void spread(Image<std::uint8_t>& mask, bool along_x, const Better& better) {
    const Image<std::uint8_t> before = mask;
    const int64_t nx = mask.shape().x, ny = mask.shape().y;
    for (int64_t y = 0; y < ny; ++y)
        for (int64_t x = 0; x < nx; ++x)
            for (int64_t k = -gap; k <= gap; ++k) {
                const int64_t i = along_x ? x + k : x, j = along_x ? y : y + k;
                if (i < 0 || j < 0 || i >= nx || j >= ny) continue;
                mask(x, y) = better(mask(x, y), before(i, j));
            }
}

// A closing by a square.
void close_gaps(Image<std::uint8_t>& mask) {
    const auto highest = [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); };
    const auto lowest = [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); };
    for (const bool along_x : {true, false}) spread(mask, along_x, highest);
    for (const bool along_x : {true, false}) spread(mask, along_x, lowest);
}

}  // namespace

Image<std::uint8_t> tissue_mask(const TileSource& slide) {
    const TileLevel& first = slide.facts().levels.front();
    const int64_t side = std::max(first.shape.x, first.shape.y);
    const double step = first.geometry.known()
                            ? mask_micrometers / (first.geometry.spacing_mm()[0] * 1000)
                            : pixels_if_unknown;
    const auto longest =
        static_cast<int64_t>(std::ceil(static_cast<double>(side) / std::max(step, 1.0)));
    const AnyImage small = thumbnail(slide, std::clamp<int64_t>(longest, 1, longest_mask));
    const auto& pixels = std::get<Image<std::uint8_t>>(small);
    const int stride = pixels.shape().channels;
    Image<std::uint8_t> mask({pixels.shape().x, pixels.shape().y});
    // Densities are computed twice: those of a large slide would take more memory than all else.
    const auto density_at = [&](int64_t i) { return density(pixels.data() + i * stride); };
    std::array<int64_t, bins> histogram{};
    for (int64_t i = 0; i < pixels.shape().points(); ++i) {
        const int bin = static_cast<int>(density_at(i) / highest_density * bins);
        ++histogram[static_cast<std::size_t>(std::min(bin, bins - 1))];
    }
    const double threshold = std::clamp(otsu_threshold(histogram), least_threshold, most_threshold);
    for (int64_t i = 0; i < pixels.shape().points(); ++i)
        mask.data()[i] = density_at(i) > threshold ? 255 : 0;
    close_gaps(mask);
    return mask;
}

EmptyTiles::EmptyTiles(const TileSource& slide, int level, int64_t tile)
    : shape_(level_of(slide, level).shape), tile_(tile) {
    if (tile < 1) throw InvalidArgument("the side of a tile is below 1 pixel");
    const TileSourceFacts& facts = slide.facts();
    const bool is_stained = facts.type == PixelType::u8 && !facts.separate_channels &&
                            shape_.channels - (facts.has_alpha ? 1 : 0) == 3;
    if (is_stained) mask_ = tissue_mask(slide);
}

bool EmptyTiles::is_empty(int64_t column, int64_t row) const {
    const auto tiles = [this](int64_t pixels) { return (pixels - 1) / tile_ + 1; };
    if (column < 0 || column >= tiles(shape_.x) || row < 0 || row >= tiles(shape_.y))
        throw InvalidArgument("there is no tile " + std::to_string(column) + ", " +
                              std::to_string(row) + "; the level has " +
                              std::to_string(tiles(shape_.x)) + " x " +
                              std::to_string(tiles(shape_.y)));
    if (!mask_) return false;
    // Pixels of the mask that a tile touches along an axis.
    const auto range = [this](int64_t at, int64_t pixels, int64_t of_mask) {
        const int64_t first = at * tile_, end = std::min(first + tile_, pixels);
        return std::pair{first * of_mask / pixels, (end * of_mask + pixels - 1) / pixels};
    };
    const auto [left, right] = range(column, shape_.x, mask_->shape().x);
    const auto [top, bottom] = range(row, shape_.y, mask_->shape().y);
    for (int64_t y = top; y < bottom; ++y)
        for (int64_t x = left; x < right; ++x)
            if ((*mask_)(x, y) != 0) return false;
    return true;
}

Image<std::uint8_t> annotation_mask(const TileSource& slide, const Annotations& annotations,
                                    int64_t width, int64_t height) {
    const Shape& full = slide.facts().levels.front().shape;
    const double x = static_cast<double>(width) / static_cast<double>(full.x);
    const double y = static_cast<double>(height) / static_cast<double>(full.y);
    Image<std::uint8_t> mask({width, height});
    const auto scaled = [&](PlaneLine line) {
        for (PlanePoint& point : line) point = {point.x * x, point.y * y};
        return line;
    };
    for (const Annotation& annotation : annotations.list) {
        const auto* polygons = std::get_if<Polygons>(&annotation.shape);
        if (!polygons) continue;
        for (const Polygon& polygon : *polygons) {
            Polygon small{scaled(polygon.outer), {}};
            for (const PlaneLine& hole : polygon.holes) small.holes.push_back(scaled(hole));
            for_each_covered(small, {0, 0, width, height},
                             [&](int64_t row, int64_t first, int64_t end) {
                                 std::fill(mask.data() + row * width + first,
                                           mask.data() + row * width + end, std::uint8_t{255});
                             });
        }
    }
    return mask;
}

}  // namespace tesela
