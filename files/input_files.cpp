#include "files/input_files.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "files/mosaic_files.h"
#include "files/section_files.h"
#include "io/labels.h"
#include "io/ome_zarr.h"
#include "io/slide.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/kinds/mosaic.h"
#include "operations/kinds/sections.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/stain.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/tridiagonal.h"
#include "tesela/circles_io.h"
#include "tesela/flow_io.h"
#include "tesela/geojson_io.h"
#include "tesela/render_io.h"
#include "tesela/seeds.h"
#include "tesela/stain_io.h"
#include "tesela/tissue_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"
#include "tesela/volume_io.h"
#include "tesela/warnings.h"

namespace tesela::files {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Values;

// What values hold, where that may be much.
template <class T>
std::int64_t bytes_in(const T&) {
    return 0;
}
std::int64_t bytes_in(const Landmarks& landmarks) {
    std::size_t bytes = 0;
    for (const Landmark& landmark : landmarks.list) bytes += sizeof landmark + landmark.name.size();
    return static_cast<std::int64_t>(bytes);
}
std::int64_t bytes_in(const Annotations& annotations) {
    const auto points = [](const PlaneLine& line) { return line.size(); };
    std::size_t bytes = 0;
    for (const Annotation& annotation : annotations.list) {
        std::size_t count = 0;
        if (const auto* single = std::get_if<Points>(&annotation.shape)) count = points(*single);
        if (const auto* lines = std::get_if<Lines>(&annotation.shape))
            for (const PlaneLine& line : *lines) count += points(line);
        if (const auto* polygons = std::get_if<Polygons>(&annotation.shape))
            for (const Polygon& polygon : *polygons) {
                count += points(polygon.outer);
                for (const PlaneLine& hole : polygon.holes) count += points(hole);
            }
        bytes += sizeof annotation + count * sizeof(PlanePoint) + annotation.properties.size();
    }
    return static_cast<std::int64_t>(bytes);
}
std::int64_t bytes_in(const CircleLists& lists) {
    const auto count = [](const auto& list) { return list ? list->size() : 0; };
    return static_cast<std::int64_t>(sizeof(Circle) *
                                     (count(lists.pixels) + count(lists.millimeters)));
}
std::int64_t bytes_in(const TridiagonalSystems& systems) {
    return static_cast<std::int64_t>(sizeof(double) * (3 * systems.b.size() + systems.d.size()));
}
std::int64_t bytes_in(const TissueSamples& samples) {
    return static_cast<std::int64_t>(sizeof(double) * samples.features.size() +
                                     2 * sizeof(std::string) * samples.rows());
}
std::int64_t bytes_in(const Transform& transform) {
    std::size_t numbers = 0;
    for (const auto& step : transform.steps)
        if (const auto* spline = std::get_if<SplineMap>(&step))
            numbers += spline->displacements.size();
    return static_cast<std::int64_t>(sizeof(double) * numbers);
}
std::int64_t bytes_in(const RegisteredPair& pair) { return bytes_in(pair.transform); }
std::int64_t bytes_in(const FlowField& field) {
    return static_cast<std::int64_t>(sizeof(float)) * field.shape().elements();
}

template <auto read>
std::int64_t read_by(Values& values, std::string_view name, const fs::path& path,
                     const io::ReadOptions& options) {
    auto value = [&] {
        if constexpr (requires { read(path, options); })
            return read(path, options);
        else
            return read(path);
    }();
    const std::int64_t bytes = bytes_in(value);
    values.set(name, std::move(value));
    return bytes;
}

// Of a slide the header alone is read.
ImageGrid read_grid(const fs::path& path, const io::ReadOptions& options) {
    if (!options.choice.given() && !io::slide_format(path).empty()) {
        const auto slide = io::open_slide(path, {.max_bytes = options.max_bytes});
        const TileLevel& level = slide->facts().levels.front();
        if (slide->facts().planes == 1) return {level.shape, level.geometry};
    }
    return grid_of(io::read_image(path, options).image);
}
CameraChoice read_camera(const fs::path& path) { return io::read_camera(path); }
TridiagonalSystems read_equations(const fs::path& path, const io::ReadOptions& options) {
    return io::read_tridiagonal(path, options);
}
operations::CompressedVolume read_compressed(const fs::path& path) {
    std::vector<std::string> warnings;
    operations::CompressedVolume volume = open_bricks(path, warnings);
    for (const std::string& warning : warnings)
        detail::warn_once("'" + path.string() + "': " + warning);
    return volume;
}
operations::Background read_background(const fs::path& path, const io::ReadOptions& options) {
    return operations::ImageValue(io::read_labels(path, options));
}

// The file of a slide in a folder: that with the slide's name, its suffix left out, or behind it.
fs::path file_of(const fs::path& folder, const fs::path& slide,
                 const std::vector<std::string>& suffixes) {
    if (!fs::is_directory(folder)) return folder;
    for (const std::string& suffix : suffixes)
        for (const fs::path& stem : {slide.stem(), slide.filename(), slide.stem().stem()})
            if (const fs::path file = folder / (stem.string() + suffix); fs::exists(file))
                return file;
    throw UnreadableInput("'" + folder.string() + "' has no file for the slide '" +
                          slide.filename().string() + "': name it " + slide.stem().string() +
                          suffixes.front());
}
operations::OfSlides<Annotations> slide_annotations(const fs::path& path,
                                                    const io::ReadOptions& options) {
    return {fs::is_directory(path), [path, options](const std::string& slide) {
                return io::read_geojson(file_of(path, slide, {".geojson", ".geojson.gz", ".json"}),
                                        options);
            }};
}
operations::OfSlides<operations::ImageValue> slide_labels(const fs::path& path,
                                                          const io::ReadOptions& options) {
    return {fs::is_directory(path),
            [path, options](const std::string& slide) -> operations::ImageValue {
                return io::read_labels(file_of(path, slide, {".png", ".tif", ".nii.gz"}), options);
            }};
}

struct InputFile {
    operations::Kind kind;
    std::int64_t (*read)(Values& values, std::string_view name, const fs::path& path,
                         const io::ReadOptions& options);
};
const std::array all{
    InputFile{kinds::transfer, read_by<io::read_transfer_function>},
    InputFile{kinds::camera, read_by<read_camera>},
    InputFile{kinds::grid, read_by<read_grid>},
    InputFile{kinds::transform, read_by<io::read_transform>},
    InputFile{kinds::stains, read_by<io::read_stains>},
    InputFile{kinds::field, read_by<io::read_flow>},
    InputFile{kinds::landmarks, read_by<io::read_landmarks>},
    InputFile{kinds::circles, read_by<io::read_circles>},
    InputFile{kinds::annotations, read_by<io::read_geojson>},
    InputFile{kinds::equations, read_by<read_equations>},
    InputFile{kinds::compressed_volume, read_by<read_compressed>},
    InputFile{kinds::samples, read_by<read_tissue_samples>},
    InputFile{kinds::tissue_model, read_by<read_tissue_model>},
    InputFile{kinds::tile_pictures, read_by<open_tile_folder>},
    InputFile{kinds::background, read_by<read_background>},
    InputFile{kinds::slide_annotations, read_by<slide_annotations>},
    InputFile{kinds::slide_labels, read_by<slide_labels>},
    InputFile{kinds::sections, read_by<read_sections>},
    InputFile{kinds::section_pair, read_by<read_section_pair>},
    InputFile{kinds::mosaic_tiles, read_by<read_mosaic_tiles>},
    InputFile{kinds::tile_positions, read_by<read_tile_positions>},
};

// Text that is the JSON of a file itself.
template <class Parse>
bool set_by_json(std::string_view name, const std::string& text, Values& values,
                 const Parse& parse) {
    if (!text.starts_with('{')) return false;
    try {
        values.set(name, parse(text));
    } catch (const InvalidArgument& error) {
        throw InvalidArgument("the JSON text of --" + std::string(name) + ": " + error.what());
    }
    return true;
}

const InputFile* find(operations::Kind kind) {
    for (const InputFile& found : all)
        if (found.kind == kind) return &found;
    return nullptr;
}

}  // namespace

