#include "input_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kinds.h"
#include "messages.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "report.h"
#include "tesela/compute/queue.h"
#include "tesela/kept_images.h"
#include "tesela/slide_io.h"
#include "tesela/warp.h"

namespace tesela::cli {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Input;

namespace {

// Colors are whole numbers without a sign nearly always; vectors and amounts of stains are not.
bool may_be_no_color(const AnyImage& image) {
    const PixelType type = pixel_type_of(image);
    return shape_of(image).channels == 3 && type != PixelType::u8 && type != PixelType::u16;
}

// 1 where it is not 0.
template <class T>
LabelImage nonzero(const Image<T>& image, const fs::path& path) {
    if (image.shape().channels != 1)
        throw InvalidArgument(fmt::format(
            "'{}': a mask has one channel, this image has {}: choose one by --channel N",
            path.string(), image.shape().channels));
    LabelImage mask(image.shape(), image.geometry);
    std::transform(image.pixels().begin(), image.pixels().end(), mask.pixels().begin(),
                   [](T value) { return value != 0 ? 1u : 0u; });
    return mask;
}

// The transform that moves nothing.
Transform onto(const PlacedFile& first, const PlacedFile& second) {
    const int dimensions = std::min(first.grid.shape.dimensions(), 3);
    if (std::min(second.grid.shape.dimensions(), 3) != dimensions)
        throw InvalidArgument(
            fmt::format("'{}' does not fit '{}': one is a volume, the other is "
                        "not",
                        second.path.string(), first.path.string()));
    say("'{}' is resampled onto the grid of '{}', {}", second.path.string(), first.path.string(),
        first.grid.to_string());
    return {.dimensions = dimensions, .unit = Unit::millimeter};
}

// Whether it takes --resample to match them.
bool needs_resampling(const PlacedFile& first, const PlacedFile& second,
                      const GeometryOptions& options) {
    if (!options.resample) return false;
    if (options.ignore_geometry)
        throw InvalidArgument("--resample and --ignore-geometry exclude each other: give one");
    try {
        axis_order(first.grid, second.grid);
        return false;
    } catch (const InvalidArgument&) {
        const PlacedFile* lost = !first.grid.geometry.known()    ? &first
                                 : !second.grid.geometry.known() ? &second
                                                                 : nullptr;
        if (!lost) return true;
        throw InvalidArgument(
            fmt::format("--resample needs to know where '{}' lies, and the file has no spacing",
                        lost->path.string()));
    }
}

LabelImage resampled(const LabelImage& labels, const Transform& nothing, const ImageGrid& grid,
                     Queue& queue, const Progress& progress) {
    return warp_labels(labels, nothing, grid, false, queue, progress);
}
AnyImage resampled(const AnyImage& image, const Transform& nothing, const ImageGrid& grid,
                   Queue& queue, const Progress& progress) {
    return warp(image, nothing, grid, {.outside = 0}, queue, progress);
}

// Says whether the axes of `second` are stored in another order, and what is not compared.
void check_fit(const PlacedFile& first, const PlacedFile& second, bool ignores_geometry,
               const InputReader::Warn& warn) {
    const std::string name = second.path.string(), first_name = first.path.string();
    ImageGrid grid = first.grid;
    const bool known = grid.geometry.known(), second_known = second.grid.geometry.known();
    std::string not_compared;
    if (ignores_geometry) {
        grid.geometry = {};
        not_compared = fmt::format(
            "--ignore-geometry: '{}' is matched with '{}' pixel by pixel; spacing, "
            "origin and direction are not compared",
            name, first_name);
    } else if (known != second_known) {
        not_compared = fmt::format("'{}' has no geometry: '{}' is matched with '{}' pixel by pixel",
                                   known ? name : first_name, name, first_name);
    }
    bool as_stored = false;
    try {
        as_stored = axis_order(grid, second.grid) == AxisOrder{};
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(
            fmt::format("'{}' does not fit '{}': {}", name, first_name, error.what()));
    }
    if (!not_compared.empty()) warn(not_compared);
    if (!as_stored)
        say("'{}' stores its axes as {}; they are put into the order of '{}', {}", name,
            second.grid.geometry.orientation(), first_name, grid.geometry.orientation());
}

// Throws UnsupportedFormat for channels that an operation would take for a color.
void require_color(const TileSourceFacts& facts, const fs::path& path) {
    const int channels = facts.levels.front().shape.channels - (facts.has_alpha ? 1 : 0);
    if (facts.separate_channels && channels > 1)
        throw UnsupportedFormat(
            fmt::format("'{}' has {} channels that are no color", path.string(), channels));
}

}  // namespace

void InputReader::read() {
    if (!settings_.names.names.empty())
        given_names_ = std::make_shared<const LabelTable>(settings_.names.table());
    std::size_t next = 0;
    for (const Input* input : file_inputs(operation_)) {
        const std::size_t left = settings_.inputs.size() - next;
        const std::size_t count = input->several ? left : std::min<std::size_t>(left, 1);
        const auto first = settings_.inputs.begin() + static_cast<std::ptrdiff_t>(next);
        read_files(*input, {first, first + static_cast<std::ptrdiff_t>(count)});
        next += count;
    }
    if (const Input* seeds = seeds_input(operation_))
        read_named(*seeds, settings_.seeds.given(seeds->name));
    for (const Input& input : operation_.named)
        read_named(input, settings_.named.given(input.name));
}

void InputReader::read_files(const Input& input, const Paths& paths) {
    if (paths.empty()) return;
    for (const fs::path& path : paths) names_[std::string(input.name)].push_back(path.string());
    progress_.throw_if_cancelled();
    input_kind(input.kind).read(*this, input, paths);
    has_read_ = true;
}

SharedLabelTable InputReader::named(const Input& input, const SharedLabelTable& table) const {
    return input.names_labels ? joined(table) : table;
}

SharedLabelTable InputReader::joined(const SharedLabelTable& table) const {
    if (!given_names_) return table;
    if (!table) return given_names_;
    LabelTable both = *table;
    update(both, *given_names_);
    return std::make_shared<const LabelTable>(std::move(both));
}

io::ReadOptions InputReader::options() const {
    io::ReadOptions options = read_options(settings_.memory, bytes_);
    options.choice = settings_.planes.choice();
    options.choice.where_several = has_read_;
    return options;
}

void InputReader::check(const Input& input, const fs::path& path,
                        const io::ReadResult& read) const {
    for (const std::string& warning : read.warnings) warn(warning);
    io::require_limits(read, path, {input.axes, input.any_channels});
    if (!input.any_channels && may_be_no_color(read.image))
        warn("the 3 channels of '" + path.string() +
             "' are taken as red, green and blue; where they are no color, choose one by "
             "--channel N");
}

void InputReader::read_named(const Input& input, const std::vector<std::string>& given) {
    if (given.empty()) return;
    const auto by_text = input_kind(input.kind).by_text;
    if (!by_text || !by_text(input.name, given.front(), values_))
        read_files(input, {given.begin(), given.end()});
}

const AnyImage* InputReader::read_first(const Input& input, const fs::path& path) {
    if (std::exchange(has_first_, true)) return nullptr;
    io::ReadOptions reading = read_options(settings_.memory, settings_.raw);
    reading.choice = options().choice;
    first_ = io::read_image(path, reading);
    check(input, path, first_);
    AnyImage& image = first_.image;
    grid_ = PlacedFile{path, grid_of(image)};
    apply_spacing(settings_.spacing.spacing, image);
    // --spacing corrects files, but puts none into space that is not there by itself.
    if (grid_->grid.geometry.known()) grid_->grid = grid_of(image);
    bytes_ += bytes_of(image);
    if (!operation_.device.on_host)
        explain("read {}: {}, {}, spacing {}", path.string(), first_.format, image_text(image),
                spacing_text(geometry_of(image), shape_of(image).dimensions(),
                             settings_.spacing.spacing.given() ? "given" : first_.spacing_source));
    return &image;
}

// With its points in the order of those of the first image, and the geometry of these; resampled
// where that is asked for and it lies elsewhere: labels by the nearest point, values linear, 0
// beyond the image.
template <class AnyKind>
AnyKind InputReader::fitted(const PlacedFile& first, const fs::path& path, AnyKind image) const {
    const PlacedFile second{path, grid_of(image)};
    const GeometryOptions& geometry = settings_.geometry;
    if (needs_resampling(first, second, geometry)) {
        Queue queue(Device::parse("cpu"),
                    {.threads = settings_.job.threads, .max_memory = options().max_bytes});
        try {
            return resampled(image, onto(first, second), first.grid, queue, progress_.part(0, 1));
        } catch (const OutOfMemory& error) {
            throw OutOfMemory(fmt::format("'{}' cannot be resampled onto the grid of '{}': {}",
                                          path.string(), first.path.string(), error.what()),
                              error.bytes_needed(), error.bytes_free());
        }
    }
    check_fit(first, second, geometry.ignore_geometry, warn_);
    ImageGrid grid = first.grid;
    if (geometry.ignore_geometry) grid.geometry = {};
    return align_to(grid, std::move(image));
}

// On the grid of the first image, or of the input that this one belongs to, but for inputs on one
// of their own.
template <class AnyKind>
AnyKind InputReader::placed(const Input& input, const fs::path& path, AnyKind image) {
    progress_.throw_if_cancelled();
    ImageGrid grid = grid_of(image);
    const bool with_first = !input.own_grid && input.grid_of.empty();
    if (with_first && grid.geometry.known()) {
        apply_spacing(settings_.spacing.spacing, grid.shape, grid.geometry);
        if constexpr (std::is_same_v<AnyKind, AnyImage>)
            geometry_of(image) = grid.geometry;
        else
            image.geometry = grid.geometry;
    }
    // Of two images that an operation matches by their pixels alone.
    const bool has_no_place = input.kind == kinds::image && !operation_.device.on_host && grid_ &&
                              !(grid.geometry.known() && grid_->grid.geometry.known()) &&
                              settings_.named.given(input.name).empty();
    if (input.own_grid)
        own_grids_[input.name] = {path, std::move(grid)};
    else if (!with_first)
        image = fitted(own_grids_.at(input.grid_of), path, std::move(image));
    else if (!grid_)
        grid_ = PlacedFile{path, std::move(grid)};
    else if (!has_no_place)
        image = fitted(*grid_, path, std::move(image));
    bytes_ += bytes_of(image);
    return image;
}

operations::ImageValue InputReader::image(const Input& input, const fs::path& path) {
    io::ReadOptions reading = options();
    // The frames of a sequence have one layout; elsewhere it is that of the first image alone.
    if (operation_.sequence) reading.raw = read_options(settings_.memory, settings_.raw).raw;
    io::ReadResult read = io::read_image(path, reading);
    check(input, path, read);
    first_.work_bytes = std::max(first_.work_bytes, read.work_bytes);
    return operations::ImageValue(placed(input, path, std::move(read.image)))
        .with_labels(named(input, read.label_table));
}

io::LabelMap InputReader::labels(const Input& input, const fs::path& path) {
    io::LabelMap map = io::read_label_map(path, options());
    for (const std::string& warning : map.warnings) warn(warning);
    return {placed(input, path, std::move(map.labels)), named(input, map.table)};
}

LabelImage InputReader::mask(const Input& input, const fs::path& path) {
    const io::ReadResult read = io::read_image(path, options());
    for (const std::string& warning : read.warnings) warn(warning);
    return placed(input, path,
                  std::visit([&](const auto& typed) { return nonzero(typed, path); }, read.image));
}

void InputReader::use_cache() {
    const std::int64_t limit = settings_.memory.max_memory.bytes;
    return_freed_memory();  // tiles come and go: the heap would grow
    const std::int64_t cache = settings_.slide.cache.bytes;
    TileCache::global().set_capacity(limit > 0 ? std::min(cache, limit / 4) : cache);
    // Parts that follow one another are as large.
    constexpr std::int64_t for_parts = 32 << 20;
    const std::int64_t kept = limit > 0 ? std::min(for_parts, limit / 16) : for_parts;
    keep_images(kept);
    if (!std::exchange(has_cache_, true)) bytes_ += TileCache::global().capacity() + kept;
}

operations::OpenSlide InputReader::slide(const Input& input, const fs::path& path) {
    const std::int64_t limit = settings_.memory.max_memory.bytes;
    use_cache();
    io::SlideReadOptions reading{.max_bytes = limit};
    std::optional<double> mpp = settings_.slide.mpp;
    if (settings_.spacing.spacing.given()) mpp = 1000 * settings_.spacing.spacing.millimeters[0];
    if (mpp) reading.micrometers_per_pixel = {*mpp, *mpp};
    const bool any_channels = input.any_channels;
    return [path, reading, any_channels, warn = warn_]() -> operations::Slide {
        auto slide = io::open_slide(path, reading);
        for (const std::string& warning : slide->facts().warnings) warn(warning);
        if (!any_channels) require_color(slide->facts(), path);
        return slide;
    };
}

}  // namespace tesela::cli
