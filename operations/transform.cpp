#include <fmt/format.h>

#include <cmath>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/compose_transforms.h"
#include "tesela/transform_measures.h"

namespace tesela::operations {
namespace {

std::string grid_text(const std::optional<ImageGrid>& grid) {
    return grid ? grid->to_string() : "not known";
}

Memory transform_memory(const Call& call, const Device&) {
    std::int64_t bytes = 0;
    const auto add = [&](const Transform& transform) {
        for (const auto& step : transform.steps)
            if (const auto* spline = std::get_if<SplineMap>(&step))
                bytes += std::ssize(spline->displacements) * std::int64_t{sizeof(double)};
    };
    if (const auto* several = call.inputs.find<std::vector<Transform>>("transforms"))
        for (const Transform& transform : *several) add(transform);
    if (const auto* one = call.inputs.find<Transform>("input")) add(*one);
    return {.held = bytes};
}

// ---- compose -----------------------------------------------------------------------------------

Results run_compose(const Call& call, Queue&, const Progress&) {
    const auto& transforms = call.inputs.get<std::vector<Transform>>("transforms");
    if (transforms.size() < 2) throw InvalidArgument("give at least two transforms to compose");
    Results results;
    Transform whole = transforms.front();
    for (std::size_t i = 1; i < transforms.size(); ++i) {
        const std::string before = call.name_of("transforms", i - 1),
                          after = call.name_of("transforms", i);
        if (!whole.moving || !transforms[i].fixed)
            results.warnings.push_back(
                fmt::format("{} does not name its image, so that it is not known whether {} "
                            "continues {}",
                            whole.moving ? after : before, after, before));
        try {
            whole = composed(whole, transforms[i]);
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(fmt::format(
                "{} does not continue {}: {}; order them from the fixed image of the first to the "
                "moving image of the last, or turn one around with 'tesela transform invert'",
                after, before, error.what()));
        }
    }
    results.summary =
        fmt::format("{} composed: from {} to {}", counted(std::ssize(transforms), "transform"),
                    grid_text(whole.fixed), grid_text(whole.moving));
    results.figures = {{"transforms", std::ssize(transforms)},
                       {"steps", std::ssize(whole.steps)},
                       {"fixed", grid_text(whole.fixed)},
                       {"moving", grid_text(whole.moving)}};
    results.outputs.set("output", std::move(whole));
    return results;
}

Operation compose() {
    return {.name = "transform compose",
            .purpose = "one transform of several that follow each other",
            .sentence = "Makes one transform of several that follow each other.",
            .examples = {"transform compose 1-to-2.json 2-to-3.json -o 1-to-3.json",
                         "transform compose 1-to-2.tfm 2-to-3.json 3-to-4.json -o 1-to-4.tfm"},
            .inputs = {{.name = "transforms",
                        .kind = kinds::transform,
                        .help = "transforms in their order; .tfm has the unit of the others",
                        .several = true}},
            .outputs = {{.name = "output",
                         .kind = kinds::transform,
                         .help = "from the first fixed to the last moving image",
                         .required = true}},
            .run = run_compose,
            .memory = transform_memory,
            .device = {.on_host = true}};
}

// ---- invert ------------------------------------------------------------------------------------

Results run_invert(const Call& call, Queue&, const Progress&) {
    InvertedTransform found = inverted(call.inputs.get<Transform>("input"));
    const char* unit = unit_of(found.transform);
    Results results;
    results.summary =
        found.largest_error > 0
            ? fmt::format("inverted: points come back within {:.2g} {}", found.largest_error, unit)
            : "inverted";
    results.figures = {{"largest_error", found.largest_error}, {"unit", std::string(unit)}};
    results.outputs.set("output", std::move(found.transform));
    return results;
}

Operation invert() {
    return {
        .name = "transform invert",
        .purpose = "the way back, from the moving to the fixed image",
        .sentence = "Inverts a transform: from the moving to the fixed image.",
        .examples = {"transform invert t.json -o back.json", "transform invert t.tfm -o back.tfm"},
        .inputs = {{.name = "input",
                    .kind = kinds::transform,
                    .help = "transform from fixed to moving (.json, .tfm)"}},
        .outputs = {{.name = "output",
                     .kind = kinds::transform,
                     .help = "inverse transform (.json, .tfm)",
                     .required = true}},
        .run = run_invert,
        .memory =
            [](const Call& call, const Device& device) {
                // Nodes are up to an eighth as far apart, along each axis.
                const Memory given = transform_memory(call, device);
                const auto& transform = call.inputs.get<Transform>("input");
                return Memory{.held = given.held * (transform.dimensions == 2 ? 64 : 512)};
            },
        .device = {.on_host = true}};
}

// ---- show --------------------------------------------------------------------------------------

std::string step_text(const LinearMap& map) { return std::string(enum_name(map.kind)); }
std::string step_text(const SplineMap& map) {
    std::string text = fmt::format("B-spline of {} x {}", map.size[0], map.size[1]);
    if (map.size[2] > 1) text += fmt::format(" x {}", map.size[2]);
    return text +
           fmt::format(" nodes, {:.4g} apart", std::max({map.spacing[0], map.spacing[1],
                                                         map.size[2] > 1 ? map.spacing[2] : 0.0}));
}

std::string point_text(const SpacePoint& point, int dimensions) {
    std::string text = fmt::format("({:.4g}, {:.4g}", point[0], point[1]);
    if (dimensions == 3) text += fmt::format(", {:.4g}", point[2]);
    return text + ")";
}

Figures figures_of(const TransformMeasures& measures, int dimensions) {
    std::vector<Figure::Record> list;
    for (const SpacePoint& corner : measures.corners) {
        list.push_back({{"x", corner[0]}, {"y", corner[1]}});
        if (dimensions == 3) list.back().push_back({"z", corner[2]});
    }
    return {
        {"determinant", std::vector<double>{measures.determinant.least, measures.determinant.most}},
        {"stretch", std::vector<double>{measures.stretch.least, measures.stretch.most}},
        {"rotation_degrees", measures.angle},
        {"mirrored", measures.mirrored},
        {"folded", measures.folded},
        {"mean_displacement", measures.mean_displacement},
        {"largest_displacement", measures.largest_displacement},
        {"corner_displacements", std::move(list)}};
}

std::string text_of(const TransformMeasures& measures, const Transform& transform,
                    const char* unit) {
    std::string text = fmt::format(
        "rotation      {:.4g} degrees at the center{}\n"
        "stretch       {:.4g} to {:.4g}\n"
        "determinant   {:.4g} to {:.4g}, {}\n"
        "displacement  mean {:.4g} {}, largest {:.4g} {}\n",
        measures.angle, measures.mirrored ? ", mirrored" : "", measures.stretch.least,
        measures.stretch.most, measures.determinant.least, measures.determinant.most,
        measures.folded > 0 ? fmt::format("{:.2g} % of the image folds", 100 * measures.folded)
                            : "without folds",
        measures.mean_displacement, unit, measures.largest_displacement, unit);
    const char* name = "corners       ";
    for (const SpacePoint& corner : measures.corners) {
        text += fmt::format("{}{} {}\n", name, point_text(corner, transform.dimensions), unit);
        name = "              ";
    }
    return text;
}

Results run_show(const Call& call, Queue&, const Progress&) {
    const auto& transform = call.inputs.get<Transform>("input");
    std::vector<std::string> steps;
    std::string steps_text;
    for (const auto& step : transform.steps) {
        steps.push_back(std::visit([](const auto& map) { return step_text(map); }, step));
        steps_text += (steps_text.empty() ? "" : "; ") + steps.back();
    }
    Results results;
    const auto* like = call.inputs.find<ImageGrid>("like");
    if (!like && transform.fixed) like = &*transform.fixed;
    const char* unit = unit_of(transform, like);
    results.details = {{"dimensions", std::int64_t{transform.dimensions}},
                       {"unit", std::string(unit)},
                       {"fixed", grid_text(transform.fixed)},
                       {"moving", grid_text(transform.moving)},
                       {"steps", steps}};
    results.data = fmt::format(
        "fixed image   {}\n"
        "moving image  {}\n"
        "steps         {}\n",
        grid_text(transform.fixed), grid_text(transform.moving),
        steps.empty() ? "identity" : steps_text);
    if (!like) {
        results.warnings.push_back(
            "the transform names no fixed image: give --like to measure it on one");
        return results;
    }
    const bool is_in_unit = !transform.has_unit || point_unit(*like) == transform.unit;
    if ((like->shape.z > 1 ? 3 : 2) != transform.dimensions || !is_in_unit)
        throw InvalidArgument(
            fmt::format("--like has {}, and the transform has {} dimensions in {}: give its fixed "
                        "image",
                        like->to_string(), transform.dimensions, unit));
    const TransformMeasures measures = measure_transform(transform, *like);
    for (Figure& figure : figures_of(measures, transform.dimensions))
        results.details.push_back(std::move(figure));
    results.data += text_of(measures, transform, unit);
    return results;
}

Operation show() {
    return {.name = "transform show",
            .purpose = "what a transform does: images, rotation, stretch, folds",
            .sentence = "Shows what a transform does: its images, rotation, stretch and folds.",
            .examples = {"transform show t.json", "transform show itk.tfm --like fixed.nii.gz"},
            .inputs = {{.name = "input",
                        .kind = kinds::transform,
                        .help = "transform from fixed to moving (.json, .tfm)"}},
            .named = {{.name = "like",
                       .kind = kinds::grid,
                       .help = "fixed image, where the file does not name it; .tfm has its unit",
                       .required = false}},
            .run = run_show,
            .memory = [](const Call&, const Device&) { return Memory{}; },
            .device = {.on_host = true}};
}

}  // namespace

void add_transform(Registry& registry) {
    registry.add(Family{.name = "transform",
                        .purpose = "compose, invert, show and fit transforms",
                        .sentence = "Composes, inverts, shows and fits transforms.",
                        .task = tasks::registration});
    registry.add(compose());
    registry.add(invert());
    registry.add(show());
    add_transform_fit(registry);
}

}  // namespace tesela::operations
