#include <algorithm>
#include <array>
#include <stdexcept>

#include "files/input_files.h"
#include "image_parts.h"
#include "input_reader.h"
#include "io/labels.h"
#include "io/ome_zarr.h"
#include "io/side_file.h"
#include "io/slide.h"
#include "kinds.h"
#include "operations/kinds/annotations.h"
#include "operations/kinds/circles.h"
#include "operations/kinds/flow.h"
#include "operations/kinds/image.h"
#include "operations/kinds/mosaic.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/sections.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/stain.h"
#include "operations/kinds/tissue.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/kinds/volume_file.h"
#include "operations/kinds/wavelet.h"
#include "report.h"
#include "tesela/slide_io.h"
#include "tesela/volume_io.h"
#include "tesela/wavelet_io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Input;
using operations::Values;
using Paths = std::vector<fs::path>;

// Kinds that need nothing but their file.
void read_file(InputReader& reader, const Input& input, const Paths& paths) {
    reader.hold(files::read_input(input.kind, reader.values(), input.name, paths.front(),
                                  reader.options()));
}

void read_transforms(InputReader& reader, const Input& input, const Paths& paths) {
    if (!input.several) return read_file(reader, input, paths);
    std::vector<Transform> all;
    for (const fs::path& path : paths) {
        Values one;
        reader.hold(files::read_input(input.kind, one, input.name, path, reader.options()));
        all.push_back(one.get<Transform>(input.name));
    }
    reader.set(input, std::move(all));
}

// The first image is referred to: the reader keeps it.
void read_image(InputReader& reader, const Input& input, const Paths& paths) {
    if (input.several) {
        std::vector<operations::ImageValue> all;
        for (const fs::path& path : paths) all.push_back(reader.image(input, path));
        return reader.set(input, std::move(all));
    }
    if (const AnyImage* first = reader.read_first(input, paths.front()))
        reader.values().set(input.name,
                            operations::ImageValue(AnyImageView(*first))
                                .with_labels(reader.named(input, reader.first().label_table)));
    else
        reader.set(input, reader.image(input, paths.front()));
}
void read_coefficients(InputReader& reader, const Input& input, const Paths& paths) {
    const AnyImage* first = reader.read_first(input, paths.front());
    reader.set(input, operations::Coefficients(io::coefficients_of(*first, paths.front())));
}
void read_labels(InputReader& reader, const Input& input, const Paths& paths) {
    std::vector<operations::ImageValue> all;
    for (const fs::path& path : paths) {
        io::LabelMap map = reader.labels(input, path);
        all.push_back(operations::ImageValue(std::move(map.labels)).with_labels(map.table));
    }
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
    io::LabelMap map = reader.labels(input, paths.front());
    // Seeds of the background, and those that are erased, become no regions.
    if (input.name == "seeds" && map.table && has_names(*map.table))
        reader.keep_seed_names(map.table);
    reader.set(input, Seeds(std::move(map.labels)));
}
void read_colored(InputReader& reader, const Input& input, const Paths& paths) {
    io::LabelMap map = reader.labels(input, paths.front());
    reader.set(input, files::colored_labels(std::move(map.labels), map.table));
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
    const io::ReadOptions reading = reader.options();
    const auto set = [&](auto value, std::int64_t bytes) {
        reader.set(input, Warpable(std::move(value)), bytes);
    };
    if (auto points = files::read_points(path, reading)) {
        const std::int64_t bytes = files::held_by(*points);
        return reader.set(input, std::move(*points), bytes);
    }
    if (std::get<bool>(reader.settings().options.get("labels")) || io::is_label_map(path)) {
        io::LabelMap map = io::read_label_map(path, reading);
        for (const std::string& warning : map.warnings) reader.warn(warning);
        const std::int64_t bytes = bytes_of(map.labels);
        operations::WarpableLabels labels{operations::ImageValue(std::move(map.labels))
                                              .with_labels(reader.named(input, map.table))};
        return set(std::move(labels), bytes);
    }
    if (reader.given_names())
        throw InvalidArgument("--names is of labels, and '" + path.string() +
                              "' is read as an image: give --labels where it is a label map");
    io::ReadResult read = io::read_image(path, reading);
    reader.check(input, path, read);
    if (may_be_labels(read)) warn_of_labels(reader, path);
    const std::int64_t bytes = bytes_of(read.image);
    set(operations::ImageValue(std::move(read.image)), bytes);
}
void read_warpable_slide(InputReader& reader, const Input& input, const Paths& paths) {
    const fs::path& path = paths.front();
    const bool is_labels = io::is_label_map(path);
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

// Raw files, OME-Zarr and series of slices are read part by part, everything else as a whole.
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
    else if (in_parts)
        held->volume = io::open_zarr_volume(paths.front(), held->read.warnings, reading.max_bytes);
    if (in_parts && held->volume && !reading.raw) reader.use_cache();  // of chunks
    if (in_parts && !held->volume && fs::is_directory(paths.front()))
        held->volume = io::open_series(paths.front(), held->read.warnings, reading.choice);
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
void read_bricks(InputReader& reader, const Input& input, const Paths& paths) {
    std::vector<std::string> warnings;
    operations::CompressedVolume volume =
        files::open_bricks(paths.front(), warnings, reader.options().max_bytes);
    for (const std::string& warning : warnings) reader.warn(warning);
    if (volume->facts().format != "TVOL") reader.use_cache();  // of chunks
    reader.set(input, std::move(volume));
}
void read_parts(InputReader& reader, const Input& input, const Paths& paths) {
    std::vector<operations::ImageParts> all;
    for (const fs::path& path : paths) {
        std::vector<std::string> warnings;
        const operations::OpenSlide open_slide = reader.slide(input, path);  // counts the cache
        auto parts = files::open_parts(path, open_slide, warnings, reader.options().max_bytes);
        if (!parts) throw std::logic_error("'" + path.string() + "' cannot be read in parts");
        for (const std::string& warning : warnings) reader.warn(warning);
        apply_spacing(reader.settings().spacing.spacing, parts->shape(), parts->geometry);
        all.push_back(std::move(*parts));
    }
    if (input.several)
        reader.set(input, std::move(all));
    else
        reader.set(input, std::move(all.front()));
}
constexpr std::string_view seed_texts =
    "neither auto, grid, grid:SPACING, points 'x,y;...', boxes 'box:x0,y0,x1,y1;...' nor balls "
    "'ball:x,y,r;...'";

const std::array all{
    InputKind{.kind = kinds::image, .read = read_image, .has_planes = true},
    InputKind{kinds::coefficients, read_coefficients},
    InputKind{.kind = kinds::labels, .read = read_labels, .has_planes = true},
    InputKind{.kind = kinds::mask, .read = read_mask, .has_planes = true},
    InputKind{kinds::seeds, read_seeds, files::seeds_by_text, seed_texts, true},
    InputKind{.kind = kinds::colored_labels, .read = read_colored, .has_planes = true},
    InputKind{kinds::transfer, read_file, files::transfer_by_text,
              "none of the presets (--list-presets)"},
    InputKind{kinds::camera, read_file, files::camera_by_text,
              "none of anterior, posterior, left, right, superior, inferior"},
    InputKind{.kind = kinds::grid, .read = read_file, .has_planes = true},
    InputKind{kinds::transform, read_transforms},
    InputKind{kinds::stains, read_file},
    InputKind{kinds::field, read_file},
    InputKind{kinds::landmarks, read_file},
    InputKind{kinds::circles, read_file},
    InputKind{kinds::annotations, read_file},
    InputKind{kinds::equations, read_file},
    InputKind{.kind = kinds::warpable, .read = read_warpable, .has_planes = true},
    InputKind{kinds::warpable_slide, read_warpable_slide},
    InputKind{kinds::slide, read_slide},
    InputKind{kinds::slide_grid, read_slide_grid},
    InputKind{.kind = kinds::stored_volume, .read = read_stored, .has_planes = true},
    InputKind{kinds::compressed_volume, read_bricks},
    InputKind{kinds::parts, read_parts},
    InputKind{kinds::samples, read_file},
    InputKind{kinds::tissue_model, read_file},
    InputKind{kinds::tile_pictures, read_file},
    InputKind{kinds::background, read_file, files::background_by_text, "neither auto nor none"},
    InputKind{kinds::slide_annotations, read_file},
    InputKind{kinds::slide_labels, read_file},
    InputKind{kinds::sections, read_file},
    InputKind{kinds::mosaic_tiles, read_file},
    InputKind{kinds::tile_positions, read_file},
};

}  // namespace

