// Registration, stage by stage and as a whole, and what is warped by transforms.
#include <cmath>
#include <random>
#include <string>

#include "core/tiled_image.h"
#include "level_results.h"
#include "tesela/mosaic.h"
#include "tesela/picture_source.h"
#include "tesela/register_slides.h"
#include "tesela/register_thesis.h"
#include "tesela/registration.h"
#include "tesela/registration_search.h"
#include "tesela/resample.h"
#include "tesela/section_stack.h"
#include "tesela/synthetic_sections.h"
#include "tesela/synthetic_volume.h"
#include "tesela/warp.h"

namespace tesela::testing {
namespace {

AnyImage section(int index) {
    const SyntheticSectionsOptions options{
        .width = 128, .height = 128, .rotation = 10, .deformation = 0.02};
    return synthetic_stack_section(options, index).picture;
}

LinearMap rotation(double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {3, -2, 0}};
}

Transform bend(std::int64_t width, std::int64_t height) {
    SplineMap spline =
        spline_over({0, 0, 0}, {static_cast<double>(width), static_cast<double>(height), 0}, 2, 20);
    for (std::size_t i = 0; i < spline.displacements.size(); ++i)
        spline.displacements[i] = 2 * std::sin(1.7 * static_cast<double>(i));
    return {.steps = {spline, rotation(0.2)}};
}

void add_map(Hash& hash, const LinearMap& map) { hash.add(map.matrix, map.translation); }
void add_map(Hash& hash, const SplineMap& map) { hash.add(map.displacements); }
void add_score(Hash& hash, const RegistrationScore& score) {
    hash.add(score.similarity, score.overlap);
}

void registered(Queue& queue, Hash& hash, const AnyImage& fixed, const AnyImage& moving,
                RegistrationOptions options) {
    options.rotation = RotationRange::none;
    options.accept_poor = true;  // small images may not be told from others
    const RegistrationResult result = register_images(fixed, moving, options, queue);
    for (const auto& step : result.transform.steps)
        std::visit([&](const auto& map) { add_map(hash, map); }, step);
    add_score(hash, result.score);
}

SearchImage searched(const RegistrationLevel& level) {
    return {level.gray, level.weight, level.shape.x, level.shape.y, level.edge};
}

void slides(Queue& queue, Hash& hash) {
    const auto slide = [](int index) {
        const SyntheticSectionsOptions options{
            .width = 256, .height = 256, .rotation = 10, .deformation = 0.02};
        return AnyImage(synthetic_stack_section(options, index).picture);
    };
    const AnyImage fixed = slide(0), moving = slide(1);
    SlideRegistrationOptions options;
    options.rotation = RotationRange::none;
    options.accept_poor = true;
    options.thumbnail = 128;
    options.window = 40;
    options.search = 12;
    const SlideRegistration result = register_slides(TiledImage({fixed, halved(fixed)}, 32, 32),
                                                     TiledImage({moving, halved(moving)}, 32, 32),
                                                     options, queue, {.refine_poor = true});
    for (const auto& step : result.transform.steps)
        std::visit([&](const auto& map) { add_map(hash, map); }, step);
    for (const SlideMatch& match : result.matches)
        hash.add(match.moving, match.score, match.second, match.way_back);
    hash.add(result.estimated_error);
}

void sections_of_the_thesis(Queue& queue, Hash& hash) {
    const auto picture = [](int index) {
        const SyntheticSectionsOptions options{
            .width = 256, .height = 256, .mirror = SectionMirror::no, .deformation = 0.005};
        return AnyImage(synthetic_stack_section(options, index).picture);
    };
    const AnyImage fixed = picture(0), moving = picture(1);
    for (const AnyImage& image : {fixed, moving})
        for (const ThesisRegion& region : thesis_regions(image, queue))
            hash.add(region.center, region.area, region.eccentricity);
    Queue* const queues[]{&queue};
    const ThesisRegistration result =
        register_thesis(*picture_source(fixed), *picture_source(moving),
                        {.window = 24, .threshold = 0.5}, queues, 1);
    for (const ThesisMatch& match : result.matches) hash.add(match.moving, match.score);
    for (const auto& step : result.transform.steps)
        std::visit([&](const auto& map) { add_map(hash, map); }, step);
}

void poses(Queue& queue, Hash& hash) {
    const RegistrationImage fixed = registration_image(section(0), {}, queue);
    const RegistrationImage moving = registration_image(section(1), {}, queue);
    for (const SearchPose& pose :
         search_poses(queue, searched(fixed.levels.back()), searched(moving.levels.back()),
                      {.lowest_scale = 1, .highest_scale = 1, .most = 4}))
        hash.add(pose.matrix, pose.translation, pose.score);
}

void stages(Queue& queue, Hash& hash) {
    const RegistrationImage fixed = registration_image(section(0), {}, queue);
    const RegistrationImage moving = registration_image(section(1), {}, queue);
    for (const RegistrationLevel& level : fixed.levels)
        hash.add(queue.download(level.gray), queue.download(level.weight), level.edge);
    hash.add(fixed.tissue);
    const LinearRegistration linear =
        register_linear(fixed, moving, rotation(0.1), LinearKind::affine, queue);
    add_map(hash, linear.map);
    add_score(hash, linear.score);
    const SplineRegistration spline = register_spline(fixed, moving, linear.map, {}, queue);
    add_map(hash, spline.spline);
    add_score(hash, spline.score);
}

void volumes(Queue& queue, Hash& hash, RegistrationMeasure measure) {
    const SyntheticVolumeOptions options{.shape = {26, 24, 22}, .spacing = {3, 3, 3}};
    const AnyImage head = synthetic_volume(options).image;
    const Transform turn{.dimensions = 3, .unit = Unit::millimeter, .steps = {rotation(0.1)}};
    const AnyImage moved = warp(head, turn, grid_of(head), {}, queue);
    registered(queue, hash, head, moved, {.measure = measure});
}

void warps(Queue& queue, Hash& hash) {
    const ImageGrid target{{90, 70}, {}};
    const Transform transform = bend(97, 70);
    for (const bool inverse : {false, true}) {
        for (const int channels : {1, 3})
            hash.add(warp(picture(channels), transform, target, {.inverse = inverse}, queue));
        const LabelImage labels = quantized<std::uint32_t>(patches({97, 61}, 0.1, 3), 9);
        hash.add(warp_labels(labels, transform, target, inverse, queue));
    }
    const Transform turn{.dimensions = 3, .steps = {rotation(0.1)}};
    hash.add(warp(volume(), turn, {{30, 30, 12}, {}}, {.outside = -5}, queue));
    const Image<float> smooth = patches({97, 61}, 0.1, 6);
    const DeviceImage<const float> resident{
        queue.lend(std::span<const float>(smooth.pixels()), "image"), smooth.shape(), {}};
    hash.add(queue.download(warp(resident, transform, target, {}, queue).pixels));
    for (const int channels : {1, 3}) {
        const AnyImage image = picture(channels);
        const TiledImage slide({image, halved(image)}, 32, 32);
        hash.add(warp_box(slide, transform, target, {10, 8, 64, 40}, {}, channels == 1, queue));
    }
}

void resampled(Queue& queue, Hash& hash) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
        const ResampleOptions options{.interpolation = interpolation};
        for (const int channels : {1, 3}) {
            const AnyImage image = picture(channels);
            hash.add(resample(image, grid_of_size(grid_of(image), {41, 99, 1}), options, queue));
        }
        const AnyImage head = volume();
        hash.add(resample(head, grid_of_step(grid_of(head), {1.7, 0.6, 1.3}), options, queue));
    }
}

