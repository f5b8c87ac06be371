// Label maps and the side file that describes their regions.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>

#include "io/format.h"
#include "io/json_file.h"
#include "io/lost_geometry.h"
#include "io/side_file.h"
#include "tesela/io.h"

namespace tesela::io {
namespace {

template <class T>
AnyImage narrowed(const LabelImage& labels) {
    Image<T> result(labels.shape(), labels.geometry);
    std::transform(labels.pixels().begin(), labels.pixels().end(), result.data(),
                   [](std::uint32_t label) { return static_cast<T>(label); });
    return result;
}

// MGH has no unsigned numbers of 32 bits.
AnyImage smallest_type(const LabelImage& labels, std::uint32_t largest, Format format) {
    if (largest <= 0xff) return narrowed<std::uint8_t>(labels);
    if (largest <= 0xffff) return narrowed<std::uint16_t>(labels);
    if (format == Format::mgh) return narrowed<std::int32_t>(labels);
    return labels;
}

std::uint32_t largest_of(const LabelImage& labels) {
    const auto& pixels = labels.pixels();
    return pixels.empty() ? 0 : *std::max_element(pixels.begin(), pixels.end());
}

// What a pixel or voxel measures. 4-D label maps have no measure: their regions extend in time.
struct Measure {
    const char* name = nullptr;  // "area", "volume", or null where there is none
    std::string unit;            // "mm2"
    double of_one = 0;
};

Measure measure_of(const LabelImage& labels) {
    const Geometry& g = labels.geometry;
    const int dimensions = labels.shape().dimensions();
    if (!g.known() || dimensions > 3) return {};
    const std::string unit(unit_symbol(g.unit));
    if (dimensions == 2) return {"area", unit + "2", g.spacing[0] * g.spacing[1]};
    return {"volume", unit + "3", g.spacing[0] * g.spacing[1] * g.spacing[2]};
}

// Calls `take` with the entry of each label that occurs, in ascending order.
template <class Count>
void for_each_dense_entry(const LabelImage& labels, std::uint32_t largest,
                          const std::function<void(const LabelEntry&)>& take) {
    std::vector<Count> counts(std::size_t{largest} + 1);
    for (const std::uint32_t label : labels.pixels()) ++counts[label];
    for (std::uint32_t id = 1; id > 0 && id <= largest; ++id)
        if (counts[id] > 0) take({id, label_color(id), static_cast<std::int64_t>(counts[id])});
}

void for_each_entry(const LabelImage& labels, const std::function<void(const LabelEntry&)>& take) {
    const auto& pixels = labels.pixels();
    const std::uint32_t largest = largest_of(labels);
    // A table where ids are dense, as regions numbered 1..N are.
    if (largest / 4 <= pixels.size() + 1024) {
        if (pixels.size() <= std::numeric_limits<std::uint32_t>::max())
            return for_each_dense_entry<std::uint32_t>(labels, largest, take);
        return for_each_dense_entry<std::int64_t>(labels, largest, take);
    }
    std::map<std::uint32_t, std::int64_t> counts;
    for (const std::uint32_t label : pixels) ++counts[label];
    for (const auto& [id, count] : counts)
        if (id != 0) take({id, label_color(id), count});
}

// The labels' side file, as JSON.
class SideFileWriter {
  public:
    SideFileWriter(const fs::path& staged, const fs::path& shown, std::string image,
                   const std::vector<LabelClass>& classes)
        : file_(staged, shown), image_(std::move(image)), classes_(classes) {}

    void write(const LabelImage& labels) {
        const Measure measure = measure_of(labels);
        put("{\"format\": \"tesela-labels\", \"version\": 1, \"image\": " + Json(image_).dump() +
            ",");
        if (measure.name) put(" \"unit\": \"" + measure.unit + "\",");
        put(" \"labels\": [");
        const char* separator = "\n";
        for_each_entry(labels, [&](LabelEntry entry) {
            put(separator);
            if (entry.id <= classes_.size()) entry.color = classes_[entry.id - 1].color;
            put_entry(entry, measure);
            separator = ",\n";
        });
        put("\n]}\n");
        file_.close();
    }

