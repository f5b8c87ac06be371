#include "tesela/evaluate_landmarks.h"

#include <fmt/format.h>

#include <cmath>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct EvaluateLandmarksOptions {
    std::optional<LandmarkFit> fit = {};
};
template <class V>
void describe(V&& v, EvaluateLandmarksOptions& o) {
    v("fit", o.fit, "best map of this kind between the landmarks");
}

Figures figures_of(const ErrorSummary& errors) {
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

std::string text_of(const LandmarkEvaluation& evaluation, const char* unit, std::size_t pairs) {
    std::string text =
        fmt::format("{:<14}{:>12}{:>12}{:>12}{:>12}\n", "", "median", "mean", "90 %", "largest");
    text += row(fmt::format("TRE, {}", unit).c_str(), evaluation.tre, 3);
    if (evaluation.rtre) text += row("rTRE", *evaluation.rtre, 5);
    return text +
           fmt::format("robustness {:.1f} % of {} pairs\n", 100 * evaluation.robustness, pairs);
}

// Names of the moving landmarks, pairs before and after the transform, errors and their order; the
// rows of a fit have up to 20 terms, twice.
Memory evaluate_landmarks_memory(const Call& call, const Device&) {
    constexpr std::int64_t of_name = 128, of_pair = 240, of_row = 400;
    const auto pairs = std::ssize(call.inputs.get<Landmarks>("fixed").list);
    const bool fits = call.options.as<EvaluateLandmarksOptions>().fit.has_value();
    return {.computing = std::ssize(call.inputs.get<Landmarks>("moving").list) * of_name +
                         pairs * (of_pair + (fits ? of_row : 0))};
}

Results run_evaluate_landmarks(const Call& call, Queue&, const Progress&) {
    const auto& options = call.options.as<EvaluateLandmarksOptions>();
    const bool transformed = call.inputs.has("transform");
    if (options.fit && transformed)
        throw InvalidArgument("--fit and --transform exclude each other: give one");
    const auto& fixed = call.inputs.get<Landmarks>("fixed");
    const Transform transform = transformed ? call.inputs.get<Transform>("transform")
                                            : Transform{.dimensions = fixed.dimensions};
    if (transform.dimensions != fixed.dimensions)
        throw InvalidArgument(
            fmt::format("--transform has {} dimensions and the landmarks have {}; give landmarks "
                        "and a transform of the same images",
                        transform.dimensions, fixed.dimensions));
    const LandmarkPairs pairs = paired(fixed, call.inputs.get<Landmarks>("moving"));
    double diagonal = transform.fixed ? diagonal_of(*transform.fixed) : 0;
    const auto* image = call.inputs.find<ImageGrid>("image");
    if (image) diagonal = diagonal_of(*image);
    const LandmarkEvaluation evaluation = options.fit
                                              ? evaluate_landmarks(pairs, *options.fit, diagonal)
                                              : evaluate_landmarks(pairs, transform, diagonal);
    const char* unit = unit_of(transform, image);
    Results results;
    if (pairs.without_partner > 0)
        results.warnings.push_back(fmt::format(
            "{} of the landmarks have no partner and are left out", pairs.without_partner));
    results.details = {
        {"pairs", static_cast<std::int64_t>(pairs.fixed.size())},
        {"without_partner", std::int64_t{pairs.without_partner}},
        {"unit", unit},
        {"tre", figures_of(evaluation.tre)},
        {"rtre", evaluation.rtre ? Figure::Value(figures_of(*evaluation.rtre)) : Figure::Value()},
        {"robustness", evaluation.robustness},
        {"errors", evaluation.errors}};
    results.data = text_of(evaluation, unit, pairs.fixed.size());
    return results;
}

}  // namespace

void add_evaluate_landmarks(Registry& registry) {
    registry.add(Operation{
        .name = "evaluate landmarks",
        .purpose = "registrations: distances of landmarks",
        .sentence = "Measures how far landmarks of two images are apart after registration.",
        .examples = {"evaluate landmarks he.csv ihc.csv --transform t.json",
                     "evaluate landmarks he.csv ihc.csv --fit affine --image he.jpg"},
        .inputs = {fixed_landmarks, moving_landmarks},
        .named = {{.name = "transform",
                   .kind = kinds::transform,
                   .help = "transform from the fixed to the moving image",
                   .required = false},
                  {.name = "image",
                   .kind = kinds::grid,
                   .help = "fixed image, whose diagonal makes errors relative; .tfm has its unit",
                   .required = false}},
        .options = Options::of(EvaluateLandmarksOptions{}),
        .run = run_evaluate_landmarks,
        .memory = evaluate_landmarks_memory,
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