const InputKind& input_kind(operations::Kind kind) {
    for (const InputKind& found : all)
        if (found.kind == kind) return found;
    throw std::logic_error("inputs of the kind '" + std::string(kind.name) + "' have no files");
}

std::optional<ImageGrid> grid_in_parts(const fs::path& path) try {
    std::vector<std::string> ignored;
    const auto parts = files::open_parts(
        path, [&] { return operations::Slide(io::open_slide(path)); }, ignored);
    if (!parts || parts->shape().t > 1) return {};
    return ImageGrid{parts->shape(), parts->geometry};
} catch (const Error&) {
    return {};  // reading it as a whole tells why
}

bool is_volume_in_bricks(const fs::path& path) try {
    std::vector<std::string> ignored;
    const auto volume = io::open_bricks(path, ignored);
    if (!volume) return false;
    const Shape& shape = volume->facts().levels.front();
    const bool has_colors = shape.channels == 3 && volume->facts().format == "TVOL";
    return shape.t == 1 && (shape.channels == 1 || has_colors);
} catch (const Error&) {
    return false;  // reading it as a whole tells why
}

bool is_gray_volume_in_bricks(const fs::path& path, bool keeps_labels) try {
    std::vector<std::string> ignored;
    const auto volume = io::open_bricks(path, ignored);
    if (!volume) return false;
    const Shape& shape = volume->facts().levels.front();
    if (shape.t != 1 || shape.channels != 1 || shape.z == 1) return false;
    io::ReadResult said;
    said.label_table = io::zarr_label_table(path);
    io::add_side_file(path, said);
    return !said.label_table || (keeps_labels && !has_names(*said.label_table));
} catch (const Error&) {
    return false;  // reading it as a whole tells why
}

bool takes_label_parts(const fs::path& path, const Shape& shape) {
    if (path.extension() == ".tvol") return true;
    return shape.z == 1 && (io::is_ome_tiff_name(path) || io::is_ome_zarr_name(path));
}

bool is_image(operations::Kind kind) { return kind == kinds::image || kind == kinds::coefficients; }

}  // namespace tesela::cli
