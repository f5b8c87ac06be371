// tesela wavelet forward INPUT
#include "tesela/wavelet.h"

#include <fmt/format.h>

#include <array>

#include "image_job.h"
#include "interrupt.h"
#include "messages.h"
#include "tesela/wavelet_picture.h"
#include "verbs.h"
#include "wavelet_file.h"
#include "wavelet_options.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct ForwardFiles {
    fs::path coefficients, picture;
};
template <class V>
void describe(V&& v, ForwardFiles& o) {
    v("coefficients", o.coefficients, "coefficients, and NAME.wavelet.json for the inverse");
    v("picture", o.picture, "bands by the logarithm of their magnitudes");
}

struct ForwardChoice {
    std::string levels = "1";
};
template <class V>
void describe(V&& v, ForwardChoice& o) {
    v("levels", o.levels, "levels of the transform: a number or max");
}

struct Settings : ImageJobSettings {
    ForwardFiles files;
    WaveletChoice wavelet;
    ForwardChoice forward;
};

class ForwardJob : public ImageJob {
  public:
    ForwardJob(const Settings& settings, Json parameters, const CancelToken& token)
        : ImageJob("wavelet forward", settings, std::move(parameters), token), own_(settings) {
        const fs::path& path = settings.files.coefficients;
        if (path.has_filename()) outputs_.add("coefficients", path, {wavelet_side_file(path)});
        outputs_.add("picture", settings.files.picture);
        options_.wavelet = parse_wavelet(own_.wavelet.wavelet);
        options_.border = own_.wavelet.border;
    }

  private:
    void read_more() override {
        options_.levels = *parse_levels(own_.forward.levels, shape_of(input_.image));
        wavelet_device_bytes(input_.image, options_);  // refuses pixels that it cannot take
    }
    void compute(Queue& queue, const Progress& progress) override {
        result_ = wavelet_forward(input_.image, options_, queue, progress);
    }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes(const Device&) const override {
        return wavelet_device_bytes(input_.image, options_);
    }
    std::int64_t result_bytes() const override {
        return 8 * wavelet_shape(shape_of(input_.image), options_).elements();
    }
    std::int64_t computing_bytes() const override { return 2 * result_bytes(); }
    void probe_outputs(const AnyImage& sample) const override {
        outputs_.probe("coefficients", [&](const fs::path& path) {
            io::write_image(Image<float>(shape_of(sample), geometry_of(sample)), path);
        });
        outputs_.probe("picture", [&](const fs::path& path) {
            io::write_image(Image<std::uint8_t>({1}), path);
        });
    }
    void stage_outputs(const Progress&) override {
        outputs_.stage("coefficients",
                       [&](const fs::path& path) { write_coefficients(result_, path); });
        outputs_.stage("picture", [&](const fs::path& path) {
            io::write_image(wavelet_picture(result_), path);
        });
    }
    std::string output_flags() const override { return "--coefficients (-o) or --picture"; }
    std::string summary() const override {
        return fmt::format("{} level{} of {}", options_.levels, options_.levels == 1 ? "" : "s",
                           enum_name(options_.wavelet));
    }
    Json statistics() const override {
        return {{"levels", options_.levels}, {"coefficients", shape_of(result_.values).elements()}};
    }

    const Settings& own_;
    WaveletOptions options_;
    WaveletCoefficients result_;
};

const std::array kinds{
    Verb{"forward", "decompose an image into bands", run_wavelet_forward},
    Verb{"inverse", "make the image from its coefficients", run_wavelet_inverse},
    Verb{"denoise", "remove noise from an image or a volume", run_wavelet_denoise},
};

}  // namespace

int run_wavelet_forward(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("wavelet forward", "Decomposes an image into wavelet bands.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"coefficients", "-o,--output"}});
    parser.add(settings.forward, "Wavelet");
    parser.add(settings.wavelet, "Wavelet");
    parser.add(settings.spacing, "Input");
    add_job_options(parser, settings);
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return ForwardJob(settings, parser.values(), token).run();
}

int run_wavelet(const Arguments& arguments) {
    return dispatch("tesela wavelet", "Wavelet transforms of images and volumes.", kinds,
                    arguments);
}

}  // namespace tesela::cli
