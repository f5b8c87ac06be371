#include "viewer/server/slide_pyramid.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tesela/error.h"
#include "tesela/picture_source.h"
#include "tesela/slide_io.h"
#include "viewer/server/message.h"
#include "viewer/server/tile_room.h"

namespace tesela::viewer {
namespace {

constexpr std::int64_t tile_side = 256;     // of tiles that are made
constexpr std::int64_t window_side = 512;   // no level below one that fits into it
constexpr double largest_step = 2.9;        // from a level of the file to the next
constexpr std::int64_t large = 64'000'000;  // pixels, of a picture

// Of what this thread makes, which TileSource has no way to hand on; null: nobody says.
thread_local const SlidePyramid::IsGone* asked_while_made = nullptr;

class AskedWhileMade {
  public:
    explicit AskedWhileMade(const SlidePyramid::IsGone& is_gone) {
        if (is_gone) asked_while_made = &is_gone;
    }
    ~AskedWhileMade() { asked_while_made = nullptr; }
    AskedWhileMade(const AskedWhileMade&) = delete;
    AskedWhileMade& operator=(const AskedWhileMade&) = delete;
};

std::int64_t longer_side(const TileLevel& level) { return std::max(level.shape.x, level.shape.y); }

}  // namespace

// What lies between the levels of a file and below them. Its tiles are in the cache as those of
// files are, so that each is made once.
class SlidePyramid::MadeLevels : public TileSource {
  public:
    MadeLevels(const SlidePyramid& pyramid, bool labels) : pyramid_(pyramid), labels_(labels) {
        const TileSourceFacts& facts = pyramid.facts();
        facts_.type = facts.type;
        facts_.background = facts.background;
        facts_.has_alpha = facts.has_alpha;
    }
    const TileSourceFacts& facts() const override { return facts_; }

    // Half of a level of the pyramid. Gives its number.
    int add(int finer, const TileLevel& half) {
        facts_.levels.push_back(half);
        finer_.push_back(finer);
        return static_cast<int>(finer_.size()) - 1;
    }

  protected:
    AnyImage decode(int level, const TileBox& box) const override {
        if (asked_while_made && (*asked_while_made)())
            throw Cancelled("nobody waits for this tile any more");
        const int finer = finer_[static_cast<std::size_t>(level)];
        const Shape& shape = pyramid_.levels()[static_cast<std::size_t>(finer)].shape;
        const TileBox doubled{2 * box.x, 2 * box.y, std::min(2 * box.width, shape.x - 2 * box.x),
                              std::min(2 * box.height, shape.y - 2 * box.y)};
        return halved(pyramid_.read_stored_or_made(finer, doubled), labels_);
    }

  private:
    const SlidePyramid& pyramid_;
    const bool labels_;
    TileSourceFacts facts_;
    std::vector<int> finer_;
};

SlidePyramid::SlidePyramid(std::shared_ptr<const TileSource> source, bool labels)
    : source_(std::move(source)), made_(std::make_unique<MadeLevels>(*this, labels)) {
    const std::vector<TileLevel>& stored = source_->facts().levels;
    levels_ = {stored.front()};
    places_ = {Place{}};
    std::size_t next = 1;
    while (longer_side(levels_.back()) > window_side || next < stored.size()) {
        const TileLevel& last = levels_.back();
        if (next < stored.size() &&
            stored[next].downsample[0] <= largest_step * last.downsample[0]) {
            places_.push_back({false, static_cast<int>(next)});
            levels_.push_back(stored[next++]);
            continue;
        }
        if (longer_side(last) <= window_side) break;  // what is left in the file is of no use
        const TileLevel& first = stored.front();
        TileLevel half = level_below(first, (last.shape.x + 1) / 2, (last.shape.y + 1) / 2,
                                     tile_side, tile_side);
        half.downsample = {2 * last.downsample[0], 2 * last.downsample[1]};
        places_.push_back({true, made_->add(static_cast<int>(levels_.size()) - 1, half)});
        levels_.push_back(half);
    }
}

SlidePyramid::~SlidePyramid() = default;

// The largest tile of the file and the bytes that it is decoded from, no fewer where it was not
// compressed; for each level that is made four tiles of the one above and their half.
std::int64_t SlidePyramid::bytes_while_made() const {
    std::int64_t largest = 0;
    for (const TileLevel& level : facts().levels)
        largest = std::max(largest, level.tile_width * level.tile_height);
    const std::int64_t made = std::count_if(places_.begin(), places_.end(),
                                            [](const Place& place) { return place.made; });
    return levels_.front().shape.channels * pixel_type_bytes(facts().type) *
           (2 * largest + 5 * made * tile_side * tile_side);
}

AnyImage SlidePyramid::read(int level, const TileBox& box, const IsGone& is_gone) const {
    const TileRoom::Share share(TileRoom::global(), bytes_while_made(), is_gone);
    const AskedWhileMade asked(is_gone);
    for (;;) try {
            return read_stored_or_made(level, box);
        } catch (const Cancelled&) {
            // Another thread may have been making the same tile, for somebody who is gone.
            if (is_gone && is_gone()) throw;
        }
}

AnyImage SlidePyramid::read_stored_or_made(int level, const TileBox& box) const {
    const Place& place = places_.at(static_cast<std::size_t>(level));
    return place.made ? made_->read(place.level, box) : source_->read(place.level, box);
}

std::shared_ptr<const TileSource> slide_at(const std::filesystem::path& path,
                                           std::int64_t max_bytes) {
    const std::string format = io::slide_format(path);
    if (format.empty()) return nullptr;
    std::shared_ptr<const TileSource> slide = io::open_slide(path, {.max_bytes = max_bytes});
    const TileSourceFacts& facts = slide->facts();
    const bool is_scan = format != "OME-TIFF" && format != "OME-Zarr" && format != "tiled TIFF";
    const bool is_large = facts.levels.front().shape.points() * facts.planes > large;
    const bool has_one_plane = facts.planes == 1;
    return is_scan || is_large || (has_one_plane && facts.levels.size() > 1) ? slide : nullptr;
}

std::shared_ptr<const TileSource> slide_of(const operations::ImageValue& pixels) {
    if (pixels.shape().z > 1 || pixels.shape().t > 1)
        throw Refused(400, "a volume or a series has slices, not tiles");
    return picture_source(pixels.view());
}

}  // namespace tesela::viewer
