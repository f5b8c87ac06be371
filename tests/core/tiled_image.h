// An image in memory that is read as a slide: what a tile source does is seen without any file.
#pragma once

#include <atomic>
#include <utility>

#include "tesela/tile_source.h"

namespace tesela::testing {

class TiledImage : public TileSource {
  public:
    // `levels` from fine to coarse, all in tiles of the same size.
    TiledImage(std::vector<AnyImage> levels, std::int64_t tile_width, std::int64_t tile_height)
        : images_(std::move(levels)) {
        facts_.format = "memory";
        facts_.type = pixel_type_of(images_.front());
        TileLevel first;
        first.shape = shape_of(images_.front());
        first.tile_width = tile_width;
        first.tile_height = tile_height;
        first.geometry = geometry_of(images_.front());
        for (const AnyImage& image : images_)
            facts_.levels.push_back(facts_.levels.empty()
                                        ? first
                                        : level_below(first, shape_of(image).x, shape_of(image).y,
                                                      tile_width, tile_height));
    }

    const TileSourceFacts& facts() const override { return facts_; }
    TileSourceFacts& changeable_facts() { return facts_; }

    mutable std::atomic<int> decoded{0};

  protected:
    AnyImage decode(int level, const TileBox& box) const override {
        ++decoded;
        const AnyImage& from = images_[static_cast<std::size_t>(level)];
        AnyImage tile =
            filled_image(facts_.type, {box.width, box.height, 1, 1, shape_of(from).channels});
        copy_box(from, box, tile, 0, 0);
        return tile;
    }

  private:
    std::vector<AnyImage> images_;
    TileSourceFacts facts_;
};

}  // namespace tesela::testing
