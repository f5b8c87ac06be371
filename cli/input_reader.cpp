#include "input_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kinds.h"
#include "messages.h"
#include "report.h"
#include "tesela/slide_io.h"

namespace tesela::cli {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Input;

namespace {

// 1 where it is not 0.
template <class T>
LabelImage nonzero(const Image<T>& image, const fs::path& path) {
    if (image.shape().channels != 1)
        throw InvalidArgument(fmt::format("'{}': a mask has one channel, this image has {}",
                                          path.string(), image.shape().channels));
    LabelImage mask(image.shape(), image.geometry);
    std::transform(image.pixels().begin(), image.pixels().end(), mask.pixels().begin(),
                   [](T value) { return value != 0 ? 1u : 0u; });
    return mask;
}

}  // namespace

void InputReader::read() {
    std::size_t next = 0;
    for (const Input* input : file_inputs(operation_)) {
        const std::size_t left = settings_.inputs.size() - next;
        const std::size_t count = input->several ? left : std::min<std::size_t>(left, 1);
        const auto first = settings_.inputs.begin() + static_cast<std::ptrdiff_t>(next);
        read_files(*input, {first, first + static_cast<std::ptrdiff_t>(count)});
        next += count;
    }
    if (const Input* seeds = seeds_input(operation_))
        read_named(*seeds, settings_.seeds.text_of(seeds->name));
    for (const Input& input : operation_.named)
        read_named(input, settings_.named.text_of(input.name));
}

void InputReader::read_files(const Input& input, const Paths& paths) {
    if (paths.empty()) return;
    for (const fs::path& path : paths) names_[std::string(input.name)].push_back(path.string());
    progress_.throw_if_cancelled();
    input_kind(input.kind).read(*this, input, paths);
}

void InputReader::read_named(const Input& input, const std::string& text) {
    if (text.empty()) return;
    const auto by_text = input_kind(input.kind).by_text;
    if (!by_text || !by_text(input.name, text, values_)) read_files(input, {text});
}

const AnyImage* InputReader::read_first(const fs::path& path) {
    if (std::exchange(has_first_, true)) return nullptr;
    first_ = io::read_image(path, read_options(settings_.memory, settings_.raw));
    for (const std::string& warning : first_.warnings) warn(warning);
    AnyImage& image = first_.image;
    grid_ = PlacedFile{path, grid_of(image)};
    apply_spacing(settings_.spacing.spacing, image);
    // --spacing corrects files, but puts none into space that is not there by itself.
    if (grid_->grid.geometry.known()) grid_->grid = grid_of(image);
    bytes_ += bytes_of(image);
    if (!operation_.on_host)
        say("read {}: {}, {}, spacing {}", path.string(), first_.format, image_text(image),
            spacing_text(geometry_of(image), shape_of(image).dimensions(),
                         settings_.spacing.spacing.given() ? "given" : first_.spacing_source));
    return &image;
}

// On the grid of the first image, but for inputs on one of their own.
template <class AnyKind>
AnyKind InputReader::placed(const Input& input, const fs::path& path, AnyKind image) {
    progress_.throw_if_cancelled();
    ImageGrid grid = grid_of(image);
    if (!input.own_grid && grid.geometry.known()) {
        apply_spacing(settings_.spacing.spacing, grid.shape, grid.geometry);
        if constexpr (std::is_same_v<AnyKind, AnyImage>)
            geometry_of(image) = grid.geometry;
        else
            image.geometry = grid.geometry;
    }
    // Of two images that an operation matches by their pixels alone.
    const bool has_no_place = input.kind == kinds::image && !operation_.on_host && grid_ &&
                              !(grid.geometry.known() && grid_->grid.geometry.known()) &&
                              !settings_.named.has(input.name);
    if (!input.own_grid && !grid_) {
        grid_ = PlacedFile{path, std::move(grid)};
    } else if (!input.own_grid && !has_no_place) {
        std::vector<std::string> warnings;
        image = fit_to(
            *grid_, path, std::move(image),
            {settings_.geometry, settings_.job.threads, options().max_bytes, progress_, warnings});
        for (const std::string& warning : warnings) warn(warning);
    }
    bytes_ += bytes_of(image);
    return image;
}

AnyImage InputReader::image(const Input& input, const fs::path& path) {
    io::ReadResult read = io::read_image(path, options());
    for (const std::string& warning : read.warnings) warn(warning);
    first_.work_bytes = std::max(first_.work_bytes, read.work_bytes);
    return placed(input, path, std::move(read.image));
}

LabelImage InputReader::labels(const Input& input, const fs::path& path) {
    return placed(input, path, io::read_labels(path, options()));
}

LabelImage InputReader::mask(const Input& input, const fs::path& path) {
    const AnyImage image = io::read_image(path, options()).image;
    return placed(input, path,
                  std::visit([&](const auto& typed) { return nonzero(typed, path); }, image));
}

operations::OpenSlide InputReader::slide(const fs::path& path) {
    const std::int64_t limit = settings_.memory.max_memory.bytes;
    return_freed_memory();  // tiles come and go: the heap would grow
    const std::int64_t cache = settings_.slide.cache.bytes;
    TileCache::global().set_capacity(limit > 0 ? std::min(cache, limit / 4) : cache);
    if (!std::exchange(has_cache_, true)) bytes_ += TileCache::global().capacity();
    io::SlideReadOptions reading{.max_bytes = limit};
    std::optional<double> mpp = settings_.slide.mpp;
    if (settings_.spacing.spacing.given()) mpp = 1000 * settings_.spacing.spacing.millimeters[0];
    if (mpp) reading.micrometers_per_pixel = {*mpp, *mpp};
    return [path, reading, warn = warn_]() -> operations::Slide {
        auto slide = io::open_slide(path, reading);
        for (const std::string& warning : slide->facts().warnings) warn(warning);
        return slide;
    };
}

}  // namespace tesela::cli
