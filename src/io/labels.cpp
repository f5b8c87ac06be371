// Label maps and the side file that describes their regions.
#include "io/labels.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>

#include "io/dicom_segmentation.h"
#include "io/format.h"
#include "io/json_file.h"
#include "io/lost_geometry.h"
#include "io/ome_zarr.h"
#include "io/segmentation.h"
#include "io/side_file.h"
#include "io/zarr/label_group.h"
#include "tesela/io.h"
#include "tesela/render_io.h"

namespace tesela::io {
namespace {

template <class T>
AnyImage narrowed(const LabelImage& labels) {
    Image<T> result(labels.shape(), labels.geometry);
    std::transform(labels.pixels().begin(), labels.pixels().end(), result.data(),
                   [](std::uint32_t label) { return static_cast<T>(label); });
    return result;
}

template <class T>
std::uint32_t largest_of(const Image<T>& labels) {
    const auto& pixels = labels.pixels();
    return pixels.empty()
               ? 0
               : static_cast<std::uint32_t>(*std::max_element(pixels.begin(), pixels.end()));
}

// The same as the format has it: MGH and segmentations have no unsigned numbers of 32 bits.
AnyImage smallest_type(const LabelImage& labels, Format format) {
    const bool has_signed = format == Format::mgh || format == Format::segmentation;
    const std::uint32_t largest = largest_of(labels);
    if (largest > 0xffff && has_signed) return narrowed<std::int32_t>(labels);
    return io::smallest_type(labels);
}

// What a pixel or voxel measures. 4-D label maps have no measure: their regions extend in time.
struct Measure {
    const char* name = nullptr;  // "area", "volume", or null where there is none
    std::string unit;            // "mm2"
    double of_one = 0;
};

Measure measure_of(const Geometry& g, int dimensions) {
    if (!g.known() || dimensions > 3) return {};
    const std::string unit(unit_symbol(g.unit));
    if (dimensions == 2) return {"area", unit + "2", g.spacing[0] * g.spacing[1]};
    return {"volume", unit + "3", g.spacing[0] * g.spacing[1] * g.spacing[2]};
}

using TakeEntry = std::function<void(const LabelEntry&)>;

// Calls `take` with the entry of each label that occurs, in ascending order.
template <class Count, class T>
void for_each_dense_entry(const Image<T>& labels, std::uint32_t largest, const TakeEntry& take) {
    std::vector<Count> counts(std::size_t{largest} + 1);
    for (const T label : labels.pixels()) ++counts[static_cast<std::uint32_t>(label)];
    for (std::uint32_t id = 1; id > 0 && id <= largest; ++id)
        if (counts[id] > 0) take({id, label_color(id), static_cast<std::int64_t>(counts[id])});
}

template <class T>
void for_each_entry(const Image<T>& labels, const TakeEntry& take) {
    const auto& pixels = labels.pixels();
    const std::uint32_t largest = largest_of(labels);
    // A table where ids are dense, as regions numbered 1..N are.
    if (largest / 4 <= pixels.size() + 1024) {
        if (pixels.size() <= std::numeric_limits<std::uint32_t>::max())
            return for_each_dense_entry<std::uint32_t>(labels, largest, take);
        return for_each_dense_entry<std::int64_t>(labels, largest, take);
    }
    std::map<std::uint32_t, std::int64_t> counts;
    for (const T label : pixels) ++counts[static_cast<std::uint32_t>(label)];
    for (const auto& [id, count] : counts)
        if (id != 0) take({id, label_color(id), count});
}

// The labels' side file, as JSON.
class SideFileWriter {
  public:
    SideFileWriter(const fs::path& staged, const fs::path& shown, std::string image,
                   const LabelTable& table)
        : file_(staged, shown), image_(std::move(image)), table_(table) {}

