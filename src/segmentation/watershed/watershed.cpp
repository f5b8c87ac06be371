#include "tesela/watershed.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <variant>

#include "filters/gradient.h"
#include "kernels/watershed/relief.kernel.h"
#include "pixels/native_pixels.h"
#include "pixels/noise.h"
#include "pixels/pixel_source.h"
#include "pixels/plane_of.h"
#include "pixels/same_grid.h"
#include "pixels/seeds.h"
#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/watershed/fixed_values.h"
#include "segmentation/watershed/minimax.h"
#include "segmentation/watershed/raster_order.h"
#include "segmentation/watershed/relief.h"
#include "tesela/compute/device_image.h"

namespace tesela {
namespace {

// Progress of the whole call at the end of each stage.
constexpr double relief_fraction = 0.1, markers_fraction = 0.4, flooded_fraction = 0.95;

// Neighbors that share a face, unless told otherwise.
int axes_of(Connectivity connectivity, const Shape& shape) {
    return connectivity == Connectivity::automatic ? 1 : axes_of_neighbors(connectivity, shape);
}

bool by_minima(const Seeds& seeds) { return std::holds_alternative<AutomaticSeeds>(seeds); }

// Of the Gaussian, in points along x, y and z.
std::array<double, 3> deviations_of(const Length& sigma, const Geometry& geometry) {
    if (!sigma.physical()) return {sigma.value, sigma.value, sigma.value};
    if (!geometry.known())
        throw InvalidArgument("--sigma is " + sigma.to_string() +
                              ", but the image has no known spacing: give it with --spacing, or "
                              "write it in pixels");
    std::array<double, 3> deviations{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        deviations[axis] = sigma.millimeters() / geometry.spacing_mm()[axis];
    return deviations;
}

// Along an axis differences of the gradient count by this share.
std::array<double, 3> shares_of(const Shape& shape, const Geometry& geometry) {
    std::array<double, 3> shares{1, 1, 1};
    if (!geometry.known()) return shares;
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    const auto spacing = geometry.spacing_mm();
    double smallest = spacing[0];
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (lengths[axis] > 1) smallest = std::min(smallest, spacing[axis]);
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (lengths[axis] > 1) shares[axis] = smallest / spacing[axis];
    return shares;
}

// What an image is beside its values.
struct Form {
    const Shape& shape;
    const Geometry& geometry;
    bool has_alpha = false;
};
Form form_of(const AnyImageView& image) {
    return {image.shape(), image.geometry(), image.has_alpha()};
}

int channels_of(const Form& image, const WatershedOptions& options) {
    const int channels = image.shape.channels - (image.has_alpha ? 1 : 0);
    const bool flat = options.relief == Relief::values;
    if (channels == 1 || (channels == 3 && !flat)) return channels;
    throw UnsupportedFormat(
        flat ? "--relief values floods images of one channel; this one has " +
                   std::to_string(channels) + ": use --relief gradient"
             : "watersheds are of images of 1 or 3 channels and alpha; this one has " +
                   std::to_string(channels));
}

MinimaxGrid check(const Form& image, const Seeds& seeds, const WatershedOptions& options) {
    validate_options(options);
    channels_of(image, options);
    if (image.shape.t > 1)
        throw UnsupportedFormat("watersheds are of pictures and volumes; this image has " +
                                std::to_string(image.shape.t) + " frames: give them one by one");
    if (options.depth && !by_minima(seeds))
        throw InvalidArgument(
            "--depth chooses minima as markers; leave it out where seeds are given");
    const Length sigma = options.sigma.value_or(0);
    const auto deviations = deviations_of(sigma, image.geometry);
    if (*std::max_element(deviations.begin(), deviations.end()) > most_deviation)
        throw InvalidArgument("--sigma is " + sigma.to_string() +
                              ", which is more than 32 pixels of this image: use a smaller one");
    return {image.shape, axes_of(options.connectivity, image.shape)};
}

// Of white noise a Gaussian of two pixels leaves a twentieth in the gradient. What is deeper than
// this is rather an object than texture; chosen on photographs and coins.png.
constexpr double noisy_sigma = 2, depth_by_noise = 2.5;

// Sets what of smoothing and depth was left to the image.
template <class T>
void choose_by_noise(const PixelSource<T>& image, const Seeds& seeds,
                     const WatershedOptions& options, WatershedReport& report) {
    report.sigma = options.sigma.value_or(0);
    if (!by_minima(seeds)) return;
    const double noise = options.sigma && options.depth ? 0 : noise_deviation(image);
    if (!options.sigma && noise > 0) report.sigma = noisy_sigma;
    report.depth = options.depth.value_or(depth_by_noise * noise);
}

// What a call has beside the image in a type of the device.
struct Call {
    const Seeds& seeds;
    const WatershedOptions& options;
    const MinimaxGrid& grid;
    int channels;
    Queue& queue;
    const Progress& progress;
    StageClock& clock;
    WatershedReport& result;
    const Buffer<const std::uint8_t>* mask;  // null: there is none

    // A part of the progress.
    Progress part(double first, double last) const {
        return Progress([this, first, last](double fraction, std::string_view stage) {
            progress.report(first + (last - first) * fraction, stage);
        });
    }
};

template <class T>
Buffer<std::uint16_t> relief_of(const Call& call, const PixelSource<T>& image,
                                const FixedSpace& space) {
    auto values = fixed_values<T>(call.queue, image.on_device(call.queue), call.channels, space);
    const Shape& shape = call.grid.shape;
    smooth_values(call.queue, shape, deviations_of(call.result.sigma, image.geometry), values);
    if (call.options.relief == Relief::gradient)
        values = gradient_lengths(call.queue, shape, call.channels,
                                  shares_of(shape, image.geometry), values);
    if (call.mask)
        call.queue.launch(kernels::relief_mask, Range{shape.points()}, *call.mask, values);
    return values;
}

// Labels on the device, to be grown, up to `highest`. They keep their numbers where these are the
// user's.
struct Markers {
    Buffer<std::uint32_t> labels;
    std::uint32_t highest = 0;
    bool keep_numbers = false;
};

Markers markers_of(const Call& call, const Buffer<std::uint16_t>& relief, const FixedSpace& space,
                   const Geometry& geometry) {
    if (by_minima(call.seeds)) {
        ReliefMinima minima =
            relief_minima(call.queue, call.grid, relief, space.units(*call.result.depth),
                          call.part(relief_fraction, markers_fraction));
        return {std::move(minima.labels), minima.count};
    }
    const PlacedSeeds seeds = place_seeds(call.seeds, call.grid.shape, geometry);
    call.result.count = static_cast<std::uint32_t>(seeds.by_label().size());
    return {seed_label_image(call.queue, upload_seeds(call.queue, seeds), call.grid.points()),
            seeds.labels.back(), seeds.labeled_by_user};
}

// From what the flood left to the labels of the result.
void finish_labels(const Call& call, Markers& markers) {
    const auto number = [&] {
        if (markers.keep_numbers) return;
        const auto count =
            number_in_raster_order(call.queue, call.grid.shape, markers.highest, markers.labels);
        call.result.count = call.queue.download(count)[0];
    };
    number();
    if (!call.options.line) return;
    // Lines can take the first points of regions, or all of them.
    markers.labels = with_lines(call.queue, call.grid, markers.labels);
    number();
}

template <class T>
Buffer<std::uint32_t> flooded(const PixelSource<T>& image, const Call& call) {
    value_range(image);  // refuses what is not finite
    call.clock.start("relief");
    call.progress.report(0, "relief");
    choose_by_noise(image, call.seeds, call.options, call.result);
    const FixedSpace space = fixed_space(image, FixedSteps::fine);
    Buffer<std::uint16_t> relief = relief_of(call, image, space);
    call.clock.start("markers");
    call.progress.report(relief_fraction, "markers");
    Markers markers = markers_of(call, relief, space, image.geometry);
    if (call.mask)
        call.queue.launch(kernels::relief_mask_labels, Range{call.grid.points()}, *call.mask,
                          markers.labels);
    call.clock.start("flood");
    auto weights = minimax_weights(call.queue, call.grid, relief, markers.labels);
    relief = {};
    const MinimaxReport flood =
        minimax_grow(call.queue, call.grid, std::move(weights), markers.labels, {},
                     call.part(markers_fraction, flooded_fraction));
    call.result.rounds = flood.cost_rounds + flood.hop_rounds;
    call.clock.start("label");
    finish_labels(call, markers);
    return std::move(markers.labels);
}

// Labels on the device; the report is filled, but for its stages.
template <class T>
Buffer<std::uint32_t> flooded(const PixelSource<T>& image, const Seeds& seeds,
                              const WatershedOptions& options, Queue& queue,
                              const Progress& progress, StageClock& clock, WatershedReport& report,
                              const Buffer<const std::uint8_t>* mask) {
    const Form form{image.shape(), image.geometry, image.has_alpha};
    const MinimaxGrid grid = check(form, seeds, options);
    report.connectivity = static_cast<Connectivity>(grid.neighbors());
    if (form.has_alpha) report.warnings.push_back("alpha is not looked at");
    return flooded(image, Call{seeds, options, grid, channels_of(form, options), queue, progress,
                               clock, report, mask});
}

}  // namespace

WatershedResult watershed(const AnyImageView& image, const Seeds& seeds,
                          const WatershedOptions& options, Queue& queue, const Progress& progress,
                          const std::optional<PixelView<std::uint8_t>>& mask) {
    check(form_of(image), seeds, options);  // before anything is converted
    std::optional<Buffer<const std::uint8_t>> inside;
    if (mask) {
        require_mask_of(image.shape(), mask->shape());
        inside = queue.lend(mask->pixels(), "mask");
    }
    const Buffer<const std::uint8_t>* within = inside ? &*inside : nullptr;
    WatershedResult result;
    std::vector<std::string> inexact;
    StageClock clock;
    const Buffer<std::uint32_t> labels = image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>)
            return flooded<T>(typed, seeds, options, queue, progress, clock, result, within);
        else
            return flooded<float>(to_float(typed, inexact), seeds, options, queue, progress, clock,
                                  result, within);
    });
    result.warnings.insert(result.warnings.end(), inexact.begin(), inexact.end());
    clock.start("download");
    progress.report(flooded_fraction, "download");
    result.labels = LabelImage::unwritten(plane_of(image.shape()), image.geometry());
    auto& pixels = result.labels.pixels();
    queue.read(labels, std::span<std::uint32_t>(pixels));
    result.unlabeled_points = std::count(pixels.begin(), pixels.end(), 0u);
    if (mask) {
        const auto within_mask = mask->pixels();
        result.unlabeled_points -= std::count(within_mask.begin(), within_mask.end(), 0);
    }
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceWatershedResult watershed(const DeviceImage<const T>& image, const Seeds& seeds,
                                const WatershedOptions& options, Queue& queue,
                                const Progress& progress,
                                const DeviceImage<const std::uint8_t>* mask) {
    if (mask) require_mask_of(image.shape, mask->shape);
    DeviceWatershedResult result;
    StageClock clock;
    result.labels = {flooded(PixelSource<T>(queue, image), seeds, options, queue, progress, clock,
                             result, mask ? &mask->pixels : nullptr),
                     plane_of(image.shape), image.geometry};
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                                                                  \
    template DeviceWatershedResult watershed(const DeviceImage<const T>&, const Seeds&,        \
                                             const WatershedOptions&, Queue&, const Progress&, \
                                             const DeviceImage<const std::uint8_t>*)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t watershed_device_bytes(const AnyImageView& image, const Seeds& seeds,
                                    const WatershedOptions& options) {
    const MinimaxGrid grid = check(form_of(image), seeds, options);
    const int channels = channels_of(form_of(image), options);
    const std::int64_t points = grid.points();
    const std::int64_t image_bytes =
        image.shape().elements() * std::min(pixel_type_bytes(image.pixel_type()), 4);
    const std::int64_t values = 2 * channels * points;
    const std::int64_t seed_bytes =
        by_minima(seeds) ? 0 : 8 * place_seeds(seeds, grid.shape, image.geometry()).size();
    const std::int64_t finishing = std::max(4 * points, raster_order_bytes(grid.shape, points));
    const std::int64_t weighing = 2 * points + std::max(seed_bytes, minimax_weights_bytes(grid));
    return std::max({image_bytes + values, 2 * values + 2 * points,
                     2 * points + relief_bytes(grid, channels),
                     4 * points + std::max({weighing, minimax_bytes(grid), finishing})});
}

}  // namespace tesela
