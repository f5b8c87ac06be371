// wavelet forward, inverse, denoise
#include "tesela/wavelet.h"

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/kinds/wavelet.h"
#include "operations/registry.h"
#include "tesela/evaluate_image.h"
#include "tesela/wavelet_denoise.h"
#include "tesela/wavelet_packet.h"
#include "tesela/wavelet_picture.h"

namespace tesela::operations {
namespace {

struct ForwardOptions {
    std::string levels = "1";
    std::string wavelet = "bior4.4";
    WaveletBorder border = WaveletBorder::reflect;
};

struct PacketOptions {
    std::string levels = "3";
    PacketBasis basis = PacketBasis::entropy;
    std::string wavelet = "bior4.4";
    WaveletBorder border = WaveletBorder::reflect;
};

struct DenoiseOptions {
    std::string levels = "auto", sigma = "auto";
    NoiseKind noise = NoiseKind::gaussian;
    int shifts = 2;
    std::string wavelet = "bior4.4";
    WaveletBorder border = WaveletBorder::reflect;
};

struct InverseOptions {
    std::string keep = "100%";
};

template <class V, class AnyOptions>
void describe_wavelet(V&& v, AnyOptions& o) {
    v("wavelet", o.wavelet, "bior4.4, bior2.2, db2, haar, bior2.2-int or haar-int");
    v("border", o.border, "values beyond the ends of a line");
}
template <class V>
void describe(V&& v, ForwardOptions& o) {
    v("levels", o.levels, "levels of the transform: a number or max");
    describe_wavelet(v, o);
}
template <class V>
void describe(V&& v, PacketOptions& o) {
    v("levels", o.levels, "levels of the tree: a number or max");
    v("basis", o.basis, "bands that are taken of the tree");
    describe_wavelet(v, o);
}
template <class V>
void describe(V&& v, DenoiseOptions& o) {
    v("levels", o.levels, "levels of the transform: a number, max or auto");
    v("sigma", o.sigma, "standard deviation of the noise, or auto to estimate it");
    v("noise", o.noise, "noise model");
    v("shifts", o.shifts, "number of shifts averaged along each axis",
      OptionRange{.lowest = 1, .highest = 16});
    describe_wavelet(v, o);
}
template <class V>
void describe(V&& v, InverseOptions& o) {
    v("keep", o.keep, "share of the largest coefficients to keep");
}

template <class T>
std::optional<T> number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

// "max" or a number of at most `most`.
int levels_of(const std::string& text, int most) {
    if (text == "max") return most;
    const auto levels = number_of<int>(text);
    if (most == 0 && levels && *levels > 0)
        throw InvalidArgument("an image of one pixel has no levels; give --levels 0");
    if (!levels || *levels < 0 || *levels > most)
        throw InvalidArgument("--levels: '" + text + "' is not a whole number from 0 to " +
                              std::to_string(most));
    return *levels;
}

std::int64_t bytes_of(const AnyImage& image) {
    return shape_of(image).elements() * pixel_type_bytes(pixel_type_of(image));
}

WaveletCoefficients read_back(const DeviceWaveletCoefficients& there, Queue& queue) {
    WaveletCoefficients found;
    static_cast<WaveletForm&>(found) = there;
    found.values = std::visit(
        [&]<class T>(const DeviceImage<const T>& values) -> AnyImage {
            auto image = Image<T>::unwritten(values.shape, values.geometry);
            queue.read(values.pixels, std::span<T>(image.pixels()));
            return image;
        },
        there.values);
    return found;
}

WaveletOptions forward_options(const Call& call) {
    const auto& options = call.options.as<ForwardOptions>();
    return {parse_wavelet(options.wavelet),
            levels_of(options.levels, most_wavelet_levels(call.shape())), options.border};
}

// Of WaveletCoefficients and DeviceWaveletCoefficients.
template <class Found>
Results results_of(Found& found) {
    const WaveletOptions& options = found.options;
    Results results;
    results.summary =
        counted(options.levels, "level") + " of " + std::string(enum_name(options.wavelet));
    results.figures = {{"levels", std::int64_t{options.levels}},
                       {"coefficients", wavelet_shape(found.shape, options).elements()}};
    results.stages = std::move(found.stages);
    return results;
}

Results run_forward(const Call& call, Queue& queue, const Progress& progress) {
    WaveletCoefficients found =
        wavelet_forward(call.image(), forward_options(call), queue, progress);
    Results results = results_of(found);
    results.outputs.set("coefficients", Coefficients(std::move(found)));
    return results;
}

// A picture is made of coefficients on the host.
template <class T>
Results run_forward_on_device(const DeviceImage<const T>& image, const Call& call, Queue& queue,
                              const Progress& progress) {
    const auto found = std::make_shared<DeviceWaveletCoefficients>(
        wavelet_forward(image, forward_options(call), queue, progress));
    Results results = results_of(*found);
    if (call.wants("picture"))
        results.outputs.set("picture", AnyImage(wavelet_picture(read_back(*found, queue))));
    results.outputs.set("coefficients",
                        Coefficients(std::shared_ptr<const DeviceWaveletCoefficients>(found)));
    return results;
}

WaveletOptions packet_options(const Call& call) {
    const auto& options = call.options.as<PacketOptions>();
    return {parse_wavelet(options.wavelet),
            levels_of(options.levels, most_packet_levels(call.shape())), options.border};
}

Results run_packet(const Call& call, Queue& queue, const Progress& progress) {
    WaveletCoefficients found =
        wavelet_packet(call.image(), packet_options(call), call.options.as<PacketOptions>().basis,
                       queue, progress);
    const std::int64_t bands = packet_count(found);
    Results results;
    results.summary = counted(bands, "band") + " of " + counted(found.options.levels, "level") +
                      " of " + std::string(enum_name(found.options.wavelet));
    results.figures = {{"levels", std::int64_t{found.options.levels}}, {"bands", bands}};
    results.stages = std::move(found.stages);
    results.outputs.set("coefficients", Coefficients(std::move(found)));
    return results;
}

Memory packet_memory(const Call& call, const Device&) {
    const WaveletOptions options = packet_options(call);
    const std::int64_t values = 8 * packet_shape(call.image().shape(), options.levels).elements();
    return {.device =
                packet_device_bytes(call.image(), options, call.options.as<PacketOptions>().basis),
            .held = values,
            .computing = 2 * values};
}

void add_picture(const Call& call, Results& results) {
    if (!call.wants("picture") || results.outputs.has("picture")) return;
    const auto& found = results.outputs.get<Coefficients>("coefficients");
    results.outputs.set("picture", AnyImage(wavelet_picture(std::get<WaveletCoefficients>(found))));
}

Memory forward_memory(const Call& call, const Device&) {
    const WaveletOptions options = forward_options(call);
    const std::int64_t values = 8 * wavelet_shape(call.image().shape(), options).elements();
    return {.device = wavelet_device_bytes(call.image(), options),
            .held = values,
            .computing = 2 * values};
}

double share_of(const std::string& text) {
    const bool percentage = !text.empty() && text.back() == '%';
    const auto percent = percentage
                             ? number_of<double>(std::string_view(text).substr(0, text.size() - 1))
                             : std::nullopt;
    if (!percent) throw InvalidArgument("--keep is '" + text + "'; give a percentage such as 5%");
    if (!(*percent > 0 && *percent <= 100))
        throw InvalidArgument("--keep is " + text + "; it must be above 0% and at most 100%");
    return *percent / 100;
}

// The types of images that coefficients on a device make there.
bool has_device_level(PixelType type) {
    return type == PixelType::u8 || type == PixelType::u16 || type == PixelType::i16 ||
           type == PixelType::f32;
}

Results run_inverse(const Call& call, Queue& queue, const Progress& progress) {
    const auto& input = call.inputs.get<Coefficients>("input");
    const double share = share_of(call.options.as<InverseOptions>().keep);
    Results results;
    results.summary = "image from all coefficients";
    StageClock clock;
    clock.start("transform");
    const auto* there = std::get_if<std::shared_ptr<const DeviceWaveletCoefficients>>(&input);
    if (there && share == 1 && has_device_level((*there)->pixel_type)) {
        std::visit([&](auto&& image) { results.outputs.set("image", std::move(image)); },
                   wavelet_inverse(**there, queue, progress));
        results.stages = clock.take();
        return results;
    }
    const std::optional<WaveletCoefficients> read =
        there ? std::optional(read_back(**there, queue)) : std::nullopt;
    const WaveletCoefficients& given = read ? *read : std::get<WaveletCoefficients>(input);
    AnyImage image = wavelet_inverse(given, queue, progress);
    if (share < 1) {
        WaveletCoefficients few = given;
        const std::int64_t kept = keep_largest(few, share);
        const AnyImage all = std::move(image);
        image = wavelet_inverse(few, queue, progress);
        const double psnr = evaluate_image(image, all).psnr;
        results.summary = printed("image from %lld coefficients; PSNR against all %.2f dB",
                                  static_cast<long long>(kept), psnr);
        results.figures = {{"kept", kept}, {"psnr", {}}};
        if (std::isfinite(psnr)) results.figures.back().value = psnr;
    }
    results.stages = clock.take();
    results.outputs.set("image", std::move(image));
    return results;
}

Memory inverse_memory(const Call& call, const Device&) {
    const auto& given = std::get<WaveletCoefficients>(call.inputs.get<Coefficients>("input"));
    const std::int64_t values = bytes_of(given.values);
    return {.device = values * 7 / 2, .held = 2 * values, .computing = 4 * values};
}

WaveletDenoiseOptions denoise_options(const Call& call) {
    const auto& options = call.options.as<DenoiseOptions>();
    WaveletDenoiseOptions result;
    result.wavelet = parse_wavelet(options.wavelet);
    result.border = options.border;
    result.noise = options.noise;
    result.shifts = options.shifts;
    if (options.levels != "auto")
        result.levels = levels_of(options.levels, most_wavelet_levels(call.shape()));
    if (options.sigma != "auto") {
        result.sigma = number_of<double>(options.sigma);
        if (!result.sigma || !(*result.sigma >= 0))
            throw InvalidArgument("--sigma is " + options.sigma +
                                  "; it must be auto or a number of at least 0");
    }
    return result;
}

// Of WaveletDenoiseResult and DeviceWaveletDenoiseResult.
template <class Result>
Results results_of(Result found) {
    Results results;
    results.summary = printed("noise of standard deviation %.4g removed on %s", found.sigma,
                              counted(found.levels, "level").c_str());
    results.figures = {{"sigma", found.sigma}, {"levels", std::int64_t{found.levels}}};
    results.stages = std::move(found.stages);
    results.warnings = std::move(found.warnings);
    results.outputs.set("clean", std::move(found.clean));
    results.outputs.set("residual", std::move(found.residual));
    return results;
}

Results run_denoise(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(wavelet_denoise(call.image(), denoise_options(call), queue, progress));
}

// On the host samples before and after, and those of a frame.
Memory denoise_memory(const Call& call, const Device&) {
    return {.device = wavelet_denoise_device_bytes(call.image(), denoise_options(call)),
            .computing = 16 * call.image().shape().elements()};
}

// Coefficients and their picture.
std::vector<Output> coefficient_outputs() {
    return {{.name = "coefficients",
             .kind = kinds::coefficients,
             .help = "coefficients, and NAME.wavelet.json for the inverse",
             .always = true},
            {.name = "picture",
             .kind = kinds::image,
             .help = "picture of the bands on a logarithmic scale",
             .pixels = mask_pixels}};
}

Operation forward() {
    return {.name = "wavelet forward",
            .purpose = "decompose an image into bands",
            .sentence = "Decomposes an image into wavelet bands.",
            .examples = {"wavelet forward coins.png -o bands.tif --picture bands.png",
                         "wavelet forward ch2.nii.gz -o bands.nii.gz --levels max"},
            .inputs = {channels_input},
            .outputs = coefficient_outputs(),
            .options = Options::of(ForwardOptions{}),
            .run = run_forward,
            .memory = forward_memory,
            .finish = add_picture,
            .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                                const Progress& progress) {
                           return run_forward_on_device(image, call, queue, progress);
                       })}};
}

