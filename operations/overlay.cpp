// overlay: labels on their image, for looking and for papers
#include "tesela/overlay.h"

#include <algorithm>
#include <set>
#include <utility>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/color.h"
#include "tesela/picture_text.h"

namespace tesela::operations {
namespace {

enum class LineColor { yellow, labels, none };
constexpr auto enum_names(LineColor) {
    return std::array{EnumNames<LineColor>{LineColor::yellow, "yellow"},
                      EnumNames<LineColor>{LineColor::labels, "labels"},
                      EnumNames<LineColor>{LineColor::none, "none"}};
}
constexpr auto enum_help(LineColor) {
    return std::array<std::string_view, 3>{"all alike", "each in its label's color", "no outlines"};
}

struct OverlayChoice {
    LineColor outline = LineColor::yellow;
    int line = 0;
    double fill = 0;
    bool numbers = false, scale_bar = false, legend = false;
    int enlarge = 1;
    std::string slices = "middle", window;
};
template <class V>
void describe(V&& v, OverlayChoice& o) {
    v("outline", o.outline, "outlines of the labels");
    v("line", o.line, "width of the outlines; 0: 2, and more in large pictures",
      OptionRange{.lowest = 0, .highest = 100, .unit = "pixels"});
    v("fill", o.fill, "opacity of the labels in their colors",
      OptionRange{.lowest = 0, .highest = 1});
    v("numbers", o.numbers, "write each label's number on it");
    v("scale-bar", o.scale_bar, "draw a bar of a round length");
    v("legend", o.legend,
      "list the labels of the map with their names and colors beside the picture");
    v("enlarge", o.enlarge, "pixels of the picture for each pixel of the image, along both axes",
      OptionRange{.lowest = 1, .highest = 16});
    v("slices", o.slices, "of a volume: middle, all, or a distance such as 12mm");
    v("window", o.window, "values that are black and white, LOW,HIGH",
      OptionRange{.automatic = "the 1st and the 99th percentile"});
}

OverlayOptions options_of(const Call& call) {
    const auto& choice = call.options.as<OverlayChoice>();
    OverlayOptions options{
        .line_width = choice.line,
        .fill = choice.fill,
        .lines = choice.outline != LineColor::none,
        .colored_lines = choice.outline == LineColor::labels,
        .smooth_lines = true,
        .numbers = choice.numbers,
        .sides = true,
        .enlarge = choice.enlarge,
        .color_of = [table = call.inputs.image("labels").label_table()](std::uint32_t label) {
            return color_of(table.get(), label);
        }};
    options.slices = SliceChoice::parse(choice.slices);
    if (!choice.window.empty()) options.window = BrightnessWindow::parse(choice.window);
    return options;
}

std::vector<LegendEntry> legend_of(const Values& inputs) {
    const SharedLabelTable table = inputs.image("labels").label_table();
    const auto pixels = inputs.labels("labels").pixels();
    std::set<std::uint32_t> present;
    std::uint32_t last = 0;
    for (const std::uint32_t label : pixels)
        if (label != std::exchange(last, label)) present.insert(label);
    present.erase(0);
    std::vector<LegendEntry> entries;
    for (const std::uint32_t label : present) {
        const std::string name = table ? label_name(*table, label) : "";
        entries.push_back(
            {name.empty() ? std::to_string(label) : name, color_of(table.get(), label)});
    }
    return entries;
}

Results run_overlay(const Call& call, Queue&, const Progress& progress) {
    Image<std::uint8_t> picture =
        boundary_overlay(call.image(), call.inputs.labels("labels"), options_of(call), progress);
    Results results;
    const auto labels = call.inputs.labels("labels").pixels();
    if (std::all_of(labels.begin(), labels.end(), [](std::uint32_t label) { return label == 0; }))
        results.warnings.push_back("no pixel has a label: nothing is drawn on the image");
    const auto& choice = call.options.as<OverlayChoice>();
    std::string bar;
    if (choice.scale_bar) {
        if (!picture.geometry.known())
            throw InvalidArgument(call.shape().z > 1
                                      ? "--scale-bar needs a picture; this is a volume"
                                      : "--scale-bar: the image does not say the size of its "
                                        "pixels; give it by --spacing");
        const double length = draw_scale_bar(picture);
        results.figures = {{"scale_bar_um", length}};
        bar = printed("; the scale bar is %.6g um long", length);
    }
    if (choice.legend) picture = with_legend(picture, legend_of(call.inputs));
    results.summary =
        printed("picture of %lld x %lld pixels", static_cast<long long>(picture.shape().x),
                static_cast<long long>(picture.shape().y)) +
        bar;
    results.outputs.set("picture", AnyImage(std::move(picture)));
    return results;
}

}  // namespace

void add_overlay(Registry& registry) {
    registry.add(Operation{
        .name = "overlay",
        .purpose = "draw labels on their image",
        .sentence = "Draws the outlines, colors and numbers of labels on their image. A volume is "
                    "shown by slices, with the sides of the patient.",
        .task = tasks::picture,
        .examples = {"overlay coins.png objects.png --numbers -o counted.png",
                     "overlay head.nii.gz brain.nii.gz --fill 0.4 --outline none -o brain.png",
                     "overlay cells.tif nuclei.tif --outline labels --enlarge 4 --scale-bar -o "
                     "figure.png",
                     "overlay ct.nii.gz organs.nii.gz --fill 0.5 --legend -o organs.png"},
        .inputs = {image_input,
                   {.name = "labels",
                    .kind = kinds::labels,
                    .help = "label map or mask on the same grid",
                    .names_labels = true}},
        .outputs = {{.name = "picture",
                     .kind = kinds::view,
                     .help = "picture in color",
                     .pixels =
                         [](const AnyImageView&) {
                             return PixelFormat{PixelType::u8, 3};
                         },
                     .required = true}},
        .options = Options::of(OverlayChoice{}),
        .run = run_overlay,
        .memory =
            [](const Call& call, const Device&) {
                // Three slices side by side, or all of them, and what outlines cover.
                const auto& choice = call.options.as<OverlayChoice>();
                constexpr std::int64_t most_samples = 1 << 23;  // for percentiles
                const std::int64_t points = call.shape().points();
                return Memory{.held = (3 * 3 + 8) * points * choice.enlarge * choice.enlarge,
                              .computing = 3 * 8 * std::min(points, most_samples)};
            },
        .check =
            [](const Options& options) {
                const auto& choice = options.as<OverlayChoice>();
                SliceChoice::parse(choice.slices);
                if (!choice.window.empty()) BrightnessWindow::parse(choice.window);
                if (choice.legend && choice.fill == 0 && choice.outline != LineColor::labels)
                    throw InvalidArgument(
                        "--legend: the picture has no colors of labels: give --fill, or "
                        "--outline labels");
            },
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
