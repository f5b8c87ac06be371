// Tiles in the colors of a model's stains.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "tesela/stain.h"
#include "tesela/tissue_slides.h"

namespace tesela::tissue {

// Estimates the stains of a slide once and gives its tiles those of the model. Any number of
// threads at once.
class TileColors {
  public:
    // Without `stains` tiles stay as they are; so do those of a slide without stained pixels.
    TileColors(const TileSource& slide, const std::optional<StainMatrix>& stains);

    // Changes colors, three bytes a pixel.
    void normalize(std::span<std::uint8_t> pixels) const;

  private:
    // Of a value of each channel the amounts that its density adds to both stains, and of an amount
    // of each stain its density in each channel.
    std::array<std::array<std::array<float, 2>, 256>, 3> amounts_{};
    std::array<std::array<float, 3>, 2> densities_{};
    std::array<float, 3> white_{};
    bool normalizes_ = false;
};

}  // namespace tesela::tissue
