#include "viewer/server/images.h"

#include <algorithm>
#include <utility>

#include "io/side_file.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "tesela/render_io.h"
#include "viewer/server/labels.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

namespace fs = std::filesystem;

// Of a folder, when one of its files came or went.
std::optional<fs::file_time_type> last_change(const fs::path& path) {
    std::error_code error;
    const auto time = fs::last_write_time(path, error);
    if (error) return {};
    return time;
}

std::string shown_name(const fs::path& path) {
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Refused unknown(int id) { return {404, "there is no image " + std::to_string(id)}; }

}  // namespace

std::int64_t bytes_of(const operations::ImageValue& pixels) {
    return pixels.shape().elements() * pixel_type_bytes(pixels.pixel_type());
}

int Images::add_file(const fs::path& path, Role role, std::optional<int> of) {
    const std::lock_guard lock(mutex_);
    const auto entry = std::make_shared<Entry>();
    entry->path = path;
    entry->role = role;
    entry->of = of;
    entries_[++last_id_] = entry;
    return last_id_;
}

int Images::add_result(Image image) {
    const std::lock_guard lock(mutex_);
    const std::string view = image.view;
    make_room(viewer::bytes_of(image.pixels));
    image.id = ++last_id_;
    const auto entry = std::make_shared<Entry>();
    entry->role = image.role;
    entry->used = ++uses_;
    entry->image = std::make_shared<const Image>(std::move(image));
    entries_[last_id_] = entry;
    events_.publish("image", {{"id", last_id_}});
    if (!view.empty()) drop_replaced(view);
    return last_id_;
}

int Images::add_labels(LabelsStart start) {
    constexpr std::int64_t part_of_history = 8;  // of all memory
    const std::lock_guard lock(mutex_);
    make_room(start.labels.shape().points() * static_cast<std::int64_t>(sizeof(std::uint32_t)));
    const auto entry = std::make_shared<Entry>();
    entry->role = Role::labels;
    entry->labels = std::make_shared<Labels>(
        last_id_ + 1, std::move(start),
        LabelsSettings{.history_bytes = max_bytes_ / part_of_history, .threads = threads_},
        events_);
    entries_[++last_id_] = entry;
    events_.publish("image", {{"id", last_id_}});
    return last_id_;
}

std::shared_ptr<Labels> Images::find_labels(int id) const { return find(id)->labels; }

std::int64_t Images::bytes_of(const Entry& entry) const {
    if (entry.labels) return entry.labels->bytes();
    return entry.image ? viewer::bytes_of(entry.image->pixels) : 0;
}

Images::EntryPointer Images::find(int id) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) throw unknown(id);
    return found->second;
}

bool Images::has(int id) const {
    const std::lock_guard lock(mutex_);
    return entries_.contains(id);
}

bool Images::is_open(int id) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    return found == entries_.end() || found->second->image || found->second->labels;
}

std::vector<int> Images::ids() const {
    const std::lock_guard lock(mutex_);
    std::vector<int> all;
    for (const auto& [id, entry] : entries_) all.push_back(id);
    return all;
}

Json Images::list() const {
    const std::lock_guard lock(mutex_);
    Json all = Json::array();
    for (const auto& [id, entry] : entries_) {
        const bool is_file = !entry->path.empty();
        std::string name;
        std::optional<int> of;
        if (entry->labels) {
            name = entry->labels->name();
            of = entry->labels->of();
        } else {
            name = is_file ? shown_name(entry->path) : entry->image->name;
            of = is_file ? entry->of : entry->image->of;
        }
        all.push_back({{"id", id},
                       {"name", name},
                       {"role", entry->role == Role::labels ? "labels" : "image"},
                       {"of", of ? Json(*of) : Json()},
                       {"is_file", is_file && !entry->is_made},
                       {"editable", entry->labels != nullptr}});
    }
    return all;
}

ImagePointer Images::open(int id) {
    const EntryPointer entry = find(id);
    if (entry->labels) return entry->labels->image();
    const auto opened = [&]() -> ImagePointer {
        const std::lock_guard lock(mutex_);
        entry->used = ++uses_;
        return entry->image;
    };
    if (auto image = opened()) return image;
    const std::lock_guard only_one_reads(entry->reading);
    if (auto image = opened()) return image;
    return read(id, *entry);
}

std::optional<fs::file_time_type> Images::change_of(const Entry& entry) const {
    const auto changed = last_change(entry.path);
    const std::lock_guard lock(mutex_);
    if (entry.changed && changed != entry.changed)
        throw Refused(410, "'" + entry.path.string() +
                               "' has changed since it was opened: start the viewer again");
    return changed;
}

ImagePointer Images::read(int id, Entry& entry) {
    std::int64_t most = 0;
    {
        const std::lock_guard lock(mutex_);
        most = std::max<std::int64_t>(max_bytes_ - held_bytes(), 1);
    }
    const auto changed = change_of(entry);
    auto image = std::make_shared<const Image>(read_image(id, entry, most));
    const std::lock_guard lock(mutex_);
    make_room(viewer::bytes_of(image->pixels));
    entry.changed = changed;
    entry.image = image;
    return image;
}

