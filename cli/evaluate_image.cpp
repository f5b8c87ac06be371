// tesela evaluate image RESULT TRUTH
#include "tesela/evaluate_image.h"

#include <fmt/format.h>

#include <cmath>

#include "interrupt.h"
#include "messages.h"
#include "report.h"
#include "second_image.h"
#include "tesela/io.h"
#include "verb_parser.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct EvaluateImageChoice {
    fs::path mask;
    std::optional<double> peak;
};
template <class V>
void describe(V&& v, EvaluateImageChoice& o) {
    v("mask", o.mask, "compare only where this label map is nonzero");
    v("peak", o.peak, "peak value of PSNR and SSIM",
      OptionRange{.lowest = 0, .excludes_lowest = true});
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

int run_evaluate_image(const Arguments& arguments) {
    std::vector<fs::path> result, truth;
    EvaluateImageChoice choice;
    GeometryOptions geometry;
    MemoryOptions memory;
    MessageOptions messages;
    VerbParser parser("evaluate image", "Measures how much an image differs from the true one.");
    parser.add_inputs(result, "RESULT", 1, 1, "image");
    parser.add_inputs(truth, "TRUTH", 1, 1, "true image of the same size");
    parser.add(choice, "Comparison", {});
    parser.add(geometry, "Comparison");
    parser.add(memory, "Computing");
    parser.add(messages, "Messages", message_aliases());
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
    handle_interrupts();

    return_freed_memory(memory.max_memory.bytes);
    std::vector<std::string> warnings;
    const DisposableWork work;
    const AnyImage true_image = io::read_image(truth.front(), read_options(memory)).image;
    const PlacedFile first{truth.front(), grid_of(true_image)};
    std::int64_t taken = bytes_of(true_image);
    const AnyImage found = fit_to(first, result.front(),
                                  io::read_image(result.front(), read_options(memory, taken)).image,
                                  geometry, warnings);
    taken += bytes_of(found);
    LabelImage mask;
    if (!choice.mask.empty())
        mask = fit_to(first, choice.mask, io::read_labels(choice.mask, read_options(memory, taken)),
                      geometry, warnings);
    if (memory.max_memory.bytes > 0)  // two planes, and the means of SSIM
        require_host_memory("evaluate image", taken + 10 * 8 * shape_of(true_image).points(),
                            memory.max_memory.bytes);
    const ImageEvaluation evaluation =
        evaluate_image(found, true_image, {choice.peak}, choice.mask.empty() ? nullptr : &mask);
    for (const std::string& warning : warnings) warn(warning);
    if (!messages.json) {
        print(fmt::format(
            "mean squared error  {:.6g}\nPSNR                {:.3f} dB (peak {:g})\n"
            "SSIM                {:.5f}\npixels compared     {}\n",
            evaluation.mse, evaluation.psnr, evaluation.peak, evaluation.ssim, evaluation.points));
        return exit_done;
    }
    Json report = begin_report("evaluate image");
    report["result"] = result.front().string();
    report["truth"] = truth.front().string();
    report["mse"] = evaluation.mse;
    report["psnr"] = number(evaluation.psnr);
    report["peak"] = evaluation.peak;
    report["ssim"] = number(evaluation.ssim);
    report["points"] = evaluation.points;
    report["warnings"] = warnings;
    print(json_text(std::move(report)));
    return exit_done;
}

}  // namespace tesela::cli
