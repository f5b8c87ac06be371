// Of the images of a viewer those that are slides, and others that are shown in tiles.
#include <algorithm>

#include "io/labels.h"
#include "tesela/error.h"
#include "viewer/server/http.h"
#include "viewer/server/image_facts.h"
#include "viewer/server/images.h"
#include "viewer/server/message.h"
#include "viewer/server/slide_facts.h"
#include "viewer/server/tile_room.h"

namespace tesela::viewer {
namespace {

// Throws Refused (422) where the pixels are no labels.
void require_labels(const std::string& name, const TileSourceFacts& facts) {
    const bool is_whole = facts.type != PixelType::f32 && facts.type != PixelType::f64;
    if (!is_whole || facts.levels.front().shape.channels != 1)
        throw Refused(422, "'" + name + "' is no label map: it has " +
                               (is_whole ? "several channels" : "no whole numbers"));
}

constexpr std::int64_t part_for_tiles = 4;  // of all memory

// Throws OutOfMemory where one of its tiles has no room while it is made and when it is kept, which
// takes half as much at most.
void require_tiles(const SlidePyramid& slide, const std::string& name, std::int64_t room) {
    const std::int64_t bytes = slide.bytes_while_made() / 2 * 3;
    if (bytes <= room) return;
    const std::vector<TileLevel>& levels = slide.facts().levels;
    const auto largest =
        std::max_element(levels.begin(), levels.end(), [](const TileLevel& a, const TileLevel& b) {
            return a.tile_width * a.tile_height < b.tile_width * b.tile_height;
        });
    throw OutOfMemory(
        "'" + name + "' has tiles of " + std::to_string(largest->tile_width) + " x " +
            std::to_string(largest->tile_height) + " pixels, of which one takes " +
            std::to_string(bytes) +
            " bytes, more than a quarter of --max-memory: start the viewer with at least " +
            std::to_string(part_for_tiles * bytes),
        bytes, room);
}

SharedLabelTable table_of(const std::filesystem::path& path, std::vector<std::string>& warnings) {
    io::ReadResult read;
    io::add_side_file(path, read);
    warnings.insert(warnings.end(), read.warnings.begin(), read.warnings.end());
    return read.label_table;
}

}  // namespace

PyramidPointer Images::slide(int id) {
    const EntryPointer entry = find(id);
    if (entry->path.empty()) return nullptr;
    const std::lock_guard only_one_opens(entry->opening);
    if (entry->is_slide && !*entry->is_slide) return nullptr;
    const auto changed = change_of(*entry);
    if (!entry->is_slide) {
        const bool is_labels = entry->role == Role::labels;
        const auto source = slide_at(entry->path, max_bytes_);
        if (source && is_labels) require_labels(entry->path.filename().string(), source->facts());
        const auto made =
            source ? std::make_shared<const SlidePyramid>(source, is_labels) : nullptr;
        const std::lock_guard lock(mutex_);
        if (!made) {
            entry->is_slide = false;
            return nullptr;
        }
        const std::int64_t room = max_bytes_ / part_for_tiles;
        require_tiles(*made, entry->path.filename().string(), room);
        entry->is_slide = true;
        // Fewer are made at once where all threads' would leave the cache less than half.
        const std::int64_t tile = made->bytes_while_made();
        making_bytes_ =
            std::max(making_bytes_, std::min(tile_threads * tile, std::max(room / 2, tile)));
        const std::int64_t cached = std::min(TileCache::default_capacity, room - making_bytes_);
        cache_bytes_ = cached + making_bytes_;
        TileRoom::global().set(making_bytes_);
        TileCache::global().set_capacity(cached);
        entry->tiles = made;
        entry->changed = changed;
    }
    const std::lock_guard lock(mutex_);
    return entry->tiles;
}

bool Images::has_slides() const {
    const std::lock_guard lock(mutex_);
    return cache_bytes_ > 0;
}

ImagePointer Images::open_for_boxes(int id) {
    try {
        return open(id);
    } catch (const OutOfMemory&) {
        const PyramidPointer tiles = slide(id);
        if (!tiles) throw;
        const std::filesystem::path path = find(id)->path;
        std::vector<std::string> warnings;  // told with the facts
        const operations::ImageValue none = tesela::Image<std::uint8_t>({1});
        return std::make_shared<const Image>(
            Image{.id = id,
                  .name = path.filename().string(),
                  .pixels = none.with_labels(table_of(path, warnings)),
                  .recipe = recipe_of_file(path.string()),
                  .slide = tiles});
    }
}

int Images::add_made(const std::filesystem::path& path, Role role, int of) {
    const int id = add_file(path, role, of);
    const EntryPointer entry = find(id);
    {
        const std::lock_guard lock(mutex_);
        entry->is_made = true;
    }
    events_.publish("image", {{"id", id}});
    return id;
}

PyramidPointer Images::in_tiles(int id) {
    if (auto opened = slide(id)) return opened;
    const EntryPointer entry = find(id);
    if (entry->labels) throw Refused(400, "labels that are edited have slices, not tiles");
    const ImagePointer image = open(id);
    const std::lock_guard lock(mutex_);
    if (entry->tiles) return entry->tiles;
    auto made =
        std::make_shared<const SlidePyramid>(slide_of(image->pixels), entry->role == Role::labels);
    // The entry may have been dropped meanwhile, and its pixels are not to be kept uncounted.
    if (entry->image == image) entry->tiles = made;
    return made;
}

void Images::require_whole(const PyramidPointer& slide, const std::string& name,
                           std::int64_t most) {
    if (!slide) return;
    const Shape& shape = slide->levels().front().shape;
    const std::int64_t bytes = shape.elements() * pixel_type_bytes(slide->facts().type);
    if (bytes > most)
        throw OutOfMemory("'" + name + "' is a slide of " + std::to_string(shape.x) + " x " +
                              std::to_string(shape.y) +
                              " pixels, more than --max-memory has room for at once: take a part "
                              "of it ('tesela slide region')",
                          bytes, most);
}

Json Images::facts_in_tiles(int id, const Entry& entry, const SlidePyramid& slide) {
    const TileLevel& full = slide.levels().front();
    Image image{.id = id,
                .name = entry.path.filename().string(),
                .role = entry.role,
                .of = entry.of,
                .pixels = tesela::Image<std::uint8_t>({1}),
                .warnings = slide.facts().warnings,
                .recipe = {}};
    if (entry.role == Role::labels)
        image.pixels = image.pixels.with_labels(table_of(entry.path, image.warnings));
    Json facts = facts_of_slide(image, slide);
    add_place(image, full.shape, full.geometry, facts);
    return facts;
}

Json Images::facts_in_memory(int id, const Image& image) {
    Json facts = facts_of(image, threads_);
    if (!find(id)->labels && add_place(image, image.pixels.shape(), image.pixels.geometry(), facts))
        facts["levels"] = levels_json(*in_tiles(id));
    return facts;
}

bool Images::add_place(const Image& image, const Shape& shape, const Geometry& geometry,
                       Json& facts) {
    const bool may_lie = image.role == Role::labels && image.of && has(*image.of);
    const PyramidPointer below = may_lie ? slide(*image.of) : nullptr;
    if (below)
        facts["place"] = place_on_slide(image.name, shape, geometry, below->levels().front());
    return below != nullptr;
}

}  // namespace tesela::viewer
