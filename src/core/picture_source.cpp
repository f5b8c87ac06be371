#include "tesela/picture_source.h"

#include <utility>

#include "tesela/error.h"

namespace tesela {
namespace {

class PictureSource : public TileSource {
  public:
    explicit PictureSource(AnyImageView picture) : picture_(std::move(picture)) {
        if (picture_.shape().dimensions() != 2)
            throw InvalidArgument("a slide is one picture, no volume or time series");
        constexpr std::int64_t tile = 256;
        TileLevel level;
        level.shape = picture_.shape();
        level.tile_width = level.tile_height = tile;
        level.geometry = picture_.geometry();
        facts_.format = "memory";
        facts_.type = picture_.pixel_type();
        facts_.levels = {level};
        facts_.has_alpha = picture_.has_alpha();
    }
    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int, const TileBox& box) const override { return part_of(picture_, box); }

  private:
    AnyImageView picture_;
    TileSourceFacts facts_;
};

}  // namespace

std::unique_ptr<TileSource> picture_source(AnyImageView picture) {
    return std::make_unique<PictureSource>(std::move(picture));
}

}  // namespace tesela
