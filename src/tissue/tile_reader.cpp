#include "tissue/tile_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tesela/error.h"
#include "tesela/slide_region.h"

namespace tesela {
namespace {

using std::int64_t;

constexpr int colors = 3;           // of a tile; a slide may have opacity besides
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

double tissue_stride(const TileSource& slide, const TissueModel& model, const Length& stride) {
    const TissueGrid grid = tissue_grid(slide, model.micrometers_per_pixel, model.tile);
    double pixels = pixels_of("stride", stride, slide.facts().levels.front(), 0);
    if (stride.physical()) pixels /= grid.step[0];
    if (!(pixels >= 1 && pixels <= model.tile)) {
        char shown[32];
        std::snprintf(shown, sizeof shown, "%.4g", pixels);
        throw InvalidArgument("--stride is " + stride.to_string() + ", which is " + shown +
                              " pixels of the model; it must be 1 to " +
                              std::to_string(model.tile) + ", the side of a tile");
    }
    return pixels;
}

namespace tissue {

// Means over [begin + i step, begin + (i + 1) step) along one axis, as weights of source pixels.
class TileReader::Axis {
  public:
    Axis(double begin, double step, int count) {
        for (int i = 0; i < count; ++i) {
            const double from = begin + i * step, to = from + step;
            const auto first = static_cast<int64_t>(std::floor(from));
            end_ = static_cast<int64_t>(std::ceil(to - 1e-9));
            samples_.push_back({first, weights_.size(), static_cast<std::size_t>(end_ - first)});
            for (int64_t at = first; at < end_; ++at)
                weights_.push_back(share(at, from, to) / step);
        }
    }
    struct Sample {
        int64_t first;
        std::size_t begin, count;  // of its weights
    };
    const std::vector<Sample>& samples() const { return samples_; }
    std::span<const double> weights(const Sample& sample) const {
        return std::span(weights_).subspan(sample.begin, sample.count);
    }
    int64_t first() const { return samples_.front().first; }
    int64_t length() const { return end_ - first(); }
    bool copies() const {  // whole pixels as they are
        return std::all_of(samples_.begin(), samples_.end(), [&](const Sample& s) {
            return s.count == 1 || weights(s)[0] > 1 - 1e-9;
        });
    }

  private:
    std::vector<Sample> samples_;
    std::vector<double> weights_;
    int64_t end_ = 0;
};

TileReader::Axis TileReader::axis(std::size_t axis, int64_t cell) const {
    const double downsample = level_.downsample[axis];
    const double step = grid_.step[axis] / downsample;
    const double begin = (static_cast<double>(cell) * grid_.stride[axis] +
                          (grid_.stride[axis] - grid_.tile * grid_.step[axis]) / 2) /
                         downsample;
    // A level that is a hair off is taken pixel by pixel.
    return std::abs(step - 1) < tolerance / 10 ? Axis(std::round(begin), 1, grid_.tile)
                                               : Axis(begin, step, grid_.tile);
}

void TileReader::read(int64_t column, int64_t row, AnyImage& tiles, int64_t at) {
    const Axis x = axis(0, column), y = axis(1, row);
    const TileBox box{x.first(), y.first(), x.length(), y.length()};
    if (level_.shape.channels == colors && x.copies() && y.copies())
        return slide_.read_into(grid_.level, box, tiles, 0, at);
    const Shape shape{box.width, box.height, 1, 1, level_.shape.channels};
    if (shape_of(source_) != shape) source_ = Image<std::uint8_t>(shape);
    slide_.read_into(grid_.level, box, source_, 0, 0);
    resample(x, y, &std::get<Image<std::uint8_t>>(tiles)(0, at));
}

void TileReader::resample(const Axis& x, const Axis& y, std::uint8_t* out) {
    const auto& source = std::get<Image<std::uint8_t>>(source_);
    const int stride = source.shape().channels;
    const int64_t length = source.shape().x * stride;
    row_.resize(static_cast<std::size_t>(length));
    for (const Axis::Sample& vertical : y.samples()) {
        std::fill(row_.begin(), row_.end(), 0.0);
        const std::uint8_t* from = source.data() + (vertical.first - y.first()) * length;
        for (const double weight : y.weights(vertical)) {
            for (std::size_t i = 0; i < row_.size(); ++i) row_[i] += weight * from[i];
            from += length;
        }
        for (const Axis::Sample& horizontal : x.samples())
            for (int c = 0; c < colors; ++c) {
                const double* at = row_.data() + (horizontal.first - x.first()) * stride + c;
                double sum = 0;
                for (const double weight : x.weights(horizontal)) {
                    sum += weight * *at;
                    at += stride;
                }
                *out++ = static_cast<std::uint8_t>(std::min(sum + 0.5, 255.0));
            }
    }
}

}  // namespace tissue

Image<std::uint8_t> read_tile(const TileSource& slide, const TissueGrid& grid, int64_t column,
                              int64_t row) {
    AnyImage tile = Image<std::uint8_t>({grid.tile, grid.tile, 1, 1, 3});
    tissue::TileReader(slide, grid).read(column, row, tile, 0);
    return std::get<Image<std::uint8_t>>(std::move(tile));
}

}  // namespace tesela
