#include "tesela/evaluate_flow.h"

#include <fmt/format.h>

#include <cmath>

#include "operations/all.h"
#include "operations/kinds/flow.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

Figures figures_of(const ErrorStatistics& errors) {
    Figures percentiles;
    for (std::size_t i = 0; i < flow_percentiles.size(); ++i)
        percentiles.push_back({std::to_string(flow_percentiles[i]), errors.percentiles[i]});
    return {{"mean", errors.mean},
            {"standard_deviation", errors.standard_deviation},
            {"percentiles", percentiles}};
}

Figures figures_of(const FlowEvaluation& evaluation) {
    Figures robustness;
    for (std::size_t i = 0; i < flow_robustness_limits.size(); ++i)
        robustness.push_back(
            {fmt::format("{:g}", flow_robustness_limits[i]), evaluation.robustness[i]});
    return {{"known", evaluation.known},
            {"compared", evaluation.compared},
            {"density", evaluation.density},
            {"density_by_formula", evaluation.density_by_formula},
            {"angular_degrees", figures_of(evaluation.angular_degrees)},
            {"angular_radians", figures_of(evaluation.angular_radians)},
            {"endpoint", figures_of(evaluation.endpoint)},
            {"robustness", robustness}};
}

std::string shown(double value) {
    return std::isnan(value) ? std::string("-") : fmt::format("{:.4f}", value);
}

std::string row_of(std::string_view name, const ErrorStatistics& errors) {
    std::string row =
        fmt::format("{:<26}{:>9}{:>9}", name, shown(errors.mean), shown(errors.standard_deviation));
    for (const double value : errors.percentiles) row += fmt::format("{:>9}", shown(value));
    return row + "\n";
}

std::string text_of(const FlowEvaluation& evaluation) {
    std::string text = fmt::format("{:<26}{:>9}{:>9}", "", "mean", "st. dev.");
    for (const int percent : flow_percentiles)
        text += fmt::format("{:>9}", fmt::format("{} %", percent));
    text += "\n" + row_of("angular error, degrees", evaluation.angular_degrees) +
            row_of("angular error, radians", evaluation.angular_radians) +
            row_of("end-point error, pixels", evaluation.endpoint);
    for (std::size_t i = 0; i < flow_robustness_limits.size(); ++i)
        text += fmt::format("{:<26}{:>9}\n",
                            fmt::format("R{:g}: share above {:g} px", flow_robustness_limits[i],
                                        flow_robustness_limits[i]),
                            shown(evaluation.robustness[i]));
    return text +
           fmt::format("{:<26}{:>9}  {} of {} known vectors compared\n", "density",
                       shown(evaluation.density), evaluation.compared, evaluation.known) +
           fmt::format("{:<26}{:>9}\n", "density by formula", shown(evaluation.density_by_formula));
}

Results run_evaluate_flow(const Call& call, Queue&, const Progress&) {
    const FlowEvaluation evaluation =
        evaluate_flow(call.inputs.pixels<float>("estimate"), call.inputs.pixels<float>("truth"),
                      call.options.as<EvaluateFlowOptions>());
    Results results;
    results.details = figures_of(evaluation);
    results.details.push_back({"estimate", call.name_of("estimate")});
    results.details.push_back({"truth", call.name_of("truth")});
    results.data = text_of(evaluation);
    results.warnings = evaluation.warnings;
    return results;
}

}  // namespace

void add_evaluate_flow(Registry& registry) {
    registry.add(Operation{
        .name = "evaluate flow",
        .purpose = "optical flow: angular and end-point errors",
        .sentence = "Measures the errors of an optical flow field.",
        .examples = {"evaluate flow motion.flo flow10.flo",
                     "evaluate flow motion.flo flow10.flo --correction block --size 7"},
        .inputs = {{.name = "estimate",
                    .kind = kinds::field,
                    .help = "flow field: .flo, KITTI .png, Barron's .F"},
                   {.name = "truth",
                    .kind = kinds::field,
                    .help = "true flow field; unknown vectors are ignored"}},
        .options = Options::of(EvaluateFlowOptions{}),
        .run = run_evaluate_flow,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.computing =
                                  evaluate_flow_bytes(call.inputs.pixels<float>("truth").shape())};
            },
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