    template <class T>
    void write(const Image<T>& labels) {
        write(labels.geometry, labels.shape().dimensions(),
              [&](const TakeEntry& take) { for_each_entry(labels, take); });
    }
    // `for_each` calls what it gets with each entry.
    void write(const Geometry& geometry, int dimensions,
               const std::function<void(const TakeEntry&)>& for_each) {
        const Measure measure = measure_of(geometry, dimensions);
        put("{\"format\": \"tesela-labels\", \"version\": 1, \"image\": " + Json(image_).dump() +
            ",");
        if (measure.name) put(" \"unit\": \"" + measure.unit + "\",");
        put(" \"labels\": [");
        const char* separator = "\n";
        for_each([&](const LabelEntry& entry) {
            put(separator);
            put_entry(entry, measure);
            separator = ",\n";
        });
        put("\n]}\n");
        file_.close();
    }

  private:
    void put(const std::string& text) { file_.write_or_throw(text.data(), text.size()); }
    void put_text(const char* name, const std::string& text) {
        if (!text.empty())
            put(std::string(", \"") + name +
                "\": " + Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
    }

    void put_entry(const LabelEntry& entry, const Measure& measure) {
        char text[128];
        const Rgb color = color_of(&table_, entry.id);
        std::snprintf(text, sizeof text,
                      "{\"id\": %u, \"color\": \"#%02x%02x%02x\", \"count\": %lld", entry.id,
                      unsigned{color[0]}, unsigned{color[1]}, unsigned{color[2]},
                      static_cast<long long>(entry.count));
        put(text);
        if (const auto found = table_.find(entry.id); found != table_.end()) {
            put_text("name", found->second.name);
            put_text("segment_id", found->second.segment.id);
            put_text("segment_tags", found->second.segment.tags);
        }
        if (measure.name) {
            std::snprintf(text, sizeof text, ", \"%s\": %.9g", measure.name,
                          static_cast<double>(entry.count) * measure.of_one);
            for (char* c = text; *c; ++c)
                if (c > text + 2 && *c == ',') *c = '.';  // a locale's decimal comma
            put(text);
        }
        put("}");
    }

    OutputFile file_;
    std::string image_;
    const LabelTable& table_;
};

void check_labels_fit(const LabelImage& labels, std::uint32_t largest, const OutputFormat& format,
                      const fs::path& path) {
    const std::uint32_t most = largest_label(format);
    if (most == 0)
        throw UnsupportedFormat(
            "cannot write " + quoted(path) +
            ": JPEG changes values, so it cannot hold labels; use .png or .tif");
    if (largest > most)
        throw TooNarrow("cannot write " + quoted(path) + ": " + std::string(format.name) +
                        " holds labels up to " + std::to_string(most) + ", the largest here is " +
                        std::to_string(largest) + "; use .tif, .nii.gz, .nrrd or .mha");
    if (labels.shape().channels != 1)
        throw InvalidArgument("a label image has one channel, not " +
                              std::to_string(labels.shape().channels));
}

// Writes an image of labels, and the side file by `write_side_file` where the format itself holds
// no names. `keys`: what it holds of them.
std::vector<std::string> write_with_names(
    const AnyImage& image, const OutputFormat& format, const fs::path& path,
    const WriteOptions& options, const LabelTable& table, const std::string& keys,
    const std::function<void(SideFileWriter&)>& write_side_file) {
    check_fits(image, format, path);
    std::vector<fs::path> targets = files_written(path);
    const bool has_side_file = !holds_names(format.format);
    if (has_side_file) targets.push_back(labels_side_file(path));
    Staging staging(targets, options.overwrite);
    std::vector<std::string> warnings =
        encode(image, format, staging, {true, options.compression, keys, table, options.zarr});
    for (std::string& lost : lost_geometry(image, format, path))
        warnings.push_back(std::move(lost));
    if (has_side_file) {
        const std::size_t side = targets.size() - 1;
        SideFileWriter writer(staging.staged(side), staging.target(side), name_in_side_file(path),
                              table);
        write_side_file(writer);
    }
    staging.commit();
    return warnings;
}

// Why an image is no label map; empty where it is one.
std::string no_labels(const AnyImage& image) {
    if (shape_of(image).channels != 1)
        return "a label map has one channel, this image has " +
               std::to_string(shape_of(image).channels) + ": choose one by --channel N";
    return std::visit(
        [](const auto& typed) -> std::string {
            using T = typename std::decay_t<decltype(typed)>::value_type;
            if constexpr (std::is_floating_point_v<T>) {
                return "a label map holds integers, this image holds " +
                       std::string(pixel_type_name(pixel_type_of<T>()));
            } else {
                const bool has_negative =
                    std::is_signed_v<T> && std::any_of(typed.pixels().begin(), typed.pixels().end(),
                                                       [](T value) { return value < 0; });
                return has_negative ? "it holds negative values, so it is no label map" : "";
            }
        },
        image);
}

// Whether its values are 0 and one other.
bool is_mask(const AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            const auto& values = typed.pixels();
            const auto inside =
                std::find_if(values.begin(), values.end(), [](auto value) { return value != 0; });
            return std::all_of(inside, values.end(),
                               [&](auto value) { return value == 0 || value == *inside; });
        },
        image);
}

void require_labels(const AnyImage& image, const fs::path& path) {
    if (const std::string reason = no_labels(image); !reason.empty())
        throw UnsupportedFormat("cannot write " + quoted(path) + ": " + reason);
}

LabelImage labels_of(const AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            LabelImage labels(typed.shape(), typed.geometry);
            std::transform(typed.pixels().begin(), typed.pixels().end(), labels.data(),
                           [](auto value) { return static_cast<std::uint32_t>(value); });
            return labels;
        },
        image);
}

