// Tiles of slides at the resolution of a model.
#include <algorithm>
#include <cmath>

#include "tesela/error.h"
#include "tesela/tissue_slides.h"

namespace tesela {
namespace {

using std::int64_t;

constexpr double tolerance = 0.01;  // of pixel sizes: scanners give them to three digits

std::array<double, 2> pixel_size(const TileSource& slide) {
    const Geometry& geometry = slide.facts().levels.front().geometry;
    if (!geometry.known()) return {0, 0};
    const auto spacing = geometry.spacing_mm();
    return {spacing[0] * 1000, spacing[1] * 1000};
}

// The part of source pixel `at` that lies in [from, to).
double share(int64_t at, double from, double to) {
    return std::min(to, static_cast<double>(at + 1)) - std::max(from, static_cast<double>(at));
}

// Means over [begin + i step, begin + (i + 1) step) along one axis, as weights of source pixels.
struct Axis {
    struct Sample {
        int64_t first;
        std::vector<double> weights;
    };
    std::vector<Sample> samples;

    Axis(double begin, double step, int count) {
        for (int i = 0; i < count; ++i) {
            const double from = begin + i * step, to = from + step;
            Sample sample{static_cast<int64_t>(std::floor(from)), {}};
            const auto end = static_cast<int64_t>(std::ceil(to - 1e-9));
            for (int64_t at = sample.first; at < end; ++at)
                sample.weights.push_back(share(at, from, to) / step);
            samples.push_back(std::move(sample));
        }
    }
    int64_t first() const { return samples.front().first; }
    int64_t end() const {
        return samples.back().first + static_cast<int64_t>(samples.back().weights.size());
    }
    bool copies() const {  // whole pixels as they are
        return std::all_of(samples.begin(), samples.end(), [](const Sample& s) {
            return s.weights.size() == 1 || s.weights[0] > 1 - 1e-9;
        });
    }
};

Image<std::uint8_t> resampled(const Image<std::uint8_t>& source, const Axis& x, const Axis& y,
                              int channels) {
    const int64_t width = source.shape().x;
    const int stride = source.shape().channels;
    Image<std::uint8_t> tile({static_cast<int64_t>(x.samples.size()),
                              static_cast<int64_t>(y.samples.size()), 1, 1, channels});
    std::vector<double> row(static_cast<std::size_t>(width * stride));
    std::uint8_t* out = tile.data();
    for (const Axis::Sample& vertical : y.samples) {
        std::fill(row.begin(), row.end(), 0.0);
        for (std::size_t k = 0; k < vertical.weights.size(); ++k) {
            const std::uint8_t* from =
                source.data() +
                (vertical.first - y.first() + static_cast<int64_t>(k)) * width * stride;
            for (std::size_t i = 0; i < row.size(); ++i) row[i] += vertical.weights[k] * from[i];
        }
        for (const Axis::Sample& horizontal : x.samples)
            for (int c = 0; c < channels; ++c) {
                const double* at = row.data() + (horizontal.first - x.first()) * stride + c;
                double sum = 0;
                for (const double weight : horizontal.weights) {
                    sum += weight * *at;
                    at += stride;
                }
                *out++ = static_cast<std::uint8_t>(std::min(sum + 0.5, 255.0));
            }
    }
    return tile;
}

}  // namespace

TissueGrid tissue_grid(const TileSource& slide, double micrometers_per_pixel, int tile,
                       double stride) {
    const TileSourceFacts& facts = slide.facts();
    const Shape& full = facts.levels.front().shape;
    if (facts.type != PixelType::u8 || full.channels - (facts.has_alpha ? 1 : 0) != 3)
        throw UnsupportedFormat("tissue is classified on slides of 8-bit colors; this one has " +
                                std::to_string(full.channels) + " channels of " +
                                std::string(pixel_type_name(facts.type)));
    TissueGrid grid;
    grid.tile = tile;
    grid.step = {1, 1};
    if (micrometers_per_pixel > 0) {
        const std::array<double, 2> own = pixel_size(slide);
        if (own[0] <= 0)
            throw InvalidArgument(
                "the slide does not say the size of its pixels, and the model is of " +
                detail::shown(micrometers_per_pixel) + " um a pixel: give it by --mpp");
        for (std::size_t axis = 0; axis < 2; ++axis) {
            if (own[axis] > micrometers_per_pixel * (1 + tolerance))
                throw InvalidArgument("the slide has " + detail::shown(own[axis]) +
                                      " um a pixel, the model " +
                                      detail::shown(micrometers_per_pixel) +
                                      ": slides are not enlarged; train at a coarser --resolution");
            grid.step[axis] = std::max(micrometers_per_pixel / own[axis], 1.0);
            if (grid.step[axis] < 1 + tolerance) grid.step[axis] = 1;
        }
    }
    for (std::size_t i = 0; i < facts.levels.size(); ++i) {
        const auto& downsample = facts.levels[i].downsample;
        if (downsample[0] <= grid.step[0] * (1 + tolerance / 10) &&
            downsample[1] <= grid.step[1] * (1 + tolerance / 10))
            grid.level = static_cast<int>(i);
    }
    const double cells = stride > 0 ? stride : tile;
    for (std::size_t axis = 0; axis < 2; ++axis) grid.stride[axis] = cells * grid.step[axis];
    const auto count = [&](int64_t length, double of) {
        return std::max<int64_t>(
            1, static_cast<int64_t>(std::ceil(static_cast<double>(length) / of - 1e-9)));
    };
    grid.columns = count(full.x, grid.stride[0]);
    grid.rows = count(full.y, grid.stride[1]);
    return grid;
}

Image<std::uint8_t> read_tile(const TileSource& slide, const TissueGrid& grid, int64_t column,
                              int64_t row) {
    const TileLevel& level = slide.facts().levels[static_cast<std::size_t>(grid.level)];
    const auto axis_of = [&](std::size_t axis, int64_t cell) {
        const double step = grid.step[axis] / level.downsample[axis];
        const double begin = (static_cast<double>(cell) * grid.stride[axis] +
                              (grid.stride[axis] - grid.tile * grid.step[axis]) / 2) /
                             level.downsample[axis];
        // A level that is a hair off is taken pixel by pixel.
        return std::abs(step - 1) < tolerance / 10 ? Axis(std::round(begin), 1, grid.tile)
                                                   : Axis(begin, step, grid.tile);
    };
    const Axis x = axis_of(0, column), y = axis_of(1, row);
    AnyImage box =
        slide.read(grid.level, {x.first(), y.first(), x.end() - x.first(), y.end() - y.first()});
    auto& pixels = std::get<Image<std::uint8_t>>(box);
    if (pixels.shape().channels == 3 && x.copies() && y.copies()) return std::move(pixels);
    return resampled(pixels, x, y, 3);
}

}  // namespace tesela
