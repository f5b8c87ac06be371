#include "tissue/stain_tiles.h"

#include <algorithm>
#include <cmath>

#include "core/vectors.h"
#include "tesela/error.h"

namespace tesela {
namespace tissue {
namespace {

constexpr double full = 255;

// The two rows of the pseudo-inverse of the stains' vectors.
std::array<StainVector, 2> inverse_of(const std::array<StainVector, 2>& stains) {
    using detail::dot;
    const double aa = dot(stains[0], stains[0]), ab = dot(stains[0], stains[1]),
                 bb = dot(stains[1], stains[1]);
    const double determinant = aa * bb - ab * ab;
    std::array<StainVector, 2> inverse{};
    for (std::size_t c = 0; c < 3; ++c) {
        inverse[0][c] = (bb * stains[0][c] - ab * stains[1][c]) / determinant;
        inverse[1][c] = (aa * stains[1][c] - ab * stains[0][c]) / determinant;
    }
    return inverse;
}

}  // namespace

TileColors::TileColors(const TileSource& slide, const std::optional<StainMatrix>& stains) {
    if (!stains) return;
    StainMatrix own;
    try {
        own = slide_stains(slide);
    } catch (const InvalidArgument&) {
        return;  // nothing is stained: background, whatever its color
    }
    normalizes_ = true;
    const std::array<StainVector, 2> inverse = inverse_of(own.stains);
    for (std::size_t c = 0; c < 3; ++c) {
        white_[c] = static_cast<float>(full * stains->white[c] + 1);
        for (std::size_t v = 0; v < 256; ++v) {
            const double density =
                std::log10((full * own.white[c] + 1) / (static_cast<double>(v) + 1));
            for (std::size_t s = 0; s < 2; ++s)
                amounts_[c][v][s] = static_cast<float>(inverse[s][c] * density *
                                                       stains->strength[s] / own.strength[s]);
        }
        for (std::size_t s = 0; s < 2; ++s)
            densities_[s][c] = static_cast<float>(stains->stains[s][c] * std::log(10.0));
    }
}

void TileColors::normalize(std::span<std::uint8_t> pixels) const {
    if (!normalizes_) return;
    for (std::size_t i = 0; i < pixels.size(); i += 3) {
        const auto pixel = pixels.subspan(i, 3);
        float amount[2];
        for (std::size_t s = 0; s < 2; ++s)
            amount[s] = std::max(0.0f, amounts_[0][pixel[0]][s] + amounts_[1][pixel[1]][s] +
                                           amounts_[2][pixel[2]][s]);
        for (std::size_t c = 0; c < 3; ++c) {
            const float density = amount[0] * densities_[0][c] + amount[1] * densities_[1][c];
            const float value = white_[c] * std::exp(-density) - 1;
            pixel[c] = static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
        }
    }
}

}  // namespace tissue

StainMatrix slide_stains(const TileSource& slide, const MacenkoOptions& options) {
    constexpr std::int64_t longest = 2048;  // stains do not need single pixels
    return estimate_stains(thumbnail(slide, longest), options);
}

StainMatrix stains_of(const TileSource& slide, const StainOptions& options) {
    if (const auto known = known_stains(options)) return *known;
    return slide_stains(slide, options);
}

}  // namespace tesela
