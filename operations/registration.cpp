#include "operations/registration.h"

#include <algorithm>
#include <utility>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/kinds/transform.h"
#include "operations/register_mosaic.h"
#include "operations/register_stack.h"
#include "operations/registry.h"
#include "tesela/overlay.h"
#include "tesela/picture_source.h"
#include "tesela/warp.h"

namespace tesela::operations {
namespace {

// Checkerboard of both images; for volumes, of their three middle slices.
AnyImage board_of(const AnyImageView& fixed, const AnyImageView& moving) {
    if (fixed.shape().z == 1) return checkerboard(fixed, moving);
    constexpr int squares = 24;  // eight in each of three slices
    return checkerboard(image_picture(fixed), image_picture(moving), squares);
}

std::string refusal(const Call& call, const RegistrationResult& found) {
    const std::string advice = call.wants("overlay") ? "look at the overlay that was written"
                                                     : "give --overlay to see the position found";
    return mismatch_text(found) + "; " + advice +
           ": if it fits, give --accept-poor, otherwise --initial";
}

// Pictures that are not matched in windows.
RegistrationResult registered_whole(const Call& call, Queue& queue, const Progress& progress) {
    if (call.wants("matches"))
        throw InvalidArgument(
            "--matches is of slides and of pictures larger than --thumbnail: these images are not "
            "matched in windows");
    const RegistrationStart start{
        .fixed_mask = call.inputs.find_view("fixed-mask"),
        .moving_mask = call.inputs.find_view("moving-mask"),
        .initial = call.inputs.has("initial") ? &call.inputs.get<Transform>("initial") : nullptr};
    RegistrationOptions options = call.options.as<SlideRegistrationOptions>();
    options.accept_poor = true;
    return register_images(call.image(), call.inputs.view("moving"), options, queue, start,
                           progress);
}

Results run_register(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<SlideRegistrationOptions>();
    const AnyImageView& fixed = call.image();
    const auto& moving = call.inputs.view("moving");
    SlideRegistration found;
    if (is_like_slide(fixed, options) || is_like_slide(moving, options)) {
        const auto source = [](const AnyImageView& image) { return picture_source(image); };
        const auto mask = [&](const char* name) {
            const auto view = call.inputs.find_view(name);
            return view ? source(*view) : nullptr;
        };
        const auto fixed_mask = mask("fixed-mask"), moving_mask = mask("moving-mask");
        found =
            registered(call, {*source(fixed), *source(moving), fixed_mask.get(), moving_mask.get()},
                       queue, progress);
    } else {
        static_cast<RegistrationResult&>(found) = registered_whole(call, queue, progress);
    }
    Results results = results_of(call, found);
    const bool is_kept = results.failure.empty();
    if (call.wants("overlay") || (is_kept && call.wants("warped")))
        set_pictures(call, fixed, moving, found.transform, is_kept && call.wants("warped"), queue,
                     results);
    if (!is_kept) return results;
    if (call.wants("before")) results.outputs.set("before", unaligned(fixed, moving, queue));
    if (call.wants("field"))
        results.outputs.set("field", AnyImage(displacement_field(found.transform, grid_of(fixed))));
    results.outputs.set("itk", found.transform);
    results.outputs.set("transform", std::move(found.transform));
    return results;
}

Memory memory_of(const Call& call, const Device& device) {
    const auto& options = call.options.as<SlideRegistrationOptions>();
    const AnyImageView& fixed = call.image();
    const auto& moving = call.inputs.view("moving");
    const std::int64_t warped = warp_device_bytes(moving, grid_of(fixed));
    if (!is_like_slide(fixed, options) && !is_like_slide(moving, options))
        return {.device = registration_device_bytes(fixed, moving, options) + warped,
                .computing = 8 * fixed.shape().elements()};
    const SlideRegistrationBytes bytes = slide_registration_bytes(
        *picture_source(fixed), *picture_source(moving), options, device, call.threads);
    return {.device = std::max(bytes.device, warped), .computing = bytes.host};
}

PixelFormat field_pixels(const AnyImageView& image) {
    return {PixelType::f32, image.shape().z > 1 ? 3 : 2};
}
PixelFormat color_pixels(const AnyImageView&) { return {PixelType::u8, 3}; }

Operation registration() {
    return {
        .name = "register pair",
        .purpose = "align two sections or two volumes",
        .sentence = "Registers two sections or slides in any stains, or two volumes.",
        .examples = {"register pair he.svs ihc.svs -o aligned.ome.tif --transform t.json",
                     "register pair t1.nii.gz t2.nii.gz -o aligned.nii.gz --itk t.tfm"},
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
                    {.name = "matches",
                     .kind = kinds::table,
                     .help = "CSV or JSON: windows of slides and where they match",
                     .by_name_alone = true},
                    {.name = "overlay",
                     .kind = kinds::view,
                     .help = "checkerboard of both; of volumes on three slices",
                     .pixels = color_pixels},
                    {.name = "before",
                     .kind = kinds::view,
                     .help = "checkerboard of both before registration",
                     .pixels = color_pixels}},
        .options = Options::of(SlideRegistrationOptions{}),
        .run = run_register,
        .memory = memory_of,
        .command_line = {.basic = {"model", "rotation", "mirror", "stiffness"}}};
}

}  // namespace

