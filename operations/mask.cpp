// mask fill-holes, largest, remove-small, clear-border, keep, split, invert, and, or, minus, apply
#include "tesela/mask.h"

#include <algorithm>

#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/label_maps.h"
#include "operations/regions.h"
#include "operations/registry.h"
#include "tesela/region_size.h"

namespace tesela::operations {
namespace {

constexpr std::string_view labels_help = "treat pixel values as labels, each of which is an object";
constexpr std::string_view connectivity_help =
    "which pixels of a mask are connected; auto: all that touch";
constexpr std::string_view size_unit = "pixels, or with um, mm2, mm3, ml, ...";

struct HoleChoice {
    std::string max_size = "0";
    Connectivity connectivity = Connectivity::automatic;
};
template <class V>
void describe(V&& v, HoleChoice& o) {
    v("max-size", o.max_size, "leave holes larger than this; 0: fill all",
      OptionRange{.unit = size_unit});
    v("connectivity", o.connectivity, "which pixels of a hole are connected; auto: 4 or 6");
}

// What the selections have in common.
struct ObjectChoice {
    bool labels = false;
    Connectivity connectivity = Connectivity::automatic;
};
template <class V>
void describe(V&& v, ObjectChoice& o) {
    v("labels", o.labels, labels_help);
    v("connectivity", o.connectivity, connectivity_help);
}
struct LargestChoice : ObjectChoice {
    std::int64_t count = 1;
};
template <class V>
void describe(V&& v, LargestChoice& o) {
    v("count", o.count, "number of objects to keep",
      OptionRange{.lowest = 1, .highest = 2147483647});
    describe(v, static_cast<ObjectChoice&>(o));
}
struct SmallChoice : ObjectChoice {
    std::string min_size = "64";
};
template <class V>
void describe(V&& v, SmallChoice& o) {
    v("min-size", o.min_size, "remove objects smaller than this", OptionRange{.unit = size_unit});
    describe(v, static_cast<ObjectChoice&>(o));
}
struct BorderChoice : ObjectChoice {
    std::int32_t margin = 1;
};
template <class V>
void describe(V&& v, BorderChoice& o) {
    v("margin", o.margin, "width of the border",
      OptionRange{.lowest = 1, .highest = 2147483647, .unit = "pixels"});
    describe(v, static_cast<ObjectChoice&>(o));
}
struct KeepChoice {
    std::string list = "1";
};
template <class V>
void describe(V&& v, KeepChoice& o) {
    v("list", o.list, "labels and ranges to keep, such as 1,3,5-8");
}
struct ApplyChoice {
    double value = 0;
};
template <class V>
void describe(V&& v, ApplyChoice& o) {
    v("value", o.value, "value of pixels outside the mask", OptionRange{.unit = "file units"});
}

std::int64_t points_of(const char* option, const std::string& size, const Call& call) {
    try {
        return RegionSize::parse(size).points(call.shape(), call.inputs.image("input").geometry());
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(std::string(option) + ": " + error.what());
    }
}

Input objects_input() {
    return {.name = "input",
            .kind = kinds::image,
            .help = "mask or label map, picture or volume of one channel",
            .axes = 3,
            .names_labels = true};
}
constexpr Input mask_input{
    .name = "mask", .kind = kinds::mask, .help = "mask on the same grid; what is not 0 is inside"};
Output image_output(std::string_view help) {
    return {.name = "image",
            .kind = kinds::image,
            .help = help,
            .always = true,
            .keeps_labels = true,
            .keeps_values = true};
}

Memory objects_memory(const Call& call, const Device&) {
    return {.device = select_objects_device_bytes(call.shape()),
            .computing = 9 * call.shape().points()};
}

// ---- Objects that stay ----

template <class Choice>
ObjectSelection selection_of(const Call& call) {
    const auto& choice = call.options.as<Choice>();
    ObjectSelection selection{.labels = choice.labels || is_label_map(call),
                              .connectivity = choice.connectivity};
    if constexpr (std::is_same_v<Choice, LargestChoice>) selection.largest = choice.count;
    if constexpr (std::is_same_v<Choice, BorderChoice>) selection.margin = choice.margin;
    if constexpr (std::is_same_v<Choice, SmallChoice>)
        selection.min_size = points_of("--min-size", choice.min_size, call);
    return selection;
}

template <class Result>
Results selection_results(Result result) {
    Results results;
    results.summary = printed("%lld of %s kept", static_cast<long long>(result.kept),
                              counted(result.objects, "object").c_str());
    results.figures = {{"object_count", result.objects}, {"kept_count", result.kept}};
    results.outputs.set("image", std::move(result.image));
    return results;
}

template <class Choice>
Operation selection_operation(std::string name, std::string purpose, std::string sentence,
                              std::vector<std::string> examples) {
    return {.name = "mask " + std::move(name),
            .purpose = std::move(purpose),
            .sentence = std::move(sentence),
            .examples = std::move(examples),
            .inputs = {objects_input()},
            .outputs = {image_output("image with 0 where an object was removed")},
            .options = Options::of(Choice{}),
            .run =
                [](const Call& call, Queue& queue, const Progress& progress) {
                    const ObjectSelection selection = selection_of<Choice>(call);
                    Results results =
                        selection_results(select_objects(call.image(), selection, queue, progress));
                    if (!selection.labels)
                        warn_of_gray(call.image(), "give --labels if it is a label map", results);
                    return results;
                },
            .memory = objects_memory,
            .device = {.level = device_level_of<std::uint8_t, std::uint32_t>(
                           [](const auto& image, const Call& call, Queue& queue,
                              const Progress& progress) {
                               return selection_results(select_objects(
                                   image, selection_of<Choice>(call), queue, progress));
                           })}};
}

// ---- Holes, parts ----

HoleOptions holes_of(const Call& call) {
    const auto& choice = call.options.as<HoleChoice>();
    return {.connectivity = choice.connectivity,
            .max_size = points_of("--max-size", choice.max_size, call)};
}
template <class Result>
Results hole_results(Result result) {
    Results results;
    results.summary = printed("%lld of %s filled", static_cast<long long>(result.filled),
                              counted(result.holes, "hole").c_str());
    results.figures = {{"hole_count", result.holes}, {"filled_count", result.filled}};
    results.outputs.set("image", std::move(result.image));
    return results;
}

Operation fill_holes_operation() {
    return {
        .name = "mask fill-holes",
        .purpose = "fill the holes of objects",
        .sentence = "Fills holes: background that is not connected to the image border.",
        .examples = {"mask fill-holes mask.png -o filled.png",
                     "mask fill-holes brain.nii.gz -o solid.nii.gz --max-size 2ml"},
        .inputs = {objects_input()},
        .outputs = {image_output("image in which holes have the value around them")},
        .options = Options::of(HoleChoice{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return hole_results(fill_holes(call.image(), holes_of(call), queue, progress));
            },
        .memory = objects_memory,
        .device = {
            .level = device_level_of<std::uint8_t, std::uint32_t>(
                [](const auto& image, const Call& call, Queue& queue, const Progress& progress) {
                    return hole_results(fill_holes(image, holes_of(call), queue, progress));
                })}};
}

template <class Result>
Results split_results(Result result) {
    const char* unit = result.millimeters ? "mm" : "pixels";
    Results results;
    results.summary = printed("%s of %s, split at necks deeper than %.4g %s",
                              counted(result.parts, "part").c_str(),
                              counted(result.objects, "object").c_str(), result.depth, unit);
    results.figures = {{"object_count", std::int64_t{result.objects}},
                       {"part_count", std::int64_t{result.parts}},
                       {"unit", std::string(unit)}};
    results.used = {{"depth", result.depth}};
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

Operation split_operation() {
    return {
        .name = "mask split",
        .purpose = "split touching objects where they are narrow",
        .sentence = "Splits touching objects by watersheds of their distance to the background.",
        .examples = {"mask split nuclei.png -o labels.png --overlay split.png",
                     "mask split cells.nii.gz -o labels.nii.gz --depth 0.5"},
        .inputs = {objects_input()},
        .outputs = {labels_output(), segmented_output()},
        .options = Options::of(SplitOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                Results results = split_results(
                    split_objects(call.image(), call.options.as<SplitOptions>(), queue, progress));
                warn_of_gray(call.image(), "choose labels with 'mask keep'", results);
                return results;
            },
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = split_objects_device_bytes(call.image()),
                              .computing = call.shape().points(),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented,
        .device = {.level =
                       device_level_of<std::uint8_t>([](const auto& image, const Call& call,
                                                        Queue& queue, const Progress& progress) {
                           return split_results(split_objects(
                               image, call.options.as<SplitOptions>(), queue, progress));
                       })}};
}

// ---- Labels that are kept, masks that are combined and applied ----

Operation keep_operation() {
    return {.name = "mask keep",
            .purpose = "keep some labels of a label map",
            .sentence = "Keeps the listed labels of a label map, and sets others to 0.",
            .examples = {"mask keep 1,3 atlas.nii.gz -o two.nii.gz",
                         "mask keep 5-8 labels.png -o some.png"},
            .inputs = {objects_input()},
            .outputs = {image_output("label map with 0 where another label was")},
            .options = Options::of(KeepChoice{}),
            .run =
                [](const Call& call, Queue& queue, const Progress&) {
                    const std::string& list = call.options.as<KeepChoice>().list;
                    AnyImage kept = keep_labels(call.image(), parse_labels(list), queue);
                    const bool is_empty = std::visit(
                        [](const auto& image) {
                            return std::all_of(image.pixels().begin(), image.pixels().end(),
                                               [](auto label) { return label == 0; });
                        },
                        kept);
                    Results results = image_results("labels " + list + " kept", std::move(kept));
                    if (is_empty)
                        results.warnings.push_back("no pixel has a label of " + list +
                                                   ": all of the result is 0");
                    return results;
                },
            .memory = objects_memory,
            .check = [](const Options& options) { parse_labels(options.as<KeepChoice>().list); },
            .device = {.level = device_level_of<std::uint8_t, std::uint32_t>(
                           [](const auto& image, const Call& call, Queue& queue, const Progress&) {
                               const std::string& list = call.options.as<KeepChoice>().list;
                               return image_results("labels " + list + " kept",
                                                    keep_labels(image, parse_labels(list), queue));
                           })},
            .command_line = {.positional = {"list"}}};
}

Operation invert_operation() {
    return {.name = "mask invert",
            .purpose = "swap inside and outside",
            .sentence = "Makes a mask of the pixels that are 0.",
            .examples = {"mask invert mask.png -o background.png",
                         "mask invert brain.nii.gz -o outside.nii.gz"},
            .inputs = {objects_input()},
            .outputs = {{.name = "image",
                         .kind = kinds::mask,
                         .help = "255 where the input is 0, 0 elsewhere",
                         .pixels = mask_pixels,
                         .always = true}},
            .run =
                [](const Call& call, Queue&, const Progress&) {
                    return image_results("mask inverted", invert_mask(call.image()));
                },
            .memory = objects_memory,
            .device = {.level = device_level_of<std::uint8_t, std::uint32_t>(
                           [](const auto& image, const Call&, Queue& queue, const Progress&) {
                               return image_results("mask inverted", invert_mask(image, queue));
                           })}};
}

DeviceLevel apply_level(const std::function<ApplyMaskOptions(const Call&)>& options_of) {
    return device_level_of<std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t, float>(
        [options_of](const auto& image, const Call& call, Queue& queue, const Progress&) {
            const auto& mask = call.inputs.image("mask").resident_of<std::uint8_t>();
            return image_results("mask applied", apply_mask(image, mask, options_of(call), queue));
        });
}
Operation apply_operation(std::string name, std::string purpose, std::string sentence,
                          std::vector<std::string> examples, Input input, Options options,
                          const std::function<ApplyMaskOptions(const Call&)>& options_of) {
    return {.name = "mask " + std::move(name),
            .purpose = std::move(purpose),
            .sentence = std::move(sentence),
            .examples = std::move(examples),
            .inputs = {std::move(input), mask_input},
            .outputs = {image_output("masked image, of the input's pixel type")},
            .options = std::move(options),
            .run =
                [options_of](const Call& call, Queue&, const Progress&) {
                    return image_results(
                        "mask applied",
                        apply_mask(call.image(), call.inputs.pixels<std::uint8_t>("mask"),
                                   options_of(call)));
                },
            .memory = objects_memory,
            .device = {.level = apply_level(options_of)}};
}

Operation or_operation() {
    return {.name = "mask or",
            .purpose = "pixels of either mask",
            .sentence = "Makes a mask of the pixels that are in either of two masks.",
            .examples = {"mask or left.png right.png -o both.png",
                         "mask or white.nii.gz gray.nii.gz -o brain.nii.gz"},
            .inputs = {objects_input(), mask_input},
            .outputs = {image_output("mask with the value of the first")},
            .run =
                [](const Call& call, Queue&, const Progress&) {
                    return image_results(
                        "masks united",
                        unite_masks(call.image(), call.inputs.pixels<std::uint8_t>("mask")));
                },
            .memory = objects_memory,
            .device = {.on_host = true}};
}

}  // namespace

void add_masks(Registry& registry) {
    registry.add(Family{.name = "mask",
                        .purpose = "select, fill, split, combine and apply masks and labels",
                        .sentence = "Selects, fills, splits, combines and applies masks and label "
                                    "maps.",
                        .task = tasks::segment});
    registry.add(fill_holes_operation());
    registry.add(selection_operation<LargestChoice>(
        "largest", "keep the largest object", "Keeps the largest object, or several.",
        {"mask largest brain.nii.gz -o one.nii.gz", "mask largest mask.png -o two.png --count 2"}));
    registry.add(selection_operation<SmallChoice>(
        "remove-small", "remove small objects", "Removes objects smaller than a size.",
        {"mask remove-small mask.png -o clean.png --min-size 100",
         "mask remove-small nuclei.tif -o clean.tif --min-size 20um2"}));
    registry.add(selection_operation<BorderChoice>(
        "clear-border", "remove objects at the image border",
        "Removes objects that touch the image border.",
        {"mask clear-border mask.png -o whole.png",
         "mask clear-border labels.tif -o whole.tif --labels --margin 3"}));
    registry.add(keep_operation());
    registry.add(split_operation());
    registry.add(invert_operation());
    registry.add(apply_operation(
        "and", "pixels of both masks", "Keeps what of a mask or label map is in a second mask.",
        {"mask and mask.png tissue.png -o both.png",
         "mask and labels.nii.gz brain.nii.gz -o inside.nii.gz"},
        objects_input(), {}, [](const Call&) { return ApplyMaskOptions{}; }));
    registry.add(or_operation());
    registry.add(apply_operation("minus", "pixels of the first mask that are not in the second",
                                 "Removes a mask from a mask or label map.",
                                 {"mask minus mask.png vessels.png -o rest.png",
                                  "mask minus head.nii.gz brain.nii.gz -o skull.nii.gz"},
                                 objects_input(), {},
                                 [](const Call&) { return ApplyMaskOptions{.inverse = true}; }));
    registry.add(apply_operation("apply", "set an image to a value outside a mask",
                                 "Sets all pixels of an image outside a mask to a value.",
                                 {"mask apply head.nii.gz brain.nii.gz -o brain-only.nii.gz",
                                  "mask apply slide.png tissue.png -o tissue-only.png --value 255"},
                                 channels_input, Options::of(ApplyChoice{}), [](const Call& call) {
                                     return ApplyMaskOptions{
                                         .value = call.options.as<ApplyChoice>().value};
                                 }));
}

}  // namespace tesela::operations
