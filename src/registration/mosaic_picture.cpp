// The picture of a mosaic: means of its tiles, weighted by the distance from their borders (R.
// Szeliski, "Image alignment and stitching", 2006, section 6.2), or the tile whose border is
// farthest.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "registration/mosaic_pieces.h"
#include "tesela/error.h"
#include "tesela/mosaic.h"

namespace tesela {

struct MosaicPicture::State {
    const MosaicTiles& tiles;
    const Mosaic& mosaic;
    MosaicOptions options;
    TileCache& cache;

    TileReader tile() const { return {tiles, options, cache, mosaic.source}; }
};

namespace {

// Where a tile is read along an axis for a pixel of the picture: two pixels, the share of the
// second, and the distance from the nearest border; nothing of it outside.
struct TilePoint {
    std::int64_t first = 0, second = 0;
    double share = 0, depth = 0;
};

TilePoint point_at(std::int64_t pixel, double place, std::int64_t length) {
    const double at = static_cast<double>(pixel) - place;
    const auto last = static_cast<double>(length - 1);
    if (!(at >= -0.5 && at < last + 0.5)) return {};
    const double inside = std::clamp(at, 0.0, last);
    TilePoint point;
    point.first = static_cast<std::int64_t>(inside);
    point.second = std::min(point.first + 1, length - 1);
    point.share = inside - static_cast<double>(point.first);
    point.depth = std::min(inside, last - inside) + 1;
    return point;
}

std::vector<TilePoint> points_along(std::int64_t first, std::int64_t count, double place,
                                    std::int64_t length) {
    std::vector<TilePoint> points;
    for (std::int64_t i = 0; i < count; ++i) points.push_back(point_at(first + i, place, length));
    return points;
}

// Sums for the pixels of a box. Values of 32 bits and more need sums in double precision.
template <class T>
class Blending {
  public:
    using Sum = std::conditional_t<(sizeof(T) < 4), float, double>;

    Blending(const TileBox& box, int channels, MosaicBlend blend)
        : box_(box),
          channels_(channels),
          blend_(blend),
          sums_(static_cast<std::size_t>(box.width * box.height * channels)),
          weights_(static_cast<std::size_t>(box.width * box.height)) {}

    void add(const Image<T>& tile, const std::array<double, 2>& place) {
        const auto columns = points_along(box_.x, box_.width, place[0], tile.shape().x);
        const auto begin = std::find_if(columns.begin(), columns.end(), is_inside);
        const auto end = std::find_if_not(begin, columns.end(), is_inside);
        for (std::int64_t y = 0; y < box_.height; ++y) {
            const TilePoint row = point_at(box_.y + y, place[1], tile.shape().y);
            if (!is_inside(row)) continue;
            for (auto column = begin; column != end; ++column)
                add_pixel(tile, row, *column, y * box_.width + (column - columns.begin()));
        }
    }

    Image<T> blended(const Geometry& geometry, bool has_alpha) const {
        auto image = Image<T>::unwritten({box_.width, box_.height, 1, 1, channels_}, geometry);
        image.has_alpha = has_alpha;
        T* value = image.data();
        for (std::size_t pixel = 0; pixel < weights_.size(); ++pixel)
            for (int c = 0; c < channels_; ++c, ++value) {
                const Sum sum = sums_[pixel * static_cast<std::size_t>(channels_) +
                                      static_cast<std::size_t>(c)];
                const Sum mean = weights_[pixel] > 0 ? sum / weights_[pixel] : Sum{0};
                if constexpr (std::is_floating_point_v<T>)
                    *value = static_cast<T>(mean);
                else
                    *value = static_cast<T>(std::floor(mean + Sum{0.5}));
            }
        return image;
    }

  private:
    static bool is_inside(const TilePoint& point) { return point.depth > 0; }

    void add_pixel(const Image<T>& tile, const TilePoint& row, const TilePoint& column,
                   std::int64_t pixel) {
        const auto weight = static_cast<Sum>(std::min(row.depth, column.depth));
        Sum& all = weights_[static_cast<std::size_t>(pixel)];
        const bool is_first = blend_ == MosaicBlend::none;
        if (is_first && weight <= all) return;
        const T *upper = &tile(0, row.first), *lower = &tile(0, row.second);
        const auto x = static_cast<Sum>(column.share), y = static_cast<Sum>(row.share);
        for (int c = 0; c < channels_; ++c) {
            const std::int64_t a = column.first * channels_ + c, b = column.second * channels_ + c;
            const auto at = [](const T* line, std::int64_t i) { return static_cast<Sum>(line[i]); };
            const Sum above = at(upper, a) + x * (at(upper, b) - at(upper, a));
            const Sum below = at(lower, a) + x * (at(lower, b) - at(lower, a));
            const Sum value = above + y * (below - above);
            Sum& sum = sums_[static_cast<std::size_t>(pixel * channels_ + c)];
            sum = is_first ? weight * value : sum + weight * value;
        }
        all = is_first ? weight : all + weight;
    }

    TileBox box_;
    int channels_;
    MosaicBlend blend_;
    std::vector<Sum> sums_, weights_;
};

bool meets(const TileBox& box, const TileOfMosaic& tile) {
    const auto along = [](std::int64_t first, std::int64_t count, double place,
                          std::int64_t length) {
        return place < static_cast<double>(first + count) &&
               place + static_cast<double>(length) > static_cast<double>(first) - 1;
    };
    return tile.is_placed() && along(box.x, box.width, tile.place[0], tile.shape.x) &&
           along(box.y, box.height, tile.place[1], tile.shape.y);
}

}  // namespace

MosaicPicture::MosaicPicture(const MosaicTiles& tiles, const Mosaic& mosaic,
                             const MosaicOptions& options, TileCache& cache)
    : state_(new State{tiles, mosaic, options, cache}) {}
MosaicPicture::~MosaicPicture() = default;

const SlideForm& MosaicPicture::form() const { return state_->mosaic.form; }

AnyImage MosaicPicture::read(const TileBox& box) const {
    const Mosaic& mosaic = state_->mosaic;
    const Shape& shape = mosaic.form.shape;
    if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1 || box.x + box.width > shape.x ||
        box.y + box.height > shape.y)
        throw InvalidArgument("a box of " + std::to_string(box.width) + " x " +
                              std::to_string(box.height) + " pixels is not within the picture");
    Geometry geometry = mosaic.form.geometry;
    geometry.origin[0] = static_cast<double>(box.x) * geometry.spacing[0];
    geometry.origin[1] = static_cast<double>(box.y) * geometry.spacing[1];
    AnyImage made = filled_image(mosaic.form.type, {1, 1, 1, 1, shape.channels});
    std::visit(
        [&]<class T>(Image<T>& image) {
            Blending<T> blending(box, shape.channels, state_->options.blend);
            for (std::size_t i = 0; i < mosaic.tiles.size(); ++i) {
                const TileOfMosaic& tile = mosaic.tiles[i];
                if (!meets(box, tile)) continue;
                std::array<double, 2> place = tile.place;
                if (state_->options.whole_pixels)
                    for (double& coordinate : place) coordinate = std::round(coordinate);
                const Tile read = state_->tile()(i);
                blending.add(std::get<Image<T>>(*read), place);
            }
            image = blending.blended(geometry, mosaic.form.has_alpha);
        },
        made);
    return made;
}

}  // namespace tesela