bool is_like_slide(const AnyImageView& image, const SlideRegistrationOptions& options) {
    const Shape& shape = image.shape();
    return shape.dimensions() == 2 && std::max(shape.x, shape.y) > options.thumbnail;
}

Results results_of(const Call& call, SlideRegistration& found) {
    Results results;
    const char* unit = found.transform.unit == Unit::millimeter ? "mm" : "px";
    const bool is_kept = found.is_match || call.options.as<SlideRegistrationOptions>().accept_poor;
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
    if (found.tiles > 0 || call.wants("matches")) add_matches(call, found, results);
    if (!is_kept) results.failure = refusal(call, found);
    return results;
}

void set_pictures(const Call& call, const AnyImageView& fixed, const AnyImageView& moving,
                  const Transform& transform, bool is_warped_wanted, Queue& queue,
                  Results& results) {
    const auto& options = call.options.as<SlideRegistrationOptions>();
    const bool is_fixed = options.canvas == RegistrationCanvas::fixed;
    UnionCanvas canvas{grid_of(fixed), transform, {}};
    if (!is_fixed) canvas = union_canvas(transform, options.max_canvas);
    AnyImage warped = warp(moving, canvas.to_moving, canvas.grid, {}, queue, {});
    if (call.wants("overlay")) {
        const AnyImage board =
            is_fixed ? board_of(fixed, warped)
                     : board_of(warp(fixed, canvas.to_fixed, canvas.grid, {}, queue, {}), warped);
        results.outputs.set("overlay", board);
    }
    if (is_warped_wanted) results.outputs.set("warped", std::move(warped));
}

AnyImage unaligned(const AnyImageView& fixed, const AnyImageView& moving, Queue& queue) {
    const ImageGrid grid = grid_of(fixed);
    const Transform none{.dimensions = grid.shape.z > 1 ? 3 : 2};
    return board_of(fixed, warp(moving, none, grid, {}, queue, {}));
}

void add_registration(Registry& registry) {
    registry.add(Family{.name = "register",
                        .purpose = "align sections, a series of them, volumes, or tiles",
                        .sentence =
                            "Registers two sections or slides, a series of sections, two volumes, "
                            "or the tiles of a microscope.",
                        .task = tasks::registration,
                        .default_operation = "register pair"});
    Operation whole = registration();
    whole.slides.in_tiles = std::make_shared<const Operation>(registration_of_slides(whole));
    registry.add(std::move(whole));
    add_register_stack(registry);
    add_register_mosaic(registry);
}

}  // namespace tesela::operations
