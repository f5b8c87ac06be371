// tesela threshold METHOD INPUT
#include "tesela/threshold.h"

#include <fmt/format.h>

#include <array>

#include "image_job.h"
#include "interrupt.h"
#include "messages.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct ThresholdFiles {
    fs::path mask;
};
template <class V>
void describe(V&& v, ThresholdFiles& o) {
    v("mask", o.mask, "mask, 8-bit: 255 above the threshold, 0 below");
}

struct SurfaceFile {
    fs::path surface;
};
template <class V>
void describe(V&& v, SurfaceFile& o) {
    v("surface", o.surface, "threshold of each pixel, floating-point");
}

struct Settings : ImageJobSettings {
    ThresholdFiles files;
    SurfaceFile surface;
    AdaptiveThresholdOptions adaptive;
};

// How a method is asked for.
struct Method {
    const char *name, *summary;
    bool is_adaptive;
    ThresholdResult (*compute)(const AnyImage&, const Settings&, Queue&, const Progress&);
};

class ThresholdJob : public ImageJob {
  public:
    ThresholdJob(const Method& method, const Settings& settings, Json parameters,
                 const CancelToken& token)
        : ImageJob(std::string("threshold ") + method.name, settings, std::move(parameters), token),
          method_(method),
          own_(settings) {
        outputs_.add("mask", settings.files.mask);
        outputs_.add("surface", settings.surface.surface);
    }

  private:
    void compute(Queue& queue, const Progress& progress) override {
        result_ = method_.compute(input_.image, own_, queue, progress);
        add_warnings(result_.warnings);
    }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes(const Device&) const override {
        return method_.is_adaptive ? threshold_device_bytes(input_.image, own_.adaptive)
                                   : threshold_device_bytes(input_.image);
    }
    // The mask, and the surface of an adaptive threshold.
    std::int64_t result_bytes() const override {
        return (method_.is_adaptive ? 5 : 1) * shape_of(input_.image).points();
    }
    void probe_outputs(const AnyImage& sample) const override {
        Shape shape = shape_of(sample);
        shape.channels = 1;
        outputs_.probe("mask", [&](const fs::path& path) {
            io::write_image(Image<std::uint8_t>(shape, geometry_of(sample)), path);
        });
        outputs_.probe("surface", [&](const fs::path& path) {
            io::write_image(Image<float>(shape, geometry_of(sample)), path);
        });
    }
    void stage_outputs(const Progress&) override {
        outputs_.stage("mask", [&](const fs::path& path) { io::write_image(result_.mask, path); });
        outputs_.stage("surface",
                       [&](const fs::path& path) { io::write_image(result_.surface, path); });
    }

    std::string output_flags() const override {
        return method_.is_adaptive ? "--mask (-o) or --surface" : "--mask (-o)";
    }

    double share_above() const {
        return static_cast<double>(result_.points_above) /
               static_cast<double>(result_.mask.shape().points());
    }
    std::string summary() const override {
        if (method_.is_adaptive)
            return fmt::format("adaptive threshold: {:.2f} % of the pixels are above it",
                               100 * share_above());
        return fmt::format(
            "threshold {:.6g}: {:.2f} % of the pixels are above it; means {:.6g} and {:.6g}",
            result_.threshold, 100 * share_above(), result_.mean_below, result_.mean_above);
    }
    Json statistics() const override {
        Json json{{"points", result_.mask.shape().points()},
                  {"points_above", result_.points_above}};
        if (!method_.is_adaptive) {
            json["threshold"] = result_.threshold;
            json["mean_below"] = result_.mean_below;
            json["mean_above"] = result_.mean_above;
        }
        json["iterations"] = result_.iterations;
        return json;
    }

    const Method& method_;
    const Settings& own_;
    ThresholdResult result_;
};

int run_method(const Method& method, const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser(std::string("threshold ") + method.name, method.summary);
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"mask", "-o,--output"}});
    if (method.is_adaptive) {
        parser.add(settings.surface, "Outputs");
        parser.add(settings.adaptive, "Adaptive threshold");
    }
    add_job_options(parser, settings, "Input");
    if (!parser.parse(arguments)) return exit_done;
    check_options(settings.adaptive);
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return ThresholdJob(method, settings, parser.values(), token).run();
}

int run_otsu(const Arguments& arguments) {
    return run_method(
        {"otsu", "Two classes of brightness, as far apart as can be (Otsu's threshold).", false,
         [](const AnyImage& image, const Settings&, Queue& queue, const Progress& progress) {
             return otsu_threshold(image, queue, progress);
         }},
        arguments);
}

int run_iterative(const Arguments& arguments) {
    return run_method(
        {"iterative",
         "Two classes of brightness, the threshold between their means (Ridler and Calvard).",
         false,
         [](const AnyImage& image, const Settings&, Queue& queue, const Progress& progress) {
             return iterative_threshold(image, queue, progress);
         }},
        arguments);
}

int run_adaptive(const Arguments& arguments) {
    return run_method(
        {"adaptive",
         "A threshold of its own for each pixel: between values at edges (Yanowitz and "
         "Bruckstein), or the mean around it.",
         true,
         [](const AnyImage& image, const Settings& settings, Queue& queue,
            const Progress& progress) {
             return adaptive_threshold(image, settings.adaptive, queue, progress);
         }},
        arguments);
}

constexpr std::array methods{
    Verb{"otsu", "one threshold, with the largest variance between the classes", run_otsu},
    Verb{"iterative", "one threshold, between the means of the classes", run_iterative},
    Verb{"adaptive", "one for each pixel, for uneven light", run_adaptive},
};

}  // namespace

int run_threshold(const Arguments& arguments) {
    return dispatch("tesela threshold", "Makes a mask of what is brighter than a threshold.",
                    methods, arguments);
}

}  // namespace tesela::cli
