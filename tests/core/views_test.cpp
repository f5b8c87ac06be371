// Functions that read images read them where they lie: through memory of others, whatever its
// strides, they give what they give of the image itself, bit for bit, and write nothing to it.
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "devices.h"
#include "lender.h"
#include "levels/level_results.h"
#include "tesela/brightness.h"
#include "tesela/circles.h"
#include "tesela/distance.h"
#include "tesela/evaluate_flow.h"
#include "tesela/evaluate_image.h"
#include "tesela/flow_picture.h"
#include "tesela/flow_sequence.h"
#include "tesela/glcm.h"
#include "tesela/lbp.h"
#include "tesela/level_set.h"
#include "tesela/level_set_aos.h"
#include "tesela/match_template.h"
#include "tesela/overlay.h"
#include "tesela/region_grow_thesis.h"
#include "tesela/registration.h"
#include "tesela/render.h"
#include "tesela/stain.h"
#include "tesela/stop_function.h"
#include "tesela/synthetic_circles.h"
#include "tesela/synthetic_noise.h"
#include "tesela/synthetic_sections.h"
#include "tesela/synthetic_volume.h"
#include "tesela/tile_features.h"
#include "tesela/tile_source.h"
#include "tesela/value_range.h"
#include "tesela/volume_codec.h"
#include "tesela/warp.h"
#include "tesela/wavelet.h"
#include "tesela/wavelet_denoise.h"
#include "tesela/zernike.h"

