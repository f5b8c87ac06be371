#include "tesela/evaluate_image.h"

#include <fmt/format.h>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct EvaluateImageChoice {
    std::optional<double> peak = {};
};
template <class V>
void describe(V&& v, EvaluateImageChoice& o) {
    v("peak", o.peak, "peak value of PSNR and SSIM",
      OptionRange{.lowest = 0, .excludes_lowest = true, .automatic = "of the type or the truth"});
}

Results run_evaluate_image(const Call& call, Queue&, const Progress&) {
    const ImageEvaluation evaluation = evaluate_image(
        call.inputs.view("result"), call.inputs.view("truth"),
        {call.options.as<EvaluateImageChoice>().peak}, call.inputs.find_labels("mask"));
    Results results;
    results.details = {{"result", call.name_of("result")},
                       {"truth", call.name_of("truth")},
                       {"mse", evaluation.mse},
                       {"psnr", evaluation.psnr},
                       {"peak", evaluation.peak},
                       {"ssim", evaluation.ssim},
                       {"points", evaluation.points}};
    results.data = fmt::format(
        "mean squared error  {:.6g}\nPSNR                {:.3f} dB (peak {:g})\n"
        "SSIM                {:.5f}\npixels compared     {}\n",
        evaluation.mse, evaluation.psnr, evaluation.peak, evaluation.ssim, evaluation.points);
    return results;
}

}  // namespace

void add_evaluate_image(Registry& registry) {
    registry.add(Operation{
        .name = "evaluate image",
        .purpose = "images: squared error, PSNR and SSIM",
        .sentence = "Measures how much an image differs from the true one.",
        .examples = {"evaluate image clean.png coins.png",
                     "evaluate image clean.nii.gz truth.nii.gz --mask brain-mask.nii.gz"},
        .inputs = {{.name = "result", .kind = kinds::image, .help = "image", .any_channels = true},
                   {.name = "truth",
                    .kind = kinds::image,
                    .help = "true image of the same size",
                    .any_channels = true}},
        .named = {{.name = "mask",
                   .kind = kinds::labels,
                   .help = "compare only where this label map is nonzero",
                   .required = false}},
        .options = Options::of(EvaluateImageChoice{}),
        .run = run_evaluate_image,
        .memory =
            [](const Call& call, const Device&) {
                // Two planes, and the means of SSIM.
                return Memory{.computing = 10 * 8 * call.inputs.view("truth").shape().points()};
            },
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
