#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "input_reader.h"
#include "io/side_file.h"
#include "kinds.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/stain.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/wavelet.h"
#include "report.h"
#include "tesela/circles_io.h"
#include "tesela/color.h"
#include "tesela/flow_io.h"
#include "tesela/geojson_io.h"
#include "tesela/render_io.h"
#include "tesela/seeds.h"
#include "tesela/slide_io.h"
#include "tesela/stain_io.h"
#include "tesela/tissue_io.h"
#include "tesela/transform_io.h"
#include "tesela/tridiagonal_io.h"
#include "tesela/volume_io.h"
#include "tesela/wavelet_io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Input;
using operations::Values;
using Paths = std::vector<fs::path>;

// What inputs that are no images hold, where that may be much.
template <class T>
std::int64_t held_by(const T&) {
    return 0;
}
std::int64_t held_by(const Landmarks& landmarks) {
    std::size_t bytes = 0;
    for (const Landmark& landmark : landmarks.list) bytes += sizeof landmark + landmark.name.size();
    return static_cast<std::int64_t>(bytes);
}
std::int64_t held_by(const Annotations& annotations) {
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
std::int64_t held_by(const CircleLists& lists) {
    const auto count = [](const auto& list) { return list ? list->size() : 0; };
    return static_cast<std::int64_t>(sizeof(Circle) *
                                     (count(lists.pixels) + count(lists.millimeters)));
}
std::int64_t held_by(const TridiagonalSystems& systems) {
    return static_cast<std::int64_t>(4 * sizeof(double) * systems.b.size());
}
std::int64_t held_by(const TissueSamples& samples) {
    return static_cast<std::int64_t>(sizeof(double) * samples.features.size() +
                                     2 * sizeof(std::string) * samples.rows());
}
std::int64_t held_by(const Transform& transform) {
    std::size_t numbers = 0;
    for (const auto& step : transform.steps)
        if (const auto* spline = std::get_if<SplineMap>(&step))
            numbers += spline->displacements.size();
    return static_cast<std::int64_t>(sizeof(double) * numbers);
}

template <auto read>
void read_by(InputReader& reader, const Input& input, const Paths& paths) {
    auto value = read(paths.front(), reader.options());
    const std::int64_t bytes = held_by(value);
    reader.set(input, std::move(value), bytes);
}

// The first image is referred to: the reader keeps it.
void read_image(InputReader& reader, const Input& input, const Paths& paths) {
    if (const AnyImage* first = reader.read_first(input, paths.front()))
        reader.values().refer(input.name, *first);
    else
        reader.set(input, reader.image(input, paths.front()));
}
void read_coefficients(InputReader& reader, const Input& input, const Paths& paths) {
    const AnyImage* first = reader.read_first(input, paths.front());
    reader.set(input, io::coefficients_of(*first, paths.front()));
}
void read_labels(InputReader& reader, const Input& input, const Paths& paths) {
    std::vector<operations::ImageValue> all;
    for (const fs::path& path : paths) all.push_back(reader.labels(input, path));
    if (input.several)
        reader.set(input, std::move(all));
    else
        reader.set(input, std::move(all.front()));
}
void read_mask(InputReader& reader, const Input& input, const Paths& paths) {
    const LabelImage labels = reader.mask(input, paths.front());
    Image<std::uint8_t> mask(labels.shape(), labels.geometry);
    std::transform(labels.pixels().begin(), labels.pixels().end(), mask.pixels().begin(),
                   [](std::uint32_t label) { return label != 0 ? std::uint8_t{255} : 0; });
    reader.set(input, AnyImage(std::move(mask)));
}
void read_seeds(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, Seeds(reader.labels(input, paths.front())));
}
bool seeds_by_text(std::string_view name, const std::string& text, Values& inputs) {
    auto seeds = parse_seeds(text);
    if (seeds) inputs.set(name, std::move(*seeds));
    return seeds.has_value();
}

// In the colors of the side file; labels that it does not list in those of their numbers.
void read_colored(InputReader& reader, const Input& input, const Paths& paths) {
    LabelImage labels = reader.labels(input, paths.front());
    std::map<std::uint32_t, Rgb> colors;
    for (const io::LabelEntry& entry : io::label_entries(labels)) colors[entry.id] = entry.color;
    operations::ColoredLabels made{std::move(labels), {}};
    const fs::path side_file = io::labels_side_file(paths.front());
    if (io::is_side_file_of(side_file, paths.front()))
        for (const io::LabelEntry& entry : io::read_label_entries(side_file))
            if (const auto found = colors.find(entry.id); found != colors.end())
                found->second = entry.color;
    for (const auto& [label, color] : colors)
        made.colors.push_back({label, {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0}, 1});
    reader.set(input, std::move(made));
}

