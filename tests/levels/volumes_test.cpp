// Volumes: their pictures, and those that are kept compressed.
#include "level_results.h"
#include "tesela/render.h"
#include "tesela/synthetic_volume.h"
#include "tesela/volume_codec.h"

namespace tesela::testing {
namespace {

AnyImage with_spacing(AnyImage image) {
    geometry_of(image).unit = Unit::millimeter;
    geometry_of(image).spacing = {1, 1.25, 1.5};
    return image;
}

void view(Hash& hash, Renderer& renderer, const RenderSettings& settings) {
    for (const double view_angle : {0.0, 40.0}) {
        const Camera camera = turned(renderer.camera(CameraView::anterior, view_angle),
                                     {.azimuth = 30, .elevation = 20, .zoom = 1.3});
        const RenderedView seen = renderer.render(camera, settings);
        hash.add(seen.picture, seen.depth, renderer.colors());
        if (const auto hit = renderer.hit(24, 24)) hash.add(hit->position, hit->value);
    }
}

void pictures(Queue& queue, Hash& hash, RenderMode mode) {
    const SyntheticVolume head = synthetic_volume({.shape = {34, 32, 30}, .noise = 0.05});
    const auto gray = with_spacing(head.image);
    RenderSettings settings{.mode = mode, .width = 48, .height = 40, .isovalues = {90, 140}};
    for (const AnyImage& image :
         {gray, with_spacing(volume()), with_spacing(patches({30, 20, 24}, 0.1, 2)),
          with_spacing(quantized<std::uint8_t>(patches({30, 20, 24, 1, 3}, 0.1, 2), 255))}) {
        Renderer renderer(image, queue);
        view(hash, renderer, settings);
    }
    const auto& host = std::get<Image<std::uint8_t>>(gray);
    const DeviceImage<const std::uint8_t> resident{
        queue.lend(std::span<const std::uint8_t>(host.pixels()), "volume"), host.shape(),
        host.geometry};
    Renderer from_device(resident, queue);
    view(hash, from_device, settings);
    Renderer renderer(gray, queue, 1);
    if (mode == RenderMode::composite || mode == RenderMode::isosurface)
        renderer.set_labels(head.truth, {{1, {1, 0, 0}}, {2, {0, 1, 0}, 0.5}, {3, {0, 0, 1}, 0.2}});
    settings.clip_planes = {{{1, 0.5, 0}, -20}};
    settings.background = {{1, 1, 1}, true};
    view(hash, renderer, settings);
    if (mode != RenderMode::isosurface) return;
    LabelImage painted = head.truth;
    painted(20, 16, 5) = 4;
    renderer.update_labels(
        painted, {{1, {1, 0, 0}}, {2, {0, 1, 0}, 0.5}, {3, {0, 0, 1}, 0.2}, {4, {1, 1, 1}}},
        {{20, 16, 5}, {21, 17, 6}});
    view(hash, renderer, settings);
}

// Bricks that come and go, of two levels.
void in_bricks(Queue& queue, Hash& hash, RenderMode mode) {
    const SyntheticVolume head = synthetic_volume({.shape = {70, 66, 68}, .noise = 0.05});
    const std::shared_ptr<const BrickSource> source = compressed_volume(with_spacing(head.image));
    Renderer renderer(source, queue, {.max_bytes = 4 << 20});
    RenderSettings settings{.mode = mode, .width = 48, .height = 40, .isovalues = {90, 140}};
    view(hash, renderer, settings);
    settings.focus = ClipBox{{0, 0, 0}, {30, 30, 30}};
    view(hash, renderer, settings);
}

void decoded(Queue& queue, Hash& hash, const AnyImage& image) {
    const std::unique_ptr<BrickSource> source = compressed_volume(image);
    for (const int level : {0, 2}) {
        VolumeDecoder decoder(*source, level, queue);
        std::visit([&](const auto& found) { hash.add(queue.download(found.pixels)); },
                   decoder.decode());
    }
}

const std::vector<Case> cases{
    {"render composite", [](Queue& q, Hash& h) { pictures(q, h, RenderMode::composite); }},
    {"render mip", [](Queue& q, Hash& h) { pictures(q, h, RenderMode::mip); }},
    {"render average", [](Queue& q, Hash& h) { pictures(q, h, RenderMode::average); }},
    {"render isosurface", [](Queue& q, Hash& h) { pictures(q, h, RenderMode::isosurface); }},
    {"render bricks",
     [](Queue& q, Hash& h) {
         in_bricks(q, h, RenderMode::composite);
         in_bricks(q, h, RenderMode::isosurface);
     }},
    {"volume files",
     [](Queue& q, Hash& h) {
         decoded(q, h, volume());
         decoded(q, h, quantized<std::uint8_t>(patches({70, 33, 5}, 0.2, 2), 255));
         decoded(q, h, quantized<std::uint16_t>(patches({19, 66, 7, 1, 2}, 0.2, 2), 65535));
     }},
};
INSTANTIATE_TEST_SUITE_P(Volumes, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
