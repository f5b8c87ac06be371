// The images of a viewer, by number: files, which are read when somebody asks for them, results of
// jobs, and labels that are edited. Together they keep to a limit of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "operations/image_value.h"
#include "tesela/io.h"
#include "viewer/server/events.h"
#include "viewer/server/recipe.h"
#include "viewer/server/slide_pyramid.h"

namespace tesela::viewer {

enum class Role { image, labels };

class Labels;
struct LabelsStart;

struct Image {
    int id = 0;
    std::string name;
    Role role = Role::image;
    std::optional<int> of = {};      // the image on whose grid a result or a label map lies
    operations::ImageValue pixels;   // on the host
    bool separate_channels = false;  // these are measurements of their own, not a color
    std::vector<std::string> channel_names = {};
    std::vector<std::string> warnings = {};  // of reading
    Recipe recipe;
    std::string view = {};      // what the page computed it for; results of a newer job replace it
    int job = 0;                // 0: a file
    std::int64_t revision = 0;  // of labels that are edited
    PyramidPointer slide = {};  // in place of the pixels, where they are too many
};
using ImagePointer = std::shared_ptr<const Image>;

class Images {
  public:
    // `max_bytes`: of the pixels of all. `threads`: of the CPU, for edits of labels and what is
    // told of images; 0: all.
    Images(std::int64_t max_bytes, int threads, Events& events)
        : max_bytes_(max_bytes), threads_(threads), events_(events) {}

    // Nothing is read yet. A label map is put into the order of the image `of`.
    int add_file(const std::filesystem::path& path, Role role = Role::image,
                 std::optional<int> of = {});
    // Gives it its number. Throws OutOfMemory where it does not fit.
    int add_result(Image image);
    // A file that a job has made.
    int add_made(const std::filesystem::path& path, Role role, int of);
    // Labels that can be edited. Throws as add_result.
    int add_labels(LabelsStart start);

    // Reads it where that was not done. Throws Refused (404) for a number that stands for nothing,
    // and as reading does.
    ImagePointer open(int id);
    bool is_open(int id) const;
    // The slide that a file is, which is opened and not read; null: it is something else. Throws
    // Refused: 404, or 410 for a file that has changed.
    PyramidPointer slide(int id);
    // As `open`, but a slide that has no room as a whole comes without pixels.
    ImagePointer open_for_boxes(int id);
    // Whether one was opened: an image may take long to be read as a whole then.
    bool has_slides() const;
    // What is shown in tiles: a slide, or a picture or a label map in memory. Throws as `open`, and
    // Refused (400) for what has slices instead.
    PyramidPointer in_tiles(int id);
    // Labels that can be edited; null: it is another image. Throws Refused (404).
    std::shared_ptr<Labels> find_labels(int id) const;
    bool has(int id) const;
    Role role(int id) const { return find(id)->role; }
    // What it is to the page, with the values that occur, which takes a moment at first.
    Json describe(int id);
    // Of a result, or labels that were edited. Throws Refused: 404, or 403 for a file.
    void forget(int id);
    // After an edit, whose history takes memory: the oldest steps of it go where images need that.
    void make_room_for_history();
    std::vector<int> ids() const;
    // Number, name, role and kind of each, for which no file is read.
    Json list() const;
    // What is shown of a file, or of a part of one, that lies there; nothing: it is not shown.
    std::optional<Role> shown_role(const std::filesystem::path& path) const;
    // A file that is shown was written anew: it is read again when somebody asks for it.
    void read_again(const std::filesystem::path& path);

  private:
    struct Entry {
        std::filesystem::path path = {};  // empty: a result
        bool is_made = false;             // a file that is a result
        Role role = Role::image;
        std::optional<int> of = {};
        std::optional<std::filesystem::file_time_type> changed = {};  // when it was read
        ImagePointer image = {};
        std::shared_ptr<Labels> labels = {};  // in place of the image, and of a path
        Json facts = {};
        std::uint64_t used = 0;             // the larger, the later
        std::optional<bool> is_slide = {};  // nothing: nobody asked
        PyramidPointer tiles = {};          // of the slide, or of the image in memory
        std::mutex reading = {};
        std::mutex looking = {};
        std::mutex opening = {};  // guards `is_slide`
    };
    using EntryPointer = std::shared_ptr<Entry>;

    EntryPointer find(int id) const;
    bool lies_at(const Entry& entry, const std::filesystem::path& path) const;
    std::int64_t bytes_of(const Entry& entry) const;
    // When it changed last, for `changed`. Throws Refused (410) where that is not as it was.
    std::optional<std::filesystem::file_time_type> change_of(const Entry& entry) const;
    ImagePointer read(int id, Entry& entry);
    // Throws OutOfMemory for a slide that has no room as a whole; null has.
    static void require_whole(const PyramidPointer& slide, const std::string& name,
                              std::int64_t most);
    Json facts_in_tiles(int id, const Entry& entry, const SlidePyramid& slide);
    Json facts_in_memory(int id, const Image& image);
    // Where a label map lies on its slide; false where it has none.
    bool add_place(const Image& image, const Shape& shape, const Geometry& geometry, Json& facts);
    Image read_image(int id, const Entry& entry, std::int64_t most);
    // Of images that are kept, whatever is asked for.
    std::int64_t held_bytes() const;
    bool is_replaced(const Image& image) const;
    // Drops results of the view that two newer jobs have replaced. The last one before the newest
    // stays: pages show it until they have been told.
    void drop_replaced(const std::string& view);
    // Drops what can be had again, or was replaced. Throws OutOfMemory where that is not enough.
    void make_room(std::int64_t bytes);

    const std::int64_t max_bytes_;
    const int threads_;
    Events& events_;
    mutable std::mutex mutex_;  // guards what follows
    std::map<int, EntryPointer> entries_;
    int last_id_ = 0;
    std::uint64_t uses_ = 0;
    // For tiles, as soon as there is a slide: of the cache, and of threads that make some.
    std::int64_t cache_bytes_ = 0, making_bytes_ = 0;
};

std::int64_t bytes_of(const operations::ImageValue& pixels);

}  // namespace tesela::viewer
