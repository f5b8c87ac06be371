// tesela evaluate landmarks FIXED.csv MOVING.csv
#include "tesela/evaluate_landmarks.h"

#include <fmt/format.h>

#include <cmath>

#include "interrupt.h"
#include "messages.h"
#include "report.h"
#include "tesela/io.h"
#include "tesela/transform_io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateLandmarksOptions {
    fs::path transform, image;
    std::optional<LandmarkFit> fit;
};
template <class V>
void describe(V&& v, EvaluateLandmarksOptions& o) {
    v("transform", o.transform, "transform from the fixed to the moving image");
    v("fit", o.fit, "best map of this kind between the landmarks");
    v("image", o.image, "fixed image, whose diagonal makes errors relative");
}

double diagonal_of(const ImageGrid& grid) {
    const std::array<double, 3> spacing =
        grid.geometry.known() ? grid.geometry.spacing_mm() : std::array<double, 3>{1, 1, 1};
    const double z = grid.shape.z > 1 ? static_cast<double>(grid.shape.z) * spacing[2] : 0;
    return std::hypot(static_cast<double>(grid.shape.x) * spacing[0],
                      static_cast<double>(grid.shape.y) * spacing[1], z);
}

Json json_of(const ErrorSummary& errors) {
    return {{"median", errors.median},
            {"mean", errors.mean},
            {"percentile_90", errors.percentile_90},
            {"largest", errors.largest}};
}

std::string row(const char* name, const ErrorSummary& errors, int digits) {
    return fmt::format("{:<14}{:>12.{}f}{:>12.{}f}{:>12.{}f}{:>12.{}f}\n", name, errors.median,
                       digits, errors.mean, digits, errors.percentile_90, digits, errors.largest,
                       digits);
}

}  // namespace

int run_evaluate_landmarks(const Arguments& arguments) {
    std::vector<fs::path> fixed_file, moving_file;
    EvaluateLandmarksOptions options;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("evaluate landmarks",
                      "Measures how far landmarks of two images are apart after registration.");
    parser.add_inputs(fixed_file, "FIXED.csv", 1, 1, "landmarks of the fixed image");
    parser.add_inputs(moving_file, "MOVING.csv", 1, 1, "landmarks of the moving image");
    parser.add(options, "Comparison");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"evaluate landmarks he.csv ihc.csv --transform t.json",
                         "evaluate landmarks he.csv ihc.csv --fit affine --image he.jpg"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    handle_interrupts();
    if (options.fit && !options.transform.empty())
        throw InvalidArgument("--fit and --transform exclude each other: give one");

    const LandmarkPairs pairs =
        paired(io::read_landmarks(fixed_file.front(), read_options(memory)),
               io::read_landmarks(moving_file.front(), read_options(memory)));
    Transform transform;
    if (!options.transform.empty())
        transform = io::read_transform(options.transform, read_options(memory));
    double diagonal = transform.fixed ? diagonal_of(*transform.fixed) : 0;
    if (!options.image.empty())
        diagonal = diagonal_of(grid_of(io::read_image(options.image, read_options(memory)).image));
    const LandmarkEvaluation evaluation = options.fit
                                              ? evaluate_landmarks(pairs, *options.fit, diagonal)
                                              : evaluate_landmarks(pairs, transform, diagonal);
    const char* unit = transform.unit == Unit::millimeter ? "mm" : "px";
    if (pairs.without_partner > 0)
        warn(fmt::format("{} of the landmarks have no partner and are left out",
                         pairs.without_partner));
    if (messages.json) {
        Json report = begin_report("evaluate landmarks");
        report["pairs"] = std::ssize(pairs.fixed);
        report["without_partner"] = pairs.without_partner;
        report["unit"] = unit;
        report["tre"] = json_of(evaluation.tre);
        report["rtre"] = evaluation.rtre ? json_of(*evaluation.rtre) : Json();
        report["robustness"] = evaluation.robustness;
        report["errors"] = evaluation.errors;
        print(json_text(std::move(report)));
        return exit_done;
    }
    std::string text =
        fmt::format("{:<14}{:>12}{:>12}{:>12}{:>12}\n", "", "median", "mean", "90 %", "largest");
    text += row(fmt::format("TRE, {}", unit).c_str(), evaluation.tre, 3);
    if (evaluation.rtre) text += row("rTRE", *evaluation.rtre, 5);
    text += fmt::format("robustness {:.1f} % of {} pairs\n", 100 * evaluation.robustness,
                        pairs.fixed.size());
    print(text);
    return exit_done;
}

}  // namespace tesela::cli
