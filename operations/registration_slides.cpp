// register, of slides: read tile by tile, and written so.
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "operations/kinds/transform.h"
#include "operations/registration.h"
#include "operations/slides.h"
#include "tesela/warp.h"

namespace tesela::operations {
namespace {

ImageGrid grid_of_slide(const TileSource& slide) {
    const TileLevel& first = slide.facts().levels.front();
    return {first.shape, first.geometry};
}

const TileSource& slide_named(const Call& call, const char* name) {
    const TileSource& slide = *call.inputs.get<Slide>(name);
    if (slide.facts().planes > 1)
        throw InvalidInput(name, "the slide holds " + std::to_string(slide.facts().planes) +
                                     " channels, slices or times, and tiles have the first alone");
    return slide;
}

SlidePair pair_of(const Call& call) {
    const auto mask = [&](const char* name) {
        const Slide* given = call.inputs.find<Slide>(name);
        return given ? given->get() : nullptr;
    };
    return {slide_named(call, "input"), slide_named(call, "moving"), mask("fixed-mask"),
            mask("moving-mask")};
}

// Pictures of a slide registration are made of thumbnails.
void set_small_pictures(const Call& call, const SlidePair& pair, const Transform& transform,
                        bool is_kept, Queue& queue, Results& results) {
    const std::int64_t side = call.options.as<SlideRegistrationOptions>().thumbnail;
    const AnyImage fixed = slide_picture(pair.fixed, side);
    const AnyImage moving = slide_picture(pair.moving, side);
    Transform of_pictures = transform;
    of_pictures.unit = Unit::millimeter;
    of_pictures.fixed = grid_of(AnyImageView(fixed));
    of_pictures.moving = grid_of(AnyImageView(moving));
    if (call.wants("overlay"))
        set_pictures(call, fixed, moving, of_pictures, false, queue, results);
    if (is_kept && call.wants("before"))
        results.outputs.set("before", unaligned(fixed, moving, queue));
}

void write_warped(const Call& call, const SlidePair& pair, const Transform& transform, Queue& queue,
                  const Progress& progress) {
    const auto& options = call.options.as<SlideRegistrationOptions>();
    UnionCanvas canvas{grid_of_slide(pair.fixed), transform, {}};
    if (options.canvas != RegistrationCanvas::fixed)
        canvas = union_canvas(transform, options.max_canvas);
    write_warped_slide(call, "warped", pair.moving, canvas.to_moving, canvas.grid, {}, false, queue,
                       progress);
}

Results run_slides(const Call& call, Queue& queue, const Progress& progress) {
    const SlidePair pair = pair_of(call);
    const bool writes = call.wants("warped");
    SlideRegistration found = registered(call, pair, queue, progress.part(0, writes ? 0.7 : 1));
    Results results = results_of(call, found);
    const bool is_kept = results.failure.empty();
    set_small_pictures(call, pair, found.transform, is_kept, queue, results);
    if (!is_kept) return results;
    results.outputs.set("itk", found.transform);
    results.outputs.set("transform", found.transform);
    if (!writes) return results;
    queue.trim();
    StageClock clock;
    clock.start("warp");
    try {
        write_warped(call, pair, found.transform, queue, progress.part(0.7, 1));
    } catch (const Error& error) {
        // The transform took the work, and `tesela warp` writes the slide from it.
        if (error.code() == ErrorCode::cancelled || !(call.wants("transform") || call.wants("itk")))
            throw;
        results.failure = std::string(error.what()) +
                          "; the transform is kept: 'tesela warp' writes the aligned slide with it";
    }
    for (StageTime& stage : clock.take()) results.stages.push_back(std::move(stage));
    return results;
}

Memory slides_memory(const Call& call, const Device& device) {
    const SlidePair pair = pair_of(call);
    const auto& options = call.options.as<SlideRegistrationOptions>();
    const SlideRegistrationBytes bytes =
        slide_registration_bytes(pair.fixed, pair.moving, options, device, call.threads);
    const std::int64_t warped = warped_box_bytes;
    return {.device = std::max(bytes.device, warped),
            .held = thumbnail_bytes(pair.fixed, options.thumbnail) +
                    thumbnail_bytes(pair.moving, options.thumbnail),
            .computing = bytes.host};
}

}  // namespace

SlideRegistration registered(const Call& call, const SlidePair& pair, Queue& queue,
                             const Progress& progress) {
    SlideRegistrationOptions options = call.options.as<SlideRegistrationOptions>();
    const bool is_any_taken = std::exchange(options.accept_poor, true);
    const SlideStart start{
        .fixed_mask = pair.fixed_mask,
        .moving_mask = pair.moving_mask,
        .initial = call.inputs.has("initial") ? &call.inputs.get<Transform>("initial") : nullptr,
        .refine_poor = is_any_taken};
    return register_slides(pair.fixed, pair.moving, options, queue, start, call.threads, progress);
}

void add_matches(const Call& call, const SlideRegistration& found, Results& results) {
    std::array<std::int64_t, enum_names(MatchState{}).size()> counts{};
    for (const SlideMatch& match : found.matches) ++counts[static_cast<std::size_t>(match.state)];
    Figures states;
    for (const auto& [state, name] : enum_names(MatchState{}))
        states.push_back({std::string(name), counts[static_cast<std::size_t>(state)]});
    const std::int64_t accepted = counts[static_cast<std::size_t>(MatchState::accepted)];
    results.summary += printed(", %lld of %lld windows match", static_cast<long long>(accepted),
                               static_cast<long long>(windows_within(found.matches)));
    results.figures.push_back({"tiles", found.tiles});
    results.figures.push_back({"tiles_with_contrast", found.kept});
    results.figures.push_back({"is_refined", found.is_refined});
    results.figures.push_back({"windows", std::move(states)});
    if (!call.wants("matches")) return;
    const auto list = std::make_shared<const std::vector<SlideMatch>>(found.matches);
    results.outputs.set(
        "matches", Table{{"x", "y", "moving_x", "moving_y", "shift_x", "shift_y", "score", "second",
                          "way_back", "state"},
                         std::ssize(*list),
                         [list](std::int64_t row, std::size_t column) -> Table::Cell {
                             const SlideMatch& match = (*list)[static_cast<std::size_t>(row)];
                             const std::array numbers{
                                 match.fixed[0],  match.fixed[1], match.moving[0],
                                 match.moving[1], match.shift[0], match.shift[1],
                                 match.score,     match.second,   match.way_back};
                             if (column < numbers.size()) return numbers[column];
                             return std::string(enum_name(match.state));
                         }});
}

Operation registration_of_slides(Operation slides) {
    for (Input* input : {&slides.inputs[0], &slides.inputs[1], &slides.named[0], &slides.named[1]})
        input->kind = kinds::slide;
    slides.named[0].any_channels = slides.named[1].any_channels = true;
    std::erase_if(slides.outputs, [](const Output& output) { return output.name == "field"; });
    slides.outputs.front().kind = kinds::tiles;
    slides.run = run_slides;
    slides.memory = slides_memory;
    return slides;
}

}  // namespace tesela::operations