bool has_input_file(operations::Kind kind) { return find(kind) != nullptr; }

std::int64_t read_input(operations::Kind kind, Values& values, std::string_view name,
                        const fs::path& path, const io::ReadOptions& options) {
    const InputFile* found = find(kind);
    if (!found)
        throw std::logic_error("inputs of the kind '" + std::string(kind.name) +
                               "' need more than a file");
    return found->read(values, name, path, options);
}

bool read_kept(operations::Kind kind, Values& values, std::string_view name, const fs::path& path) {
    if (!fs::exists(path)) return false;
    try {
        read_input(kind, values, name, path, {});
        return true;
    } catch (const UnreadableInput&) {
        return false;
    } catch (const UnsupportedFormat&) {
        return false;
    }
}

bool seeds_by_text(std::string_view name, const std::string& text, Values& values) {
    auto seeds = parse_seeds(text);
    if (seeds) values.set(name, std::move(*seeds));
    return seeds.has_value();
}

bool transfer_by_text(std::string_view name, const std::string& text, Values& values) {
    if (set_by_json(name, text, values, io::parse_transfer_function)) return true;
    const auto preset = transfer_preset(text);
    if (preset) values.set(name, *preset);
    return preset.has_value();
}

bool camera_by_text(std::string_view name, const std::string& text, Values& values) {
    const auto parse = [](std::string_view json) -> CameraChoice { return io::parse_camera(json); };
    if (set_by_json(name, text, values, parse)) return true;
    for (const auto& [view, view_name] : enum_names(CameraView{})) {
        if (view_name != text) continue;
        values.set(name, CameraChoice(view));
        return true;
    }
    return false;
}

