#include "io/zarr/label_group.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/temporary_folder.h"
#include "io/zarr/metadata.h"
#include "io/zarr/ome_image.h"
#include "tesela/tile_source.h"

namespace tesela::io::zarr {
namespace {

constexpr const char* all_labels = "labels";

// ---- what labels have from their image ----------------------------------------------------------

// Of the entries for the axes those that labels have.
Json without_channel(const Json& entries, const std::string& axes) {
    Json kept = Json::array();
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != 'c') kept.push_back(entries.at(i));
    return kept;
}

Json transforms_without_channel(const Json& transforms, const std::string& axes) {
    Json kept = Json::array();
    for (Json transform : transforms) {
        for (const char* type : {"scale", "translation"})
            if (has(transform, type) && transform.at(type).is_array())
                transform[type] = without_channel(transform.at(type), axes);
        kept.push_back(std::move(transform));
    }
    return kept;
}

Json described_for_labels(const Json& multiscale, const std::string& axes,
                          const std::string& name) {
    constexpr const char* transforms = "coordinateTransformations";
    Json datasets = Json::array();
    for (const Json& dataset : multiscale.at("datasets"))
        datasets.push_back(
            {{"path", std::to_string(datasets.size())},
             {transforms, transforms_without_channel(dataset.at(transforms), axes)}});
    Json described{{"name", name},
                   {"axes", without_channel(multiscale.at("axes"), axes)},
                   {"datasets", datasets}};
    if (multiscale.contains(transforms))
        described[transforms] = transforms_without_channel(multiscale.at(transforms), axes);
    described["type"] = "nearest";
    return described;
}

Shape label_shape(const Array& array) {
    Shape shape = array.image_shape();
    shape.channels = 1;
    return shape;
}

// Below the level before it, of which it has a part of the points along each axis.
Level level_below(const Level& before, const Shape& shape) {
    Level level{shape, before.downsample};
    level.downsample[0] *= true_downsample(before.shape.x, shape.x);
    level.downsample[1] *= true_downsample(before.shape.y, shape.y);
    level.downsample[2] *= true_downsample(before.shape.z, shape.z);
    return level;
}

LabelFrame frame_in(const Store& store, const Group& group, const std::string& name) {
    const Json& multiscale = group.attributes.at("multiscales").at(0);
    const std::string axes = axes_of(store, multiscale);
    LabelFrame frame;
    frame.multiscale = described_for_labels(multiscale, axes, name);
    std::vector<Level>& levels = frame.form.levels;
    for (const Json& dataset : multiscale.at("datasets")) {
        const std::string path = dataset.at("path");
        check_inside(path);
        const Shape shape = label_shape(read_array(store, path, axes));
        if (!levels.empty() && shape.t != levels.front().shape.t)
            throw InvalidArgument("its level '" + path + "' has other time points than the first");
        levels.push_back(levels.empty() ? Level{shape} : level_below(levels.back(), shape));
    }
    if (levels.empty()) throw InvalidArgument("'datasets' is empty");
    frame.form.is_labels = true;
    frame.form.is_format_3 = group.is_format_3;
    std::remove_copy(axes.begin(), axes.end(), std::back_inserter(frame.form.axes), 'c');
    frame.grid = {levels.front().shape, read_ome_image(store, 1).geometry};
    return frame;
}

std::string version_of(const Group& group) {
    return text_of(group.is_format_3 ? group.attributes : group.attributes.at("multiscales").at(0),
                   "version");
}

// ---- the list -----------------------------------------------------------------------------------

// Held while the list is changed: programs that write labels at once all get into it.
class ListLock {
  public:
    explicit ListLock(const fs::path& image)
        : descriptor_(open(image.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        if (descriptor_ < 0) throw unwritable(image, system_reason(errno));
        while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
    }
    ~ListLock() { close(descriptor_); }
    ListLock(const ListLock&) = delete;
    ListLock& operator=(const ListLock&) = delete;

  private:
    int descriptor_;
};

// A new group of all labels takes its place as a whole.
void make_group(const fs::path& group, bool is_format_3, const fs::path& scratch) {
    fs::create_directory(scratch);
    const auto sink = create_folder_sink(scratch, group);
    put_group(is_format_3, {{all_labels, Json::array()}}, *sink);
    fs::rename(scratch, group);
}

// The list in the attributes, whose other entries stay.
Json& list_in(Json& attributes) {
    if (!has(attributes, all_labels)) attributes[all_labels] = Json::array();
    Json& list = attributes[all_labels];
    if (!list.is_array()) throw InvalidArgument("'labels' is no list");
    return list;
}

// Calls `change` with the list of an image's labels, and replaces the file that holds it.
template <class Change>
void change_list(const fs::path& path, const Change& change) {
    const fs::path image = image_of_labels(path), group = path.parent_path();
    const ListLock lock(image);
    const detail::TemporaryFolder scratch(image, path);
    const bool is_format_3 = fs::exists(image / "zarr.json") && !fs::exists(image / ".zattrs");
    if (!fs::exists(group)) make_group(group, is_format_3, scratch.path() / all_labels);
    const char* const file = is_format_3 ? "zarr.json" : ".zattrs";
    const auto store = open_store(group);
    const Json before = find_json(*store, file).value_or(Json::object());
    Json whole = before;
    from_json(group / file, whole, [&](const Json&) {
        if (is_format_3) {
            whole["zarr_format"] = 3;
            whole["node_type"] = "group";
            Json& ome = whole["attributes"]["ome"];
            ome["version"] = "0.5";
            change(list_in(ome));
        } else {
            change(list_in(whole));
        }
        return true;
    });
    const auto sink = create_folder_sink(scratch.path(), group);
    if (!is_format_3 && !fs::exists(group / ".zgroup")) {
        sink->put_json(".zgroup", {{"zarr_format", 2}});
        fs::rename(scratch.path() / ".zgroup", group / ".zgroup");
    }
    if (whole == before) return;
    sink->put_json(file, whole);
    fs::rename(scratch.path() / file, group / file);
}

}  // namespace

fs::path image_of_labels(const fs::path& path) {
    const fs::path group = path.parent_path();
    if (!path.has_filename() || group.filename() != all_labels) return {};
    fs::path image = group.parent_path();
    if (detail::is_temporary_folder(image)) image = image.parent_path();
    if (image.empty()) image = ".";
    const bool is_image = image.extension() == ".zarr" || is_zarr_folder(image);
    return is_image ? image : fs::path();
}

bool is_label_group(const fs::path& path) {
    const fs::path image = image_of_labels(path);
    return !image.empty() && !detail::is_temporary_folder(path.parent_path().parent_path());
}

LabelFrame label_frame(const fs::path& path) {
    const fs::path image = image_of_labels(path);
    if (!is_zarr_folder(image))
        throw unwritable(path, quoted(image) + " is no OME-Zarr; write the image there first");
    const auto store = open_store(image);
    const auto group = find_group(*store, "");
    if (!group || !has(group->attributes, "multiscales"))
        throw unwritable(path, quoted(image) +
                                   " is a Zarr group without an image of OME-Zarr; "
                                   "labels lie in the folder of an image");
    return from_json(store->path() / group->file, group->attributes, [&](const Json&) {
        const std::string version = version_of(*group), needed = group->is_format_3 ? "0.5" : "0.4";
        if (version != needed)
            throw unwritable(path, "its image is of version '" + printable(version) +
                                       "' of OME-Zarr, and labels are written into 0.4 and 0.5");
        LabelFrame frame = frame_in(*store, *group, path.filename().string());
        const auto root = find_json(*store, "zarr.json");
        frame.has_copied_metadata =
            fs::exists(image / ".zmetadata") || (root && has(*root, "consolidated_metadata") &&
                                                 root->at("consolidated_metadata").is_object());
        return frame;
    });
}

void list_labels(const fs::path& path) {
    const std::string name = path.filename().string();
    change_list(path, [&](Json& list) {
        if (std::find(list.begin(), list.end(), Json(name)) == list.end()) list.push_back(name);
    });
}

void unlist_labels(const fs::path& path) {
    const Json name(path.filename().string());
    change_list(path, [&](Json& list) {
        list.erase(std::remove(list.begin(), list.end(), name), list.end());
    });
}

}  // namespace tesela::io::zarr