Operation packet() {
    return {.name = "wavelet packet",
            .purpose = "decompose all bands again, by a best basis",
            .sentence = "Decomposes an image into wavelet packets.",
            .examples = {"wavelet packet coins.png -o packets.tif --picture packets.png",
                         "wavelet packet coins.png -o packets.tif --basis full --levels 4"},
            .inputs = {channels_input},
            .outputs = coefficient_outputs(),
            .options = Options::of(PacketOptions{}),
            .run = run_packet,
            .memory = packet_memory,
            .finish = add_picture};
}

Operation inverse() {
    return {.name = "wavelet inverse",
            .purpose = "make the image from its coefficients",
            .sentence = "Reconstructs an image from its wavelet coefficients.",
            .examples = {"wavelet inverse bands.tif -o again.png",
                         "wavelet inverse bands.tif -o few.png --keep 5%"},
            .inputs = {{.name = "input",
                        .kind = kinds::coefficients,
                        .help = "file that 'tesela wavelet forward' or 'packet' wrote",
                        .any_channels = true}},
            .outputs = {{.name = "image",
                         .kind = kinds::image,
                         .help = "image, of the type that was transformed",
                         .pixels = mask_pixels,
                         .always = true}},
            .options = Options::of(InverseOptions{}),
            .run = run_inverse,
            .memory = inverse_memory,
            .check = [](const Options& options) { share_of(options.as<InverseOptions>().keep); }};
}