void read_transfer(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, io::read_transfer_function(paths.front()));
}
bool transfer_by_text(std::string_view name, const std::string& text, Values& inputs) {
    const auto preset = transfer_preset(text);
    if (preset) inputs.set(name, *preset);
    return preset.has_value();
}
void read_camera(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, CameraChoice(io::read_camera(paths.front())));
}
bool camera_by_text(std::string_view name, const std::string& text, Values& inputs) {
    for (const auto& [view, view_name] : enum_names(CameraView{})) {
        if (view_name != text) continue;
        inputs.set(name, CameraChoice(view));
        return true;
    }
    return false;
}

void read_grid(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, grid_of(io::read_image(paths.front(), reader.options()).image));
}
void read_field(InputReader& reader, const Input& input, const Paths& paths) {
    FlowField field = io::read_flow(paths.front(), reader.options());
    const std::int64_t bytes = bytes_of(field);
    reader.set(input, std::move(field), bytes);
}
TridiagonalSystems read_equations(const fs::path& path, const io::ReadOptions& options) {
    return io::read_tridiagonal(path, options);
}

bool has_labels(const fs::path& path) {
    return io::is_side_file_of(io::labels_side_file(path), path);
}

// An image beside the side file of another one may be a copy of that label map.
void warn_of_labels(const InputReader& reader, const fs::path& path) {
    const fs::path side_file = io::labels_side_file(path);
    const fs::path owner = io::other_owner(side_file, path);
    if (!owner.empty())
        reader.warn("'" + side_file.string() + "' is taken as that of '" + owner.string() +
                    "', and '" + path.string() +
                    "' is sampled linearly; give --labels where it is a label map");
}
bool may_be_labels(const io::ReadResult& read) {
    const bool has_whole_numbers = std::visit(
        [](const auto& image) {
            return std::is_integral_v<std::decay_t<decltype(image.pixels()[0])>>;
        },
        read.image);
    return has_whole_numbers && shape_of(read.image).channels == 1 && read.format != "JPEG";
}

// Labels where the options or a file beside them say so.
void read_warpable(InputReader& reader, const Input& input, const Paths& paths) {
    using operations::Warpable;
    const fs::path& path = paths.front();
    const std::string file = path.filename().string();
    const io::ReadOptions reading = reader.options();
    const auto set = [&](auto value, std::int64_t bytes) {
        reader.set(input, Warpable(std::move(value)), bytes);
    };
    if (file.ends_with(".csv")) {
        Landmarks landmarks = io::read_landmarks(path, reading);
        const std::int64_t bytes = held_by(landmarks);
        return set(std::move(landmarks), bytes);
    }
    if (file.ends_with(".geojson") || file.ends_with(".geojson.gz")) {
        Annotations annotations = io::read_geojson(path, reading);
        const std::int64_t bytes = held_by(annotations);
        return set(std::move(annotations), bytes);
    }
    if (std::get<bool>(reader.settings().options.get("labels")) || has_labels(path)) {
        std::vector<std::string> warnings;
        LabelImage labels = io::read_labels(path, reading, &warnings);
        for (const std::string& warning : warnings) reader.warn(warning);
        const std::int64_t bytes = bytes_of(labels);
        return set(operations::WarpableLabels{std::move(labels)}, bytes);
    }
    io::ReadResult read = io::read_image(path, reading);
    reader.check(input, path, read);
    if (may_be_labels(read)) warn_of_labels(reader, path);
    const std::int64_t bytes = bytes_of(read.image);
    set(operations::ImageValue(std::move(read.image)), bytes);
}
void read_warpable_slide(InputReader& reader, const Input& input, const Paths& paths) {
    const fs::path& path = paths.front();
    const bool is_labels = has_labels(path);
    if (!is_labels) warn_of_labels(reader, path);
    reader.set(input, operations::WarpableSlide{reader.slide(input, path)(), is_labels});
}
void read_slide(InputReader& reader, const Input& input, const Paths& paths) {
    std::vector<operations::OpenSlide> all;
    for (const fs::path& path : paths) all.push_back(reader.slide(input, path));
    if (input.several)
        reader.set(input, std::move(all));
    else
        reader.set(input, all.front()());
}
void read_slide_grid(InputReader& reader, const Input& input, const Paths& paths) {
    const TileLevel level = reader.slide(input, paths.front())()->facts().levels.front();
    reader.set(input, ImageGrid{level.shape, level.geometry});
}

