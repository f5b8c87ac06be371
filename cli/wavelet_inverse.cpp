// tesela wavelet inverse COEFFICIENTS
#include <fmt/format.h>

#include <cmath>

#include "image_job.h"
#include "interrupt.h"
#include "messages.h"
#include "tesela/evaluate_image.h"
#include "wavelet_file.h"
#include "wavelet_options.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct InverseFiles {
    fs::path image;
};
template <class V>
void describe(V&& v, InverseFiles& o) {
    v("image", o.image, "image, of the type that was transformed");
}

struct InverseChoice {
    std::string keep = "100%";
};
template <class V>
void describe(V&& v, InverseChoice& o) {
    v("keep", o.keep, "share of the coefficients that is kept, the largest");
}

struct Settings : ImageJobSettings {
    InverseFiles files;
    InverseChoice inverse;
};

double share_of(const std::string& text) {
    if (text.empty() || text.back() != '%')
        throw InvalidArgument(fmt::format("--keep is '{}'; give a percentage such as 5%", text));
    const double percent = parse_number("keep", text.substr(0, text.size() - 1));
    if (!(percent > 0 && percent <= 100))
        throw InvalidArgument(
            fmt::format("--keep is {}; it must be above 0% and at most 100%", text));
    return percent / 100;
}

class InverseJob : public ImageJob {
  public:
    InverseJob(const Settings& settings, Json parameters, const CancelToken& token)
        : ImageJob("wavelet inverse", settings, std::move(parameters), token),
          own_(settings),
          share_(share_of(settings.inverse.keep)) {
        outputs_.add("image", settings.files.image);
    }

  private:
    void read_more() override { given_ = coefficients_of(input_.image, own_.input()); }
    void compute(Queue& queue, const Progress& progress) override {
        StageClock clock;
        clock.start("transform");
        image_ = wavelet_inverse(given_, queue, progress);
        if (share_ < 1) {
            const AnyImage all = std::move(image_);
            WaveletCoefficients kept = given_;
            kept_ = keep_largest(kept, share_);
            image_ = wavelet_inverse(kept, queue, progress);
            psnr_ = evaluate_image(image_, all).psnr;
        }
        stages_ = clock.take();
    }
    const std::vector<StageTime>& computed_stages() const override { return stages_; }
    std::int64_t device_bytes(const Device&) const override {
        return bytes_of(given_.values) * 7 / 2;
    }
    std::int64_t result_bytes() const override { return 2 * bytes_of(given_.values); }
    std::int64_t computing_bytes() const override { return 4 * bytes_of(given_.values); }
    void probe_outputs(const AnyImage& sample) const override {
        outputs_.probe("image", [&](const fs::path& path) {
            io::write_image(Image<std::uint8_t>(shape_of(sample), geometry_of(sample)), path);
        });
    }
    void stage_outputs(const Progress&) override {
        outputs_.stage("image", [&](const fs::path& path) { io::write_image(image_, path); });
    }
    std::string output_flags() const override { return "--image (-o)"; }
    std::string summary() const override {
        if (share_ >= 1) return "image from all coefficients";
        return fmt::format("image from {} coefficients; PSNR against all {:.2f} dB", kept_, psnr_);
    }
    Json statistics() const override {
        Json json = Json::object();
        if (share_ < 1) {
            json["kept"] = kept_;
            json["psnr"] = std::isfinite(psnr_) ? Json(psnr_) : Json();
        }
        return json;
    }

    const Settings& own_;
    double share_, psnr_ = 0;
    std::int64_t kept_ = 0;
    WaveletCoefficients given_;
    AnyImage image_;
    std::vector<StageTime> stages_;
};

}  // namespace

int run_wavelet_inverse(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("wavelet inverse", "Makes an image from its wavelet coefficients.");
    parser.add_inputs(settings.inputs, "COEFFICIENTS", 1, 1,
                      "file that 'tesela wavelet forward' wrote");
    parser.add(settings.files, "Outputs", {{"image", "-o,--output"}});
    parser.add(settings.inverse, "Wavelet");
    parser.add(settings.spacing, "Input");
    add_job_options(parser, settings);
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return InverseJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