// The table of the side file, whose colors are left out where they are those of the numbers.
SharedLabelTable table_of(const fs::path& side_file) {
    LabelTable table;
    for (const LabelEntry& entry : read_label_entries(side_file)) {
        LabelDescription& label = table[entry.id];
        label.name = entry.name;
        label.segment = entry.segment;
        if (entry.color != label_color(entry.id)) label.color = entry.color;
    }
    return std::make_shared<const LabelTable>(std::move(table));
}

}  // namespace

AnyImage smallest_type(const LabelImage& labels) {
    const std::uint32_t largest = largest_of(labels);
    if (largest <= 0xff) return narrowed<std::uint8_t>(labels);
    if (largest <= 0xffff) return narrowed<std::uint16_t>(labels);
    return labels;
}

std::vector<LabelEntry> label_entries(const LabelImage& labels) {
    std::vector<LabelEntry> entries;
    for_each_entry(labels, [&](const LabelEntry& entry) { entries.push_back(entry); });
    return entries;
}

fs::path labels_side_file(const fs::path& path) {
    return path.parent_path() / (stem_of(path) + ".labels.json");
}

void write_label_counts(const std::vector<std::int64_t>& points, const Geometry& geometry,
                        int dimensions, const fs::path& image, const LabelTable& table) {
    Staging staging({labels_side_file(image)}, true);
    SideFileWriter(staging.staged(), staging.target(), name_in_side_file(image), table)
        .write(geometry, dimensions, [&](const TakeEntry& take) {
            std::uint32_t id = 0;
            for (const std::int64_t count : points) {
                ++id;
                take({id, label_color(id), count});
            }
        });
    staging.commit();
}

std::vector<std::string> write_labels(const LabelImage& labels, const fs::path& path,
                                      const WriteOptions& options, const LabelTable& table) {
    std::vector<std::string> warnings;
    with_memory_guard(path, [&] {
        const OutputFormat format = output_format(path);
        check_compression(options.compression, format, path);
        check_labels_fit(labels, largest_of(labels), format, path);
        if (format.format == Format::dicom) {
            warnings = write_dicom_segmentation(labels, table, path, options);
            return;
        }
        const std::string keys = format.format == Format::segmentation
                                     ? segment_keys(labels, table, path)
                                     : std::string();
        AnyImage image = smallest_type(labels, format.format);
        warnings = write_with_names(image, format, path, options, table, keys,
                                    [&](SideFileWriter& side_file) {
                                        image = {};  // before the labels are counted
                                        side_file.write(labels);
                                    });
    });
    return warnings;
}