// Raw files and series of slices are read part by part, everything else as a whole.
void read_stored(InputReader& reader, const Input& input, const Paths& paths) {
    const OperationSettings& settings = reader.settings();
    io::ReadOptions reading = read_options(settings.memory, settings.raw);
    reading.choice = settings.planes.choice();
    const bool in_parts = !reading.choice.given();
    struct Held {
        io::ReadResult read = {};
        std::unique_ptr<VolumeInput> volume = {};
    };
    const auto held = std::make_shared<Held>();
    if (in_parts && reading.raw)
        held->volume = io::open_raw(paths.front(), *reading.raw);
    else if (in_parts && fs::is_directory(paths.front()))
        held->volume = io::open_series(paths.front(), held->read.warnings);
    if (!held->volume) {
        reading.stored = true;
        held->read = io::read_image(paths.front(), reading);
        held->volume = io::volume_input(held->read.image, held->read.scaling);
    }
    for (const std::string& warning : held->read.warnings) reader.warn(warning);
    const VolumeInputFacts& facts = held->volume->facts();
    Geometry geometry = facts.geometry;
    apply_spacing(settings.spacing.spacing, facts.shape, geometry);
    reader.set(input, operations::StoredVolume{{held, held->volume.get()}, geometry},
               bytes_of(held->read.image));
}
void read_compressed(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, operations::CompressedVolume(io::open_volume_file(paths.front())));
}

void read_background(InputReader& reader, const Input& input, const Paths& paths) {
    reader.set(input, operations::Background(operations::ImageValue(
                          io::read_labels(paths.front(), reader.options()))));
}
bool background_by_text(std::string_view name, const std::string& text, Values& inputs) {
    using operations::BackgroundChoice;
    const bool is_automatic = text == "auto";
    if (!is_automatic && text != "none") return false;
    inputs.set(name, operations::Background(is_automatic ? BackgroundChoice::automatic
                                                         : BackgroundChoice::none));
    return true;
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
void read_slide_annotations(InputReader& reader, const Input& input, const Paths& paths) {
    const auto read = [path = paths.front(), reading = reader.options()](const std::string& slide) {
        return io::read_geojson(file_of(path, slide, {".geojson", ".geojson.gz", ".json"}),
                                reading);
    };
    reader.set(input, operations::OfSlides<Annotations>{fs::is_directory(paths.front()), read});
}
void read_slide_labels(InputReader& reader, const Input& input, const Paths& paths) {
    const auto read = [path = paths.front(), reading = reader.options()](
                          const std::string& slide) -> operations::ImageValue {
        return io::read_labels(file_of(path, slide, {".png", ".tif", ".nii.gz"}), reading);
    };
    reader.set(input,
               operations::OfSlides<operations::ImageValue>{fs::is_directory(paths.front()), read});
}

constexpr std::string_view seed_texts =
    "neither auto, grid, grid:SPACING, points 'x,y;...', boxes 'box:x0,y0,x1,y1;...' nor balls "
    "'ball:x,y,r;...'";

const std::array all{
    InputKind{.kind = kinds::image, .read = read_image, .has_planes = true},
    InputKind{kinds::coefficients, read_coefficients},
    InputKind{.kind = kinds::labels, .read = read_labels, .has_planes = true},
    InputKind{.kind = kinds::mask, .read = read_mask, .has_planes = true},
    InputKind{kinds::seeds, read_seeds, seeds_by_text, seed_texts, true},
    InputKind{.kind = kinds::colored_labels, .read = read_colored, .has_planes = true},
    InputKind{kinds::transfer, read_transfer, transfer_by_text,
              "none of the presets (--list-presets)"},
    InputKind{kinds::camera, read_camera, camera_by_text,
              "none of anterior, posterior, left, right, superior, inferior"},
    InputKind{.kind = kinds::grid, .read = read_grid, .has_planes = true},
    InputKind{kinds::transform, read_by<io::read_transform>},
    InputKind{kinds::stains, read_by<io::read_stains>},
    InputKind{kinds::field, read_field},
    InputKind{kinds::landmarks, read_by<io::read_landmarks>},
    InputKind{kinds::circles, read_by<io::read_circles>},
    InputKind{kinds::annotations, read_by<io::read_geojson>},
    InputKind{kinds::equations, read_by<read_equations>},
    InputKind{.kind = kinds::warpable, .read = read_warpable, .has_planes = true},
    InputKind{kinds::warpable_slide, read_warpable_slide},
    InputKind{kinds::slide, read_slide},
    InputKind{kinds::slide_grid, read_slide_grid},
    InputKind{.kind = kinds::stored_volume, .read = read_stored, .has_planes = true},
    InputKind{kinds::compressed_volume, read_compressed},
    InputKind{kinds::samples, read_by<read_tissue_samples>},
    InputKind{kinds::tissue_model, read_by<read_tissue_model>},
    InputKind{kinds::tile_pictures, read_by<open_tile_folder>},
    InputKind{kinds::background, read_background, background_by_text, "neither auto nor none"},
    InputKind{kinds::slide_annotations, read_slide_annotations},
    InputKind{kinds::slide_labels, read_slide_labels},
};

}  // namespace

const InputKind& input_kind(operations::Kind kind) {
    for (const InputKind& found : all)
        if (found.kind == kind) return found;
    throw std::logic_error("inputs of the kind '" + std::string(kind.name) + "' have no files");
}

bool is_image(operations::Kind kind) { return kind == kinds::image || kind == kinds::coefficients; }

}  // namespace tesela::cli