void stacked(Queue& queue, Hash& hash) {
    SectionSeries series;
    for (int i = 0; i < 2; ++i)
        series.push_back({"section", i, [i]() -> AnyImage {
                              const SyntheticSectionsOptions options{
                                  .width = 224, .height = 224, .rotation = 10, .seed = 21};
                              return synthetic_stack_section(options, i).picture;
                          }});
    const SectionStackOptions options{
        .model = RegistrationModel::rigid, .thickness = Length(2), .mpp = 1};
    const SectionStack stack = stack_sections(series, options, queue);
    hash.add(aligned_section(series, stack, 1, queue));
    const auto volume = stack_volume(series, stack, options, queue);
    hash.add(volume->read({{0, 0, 0}, {30, 20, 2}}, 0));
}

void joined(Queue& queue, Hash& hash) {
    MosaicTiles tiles;
    std::mt19937 random(8);
    Image<std::uint16_t> whole({200, 120});
    for (std::uint16_t& value : whole.pixels()) value = static_cast<std::uint16_t>(random());
    for (const std::int64_t x : {0, 70})
        tiles.push_back({std::to_string(x), [&whole, x] {
                             return part_of(whole, {x, x / 24, 104, 110});
                         }});
    for (const char* grid : {"2x1", ""}) {
        TileCache cache;
        const MosaicOptions options{.grid = grid, .overlap = "35%"};
        const Mosaic mosaic = join_tiles(tiles, options, queue, cache);
        hash.add(MosaicPicture(tiles, mosaic, options, cache).read({30, 10, 90, 60}));
    }
}

const std::vector<Case> cases{
    {"search of poses", poses},
    {"stages of registration", stages},
    {"register",
     [](Queue& q, Hash& h) {
         for (const RegistrationModel model :
              {RegistrationModel::similarity, RegistrationModel::spline})
             registered(q, h, section(0), section(1), {.model = model});
     }},
    {"register slides", slides},
    {"register stack", stacked},
    {"thesis register", sections_of_the_thesis},
    {"register mosaic", joined},
    {"register volumes",
     [](Queue& q, Hash& h) {
         volumes(q, h, RegistrationMeasure::gradients);
         volumes(q, h, RegistrationMeasure::ncc);
         volumes(q, h, RegistrationMeasure::nmi);
         volumes(q, h, RegistrationMeasure::mi);
     }},
    {"warp", warps},
    {"resample", resampled},
};
INSTANTIATE_TEST_SUITE_P(Registration, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