namespace tesela::testing {
namespace {

// Labels from 0 on.
LabelImage regions(const Shape& shape) {
    LabelImage labels = quantized<std::uint32_t>(patches(shape, 0, 3), 5);
    for (std::uint32_t& label : labels.pixels()) label = std::max(label, 1u) - 1;
    return labels;
}
AnyImage in_millimeters(AnyImage image) {
    geometry_of(image).unit = Unit::millimeter;
    geometry_of(image).spacing = {1, 1.25, 1.5};
    return image;
}
Image<std::uint8_t> with_alpha() {
    Image<std::uint8_t> image = picture(4);
    image.has_alpha = true;
    return image;
}

void brightness_and_noise(Lender& lent, Queue&, Hash& hash) {
    for (const AnyImage& image : {AnyImage(with_alpha()), AnyImage(picture(1)), AnyImage(volume()),
                                  AnyImage(patches({45, 31, 1, 1, 3}, 0.1, 9))}) {
        const AnyImageView& view = lent(image);
        const ValueRange range = used_range(view);
        hash.add(brightness(view), brightness(view, range), unit_colors(view),
                 unit_colors(view, range), add_noise(view, NoiseKind::rician, 3, 7),
                 outside_value(view), flow_sequence_host_bytes(view, 2));
        hash.add(grid_of(view).shape.elements());
    }
}

void tiles(Lender& lent, Queue&, Hash& hash) {
    const AnyImageView& view = lent(with_alpha());
    AnyImage target = with_alpha();
    copy_box(view, {3, 4, 20, 15}, target, 30, 6);
    hash.add(target, part_of(view, {5, 7, 11, 13}), halved(view), halved(view, true));
}

void pictures(Lender& lent, Queue&, Hash& hash) {
    for (const AnyImage& image : {AnyImage(with_alpha()), AnyImage(volume())}) {
        const LabelImage labels =
            regions({shape_of(image).x, shape_of(image).y, shape_of(image).z});
        const AnyImageView& view = lent(image);
        const LabelView& parts = lent.pixels(labels);
        hash.add(image_picture(view), boundary_overlay(view, parts), region_means(view, parts));
        hash.add(label_picture(parts, [](std::uint32_t label) {
            return Rgb{static_cast<std::uint8_t>(50 * label), 9, 0};
        }));
    }
    hash.add(checkerboard(lent(picture(3)), lent(picture(1))));
}

void flows(Lender& lent, Queue&, Hash& hash) {
    FlowField field = patches({97, 61, 1, 1, 2}, 1, 8);
    const FlowView& flow = lent.pixels(field);
    for (float& value : field.pixels()) value *= 3;
    const AnyImageView& frame = lent(with_alpha());
    hash.add(flow_colors(flow).picture, flow_arrows(frame, flow).picture, warped_back(frame, flow));
    const FlowEvaluation found = evaluate_flow(lent.pixels(field), flow);
    hash.add(found.angular_radians.mean, found.endpoint.mean, found.endpoint.percentiles);
}

void evaluated(Lender& lent, Queue&, Hash& hash) {
    const LabelImage inside = regions({97, 61});
    const AnyImage truth = with_alpha(), noisy = add_noise(truth, NoiseKind::gaussian, 9, 1);
    const ImageEvaluation found = evaluate_image(lent(noisy), lent(truth), {}, lent.pixels(inside));
    hash.add(found.mse, found.ssim, found.peak);
}

void stains(Lender& lent, Queue& queue, Hash& hash) {
    const StainMatrix he = stain_matrix(StainSet::he), hdab = stain_matrix(StainSet::hdab);
    for (const AnyImage& image :
         {AnyImage(with_alpha()),
          AnyImage(quantized<std::uint16_t>(patches({40, 30, 1, 1, 3}, 0.2, 2), 65535))}) {
        const AnyImageView& view = lent(image);
        hash.add(separate_stains(view, he, queue), stain_picture(view, he, 1, queue),
                 normalize_stains(view, he, hdab, queue), stain_device_bytes(view));
        const StainMatrix found = estimate_stains(view);
        hash.add(found.stains, found.strength, stains_of(view, {}).stains);
    }
}

void textures(Lender& lent, Queue& queue, Hash& hash) {
    const AnyImageView& mask = lent(noise_mask({97, 61}));
    for (const AnyImage& image :
         {AnyImage(with_alpha()), AnyImage(picture(1)), AnyImage(patches({97, 61}, 0.2, 3))}) {
        const AnyImageView& view = lent(image);
        for (const CooccurrenceMatrix& matrix : glcm(view, mask, {}, queue).matrices)
            hash.add(matrix.counts);
        const LbpResult codes = lbp(view, mask, {}, queue);
        hash.add(codes.codes, codes.histogram, lbp(view, {}, {}, queue).histogram,
                 glcm_device_bytes(view, {}), lbp_device_bytes(view));
    }
    hash.add(tile_features(lent(picture(3)), FeatureSet("thesis"), queue));
}

void level_sets(Lender& lent, Queue& queue, Hash& hash) {
    const Seeds ball = *parse_seeds("ball:12,9,5,4");
    const Shape shape = volume().shape();
    const AnyImageView& mask = lent(noise_mask(shape));
    for (const AnyImage& image :
         {in_millimeters(volume()), AnyImage(quantized<double>(patches(shape, 0.1, 4), 900))}) {
        const AnyImageView& view = lent(image);
        const LabelImage first = level_set(view, ball, {.lower = 300}, queue).labels;
        hash.add(first);
        hash.add(level_set(view, AutomaticSeeds{}, {.lower = 300}, queue,
                           {.from = lent.pixels(first), .mask = mask})
                     .labels);
        hash.add(level_set(view, ball, {}, queue).labels);
        const LevelSetAosResult found =
            level_set_aos(view, ball, {.lower = 300, .max_iterations = 20}, queue);
        hash.add(found.labels, found.distance);
        hash.add(stop_function(view, {.sigma = 2}, queue).stop);
        hash.add(level_set_device_bytes(view, {}), level_set_host_bytes(view, {}),
                 level_set_aos_device_bytes(view, {}, queue.device(), true));
    }
}

void sessions(Lender& lent, Queue& queue, Hash& hash) {
    const Image<std::int16_t> image = volume();
    // The view may end before the session, its pixels not.
    LevelSetSession session = [&] {
        const AnyImageView view = lent(image);
        return LevelSetSession(view, {.lower = 300, .edge = 0.1}, queue);
    }();
    session.add_seeds(*parse_seeds("ball:12,9,5,4=1;ball:28,14,5,3=2"));
    session.advance(20);
    const LabelImage labels = session.labels();
    session.start_from(lent.pixels(labels));
    session.advance(100);
    hash.add(labels, session.labels());
}

void distances(Lender& lent, Queue& queue, Hash& hash) {
    hash.add(signed_distance(lent(in_millimeters(noise_mask({40, 30, 20}))), {}, queue).distance);
    hash.add(signed_distance(lent(regions({50, 40})), {}, queue).distance);
}

void circles_and_matches(Lender& lent, Queue& queue, Hash& hash) {
    const SyntheticCircles drawn = synthetic_circles(
        {.width = 120, .height = 90, .count = 4, .min_radius = 8, .max_radius = 13, .noise = 0.05});
    const CircleOptions options{.min_radius = Length(6), .max_radius = Length(15)};
    const AnyImageView& view = lent(drawn.image);
    const CircleResult result = circles(view, options, queue, true);
    for (const Circle& circle : result.circles) hash.add(circle.x, circle.y, circle.score);
    hash.add(result.votes, circles_device_bytes(view, options, true));
    hash.add(circle_votes(lent.pixels(noise_mask({70, 50})), circle_ring(9, 7), queue));
    const AnyImage image = picture(3);
    hash.add(
        match_template(lent(part_of(image, {40, 20, 24, 18})), lent(image), {3}, queue).scores);
}

void registrations(Lender& lent, Queue& queue, Hash& hash) {
    const auto section = [](int index) {
        return synthetic_stack_section({.width = 128, .height = 128, .rotation = 10}, index)
            .picture;
    };
    const AnyImageView &fixed = lent(section(0)), &moving = lent(section(1));
    Image<std::uint8_t> all({128, 128});
    std::fill(all.pixels().begin(), all.pixels().end(), std::uint8_t{1});
    all(0, 0) = 0;
    const AnyImageView& mask = lent(all);
    for (const RegistrationLevel& level : registration_image(fixed, {}, queue, mask).levels)
        hash.add(queue.download(level.gray), queue.download(level.weight));
    RegistrationOptions options{.accept_poor = true};
    options.model = RegistrationModel::similarity;
    options.rotation = RotationRange::none;
    const RegistrationResult found =
        register_images(fixed, moving, options, queue, {.fixed_mask = mask, .moving_mask = mask});
    hash.add(found.score.similarity, found.score.overlap, registration_device_bytes(fixed, moving));
    const ImageGrid target{{120, 110}, {}};
    hash.add(warp(moving, found.transform, target, {}, queue), warp_device_bytes(moving, target));
    hash.add(warp_labels(lent.pixels(regions({128, 128})), found.transform, target, false, queue));
}

void renderings(Lender& lent, Queue& queue, Hash& hash) {
    const SyntheticVolume head = synthetic_volume({.shape = {34, 32, 30}, .noise = 0.05});
    for (const AnyImage& image :
         {in_millimeters(head.image),
          in_millimeters(quantized<double>(patches({34, 32, 30}, 0, 2), 900)),
          in_millimeters(quantized<std::uint8_t>(patches({34, 32, 30, 1, 3}, 0.1, 2), 255))})
        for (const int level : {0, 1}) {
            const AnyImageView& view = lent(image);
            Renderer renderer(view, queue, level);
            renderer.set_labels(lent.pixels(head.truth), {{1, {1, 0, 0}}, {2, {0, 1, 0}, 0.5}});
            const RenderedView seen =
                renderer.render(renderer.camera(CameraView::anterior), {.width = 48, .height = 40});
            hash.add(seen.picture, seen.depth, render_device_bytes(view, true, 48 * 40, level));
        }
}

void thesis_growth(Lender& lent, Queue& queue, Hash& hash) {
    const ThesisGrowResult found = region_grow_thesis(lent.pixels(picture(3)), {}, queue);
    hash.add(found.labels, found.colored);
}

void compressed(Lender& lent, Queue&, Hash& hash) {
    const auto source = compressed_volume(lent(volume()));
    hash.add(source->read(0), source->read(2));
}

void wavelets(Lender& lent, Queue& queue, Hash& hash) {
    for (const AnyImage& image : {AnyImage(with_alpha()), AnyImage(volume()),
                                  AnyImage(quantized<double>(patches({45, 31}, 0.1, 9), 255))}) {
        const AnyImageView& view = lent(image);
        hash.add(wavelet_forward(view, {.levels = 3}, queue).values,
                 wavelet_device_bytes(view, {.levels = 3}));
        const WaveletDenoiseResult found = wavelet_denoise(view, {}, queue);
        hash.add(found.clean, found.residual, wavelet_denoise_device_bytes(view, {}));
    }
}

void moments(Lender& lent, Queue& queue, Hash& hash) {
    for (const int channels : {1, 3})
        hash.add(zernike(lent(picture(channels)), {.order = 12}, queue).moments.values);
    const LabelImage labels = regions({60, 50});
    const AnyImageView& values = lent(patches({60, 50}, 1, 4));
    for (const auto& of : {std::optional<AnyImageView>(values), std::optional<AnyImageView>()})
        for (const ZernikeMoments& object :
             zernike_objects(lent.pixels(labels), of, {.order = 12}, queue).moments)
            hash.add(object.values);
}

struct ViewCase {
    const char* name;
    void (*run)(Lender&, Queue&, Hash&);
};
constexpr ViewCase cases[] = {
    {"brightness and noise", brightness_and_noise},
    {"tiles", tiles},
    {"pictures", pictures},
    {"flows", flows},
    {"evaluated", evaluated},
    {"stains", stains},
    {"textures", textures},
    {"level sets", level_sets},
    {"sessions", sessions},
    {"distances", distances},
    {"circles and matches", circles_and_matches},
    {"registrations", registrations},
    {"renderings", renderings},
    {"thesis growth", thesis_growth},
    {"compressed", compressed},
    {"wavelets", wavelets},
    {"moments", moments},
};

class ViewsOn : public OnDevice {};
TESELA_ON_EVERY_DEVICE(ViewsOn);

TEST_P(ViewsOn, GiveTheBitsOfTheImage) {
    Queue queue(GetParam());
    for (const ViewCase& one : cases) {
        SCOPED_TRACE(one.name);
        const auto hash_of = [&](Lies lies) {
            Lender lent(lies);
            Hash hash;
            one.run(lent, queue, hash);
            queue.finish();
            return hash.value();
        };
        const std::uint64_t expected = hash_of(Lies::in_image);
        EXPECT_EQ(hash_of(Lies::contiguous), expected);
        EXPECT_EQ(hash_of(Lies::strided), expected);
    }
}

}  // namespace
}  // namespace tesela::testing