  private:
    void put(const std::string& text) { file_.write_or_throw(text.data(), text.size()); }

    void put_entry(const LabelEntry& entry, const Measure& measure) {
        char text[128];
        std::snprintf(text, sizeof text,
                      "{\"id\": %u, \"color\": \"#%02x%02x%02x\", \"count\": %lld", entry.id,
                      unsigned{entry.color[0]}, unsigned{entry.color[1]}, unsigned{entry.color[2]},
                      static_cast<long long>(entry.count));
        put(text);
        if (entry.id <= classes_.size())
            put(", \"name\": " + Json(classes_[entry.id - 1].name).dump());
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
    const std::vector<LabelClass>& classes_;
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

}  // namespace

std::vector<LabelEntry> label_entries(const LabelImage& labels) {
    std::vector<LabelEntry> entries;
    for_each_entry(labels, [&](const LabelEntry& entry) { entries.push_back(entry); });
    return entries;
}

fs::path labels_side_file(const fs::path& path) {
    return path.parent_path() / (stem_of(path) + ".labels.json");
}

std::vector<std::string> write_labels(const LabelImage& labels, const fs::path& path,
                                      const WriteOptions& options,
                                      const std::vector<LabelClass>& classes) {
    std::vector<std::string> warnings;
    with_memory_guard(path, [&] {
        const OutputFormat format = output_format(path);
        check_compression(options.compression, format, path);
        const std::uint32_t largest = largest_of(labels);
        check_labels_fit(labels, largest, format, path);
        AnyImage image = smallest_type(labels, largest, format.format);
        check_fits(image, format, path);
        std::vector<fs::path> targets = files_written(path);
        targets.push_back(labels_side_file(path));
        Staging staging(targets, options.overwrite);
        encode(image, format, staging, true, options.compression);
        warnings = lost_geometry(image, format, path);
        image = {};  // before the labels are counted
        const std::size_t side = targets.size() - 1;
        SideFileWriter(staging.staged(side), staging.target(side), name_in_side_file(path), classes)
            .write(labels);
        staging.commit();
    });
    return warnings;
}

LabelImage read_labels(const fs::path& path, const ReadOptions& options,
                       std::vector<std::string>* warnings) {
    LabelImage labels;
    with_memory_guard(path, [&] {
        const ReadResult result = decode(path, {options.max_bytes, true, false, options.choice});
        if (shape_of(result.image).channels != 1)
            throw unsupported(path, "a label map has one channel, this image has " +
                                        std::to_string(shape_of(result.image).channels) +
                                        ": choose one by --channel N");
        if (warnings) *warnings = result.warnings;
        labels = std::visit(
            [&](const auto& image) -> LabelImage {
                using T = typename std::decay_t<decltype(image)>::value_type;
                if constexpr (std::is_floating_point_v<T>) {
                    throw unsupported(path, "a label map holds integers, this image holds " +
                                                std::string(pixel_type_name(pixel_type_of<T>())));
                } else {
                    const auto bytes = static_cast<std::int64_t>(image.pixels().size());
                    require_memory(path, bytes * (4 + std::int64_t{sizeof(T)}), options.max_bytes);
                    LabelImage converted(image.shape(), image.geometry);
                    std::uint32_t* out = converted.data();
                    for (const T value : image.pixels()) {
                        if constexpr (std::is_signed_v<T>)
                            if (value < 0)
                                throw unsupported(path,
                                                  "it holds negative values, so it is "
                                                  "no label map");
                        *out++ = static_cast<std::uint32_t>(value);
                    }
                    return converted;
                }
            },
            result.image);
    });
    return labels;
}

}  // namespace tesela::io
