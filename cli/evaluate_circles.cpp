// tesela evaluate circles FOUND TRUTH
#include "tesela/evaluate_circles.h"

#include <fmt/format.h>

#include <cmath>

#include "circle_file.h"
#include "interrupt.h"
#include "messages.h"
#include "report.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateCirclesChoice {
    Length tolerance = 2;
};
template <class V>
void describe(V&& v, EvaluateCirclesChoice& o) {
    v("tolerance", o.tolerance, "largest distance of matching centers", OptionRange{.lowest = 0});
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string text_of(const CircleAgreement& a, const char* unit) {
    return fmt::format(
        "circles found       {}\ncircles of truth    {}\nmatched             {}\n"
        "precision           {:.4f}\nrecall              {:.4f}\nF                   {:.4f}\n"
        "error of centers    {:.4f} {} (mean), {:.4f} {} (largest)\n"
        "error of radii      {:.4f} {} (mean), {:.4f} {} (largest), {:+.4f} {} (bias)\n",
        a.found, a.truth, a.matched, a.precision, a.recall, a.f, a.center_mean, unit, a.center_max,
        unit, a.radius_mean, unit, a.radius_max, unit, a.radius_bias, unit);
}

}  // namespace

int run_evaluate_circles(const Arguments& arguments) {
    std::vector<fs::path> found, truth;
    EvaluateCirclesChoice choice;
    MessageOptions messages;
    VerbParser parser("evaluate circles",
                      "Measures how well a list of circles agrees with the true one.");
    parser.add_inputs(found, "FOUND", 1, 1, "CSV file with columns x, y and radius");
    parser.add_inputs(truth, "TRUTH", 1, 1, "list of true circles, in the same format");
    parser.add(choice, "Comparison");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    handle_interrupts();

    const bool physical = choice.tolerance.physical();
    const double tolerance = physical ? choice.tolerance.millimeters() : choice.tolerance.value;
    const CircleAgreement agreement = evaluate_circles(
        read_circles(found.front(), physical), read_circles(truth.front(), physical), tolerance);
    if (!messages.json) {
        print(text_of(agreement, physical ? "mm" : "px"));
        return exit_done;
    }
    Json report = begin_report("evaluate circles");
    report["found_path"] = found.front().string();
    report["truth_path"] = truth.front().string();
    report["unit"] = physical ? "mm" : "px";
    report["found"] = agreement.found;
    report["truth"] = agreement.truth;
    report["matched"] = agreement.matched;
    report["precision"] = number(agreement.precision);
    report["recall"] = number(agreement.recall);
    report["f"] = number(agreement.f);
    report["center_mean"] = number(agreement.center_mean);
    report["center_max"] = agreement.center_max;
    report["radius_mean"] = number(agreement.radius_mean);
    report["radius_max"] = agreement.radius_max;
    report["radius_bias"] = number(agreement.radius_bias);
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
