// The coarser levels of an image whose tiles come in any order.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "io/file.h"
#include "tesela/tile_source.h"

namespace tesela::io {

struct PyramidLevel {
    std::int64_t width = 0, height = 0;
};
// Level 0 and below it halves, until one fits into a tile. A generic pyramid has none that is
// narrower than a tile, which libtiff 4.5 and so OpenSlide read wrongly.
std::vector<PyramidLevel> pyramid_levels(const Shape& shape, const SlideWriteOptions& options);

// Holds a row of tiles of each coarser level at most, where tiles come row by row.
class TilePyramid : public TileWriter {
  public:
    // Errors speak of `shown`. The options are valid.
    TilePyramid(const fs::path& shown, const SlideForm& form, const SlideWriteOptions& options);

    void write(std::int64_t column, std::int64_t row, const AnyImage& tile) override;

  protected:
    // Called once for each tile of each level, from several threads at once; the tiles of a level
    // behind those that they are made of.
    virtual void store(std::size_t level, std::int64_t column, std::int64_t row,
                       const AnyImage& tile) = 0;

    std::int64_t columns(std::size_t level) const { return tiles(levels_[level].width); }
    std::int64_t rows(std::size_t level) const { return tiles(levels_[level].height); }
    std::size_t levels() const { return levels_.size(); }
    // Throws InvalidArgument where tiles of level 0 did not come.
    void require_all() const;

  private:
    struct Part {
        std::unique_ptr<AnyImage> image;
        int missing = 0;
    };
    using Place = std::tuple<std::size_t, std::int64_t, std::int64_t>;  // level, row, column

    std::int64_t tiles(std::int64_t length) const { return (length + tile_ - 1) / tile_; }
    Shape shape_at(std::size_t level, std::int64_t column, std::int64_t row) const;
    void claim(std::int64_t column, std::int64_t row, const AnyImage& tile);
    void add(std::size_t level, std::int64_t column, std::int64_t row, const AnyImage& tile);
    std::unique_ptr<AnyImage> add_part(std::size_t level, std::int64_t column, std::int64_t row,
                                       const AnyImage& half);

    fs::path shown_;
    SlideForm form_;
    std::int64_t tile_;
    bool labels_;
    std::vector<PyramidLevel> levels_;
    mutable std::mutex mutex_;  // guards what follows
    std::vector<bool> claimed_;
    std::int64_t complete_ = 0;  // of level 0
    std::map<Place, Part> parts_;
};

}  // namespace tesela::io
