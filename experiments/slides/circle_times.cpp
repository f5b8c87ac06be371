// The thesis's experiments on the time of circles: E2 and E3.
#include <algorithm>
#include <cmath>

#include "experiments/slides/laboratory.h"
#include "messages.h"
#include "tesela/evaluate_circles.h"

namespace tesela::experiments {
namespace {

std::int64_t merged_points(const SyntheticCircles& scene) {
    return std::ssize(scene.image.pixels()) -
           std::count(scene.image.pixels().begin(), scene.image.pixels().end(), 0);
}
std::int64_t separate_points(const PrintedScene& scene) {
    std::int64_t points = 0;
    for (const RingPoint& point : circle_ring(scene.radius, scene.radius)) points += point.count;
    return scene.circles * points;
}

bool has_overlaps(const SyntheticCircles& scene) {
    for (std::size_t i = 0; i < scene.truth.size(); ++i)
        for (std::size_t k = i + 1; k < scene.truth.size(); ++k)
            if (std::hypot(scene.truth[i].x - scene.truth[k].x,
                           scene.truth[i].y - scene.truth[k].y) <
                scene.truth[i].radius + scene.truth[k].radius)
                return true;
    return false;
}

// Contour points of each scene beside table 3.8: those of its circles by themselves and merged.
void tell_scenes(SlideLaboratory& laboratory) {
    Table table({"scene", "circles", "radius", "thesis_points", "points_of_circles",
                 "points_merged", "thesis_overlap", "overlap"});
    double worst = 0;
    bool flags = true;
    for (const PrintedScene& scene : laboratory.scenes()) {
        const SyntheticCircles made = drawn(scene);
        const auto separate = static_cast<double>(separate_points(scene));
        worst = std::max(worst, std::abs(separate / scene.contour_points - 1));
        const bool overlaps = has_overlaps(made);
        flags = flags && overlaps == scene.has_overlaps;
        table.add({std::string(scene.name), std::to_string(scene.circles),
                   std::to_string(scene.radius), std::to_string(scene.contour_points),
                   std::to_string(separate_points(scene)), std::to_string(merged_points(made)),
                   scene.has_overlaps ? "yes" : "no", overlaps ? "yes" : "no"});
    }
    laboratory.write("E3-scenes.csv", table);
    laboratory.find({"F12", "contour points, summed circle by circle, from those of table 3.8",
                     "within 12 %", fmt::format("within {:.1f} %", 100 * worst), worst <= 0.12});
    laboratory.find(
        {"F12", "flags of overlap", "as in table 3.8", flags ? "the same" : "others", flags});
}

struct PrintedMode {
    ThesisCircleMode mode;
    double PrintedScene::*milliseconds;
};
constexpr std::array printed_modes{
    PrintedMode{ThesisCircleMode::points, &PrintedScene::points},
    PrintedMode{ThesisCircleMode::polygon, &PrintedScene::polygons},
    PrintedMode{ThesisCircleMode::semicircle, &PrintedScene::semicircles},
    PrintedMode{ThesisCircleMode::channels, &PrintedScene::channels},
    PrintedMode{ThesisCircleMode::blending, &PrintedScene::blending}};

ThesisCircleOptions options_of(const PrintedScene& scene, ThesisCircleMode mode, int sides = 32) {
    // Halves of polygons lose up to half of the votes where they meet.
    return {.radius = static_cast<double>(scene.radius),
            .sides = sides,
            .mode = mode,
            .min_share = 0.4};
}

// What `tesela circles` takes for the same scene and radius.
double default_milliseconds(SlideLaboratory& laboratory, std::size_t device,
                            const SyntheticCircles& made, double radius) {
    return laboratory.milliseconds_of([&] {
        (void)circles(made.image,
                      {.min_radius = radius,
                       .max_radius = radius,
                       .edges = CircleEdges::given,
                       .min_distance = 3},
                      laboratory.queue(device));
    });
}

}  // namespace

void run_threads(SlideLaboratory& laboratory) {
    Table table({"scene", "step", "direct_1", "table_1", "table_2", "ratio_of_2_threads",
                 "thesis_1", "thesis_2"});
    double heaviest = 0, from_table = 0;
    for (const PrintedScene& scene : laboratory.scenes()) {
        const SyntheticCircles made = drawn(scene);
        for (const double step : {0.1, 1.0 / scene.radius}) {
            const auto time = [&](ThesisCircleMode mode, int threads) {
                const ThesisCircleOptions options{
                    .radius = static_cast<double>(scene.radius), .step = step, .mode = mode};
                return laboratory.milliseconds(0, made, options, threads);
            };
            const double direct = time(ThesisCircleMode::direct, 1);
            const double one = time(ThesisCircleMode::table, 1);
            const double two = time(ThesisCircleMode::table, 2);
            const bool is_fine = step < 0.1;
            table.add({std::string(scene.name), cell(step), cell(direct), cell(one), cell(two),
                       cell(one / two), cell(is_fine ? scene.one_thread : not_printed),
                       cell(is_fine ? scene.two_threads : not_printed)});
            say("{}, step {:.2f}: direct {:.1f} ms, table {:.1f} and {:.1f} ms", scene.name, step,
                direct, one, two);
            if (is_fine) {
                heaviest = one / two;
                from_table = direct / one;
            }
        }
    }
    laboratory.write("E2.csv", table);
    laboratory.find({"F04", "a table of steps against cosines, heaviest scene", "4",
                     fmt::format("{:.1f}", from_table), from_table > 1});
    laboratory.find({"F06", "two threads against one, heaviest scene", "1.97",
                     fmt::format("{:.2f}", heaviest), std::nullopt});
}

void run_modes(SlideLaboratory& laboratory) {
    tell_scenes(laboratory);
    Table table({"scene", "device", "mode", "sides", "milliseconds", "passes", "recall",
                 "ratio_to_one_thread", "thesis_milliseconds", "thesis_ratio"});
    const std::size_t main = laboratory.main_device();
    double lowest = std::numeric_limits<double>::infinity(), highest = 0, least_recall = 1;
    for (const PrintedScene& scene : laboratory.scenes()) {
        const SyntheticCircles made = drawn(scene);
        const double one_thread =
            laboratory.milliseconds(0, made, options_of(scene, ThesisCircleMode::direct), 1);
        for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
            const std::string id = laboratory.device(device).id();
            double best = std::numeric_limits<double>::infinity();
            for (const PrintedMode& printed : printed_modes)
                for (const int sides : printed_sides) {
                    if (printed.mode == ThesisCircleMode::points && sides != 32) continue;
                    const ThesisCircleOptions options = options_of(scene, printed.mode, sides);
                    const double time = laboratory.milliseconds(device, made, options);
                    const ThesisCircleResult result =
                        circles_thesis(made.image, options, laboratory.queue(device));
                    const double recall = evaluate_circles(result.circles, made.truth, 1.5).recall;
                    const double thesis = sides == 32 ? scene.*printed.milliseconds : not_printed;
                    table.add({std::string(scene.name), id, std::string(enum_name(printed.mode)),
                               std::to_string(sides), cell(time), std::to_string(result.passes),
                               cell(recall), cell(one_thread / time), cell(thesis),
                               cell(scene.one_thread / thesis)});
                    best = std::min(best, time);
                    if (printed.mode == ThesisCircleMode::blending && sides == 32)
                        least_recall = std::min(least_recall, recall);
                }
            const double here = default_milliseconds(laboratory, device, made, scene.radius);
            table.add({std::string(scene.name), id, "tesela circles", "", cell(here), "1", "",
                       cell(one_thread / here), "", ""});
            say("{}, {}: one thread {:.1f} ms, best mode {:.2f}, tesela circles {:.2f}", scene.name,
                id, one_thread, best, here);
            if (device != main) continue;
            lowest = std::min(lowest, one_thread / best);
            highest = std::max(highest, one_thread / best);
        }
    }
    laboratory.write("E3.csv", table);
    laboratory.find({"F11", "centers of all scenes that blending finds", "at least 95 %",
                     fmt::format("{:.1f} %", 100 * least_recall), least_recall >= 0.95});
    laboratory.find(
        {"F13", "best mode against one thread, over the scenes, on " + laboratory.device(main).id(),
         "36.7 to 358.5", fmt::format("{:.1f} to {:.1f}", lowest, highest), std::nullopt});
}

}  // namespace tesela::experiments
