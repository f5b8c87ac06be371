// tesela evaluate flow ESTIMATE TRUTH
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "interrupt.h"
#include "messages.h"
#include "report.h"
#include "tesela/evaluate_flow.h"
#include "tesela/flow_io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

Json json_of(const ErrorStatistics& errors) {
    Json json{{"mean", number(errors.mean)},
              {"standard_deviation", number(errors.standard_deviation)}};
    for (std::size_t i = 0; i < flow_percentiles.size(); ++i)
        json["percentiles"][std::to_string(flow_percentiles[i])] = number(errors.percentiles[i]);
    return json;
}

Json report_of(const fs::path& estimate, const fs::path& truth, const EvaluateFlowOptions& options,
               const FlowEvaluation& evaluation) {
    Json report = begin_report("evaluate flow");
    report["estimate"] = estimate.string();
    report["truth"] = truth.string();
    report["parameters"] = values_of(options);
    report["known"] = evaluation.known;
    report["compared"] = evaluation.compared;
    report["density"] = evaluation.density;
    report["density_by_formula"] = evaluation.density_by_formula;
    report["angular_degrees"] = json_of(evaluation.angular_degrees);
    report["angular_radians"] = json_of(evaluation.angular_radians);
    report["endpoint"] = json_of(evaluation.endpoint);
    for (std::size_t i = 0; i < flow_robustness_limits.size(); ++i)
        report["robustness"][fmt::format("{:g}", flow_robustness_limits[i])] =
            number(evaluation.robustness[i]);
    report["warnings"] = evaluation.warnings;
    return report;
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

}  // namespace

int run_evaluate_flow(const Arguments& arguments) {
    std::vector<fs::path> estimate, truth;
    EvaluateFlowOptions options;
    MessageOptions messages;
    MemoryOptions memory;
    VerbParser parser(
        "evaluate flow",
        "Measures the errors of an optical flow field: .flo, KITTI .png, Barron's .F.");
    parser.add_inputs(estimate, "ESTIMATE", 1, 1, "flow field");
    parser.add_inputs(truth, "TRUTH", 1, 1, "true flow field; unknown vectors are ignored");
    parser.add(options, "Border");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    const CancelToken& token = handle_interrupts();

    return_freed_memory(memory.max_memory.bytes);
    std::int64_t taken = 0;
    const auto read = [&](const fs::path& path) {
        Progress({}, &token).throw_if_cancelled();
        FlowField flow = io::read_flow(path, read_options(memory, taken));
        taken += bytes_of(flow);
        return flow;
    };
    const auto evaluate = [&] {
        const DisposableWork work;
        const FlowField estimated = read(estimate.front());
        const FlowField true_flow = read(truth.front());
        require_host_memory("evaluate flow", taken + evaluate_flow_bytes(true_flow.shape()),
                            memory.max_memory.bytes);
        return evaluate_flow(estimated, true_flow, options);
    };
    const FlowEvaluation evaluation = evaluate();
    Progress({}, &token).throw_if_cancelled();
    for (const std::string& warning : evaluation.warnings) warn(warning);
    print(messages.json ? json_text(report_of(estimate.front(), truth.front(), options, evaluation))
                        : text_of(evaluation));
    return exit_done;
}

}  // namespace tesela::cli
