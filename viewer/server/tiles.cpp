#include "viewer/server/tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "io/picture.h"
#include "viewer/server/query.h"
#include "viewer/server/slices.h"

namespace tesela::viewer {
namespace {

constexpr std::int64_t smallest_tile = 64, largest_tile = 1024, usual_tile = 512;
constexpr std::int64_t usual_quality = 80;

struct Place {
    int level = 0;
    TileBox box;  // within the level
};

Place place_of(const Query& query, const SlidePyramid& slide) {
    const auto levels = static_cast<std::int64_t>(slide.levels().size());
    Place place;
    place.level = static_cast<int>(index_in(query, "level", levels, 0, "this slide"));
    const Shape& shape = slide.levels()[static_cast<std::size_t>(place.level)].shape;
    const std::int64_t size = whole_in(query, "size", smallest_tile, largest_tile, usual_tile);
    const auto first = [&](std::string_view key, std::int64_t length) {
        return size * index_in(query, key, (length + size - 1) / size, 0, "this level");
    };
    place.box.x = first("column", shape.x);
    place.box.y = first("row", shape.y);
    place.box.width = std::min(size, shape.x - place.box.x);
    place.box.height = std::min(size, shape.y - place.box.y);
    return place;
}

struct Window {
    double low = 0, high = 255;

    template <class T>
    double operator()(T value) const {
        const double share = (static_cast<double>(value) - low) / (high - low);
        return share > 0 ? 255 * std::min(share, 1.0) : 0;  // what is no number is black
    }
};

Window window_of(const Query& query) {
    const Window window{.low = find_number(query, "low").value_or(0),
                        .high = find_number(query, "high").value_or(255)};
    if (!(window.low < window.high)) throw Refused(400, "low must be below high", "low");
    return window;
}

// All colors, or one channel; on white where a pixel is not opaque.
tesela::Image<std::uint8_t> shown(const AnyImage& tile, const Query& query,
                                  const TileSourceFacts& facts) {
    const Shape& shape = shape_of(tile);
    const int colors = shape.channels - (facts.has_alpha ? 1 : 0);
    const bool is_color = colors == 3 && !facts.separate_channels;
    const Window window = window_of(query);
    const auto first =
        is_color ? 0 : static_cast<int>(index_in(query, "channel", colors, 0, "this slide"));
    const int kept = is_color ? 3 : 1;
    const auto* bytes = std::get_if<tesela::Image<std::uint8_t>>(&tile);
    if (bytes && shape.channels == kept && window.low == 0 && window.high == 255) return *bytes;
    tesela::Image<std::uint8_t> picture({shape.x, shape.y, 1, 1, kept});
    std::visit(
        [&]<class T>(const tesela::Image<T>& pixels) {
            constexpr double opaque =
                std::is_integral_v<T> ? static_cast<double>(std::numeric_limits<T>::max()) : 1;
            const T* from = pixels.data();
            for (std::uint8_t* to = picture.data(); to != picture.data() + shape.points() * kept;
                 to += kept, from += shape.channels) {
                const double opacity =
                    facts.has_alpha
                        ? std::clamp(static_cast<double>(from[colors]) / opaque, 0.0, 1.0)
                        : 1;
                for (int c = 0; c < kept; ++c)
                    to[c] = static_cast<std::uint8_t>(
                        std::lround(opacity * window(from[first + c]) + (1 - opacity) * 255));
            }
        },
        tile);
    return picture;
}

Response image_tile(const SlidePyramid& slide, const Request& request) {
    const Query& query = request.query;
    allow_keys(query, {"level", "column", "row", "size", "quality", "low", "high", "channel"});
    const Place place = place_of(query, slide);
    const auto quality = static_cast<int>(whole_in(query, "quality", 1, 100, usual_quality));
    const tesela::Image<std::uint8_t> picture =
        shown(slide.read(place.level, place.box, request.is_gone), query, slide.facts());
    Response response{200, "image/jpeg"};
    const auto bytes = io::encode_jpeg(picture, {.quality = quality, .tile = true});
    response.body.assign(bytes.begin(), bytes.end());
    return response;
}

Response label_tile(const SlidePyramid& slide, const Request& request) {
    allow_keys(request.query, {"level", "column", "row", "size", "margin"});
    const Place place = place_of(request.query, slide);
    const std::int64_t margin = whole_in(request.query, "margin", 0, 1, 0);
    const TileBox wider{place.box.x - margin, place.box.y - margin, place.box.width + 2 * margin,
                        place.box.height + 2 * margin};
    return slice_response(slide.read(place.level, wider, request.is_gone), {},
                          request.accepts_gzip);
}

}  // namespace

Response tile_response(const SlidePyramid& slide, const Request& request, bool is_labels) {
    return is_labels ? label_tile(slide, request) : image_tile(slide, request);
}

}  // namespace tesela::viewer
