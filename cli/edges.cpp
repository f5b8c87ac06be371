// tesela edges OPERATOR INPUT
#include "tesela/edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "image_job.h"
#include "interrupt.h"
#include "messages.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct EdgeFiles {
    fs::path edges;
};
template <class V>
void describe(V&& v, EdgeFiles& o) {
    v("edges", o.edges, "magnitudes of the gradient, in the input's width; of canny 0 and 255");
}

template <class Options>
struct Settings : ImageJobSettings {
    EdgeFiles files;
    Options algorithm;
};

template <class Options>
struct Operator {
    const char *name, *summary;
    EdgeResult (*compute)(const AnyImage&, const Options&, Queue&, const Progress&);
};

template <class Options>
class EdgesJob : public ImageJob {
  public:
    EdgesJob(const Operator<Options>& which, const Settings<Options>& settings, Json parameters,
             const CancelToken& token)
        : ImageJob(std::string("edges ") + which.name, settings, std::move(parameters), token),
          which_(which),
          algorithm_(settings.algorithm) {
        outputs_.add("edges", settings.files.edges);
    }

  private:
    static constexpr bool is_canny = std::is_same_v<Options, CannyOptions>;

    void compute(Queue& queue, const Progress& progress) override {
        result_ = which_.compute(input_.image, algorithm_, queue, progress);
        add_warnings(result_.warnings);
    }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes(const Device&) const override {
        return is_canny ? canny_device_bytes(input_.image) : edges_device_bytes(input_.image);
    }
    std::int64_t result_bytes() const override {
        const int pixel = pixel_type_bytes(pixel_type_of(input_.image));
        return shape_of(input_.image).points() * (is_canny ? 1 : std::min(pixel, 4));
    }
    void probe_outputs(const AnyImage& sample) const override {
        const AnyImage edges = is_canny ? AnyImage(of_type<std::uint8_t>(sample)) : like(sample);
        outputs_.probe("edges", [&](const fs::path& path) { io::write_image(edges, path); });
    }
    void stage_outputs(const Progress&) override {
        outputs_.stage("edges",
                       [&](const fs::path& path) { io::write_image(result_.edges, path); });
    }

    std::string output_flags() const override { return "--edges (-o)"; }

    template <class T>
    static Image<T> of_type(const AnyImage& sample) {
        Shape shape = shape_of(sample);
        shape.channels = 1;
        return Image<T>(shape, geometry_of(sample));
    }
    // What the magnitudes of such an image are made of.
    static AnyImage like(const AnyImage& sample) {
        const PixelType type = pixel_type_of(sample);
        if (pixel_type_bytes(type) == 1) return of_type<std::uint8_t>(sample);
        if (pixel_type_bytes(type) == 2) return of_type<std::uint16_t>(sample);
        return of_type<float>(sample);
    }

    std::string summary() const override {
        if (!is_canny) return fmt::format("edges by {}", which_.name);
        return counted(result_.edge_points, "edge pixel");
    }
    Json statistics() const override {
        Json json{{"points", shape_of(input_.image).points()}};
        if (is_canny) json["edge_points"] = result_.edge_points;
        return json;
    }

    const Operator<Options>& which_;
    const Options& algorithm_;
    EdgeResult result_;
};

template <class Options>
int run_operator(const Operator<Options>& which, const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings<Options> settings;
    VerbParser parser(std::string("edges ") + which.name, which.summary);
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.files, "Outputs", {{"edges", "-o,--output"}});
    parser.add(settings.algorithm, "Edges");
    add_job_options(parser, settings, "Input");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return EdgesJob<Options>(which, settings, parser.values(), token).run();
}

template <EdgeOperator mask>
EdgeResult magnitudes(const AnyImage& image, const GradientOptions& options, Queue& queue,
                      const Progress& progress) {
    return edges(image, mask, options, queue, progress);
}

int run_sobel(const Arguments& arguments) {
    return run_operator<GradientOptions>(
        {"sobel",
         "Magnitude of the gradient by Sobel's masks, of 3 x 3 pixels, the middle doubled.",
         magnitudes<EdgeOperator::sobel>},
        arguments);
}
int run_prewitt(const Arguments& arguments) {
    return run_operator<GradientOptions>(
        {"prewitt", "Magnitude of the gradient by Prewitt's masks, of 3 x 3 pixels.",
         magnitudes<EdgeOperator::prewitt>},
        arguments);
}
int run_roberts(const Arguments& arguments) {
    return run_operator<GradientOptions>(
        {"roberts", "Magnitude of the gradient by Roberts's diagonal masks, of 2 x 2 pixels.",
         magnitudes<EdgeOperator::roberts>},
        arguments);
}
int run_canny(const Arguments& arguments) {
    return run_operator<CannyOptions>(
        {"canny", "Edges one pixel wide: the largest gradients, and what hangs on them.", canny},
        arguments);
}

constexpr std::array operators{
    Verb{"sobel", "gradient by Sobel's masks", run_sobel},
    Verb{"prewitt", "gradient by Prewitt's masks", run_prewitt},
    Verb{"roberts", "gradient by Roberts's diagonal masks", run_roberts},
    Verb{"canny", "edges one pixel wide, with hysteresis", run_canny},
};

}  // namespace

int run_edges(const Arguments& arguments) {
    return dispatch("tesela edges", "Finds where gray values change.", operators, arguments);
}

}  // namespace tesela::cli
