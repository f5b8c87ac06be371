#include <fmt/format.h>

#include <algorithm>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/fit_transform.h"

namespace tesela::operations {
namespace {

// Of the pairs that are no outliers.
ErrorSummary kept_errors(const TransformFit& fit) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < fit.errors.size(); ++i)
        if (!fit.is_outlier[i]) kept.push_back(fit.errors[i]);
    return summary_of(std::move(kept));
}

// "'b' (12.3 mm), 'k' (4 mm) and 3 more"
std::string outliers_text(const std::vector<std::string>& names, const TransformFit& fit,
                          const char* unit) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t listed = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!fit.is_outlier[i] || ++listed > most) continue;
        text += fmt::format("{}'{}' ({:.3g} {})", text.empty() ? "" : ", ", names[i], fit.errors[i],
                            unit);
    }
    return listed > most ? text + fmt::format(" and {} more", listed - most) : text;
}

Table residuals_of(std::vector<std::string> names, const TransformFit& fit, const char* unit) {
    return {.columns = {"landmark", std::string("error_") + unit, "outlier"},
            .rows = std::ssize(names),
            .cell = [names = std::move(names), errors = fit.errors, is_outlier = fit.is_outlier](
                        std::int64_t row, std::size_t column) -> Table::Cell {
                const auto i = static_cast<std::size_t>(row);
                if (column == 0) return names[i];
                if (column == 1) return errors[i];
                return std::int64_t{is_outlier[i]};
            }};
}

Memory fit_memory(const Call& call, const Device&) {
    // A pair with its name, errors and coordinates; the nodes of a spline with those around them.
    constexpr std::int64_t of_pair = 1024, of_spline = 3 * 8 * 768 * 768;
    return {.held = of_spline,
            .computing = of_pair * std::ssize(call.inputs.get<Landmarks>("fixed").list)};
}

Results run_fit(const Call& call, Queue&, const Progress&) {
    const auto image = [&](std::string_view name) -> std::optional<ImageGrid> {
        const auto* grid = call.inputs.find<ImageGrid>(name);
        return grid ? std::optional(*grid) : std::nullopt;
    };
    const LandmarkPairs pairs =
        paired(call.inputs.get<Landmarks>("fixed"), call.inputs.get<Landmarks>("moving"));
    TransformFit fit = fit_transform(pairs, image("fixed-image"), image("moving-image"),
                                     call.options.as<FitOptions>());
    const char* unit = fit.transform.unit == Unit::millimeter ? "mm" : "px";
    const ErrorSummary errors = kept_errors(fit);
    const auto outliers = static_cast<std::int64_t>(fit.outliers());
    Results results;
    results.warnings = std::move(fit.warnings);
    if (pairs.without_partner > 0)
        results.warnings.push_back(fmt::format(
            "{} of the landmarks have no partner and are left out", pairs.without_partner));
    if (outliers > 0)
        results.warnings.push_back(fmt::format("left out as {}, beyond {:.3g} {}: {}",
                                               counted(outliers, "outlier"), fit.tolerance, unit,
                                               outliers_text(pairs.names, fit, unit)));
    if (!fit.transform.fixed)
        results.warnings.emplace_back(
            "the transform is in pixels and names no image: give --fixed-image and "
            "--moving-image where images have a spacing");
    results.summary = fmt::format("fitted to {}: residuals median {:.3g} {}, largest {:.3g} {}",
                                  counted(std::ssize(pairs.names) - outliers, "pair"),
                                  errors.median, unit, errors.largest, unit);
    if (fit.prediction_error)
        results.summary += fmt::format("; a pair that is left out is predicted within {:.3g} {}",
                                       *fit.prediction_error, unit);
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < pairs.names.size(); ++i)
        if (fit.is_outlier[i]) left_out.push_back(pairs.names[i]);
    results.figures = {{"pairs", std::ssize(pairs.names)},
                       {"outliers", left_out},
                       {"tolerance", fit.tolerance},
                       {"unit", std::string(unit)},
                       {"median", errors.median},
                       {"mean", errors.mean},
                       {"percentile_90", errors.percentile_90},
                       {"largest", errors.largest}};
    if (fit.prediction_error) {
        results.figures.push_back({"prediction_error", *fit.prediction_error});
        results.used = {{"stiffness", fit.stiffness}};
    }
    results.details = {{"errors", fit.errors}};
    results.outputs.set("residuals", residuals_of(pairs.names, fit, unit));
    results.outputs.set("output", std::move(fit.transform));
    return results;
}

}  // namespace

void add_transform_fit(Registry& registry) {
    registry.add(Operation{
        .name = "transform fit",
        .purpose = "the transform through landmarks, some of which may be wrong",
        .sentence = "Fits a transform to landmarks, of which some may be wrong.",
        .examples = {"transform fit he.csv ihc.csv --model affine -o t.json",
                     "transform fit ct.csv mr.csv --model rigid --fixed-image ct.nii.gz "
                     "--moving-image mr.nii.gz -o t.json"},
        .inputs = {fixed_landmarks, moving_landmarks},
        .named = {{.name = "fixed-image",
                   .kind = kinds::grid,
                   .help = "fixed image, which gives size and spacing",
                   .required = false},
                  {.name = "moving-image",
                   .kind = kinds::grid,
                   .help = "the same for the moving image",
                   .required = false}},
        .outputs = {{.name = "output",
                     .kind = kinds::transform,
                     .help = "transform, from fixed to moving (.json, .tfm)",
                     .always = true},
                    {"residuals", kinds::table, "error of each pair, outliers marked (.csv)"}},
        .options = Options::of(FitOptions{}),
        .run = run_fit,
        .memory = fit_memory,
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
