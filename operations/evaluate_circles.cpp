#include "tesela/evaluate_circles.h"

#include <fmt/format.h>

#include "operations/all.h"
#include "operations/kinds/circles.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct EvaluateCirclesChoice {
    Length tolerance = 2;
};
template <class V>
void describe(V&& v, EvaluateCirclesChoice& o) {
    v("tolerance", o.tolerance, "largest distance of matching centers", OptionRange{.lowest = 0});
}

std::string text_of(const CircleAgreement& a, const char* unit) {
    return fmt::format(
        "circles found       {}\ncircles of truth    {}\nmatched             {}\n"
        "precision           {:.4f}\nrecall              {:.4f}\nF                   {:.4f}\n"
        "error of centers    {:.4f} {} (mean), {:.4f} {} (largest)\n"
        "error of radii      {:.4f} {} (mean), {:.4f} {} (largest), {:+.4f} {} (bias)\n",
        a.found, a.truth, a.matched, a.precision, a.recall, a.f, a.center_mean, unit, a.center_max,
        unit, a.radius_mean, unit, a.radius_max, unit, a.radius_bias, unit);
}

const std::vector<Circle>& circles_in(const Call& call, std::string_view input, bool physical) {
    const auto& lists = call.inputs.get<CircleLists>(input);
    const auto& list = physical ? lists.millimeters : lists.pixels;
    if (list) return *list;
    throw UnreadableInput(fmt::format(
        "'{}' has no columns 'x{}', 'y{}' and 'radius{}'; its first line has to name them",
        call.name_of(input), physical ? "_mm" : "", physical ? "_mm" : "", physical ? "_mm" : ""));
}

Memory evaluate_circles_memory(const Call& call, const Device&) {
    const bool physical = call.options.as<EvaluateCirclesChoice>().tolerance.physical();
    return {.computing = evaluate_circles_bytes(std::ssize(circles_in(call, "found", physical)),
                                                std::ssize(circles_in(call, "truth", physical)))};
}

Results run_evaluate_circles(const Call& call, Queue&, const Progress&) {
    const Length& length = call.options.as<EvaluateCirclesChoice>().tolerance;
    const bool physical = length.physical();
    const CircleAgreement agreement =
        evaluate_circles(circles_in(call, "found", physical), circles_in(call, "truth", physical),
                         physical ? length.millimeters() : length.value);
    const char* unit = physical ? "mm" : "px";
    Results results;
    results.details = {{"found_path", call.name_of("found")},
                       {"truth_path", call.name_of("truth")},
                       {"unit", unit},
                       {"found", agreement.found},
                       {"truth", agreement.truth},
                       {"matched", agreement.matched},
                       {"precision", agreement.precision},
                       {"recall", agreement.recall},
                       {"f", agreement.f},
                       {"center_mean", agreement.center_mean},
                       {"center_max", agreement.center_max},
                       {"radius_mean", agreement.radius_mean},
                       {"radius_max", agreement.radius_max},
                       {"radius_bias", agreement.radius_bias}};
    results.data = text_of(agreement, unit);
    return results;
}

}  // namespace

void add_evaluate_circles(Registry& registry) {
    registry.add(
        Operation{.name = "evaluate circles",
                  .purpose = "circles: precision, recall, errors of centers and radii",
                  .sentence = "Measures how well a list of circles agrees with the true one.",
                  .examples = {"evaluate circles found.csv truth.csv",
                               "evaluate circles found.csv truth.csv --tolerance 0.5mm"},
                  .inputs = {{.name = "found",
                              .kind = kinds::circles,
                              .help = "CSV file with columns x, y and radius"},
                             {.name = "truth",
                              .kind = kinds::circles,
                              .help = "list of true circles, in the same format"}},
                  .options = Options::of(EvaluateCirclesChoice{}),
                  .run = run_evaluate_circles,
                  .memory = evaluate_circles_memory,
                  .device = {.on_host = true}});
}

}  // namespace tesela::operations
