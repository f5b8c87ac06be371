#include "registration/mosaic_pieces.h"

#include <array>
#include <cmath>
#include <vector>

namespace tesela {
namespace {

// Weights of the channels: luma by ITU-R BT.601 of colors, of others the mean; opacity has none.
std::vector<double> channel_weights(int channels, bool has_alpha, std::optional<int> channel) {
    std::vector<double> weights(static_cast<std::size_t>(channels));
    if (channel) {
        weights[static_cast<std::size_t>(*channel)] = 1;
        return weights;
    }
    const auto shown = static_cast<std::size_t>(has_alpha ? channels - 1 : channels);
    constexpr std::array<double, 3> luma{0.299, 0.587, 0.114};
    for (std::size_t c = 0; c < shown; ++c)
        weights[c] = shown == luma.size() ? luma[c] : 1 / static_cast<double>(shown);
    return weights;
}

template <class T>
double mean_of(const Image<T>& tile, const TileBox& box, const std::vector<double>& weights) {
    double sum = 0;
    for (std::int64_t y = box.y; y < box.y + box.height; ++y) {
        const T* pixel = &tile(box.x, y);
        for (std::int64_t x = 0; x < box.width; ++x)
            for (const double weight : weights) {
                const auto value = static_cast<double>(*pixel++);
                if (weight > 0) sum += weight * value;
            }
    }
    return sum / static_cast<double>(box.width * box.height);
}

void normalize(std::vector<double>& values) {
    double sum = 0, count = 0, squares = 0;
    for (const double value : values)
        if (std::isfinite(value)) {
            sum += value;
            count += 1;
        }
    const double mean = count > 0 ? sum / count : 0;
    for (double& value : values) {
        value = std::isfinite(value) ? value - mean : 0;
        squares += value * value;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
    for (double& value : values) value = deviation > 0 ? value / deviation : 0;
}

}  // namespace

Tile TileReader::operator()(std::size_t index) const {
    return cache.get({source, 0, static_cast<std::int64_t>(index), 0}, [&] {
        AnyImage tile = tiles[index].read();
        if (options.mpp) geometry_of(tile) = micrometers_per_pixel(*options.mpp, *options.mpp);
        return tile;
    });
}

GrayPiece gray_piece(const AnyImage& tile, const TileBox& box, std::int64_t step,
                     std::optional<int> channel) {
    GrayPiece piece{box.width / step, box.height / step, {}};
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(piece.width * piece.height));
    std::visit(
        [&](const auto& pixels) {
            const std::vector<double> weights =
                channel_weights(pixels.shape().channels, pixels.has_alpha, channel);
            for (std::int64_t y = 0; y < piece.height; ++y)
                for (std::int64_t x = 0; x < piece.width; ++x)
                    values.push_back(
                        mean_of(pixels, {box.x + x * step, box.y + y * step, step, step}, weights));
        },
        tile);
    normalize(values);
    piece.values.reserve(values.size());
    for (const double value : values) piece.values.push_back(static_cast<float>(value));
    return piece;
}

}  // namespace tesela