bool background_by_text(std::string_view name, const std::string& text, Values& values) {
    using operations::BackgroundChoice;
    const bool is_automatic = text == "auto";
    if (!is_automatic && text != "none") return false;
    values.set(name, operations::Background(is_automatic ? BackgroundChoice::automatic
                                                         : BackgroundChoice::none));
    return true;
}

operations::CompressedVolume open_bricks(const fs::path& path, std::vector<std::string>& warnings,
                                         std::int64_t max_bytes) {
    if (auto volume = io::open_bricks(path, warnings, max_bytes)) return volume;
    throw UnsupportedFormat("'" + path.string() +
                            "' is neither a .tvol nor an OME-Zarr; 'tesela compress' makes a .tvol "
                            "of any volume");
}

std::optional<operations::ImageParts> open_parts(
    const fs::path& path, const std::function<operations::Slide()>& open_slide,
    std::vector<std::string>& warnings, std::int64_t max_bytes) {
    operations::ImageParts parts;
    bool are_labels = false;
    if (!fs::is_directory(path) && io::is_volume_file(path)) {
        const std::shared_ptr<const BrickSource> volume = io::open_volume_file(path);
        parts.input = in_parts(volume);
        are_labels = volume->facts().is_labels;
    } else if (auto zarr = io::open_zarr_volume(path, warnings, max_bytes)) {
        parts.input = std::move(zarr);
    } else {
        // Scanners' files are pyramids in TIFF, or no label maps and large beside one that is.
        const io::TiffKind kind = io::tiff_kind(path);
        if (kind != io::TiffKind::ome && kind != io::TiffKind::pyramid) return {};
        parts.input = in_parts(open_slide());
    }
    io::ReadResult said;
    said.label_table = io::zarr_label_table(path);
    io::add_side_file(path, said);
    warnings.insert(warnings.end(), said.warnings.begin(), said.warnings.end());
    parts.labels = said.label_table;
    // What is stored as labels is that, though nothing says what they stand for.
    if (are_labels && !parts.labels) parts.labels = std::make_shared<const LabelTable>();
    parts.geometry = parts.input->facts().geometry;
    return parts;
}

std::optional<operations::Warpable> read_points(const fs::path& path,
                                                const io::ReadOptions& options) {
    const std::string file = path.filename().string();
    if (file.ends_with(".csv")) return io::read_landmarks(path, options);
    if (file.ends_with(".geojson") || file.ends_with(".geojson.gz"))
        return io::read_geojson(path, options);
    return {};
}

std::int64_t held_by(const operations::Warpable& points) {
    return std::visit([](const auto& value) { return bytes_in(value); }, points);
}

operations::ColoredLabels colored_labels(LabelImage labels, const SharedLabelTable& table) {
    const std::vector<io::LabelEntry> entries = io::label_entries(labels);
    operations::ColoredLabels made{std::move(labels), {}};
    for (const io::LabelEntry& entry : entries)
        made.colors.push_back(label_color(table.get(), entry.id));
    return made;
}

LabelColor label_color(const LabelTable* table, std::uint32_t label) {
    const Rgb color = color_of(table, label);
    return {label, {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0}, 1};
}

}  // namespace tesela::files
