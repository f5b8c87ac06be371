// A slide in levels as a page needs them: each about half as fine as the one before, down to one
// that a window holds. Levels that the file lacks are made of finer ones, tile by tile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "operations/image_value.h"
#include "tesela/tile_source.h"

namespace tesela::viewer {

class SlidePyramid {
  public:
    // Of labels coarser levels have some of the labels, never means of them.
    SlidePyramid(std::shared_ptr<const TileSource> source, bool labels);
    ~SlidePyramid();
    SlidePyramid(const SlidePyramid&) = delete;
    SlidePyramid& operator=(const SlidePyramid&) = delete;

    const TileSourceFacts& facts() const { return source_->facts(); }
    const std::shared_ptr<const TileSource>& source() const { return source_; }
    // From fine to coarse; level 0 is that of the file.
    const std::vector<TileLevel>& levels() const { return levels_; }
    // Of the file, level by level; nothing: the level is made.
    bool is_made(int level) const { return places_[static_cast<std::size_t>(level)].made; }
    // What one tile takes while it is made, beside the cache.
    std::int64_t bytes_while_made() const;
    // Pixels of a box within a level. From any thread; throws as TileSource::read. A coarse level
    // of a large slide takes long to be made: between tiles `is_gone`, where it is given, is asked
    // whether nobody waits for the pixels any more, and Cancelled thrown then.
    using IsGone = std::function<bool()>;
    AnyImage read(int level, const TileBox& box, const IsGone& is_gone = {}) const;

  private:
    class MadeLevels;
    struct Place {
        bool made = false;
        int level = 0;  // of the file, or of those that are made
    };

    AnyImage read_stored_or_made(int level, const TileBox& box) const;

    std::shared_ptr<const TileSource> source_;
    std::vector<TileLevel> levels_;
    std::vector<Place> places_;
    std::unique_ptr<MadeLevels> made_;
};
using PyramidPointer = std::shared_ptr<const SlidePyramid>;

// The slide that a file is; null where it is better shown as a whole: a picture of one level that
// is not large, a volume, several planes. Throws as io::open_slide.
std::shared_ptr<const TileSource> slide_at(const std::filesystem::path& path,
                                           std::int64_t max_bytes);
// A picture in memory as a slide. Throws Refused (400) for a volume or a series.
std::shared_ptr<const TileSource> slide_of(const operations::ImageValue& pixels);

}  // namespace tesela::viewer
