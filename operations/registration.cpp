#include "tesela/registration.h"

#include <utility>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/overlay.h"
#include "tesela/warp.h"

namespace tesela::operations {
namespace {

// Checkerboard of both images; for volumes, of their three middle slices.
AnyImage board_of(const AnyImageView& fixed, const AnyImageView& moving) {
    if (fixed.shape().z == 1) return checkerboard(fixed, moving);
    constexpr int squares = 24;  // eight in each of three slices
    return checkerboard(image_picture(fixed), image_picture(moving), squares);
}

// The moving image, if it is kept, and the checkerboard of both, on the requested canvas.
void set_pictures(const Call& call, const AnyImageView& moving, const Transform& transform,
                  bool is_kept, Queue& queue, Results& results) {
    const auto& options = call.options.as<RegistrationOptions>();
    const bool is_fixed = options.canvas == RegistrationCanvas::fixed;
    UnionCanvas canvas{grid_of(call.image()), transform, {}};
    if (!is_fixed) canvas = union_canvas(transform, options.max_canvas);
    AnyImage warped = warp(moving, canvas.to_moving, canvas.grid, {}, queue, {});
    if (call.wants("overlay")) {
        const AnyImage board =
            is_fixed
                ? board_of(call.image(), warped)
                : board_of(warp(call.image(), canvas.to_fixed, canvas.grid, {}, queue, {}), warped);
        results.outputs.set("overlay", board);
    }
    if (is_kept) results.outputs.set("warped", std::move(warped));
}

// The checkerboard before registration.
AnyImage unaligned(const Call& call, const AnyImageView& moving, Queue& queue) {
    const ImageGrid grid = grid_of(call.image());
    const Transform none{.dimensions = grid.shape.z > 1 ? 3 : 2};
    return board_of(call.image(), warp(moving, none, grid, {}, queue, {}));
}

std::string refusal(const Call& call, const RegistrationResult& found) {
    const std::string advice = call.wants("overlay") ? "look at the overlay that was written"
                                                     : "give --overlay to see the position found";
    return mismatch_text(found) + "; " + advice +
           ": if it fits, give --accept-poor, otherwise --initial";
}

Results run_register(const Call& call, Queue& queue, const Progress& progress) {
    const AnyImageView& fixed = call.image();
    const auto& moving = call.inputs.view("moving");
    const RegistrationStart start{
        .fixed_mask = call.inputs.find_view("fixed-mask"),
        .moving_mask = call.inputs.find_view("moving-mask"),
        .initial = call.inputs.has("initial") ? &call.inputs.get<Transform>("initial") : nullptr};
    auto options = call.options.as<RegistrationOptions>();
    const bool is_any_taken = std::exchange(options.accept_poor, true);
    RegistrationResult found = register_images(fixed, moving, options, queue, start, progress);
    Results results;
    const char* unit = found.transform.unit == Unit::millimeter ? "mm" : "px";
    const bool is_kept = found.is_match || is_any_taken;
    results.summary = is_kept ? "registered: " : "not registered: ";
    results.summary +=
        printed("%d of %d parts agree, similarity %.3f, margin %.3f, overlap %.1f %%",
                found.agreement.agreeing, found.agreement.parts, found.coarse_similarity,
                found.margin, 100 * found.score.overlap);
    if (found.estimated_error > 0)
        results.summary += printed(", estimated error %.2g %s", found.estimated_error, unit);
    results.figures = {{"is_match", found.is_match},
                       {"similarity", found.coarse_similarity},
                       {"similarity_finest", found.score.similarity},
                       {"margin", found.margin},
                       {"overlap", found.score.overlap},
                       {"least_jacobian", found.least_jacobian},
                       {"estimated_error", found.estimated_error},
                       {"unit", std::string(unit)},
                       {"parts", std::int64_t{found.agreement.parts}},
                       {"agreement", found.agreement.share()}};
    results.used = {{"measure", std::string(enum_name(found.measure))}};
    results.warnings = std::move(found.warnings);
    results.stages = std::move(found.stages);
    if (call.wants("overlay") || (is_kept && call.wants("warped")))
        set_pictures(call, moving, found.transform, is_kept, queue, results);
    if (!is_kept) {
        results.failure = refusal(call, found);
        return results;
    }
    if (call.wants("before")) results.outputs.set("before", unaligned(call, moving, queue));
    if (call.wants("field"))
        results.outputs.set("field", AnyImage(displacement_field(found.transform, grid_of(fixed))));
    results.outputs.set("itk", found.transform);
    results.outputs.set("transform", std::move(found.transform));
    return results;
}

PixelFormat field_pixels(const AnyImageView& image) {
    return {PixelType::f32, image.shape().z > 1 ? 3 : 2};
}
PixelFormat color_pixels(const AnyImageView&) { return {PixelType::u8, 3}; }

Operation registration() {
    return {
        .name = "register",
        .purpose = "align two sections or two volumes",
        .sentence = "Registers two sections in any stains, or two volumes.",
        .task = tasks::registration,
        .examples = {"register he.jpg ihc.jpg -o aligned.png --transform t.json",
                     "register t1.nii.gz t2.nii.gz -o aligned.nii.gz --itk t.tfm"},
        .inputs = {{.name = "input", .kind = kinds::image, .help = "fixed image", .axes = 3},
                   {.name = "moving",
                    .kind = kinds::image,
                    .help = "image that is aligned",
                    .own_grid = true,
                    .axes = 3}},
        .named = {{"fixed-mask", kinds::mask, "compare only where this image is nonzero", false},
                  {.name = "moving-mask",
                   .kind = kinds::mask,
                   .help = "the same for the moving image",
                   .required = false,
                   .grid_of = "moving"},
                  {"initial", kinds::transform, "initial linear transform (.json, .tfm)", false}},
        .outputs = {{"warped", kinds::image, "moving image resampled to the fixed image"},
                    {"transform", kinds::transform, "transform, from fixed to moving (.json)"},
                    {"itk", kinds::transform, "the same for ITK (.tfm)"},
                    {.name = "field",
                     .kind = kinds::image,
                     .help = "displacement of each pixel (.nii.gz)",
                     .pixels = field_pixels},
                    {.name = "overlay",
                     .kind = kinds::view,
                     .help = "checkerboard of both; of volumes on three slices",
                     .pixels = color_pixels},
                    {.name = "before",
                     .kind = kinds::view,
                     .help = "checkerboard of both before registration",
                     .pixels = color_pixels}},
        .options = Options::of(RegistrationOptions{}),
        .run = run_register,
        .memory =
            [](const Call& call, const Device&) {
                const auto& moving = call.inputs.view("moving");
                return Memory{
                    .device = registration_device_bytes(call.image(), moving,
                                                        call.options.as<RegistrationOptions>()) +
                              warp_device_bytes(moving, grid_of(call.image())),
                    .computing = 8 * call.image().shape().elements()};
            },
        .command_line = {.basic = {"model", "rotation", "mirror", "compare", "stiffness"}}};
}

}  // namespace

void add_registration(Registry& registry) { registry.add(registration()); }

}  // namespace tesela::operations