Image Images::read_image(int id, const Entry& entry, std::int64_t most) {
    const io::ReadOptions reading{.max_bytes = most};
    const auto image_of = [&](operations::ImageValue pixels) {
        return Image{.id = id,
                     .name = shown_name(entry.path),
                     .role = entry.role,
                     .of = entry.of,
                     .pixels = std::move(pixels),
                     .recipe = recipe_of_file(entry.path.string())};
    };
    if (entry.role == Role::labels) {
        io::LabelMap map = io::read_label_map(entry.path, reading);
        if (entry.of && !slide(*entry.of)) {
            const ImagePointer shown = open(*entry.of);
            map.labels = align_to(grid_of(shown->pixels.view()), std::move(map.labels));
        }
        Image image = image_of(std::move(map.labels));
        image.pixels = image.pixels.with_labels(std::move(map.table));
        image.warnings = std::move(map.warnings);
        return image;
    }
    require_whole(slide(id), shown_name(entry.path), most);
    io::ReadResult read = io::read_image(entry.path, reading);
    Image image = image_of(std::move(read.image));
    image.pixels = image.pixels.with_labels(std::move(read.label_table));
    image.separate_channels = read.separate_channels;
    image.channel_names = std::move(read.channel_names);
    image.warnings = std::move(read.warnings);
    return image;
}

Json Images::describe(int id) {
    const EntryPointer entry = find(id);
    const PyramidPointer slide = this->slide(id);
    const ImagePointer image = slide ? nullptr : open(id);
    const std::lock_guard lock(entry->looking);
    if (entry->facts.is_null() || entry->labels)
        entry->facts = slide ? facts_in_tiles(id, *entry, *slide) : facts_in_memory(id, *image);
    entry->facts["editable"] = entry->labels != nullptr;
    return entry->facts;
}

void Images::forget(int id) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) throw unknown(id);
    const Entry& entry = *found->second;
    if (!entry.path.empty() && !entry.is_made)
        throw Refused(403, "an opened file stays open as long as the viewer runs");
    std::error_code gone;
    if (entry.is_made) fs::remove(entry.path, gone);
    entries_.erase(found);
    events_.publish("gone", {{"id", id}});
}

bool Images::lies_at(const Entry& entry, const fs::path& path) const {
    if (entry.path.empty()) return false;
    const std::vector<fs::path> read = io::files_read(entry.path);
    return std::any_of(read.begin(), read.end(), [&](const fs::path& file) {
        std::error_code missing;
        return fs::equivalent(file, path, missing);
    });
}

std::optional<Role> Images::shown_role(const fs::path& path) const {
    const std::lock_guard lock(mutex_);
    std::optional<Role> role;
    for (const auto& [id, entry] : entries_)
        if (role != Role::image && lies_at(*entry, path)) role = entry->role;
    return role;
}

void Images::read_again(const fs::path& path) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : entries_) {
        if (!lies_at(*entry, path)) continue;
        auto fresh = std::make_shared<Entry>();
        fresh->path = entry->path;
        fresh->is_made = entry->is_made;
        fresh->role = entry->role;
        fresh->of = entry->of;
        entries_[id] = fresh;
        events_.publish("image", {{"id", id}});
    }
}

// Of the same view there are results of a newer job.
bool Images::is_replaced(const Image& image) const {
    return image.job > 0 && !image.view.empty() &&
           std::any_of(entries_.begin(), entries_.end(), [&](const auto& other) {
               const ImagePointer& newer = other.second->image;
               return newer && newer->view == image.view && newer->job > image.job;
           });
}

void Images::drop_replaced(const std::string& view) {
    const auto is_of_view = [&](const auto& entry) {
        const ImagePointer& image = entry.second->image;
        return image && image->job > 0 && image->view == view;
    };
    int newest = 0, before = 0;
    for (const auto& entry : entries_) {
        if (!is_of_view(entry)) continue;
        const int job = entry.second->image->job;
        if (job > newest) before = std::exchange(newest, job);
        if (job < newest) before = std::max(before, job);
    }
    std::erase_if(entries_, [&](const auto& entry) {
        const bool is_old = is_of_view(entry) && entry.second->image->job < before;
        if (is_old) events_.publish("gone", {{"id", entry.first}});
        return is_old;
    });
}

std::int64_t Images::held_bytes() const {
    std::int64_t bytes = cache_bytes_;
    for (const auto& [id, entry] : entries_)
        if (entry->labels || (entry->image && entry->path.empty() && !is_replaced(*entry->image)))
            bytes += bytes_of(*entry);
    return bytes;
}

void Images::make_room(std::int64_t bytes) {
    std::int64_t taken = bytes + cache_bytes_;
    for (const auto& [id, entry] : entries_) taken += bytes_of(*entry);
    while (taken > max_bytes_) {
        auto oldest = entries_.end();
        for (auto it = entries_.begin(); it != entries_.end(); ++it) {
            const Entry& entry = *it->second;
            if (!entry.image || (entry.path.empty() && !is_replaced(*entry.image))) continue;
            if (oldest == entries_.end() || entry.used < oldest->second->used) oldest = it;
        }
        if (oldest == entries_.end())
            throw OutOfMemory(
                "the images take more than --max-memory: forget results, or start the viewer with "
                "a larger --max-memory",
                taken, max_bytes_);
        taken -= bytes_of(*oldest->second);
        if (!oldest->second->path.empty()) {
            oldest->second->image = nullptr;
            if (!oldest->second->is_slide.value_or(false)) oldest->second->tiles = nullptr;
            continue;
        }
        events_.publish("gone", {{"id", oldest->first}});
        entries_.erase(oldest);
    }
}

void Images::make_room_for_history() {
    std::vector<std::shared_ptr<Labels>> all;
    std::int64_t too_many = 0;
    try {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, entry] : entries_)
            if (entry->labels) all.push_back(entry->labels);
        make_room(0);
    } catch (const OutOfMemory& error) {
        too_many = error.bytes_needed() - error.bytes_free();
    }
    for (const auto& labels : all) {
        if (too_many <= 0) return;
        const std::int64_t before = labels->bytes();
        const std::int64_t history = before - labels->shape().points() * 4;
        labels->shrink_history(std::max<std::int64_t>(history - too_many, 0));
        too_many -= before - labels->bytes();
    }
}

}  // namespace tesela::viewer