std::vector<std::string> write_labels_as_stored(const AnyImage& image, const fs::path& path,
                                                const WriteOptions& options,
                                                const LabelTable& table) {
    const OutputFormat format = output_format(path);
    const std::string reason = largest_label(format) == 0
                                   ? "JPEG changes values, so it cannot hold labels"
                                   : no_labels(image);
    if (!reason.empty()) {
        std::vector<std::string> warnings = write_image(image, path, options);
        if (has_names(table))
            warnings.push_back(quoted(path.filename()) +
                               " is written without the names of labels: " + reason);
        return warnings;
    }
    if (format.format == Format::segmentation || format.format == Format::dicom)
        return write_labels(labels_of(image), path, options, table);
    std::vector<std::string> warnings;
    with_memory_guard(path, [&] {
        check_compression(options.compression, format, path);
        warnings = write_with_names(
            image, format, path, options, table, "", [&](SideFileWriter& side_file) {
                std::visit([&](const auto& typed) { side_file.write(typed); }, image);
            });
    });
    return warnings;
}

std::vector<std::string> write_as_labels(const AnyImage& image, const fs::path& path,
                                         const WriteOptions& options) {
    const bool is_dicom = output_format(path).format == Format::dicom;
    if (is_dicom && (!no_labels(image).empty() || !is_mask(image)))
        throw UnsupportedFormat("cannot write " + quoted(path) +
                                ": a .dcm gets a segmentation, and this is an image; images are "
                                "written as a series, into a folder, as out/");
    require_labels(image, path);
    LabelImage labels = labels_of(image);
    if (is_dicom)
        for (std::uint32_t& inside : labels.pixels()) inside = inside != 0;
    return write_labels(labels, path, options);
}

bool check_label_group(const fs::path& path, const AnyImage& sample) {
    if (zarr::image_of_labels(path).empty()) return false;
    zarr::label_frame(path);
    require_labels(sample, path);
    return true;
}

bool is_label_map(const fs::path& path) {
    try {
        return is_side_file_of(labels_side_file(path), path) || is_dicom_segmentation(path) ||
               is_zarr_label_map(path) || is_segmentation(path);
    } catch (const Error&) {
        return false;  // reading it will say why
    }
}

// Without it the labels are as good.
void add_side_file(const fs::path& path, ReadResult& read) {
    const fs::path side_file = labels_side_file(path);
    const bool has_own = read.label_table && !read.label_table->empty();
    if (has_own || !is_side_file_of(side_file, path)) return;
    try {
        read.label_table = table_of(side_file);
    } catch (const Error& error) {
        read.label_table = std::make_shared<const LabelTable>();
        read.warnings.push_back(std::string("labels have no names: ") + error.what());
    }
}

LabelMap read_label_map(const fs::path& path, const ReadOptions& options) {
    LabelMap map;
    with_memory_guard(path, [&] {
        ReadResult read = decode(path, {options.max_bytes, true, false, options.choice});
        add_side_file(path, read);
        if (const std::string reason = no_labels(read.image); !reason.empty())
            throw unsupported(path, reason);
        const int bytes = 4 + pixel_type_bytes(pixel_type_of(read.image));
        require_memory(path, shape_of(read.image).points() * bytes, options.max_bytes);
        map = {labels_of(read.image), std::move(read.label_table), std::move(read.warnings)};
    });
    return map;
}

LabelImage read_labels(const fs::path& path, const ReadOptions& options) {
    return read_label_map(path, options).labels;
}

}  // namespace tesela::io