Operation denoise() {
    return {.name = "wavelet denoise",
            .purpose = "remove noise from an image or a volume",
            .sentence = "Removes noise by wavelet shrinkage (BayesShrink).",
            .examples = {"wavelet denoise coins.png -o clean.png",
                         "wavelet denoise ch2.nii.gz -o clean.nii.gz --noise rician"},
            .inputs = {channels_input},
            .outputs = {{.name = "clean",
                         .kind = kinds::image,
                         .help = "denoised image, in the input's type",
                         .always = true,
                         .keeps_values = true},
                        {.name = "residual",
                         .kind = kinds::difference,
                         .help = "input minus clean image; PNG and JPEG show it around gray 128",
                         .pixels =
                             [](const AnyImageView& image) {
                                 return PixelFormat{PixelType::f32, image.shape().channels};
                             },
                         .always = true}},
            .options = Options::of(DenoiseOptions{}),
            .run = run_denoise,
            .memory = denoise_memory,
            .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                                const Progress& progress) {
                           return results_of(
                               wavelet_denoise(image, denoise_options(call), queue, progress));
                       })}};
}

}  // namespace

void add_wavelets(Registry& registry) {
    registry.add(Family{.name = "wavelet",
                        .purpose = "decompose an image into wavelet bands, or remove noise",
                        .sentence = "Wavelet transforms of images and volumes.",
                        .task = tasks::filter});
    registry.add(forward());
    registry.add(packet());
    registry.add(inverse());
    registry.add(denoise());
}

}  // namespace tesela::operations
