// The thesis's experiments on what is segmented: EXP-2 to EXP-6.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/region_growing/global_growth.h"
#include "experiments/region_growing/laboratory.h"
#include "messages.h"
#include "tesela/evaluate_labels.h"
#include "tesela/io.h"
#include "tesela/overlay.h"

namespace tesela::experiments {
namespace {

using region_thesis::Figure;
using region_thesis::paint_figure;

constexpr Rgb white{255, 255, 255}, blue{0, 0, 255}, red{255, 0, 0};

void set(Image<std::uint8_t>& image, std::int64_t x, std::int64_t y, const Rgb& color) {
    for (int c = 0; c < 3; ++c) image(x, y, 0, 0, c) = color[static_cast<std::size_t>(c)];
}

// As in figures 5.6 and 5.7: regions white, seeds blue, the tile in the middle with a red border.
Image<std::uint8_t> debug_picture(const Image<std::uint8_t>& image, const ThesisGrowResult& result,
                                  std::int64_t stride, std::int64_t block) {
    Image<std::uint8_t> picture = image;
    const std::int64_t height = image.shape().y;
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < image.shape().x; ++x)
            if (result.labels(x, y) != 0) set(picture, x, y, white);
    for (std::int64_t ty = 0; ty < result.tiles_y; ++ty)
        for (std::int64_t tx = 0; tx < result.tiles_x; ++tx)
            set(picture, tx * stride + block / 2 + 1, height - 2 - ty * stride - block / 2, blue);
    const std::int64_t x0 = result.tiles_x / 2 * stride,
                       y0 = height - 1 - result.tiles_y / 2 * stride;
    for (std::int64_t k = 0; k < block + 2; ++k)
        for (const std::int64_t side : {std::int64_t{0}, block + 1}) {
            set(picture, x0 + k, y0 - side, red);
            set(picture, x0 + side, y0 - k, red);
        }
    return picture;
}

Image<std::uint8_t> enlarged(const Image<std::uint8_t>& image, std::int64_t times) {
    Image<std::uint8_t> large({times * image.shape().x, times * image.shape().y, 1, 1, 3});
    for (std::int64_t y = 0; y < large.shape().y; ++y)
        for (std::int64_t x = 0; x < large.shape().x; ++x)
            for (int c = 0; c < 3; ++c) large(x, y, 0, 0, c) = image(x / times, y / times, 0, 0, c);
    return large;
}

std::string percent(std::int64_t part, std::int64_t whole) {
    return cell(100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Gaps along a row of the lowest tiles, between the first and the last labeled pixel.
std::vector<std::int64_t> gaps_of(const LabelImage& labels) {
    std::vector<std::int64_t> gaps;
    std::int64_t last = -1;
    const std::int64_t y = labels.shape().y - 1 - 11;
    for (std::int64_t x = 0; x < labels.shape().x; ++x) {
        if (labels(x, y) == 0) continue;
        if (last >= 0 && x > last + 1) gaps.push_back(x - last - 1);
        last = x;
    }
    return gaps;
}

struct Quality {
    double covering, rand_index, variation_of_information, boundary_f;
};
Quality quality_of(const LabelImage& labels, const RegionPicture& picture) {
    if (picture.truths.empty()) return {NAN, NAN, NAN, NAN};
    const LabelAgreement mean = evaluate_labels(labels, picture.truths).mean;
    return {mean.covering, mean.rand_index, mean.variation_of_information, mean.boundary_f};
}

}  // namespace

void run_disjoint_tiles(RegionLaboratory& laboratory) {
    const ThesisGrowOptions disjoint{.tiles = ThesisGrowTiles::disjoint};
    const ThesisGrowResult uniform =
        laboratory.grow(paint_figure({.figure = Figure::none}), disjoint);
    const std::int64_t covered = static_cast<std::int64_t>(uniform.tiles.size()) * 22 * 22;
    const std::int64_t labeled = uniform.owned_pixels - uniform.unlabeled_pixels;
    const std::vector<std::int64_t> gaps = gaps_of(uniform.labels);
    const bool two = !gaps.empty() && std::all_of(gaps.begin(), gaps.end(),
                                                  [](std::int64_t gap) { return gap == 2; });
    Table table({"picture", "tiles", "labeled", "covered", "gaps_percent"});
    table.add({"uniform", std::to_string(uniform.tiles.size()), std::to_string(labeled),
               std::to_string(covered), percent(covered - labeled, covered)});
    for (const RegionPicture& picture : laboratory.pictures()) {
        const ThesisGrowResult result = laboratory.grow(picture.image, disjoint);
        const std::int64_t tiles = static_cast<std::int64_t>(result.tiles.size());
        const std::int64_t here = result.owned_pixels - result.unlabeled_pixels;
        table.add({picture.name, std::to_string(tiles), std::to_string(here),
                   std::to_string(tiles * 22 * 22), percent(tiles * 22 * 22 - here, tiles * 484)});
        laboratory.write("EXP-2-" + picture.name + ".png",
                         debug_picture(picture.image, result, 22, 20));
    }
    laboratory.write("EXP-2.csv", table);
    laboratory.find({"G2", "disjoint tiles: labeled of covered pixels, and gaps",
                     "315 tiles, 126000 of 152460, 2 pixels",
                     fmt::format("{} tiles, {} of {}, {} pixels", uniform.tiles.size(), labeled,
                                 covered, two ? "2" : "other"),
                     labeled == 126000 && covered == 152460 && two});
}

void run_quadrants(RegionLaboratory& laboratory) {
    const auto hook = paint_figure({Figure::hook, 22, 22});
    Table table({"neighbors", "labeled", "iterations", "file"});
    std::array<std::int64_t, 2> sizes{};
    for (const auto neighbors : {ThesisGrowNeighbors::four, ThesisGrowNeighbors::quadrant}) {
        const ThesisGrowResult result = laboratory.grow(hook, {.neighbors = neighbors});
        const std::string name(enum_name(neighbors)), file = "EXP-3-" + name + ".png";
        sizes[neighbors == ThesisGrowNeighbors::four ? 0 : 1] = result.tiles[0].size;
        table.add({name, std::to_string(result.tiles[0].size),
                   std::to_string(result.tiles[0].iterations), file});
        laboratory.write(file, enlarged(result.colored, 12));
    }
    laboratory.write("EXP-3.csv", table);
    laboratory.find({"G3", "an object that bends back: four neighbors, two of a quadrant",
                     "17 of 17, 13 of 17 pixels (model)",
                     fmt::format("{} of 17, {} of 17", sizes[0], sizes[1]),
                     sizes[0] == 17 && sizes[1] == 13});
}

void run_initial_labels(RegionLaboratory& laboratory) {
    Table table({"picture", "tiles", "regions", "owned_percent", "unlabeled_of_owned_percent"});
    for (const RegionPicture& picture : laboratory.pictures()) {
        const ThesisGrowResult result = laboratory.grow(picture.image, {.merge_threshold = 0});
        table.add({picture.name, std::to_string(result.tiles.size()),
                   std::to_string(result.region_count),
                   percent(result.owned_pixels, picture.image.shape().points()),
                   percent(result.unlabeled_pixels, result.owned_pixels)});
        laboratory.write("EXP-4-" + picture.name + ".png", result.colored);
    }
    laboratory.write("EXP-4.csv", table);
    const ThesisGrowResult disc = laboratory.grow(laboratory.disc(), {.merge_threshold = 0});
    laboratory.find({"C14", "disc: tiles, pixels without a region", "391, 3553 (model)",
                     fmt::format("{}, {}", disc.region_count, disc.unlabeled_pixels),
                     disc.region_count == 391 && disc.unlabeled_pixels == 3553});
}

void run_merge_directions(RegionLaboratory& laboratory) {
    struct Printed {
        Figure figure;
        std::string_view name;
        std::array<std::int64_t, 2> labels;  // once, until stable
        int rounds;
    };
    constexpr std::array<Printed, 4> printed{{{Figure::disc, "disc", {2, 2}, 1},
                                              {Figure::ring, "ring", {5, 3}, 2},
                                              {Figure::c_shape, "C", {6, 2}, 3},
                                              {Figure::spiral, "spiral", {8, 2}, 4}}};
    Table table({"figure", "merging", "labels", "rounds", "file"});
    for (const Printed& one : printed) {
        const auto image = paint_figure({.figure = one.figure});
        std::array<std::int64_t, 4> counts{};
        int rounds = 0;
        for (const auto& [merging, name] : enum_names(ThesisGrowMerging{})) {
            const ThesisGrowResult result = laboratory.grow(image, {.merging = merging});
            counts[static_cast<std::size_t>(merging)] = result.region_count;
            if (merging == ThesisGrowMerging::until_stable) rounds = result.merge_rounds;
            const std::string file = fmt::format("EXP-5-{}-{}.png", one.name, name);
            table.add({std::string(one.name), std::string(name),
                       std::to_string(result.region_count), std::to_string(result.merge_rounds),
                       file});
            laboratory.write(file, result.colored);
        }
        if (one.figure == Figure::disc)
            laboratory.find({"G4", "disc: labels after right and up, and then left and down",
                             "two stray regions beside the disc, then none; 7 and 2 (model)",
                             fmt::format("{} and {}", counts[0], counts[1]),
                             counts[0] == 7 && counts[1] == 2});
        laboratory.find(
            {"D6", fmt::format("{}: labels once, until stable, rounds", one.name),
             fmt::format("{}, {}, {} (model)", one.labels[0], one.labels[1], one.rounds),
             fmt::format("{}, {}, {}", counts[1], counts[2], rounds),
             counts[1] == one.labels[0] && counts[2] == one.labels[1] && rounds == one.rounds});
        laboratory.find({"X4", fmt::format("{}: labels by union-find", one.name), "-",
                         std::to_string(counts[3]), counts[3] == one.labels[1]});
    }
    laboratory.write("EXP-5.csv", table);
}

void run_whole_segmentation(RegionLaboratory& laboratory) {
    Table table({"picture", "growth", "tiles", "regions", "unlabeled_percent", "iterations",
                 "milliseconds", "covering", "rand_index", "variation_of_information",
                 "boundary_f"});
    const ThesisGrowOptions options{.merging = ThesisGrowMerging::until_stable};
    Queue& queue = laboratory.queue(laboratory.main_device());
    int better = 0, compared = 0;
    bool fewer = true;
    for (const RegionPicture& picture : laboratory.pictures()) {
        const std::int64_t points = picture.image.shape().points();
        const auto add = [&](const std::string& growth, std::size_t tiles, std::int64_t regions,
                             std::int64_t unlabeled, int iterations, double milliseconds,
                             const Quality& q) {
            table.add({picture.name, growth, std::to_string(tiles), std::to_string(regions),
                       percent(unlabeled, points), std::to_string(iterations), cell(milliseconds),
                       cell(q.covering), cell(q.rand_index), cell(q.variation_of_information),
                       cell(q.boundary_f)});
        };
        const ThesisGrowResult local = laboratory.grow(picture.image, options);
        const Quality local_quality = quality_of(local.labels, picture);
        add("in tiles", local.tiles.size(), local.region_count,
            local.unlabeled_pixels + points - local.owned_pixels, local.growth_iterations,
            laboratory.milliseconds(laboratory.main_device(), picture.image, options),
            local_quality);
        laboratory.write("EXP-6-" + picture.name + ".png", local.colored);
        (void)grow_globally(picture.image, options, queue, laboratory.progress());
        const auto started = std::chrono::steady_clock::now();
        const GlobalGrowth global =
            grow_globally(picture.image, options, queue, laboratory.progress());
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - started;
        const Quality global_quality = quality_of(global.labels, picture);
        add("global", local.tiles.size(), global.region_count, global.unlabeled_pixels,
            global.iterations, taken.count(), global_quality);
        laboratory.write("EXP-6-" + picture.name + "-global.png",
                         label_picture(global.labels, io::label_color));
        fewer = fewer && local.region_count < static_cast<std::int64_t>(local.tiles.size());
        if (picture.truths.empty()) continue;
        ++compared;
        better += global_quality.covering > local_quality.covering;
    }
    laboratory.write("EXP-6.csv", table);
    laboratory.find(
        {"E4", "fewer regions than tiles, on every picture", "-", fewer ? "yes" : "no", fewer});
    laboratory.find({"H3", "global growth covers the true regions better", "much better, slower",
                     fmt::format("on {} of {} pictures", better, compared),
                     compared > 0 ? std::optional(2 * better > compared) : std::nullopt});
}

}  // namespace tesela::experiments
