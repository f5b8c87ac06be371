// tesela wavelet denoise INPUT
#include "tesela/wavelet_denoise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "image_job.h"
#include "interrupt.h"
#include "messages.h"
#include "wavelet_options.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct DenoiseFiles {
    fs::path clean, residual;
};
template <class V>
void describe(V&& v, DenoiseFiles& o) {
    v("clean", o.clean, "image without the noise, of the input's type");
    v("residual", o.residual, "input minus clean; PNG and JPEG show it around gray 128");
}

struct DenoiseChoice {
    std::string levels = "auto", sigma = "auto";
    NoiseKind noise = NoiseKind::gaussian;
    int shifts = 2;
};
template <class V>
void describe(V&& v, DenoiseChoice& o) {
    v("levels", o.levels, "levels of the transform: a number, max or auto");
    v("sigma", o.sigma, "standard deviation of the noise, or auto to estimate it");
    v("noise", o.noise, "kind of the noise");
    v("shifts", o.shifts, "shifts along each axis that are averaged",
      OptionRange{.lowest = 1, .highest = 16});
}

struct Settings : ImageJobSettings {
    DenoiseFiles files;
    WaveletChoice wavelet;
    DenoiseChoice denoise;
};

// Formats of 8 bits show it around gray.
void write_residual(const Image<float>& residual, const fs::path& path) {
    constexpr std::array eight_bits{".png", ".jpg", ".jpeg", ".bmp"};
    if (std::find(eight_bits.begin(), eight_bits.end(), path.extension()) == eight_bits.end()) {
        io::write_image(residual, path);
        return;
    }
    Image<std::uint8_t> shown(residual.shape(), residual.geometry);
    std::transform(residual.pixels().begin(), residual.pixels().end(), shown.pixels().begin(),
                   [](float value) {
                       constexpr float gray = 128;
                       return static_cast<std::uint8_t>(std::clamp(gray + value, 0.0f, 255.0f));
                   });
    io::write_image(shown, path);
}

class DenoiseJob : public ImageJob {
  public:
    DenoiseJob(const Settings& settings, Json parameters, const CancelToken& token)
        : ImageJob("wavelet denoise", settings, std::move(parameters), token), own_(settings) {
        outputs_.add("clean", settings.files.clean);
        outputs_.add("residual", settings.files.residual);
        options_.wavelet = parse_wavelet(own_.wavelet.wavelet);
        options_.border = own_.wavelet.border;
        options_.noise = own_.denoise.noise;
        options_.shifts = own_.denoise.shifts;
        if (own_.denoise.sigma != "auto")
            options_.sigma = parse_number("sigma", own_.denoise.sigma);
        if (options_.sigma && *options_.sigma < 0)
            throw InvalidArgument("--sigma is " + own_.denoise.sigma +
                                  "; it must be auto or at least 0");
    }

  private:
    void read_more() override {
        options_.levels = parse_levels(own_.denoise.levels, shape_of(input_.image), "auto");
    }
    void compute(Queue& queue, const Progress& progress) override {
        result_ = wavelet_denoise(input_.image, options_, queue, progress);
        add_warnings(result_.warnings);
    }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes(const Device&) const override {
        return wavelet_denoise_device_bytes(input_.image, options_);
    }
    std::int64_t result_bytes() const override {
        return bytes_of(input_.image) + 4 * shape_of(input_.image).elements();
    }
    // Samples before and after, and those of a frame.
    std::int64_t computing_bytes() const override { return 16 * shape_of(input_.image).elements(); }
    void probe_outputs(const AnyImage& sample) const override {
        outputs_.probe("clean", [&](const fs::path& path) { io::write_image(sample, path); });
        outputs_.probe("residual", [&](const fs::path& path) {
            write_residual(Image<float>(shape_of(sample), geometry_of(sample)), path);
        });
    }
    void stage_outputs(const Progress&) override {
        outputs_.stage("clean",
                       [&](const fs::path& path) { io::write_image(result_.clean, path); });
        outputs_.stage("residual",
                       [&](const fs::path& path) { write_residual(result_.residual, path); });
    }
    std::string output_flags() const override { return "--clean (-o) or --residual"; }
    std::string summary() const override {
        return fmt::format("noise of standard deviation {:.4g} removed on {} levels", result_.sigma,
                           result_.levels);
    }
    Json statistics() const override {
        return {{"sigma", result_.sigma}, {"levels", result_.levels}};
    }

    const Settings& own_;
    WaveletDenoiseOptions options_;
    WaveletDenoiseResult result_;
};

}  // namespace

int run_wavelet_denoise(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("wavelet denoise", "Removes noise by wavelet shrinkage (BayesShrink).");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"clean", "-o,--output"}});
    parser.add(settings.denoise, "Denoising");
    parser.add(settings.wavelet, "Wavelet");
    add_job_options(parser, settings, "Input");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return DenoiseJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
