// Transforms: wavelets, tridiagonal systems, templates, circles, Zernike moments.
#include <algorithm>
#include <array>

#include "level_results.h"
#include "tesela/circles.h"
#include "tesela/circles_thesis.h"
#include "tesela/match_template.h"
#include "tesela/rearrange.h"
#include "tesela/synthetic_circles.h"
#include "tesela/tile_source.h"
#include "tesela/tridiagonal.h"
#include "tesela/tridiagonal_factors.h"
#include "tesela/tridiagonal_thesis.h"
#include "tesela/wavelet.h"
#include "tesela/wavelet_denoise.h"
#include "tesela/wavelet_packet.h"
#include "tesela/wavelet_thesis.h"
#include "tesela/zernike.h"
#include "tesela/zernike_thesis.h"

namespace tesela::testing {
namespace {

// Integer pixels have coefficients in single precision, or integer ones; float64 in double.
void wavelets(Queue& queue, Hash& hash) {
    const std::array images{AnyImage(picture(3)), AnyImage(volume()),
                            AnyImage(quantized<double>(patches({45, 31}, 0.1, 9), 255))};
    for (const auto& [wavelet, name] : enum_names(Wavelet{}))
        for (const auto& [border, border_name] : enum_names(WaveletBorder{}))
            for (const AnyImage& image : images) {
                if (is_integer(wavelet) && pixel_type_of(image) == PixelType::f64) continue;
                const WaveletCoefficients found =
                    wavelet_forward(image, {wavelet, 3, border}, queue);
                hash.add(found.values, wavelet_inverse(found, queue));
            }
}

void packets(Queue& queue, Hash& hash) {
    for (const auto& [basis, name] : enum_names(PacketBasis{}))
        for (const AnyImage& image : {AnyImage(picture(3)), AnyImage(volume())})
            for (const Wavelet wavelet : {Wavelet::bior4_4, Wavelet::haar_int}) {
                const WaveletCoefficients found = wavelet_packet(image, {wavelet, 3}, basis, queue);
                hash.add(found.values, packet_tree(found).size(), wavelet_inverse(found, queue));
            }
    const Shape shape{64, 32};
    const std::vector<float> samples = noise(shape.elements(), 5);
    const Buffer<const float> given = on_device(queue, samples);
    auto found = queue.allocate<float>(shape.elements(), "packets");
    auto again = queue.allocate<float>(shape.elements(), "samples");
    packet_forward<float>(queue, shape, {Wavelet::db2, 3}, given, found);
    hash.add(queue.download(found));
    const PacketLeaves leaves = packet_forward_best<float>(queue, shape, {Wavelet::db2, 3},
                                                           PacketBasis::l1, 1, given, found);
    packet_inverse<float>(queue, shape, {Wavelet::db2, 3}, leaves, found, again);
    hash.add(queue.download(again));
}

void denoised_on_device(Queue& queue, Hash& hash) {
    const Image<std::uint8_t> host = picture(3);
    const DeviceImage<const std::uint8_t> image{
        queue.lend(std::span<const std::uint8_t>(host.pixels()), "image"), host.shape(), {}};
    const auto result = wavelet_denoise(image, {}, queue);
    hash.add(queue.download(result.clean.pixels), queue.download(result.residual.pixels));
}

void denoised(Queue& queue, Hash& hash, const AnyImage& image,
              const WaveletDenoiseOptions& options) {
    const WaveletDenoiseResult result = wavelet_denoise(image, options, queue);
    hash.add(result.clean, result.residual, result.sigma);
}

// Diagonally dominant systems, and others, which are pivoted.
template <class T>
void solutions(Queue& queue, Hash& hash, const TridiagonalLines& lines) {
    const auto diagonal = [&](double least, unsigned seed) {
        std::vector<T> values;
        for (const float value : noise(lines.elements(), seed))
            values.push_back(static_cast<T>(least + static_cast<double>(value)));
        return values;
    };
    const std::vector<T> a = diagonal(0, 1), b = diagonal(2.5, 2), c = diagonal(0, 3),
                         d = diagonal(0, 4);
    hash.add(solve_tridiagonal<T>(queue, lines, a, b, c, d));
    // A third of the rows has a diagonal of 0.
    std::vector<T> weak = b;
    for (std::size_t i = 0; i < weak.size(); i += 3) weak[i] = 0;
    const Buffer<const T> lower = on_device(queue, a), middle = on_device(queue, weak),
                          upper = on_device(queue, c);
    for (const bool is_periodic : {false, true}) {
        auto x = on_device(queue, d);
        auto status = queue.allocate<std::uint32_t>(1, "status");
        solve_tridiagonal_pivoted<T>(queue, lines, is_periodic, lower, middle, upper, x, status);
        hash.add(queue.download(x), queue.download(status),
                 is_diagonally_dominant<T>(queue, lines, is_periodic, lower, middle, upper));
    }
}

// Right-hand sides of one matrix, a third of whose rows has a diagonal of 0.
template <class T>
void sides_solved(Queue& queue, Hash& hash, const TridiagonalLines& sides) {
    const auto values = [&](std::int64_t count, double least, unsigned seed) {
        std::vector<T> made;
        for (const float value : noise(count, seed))
            made.push_back(static_cast<T>(least + static_cast<double>(value)));
        return made;
    };
    const std::vector<T> a = values(sides.rows, 0.5, 1), c = values(sides.rows, 0.5, 3),
                         d = values(sides.elements(), 0, 4);
    std::vector<T> b = values(sides.rows, 2.5, 2);
    for (std::size_t i = 0; i < b.size(); i += 3) b[i] = 0;
    for (const bool is_periodic : {false, true}) {
        const TridiagonalFactors<T> factors(queue, sides.rows, is_periodic, on_device(queue, a),
                                            on_device(queue, b), on_device(queue, c));
        auto x = on_device(queue, d);
        factors.solve(queue, sides, x);
        hash.add(queue.download(x));
        hash.add(
            solve_tridiagonal_sides<T>(queue, sides, a, b, c, d, {.is_periodic = is_periodic}));
    }
}

void matches(Queue& queue, Hash& hash) {
    const AnyImage image = picture(3);
    const MatchResult result = match_template(part_of(image, {40, 20, 24, 18}), image, {3}, queue);
    hash.add(result.scores);
    for (const MatchPeak& peak : result.peaks) hash.add(peak.x, peak.y, peak.score);
    const Image<std::int16_t> large = quantized<std::int16_t>(patches({50, 40}, 0.1, 3), 900);
    const Image<std::int16_t> small = quantized<std::int16_t>(patches({9, 7}, 0.1, 3), 900);
    const auto lent = [&](const Image<std::int16_t>& host) {
        return DeviceImage<const std::int16_t>{
            queue.lend(std::span<const std::int16_t>(host.pixels()), "image"), host.shape(), {}};
    };
    hash.add(queue.download(match_template(lent(small), lent(large), {}, queue).scores.pixels));

    const MatchShape shape{
        .pattern_width = 11, .pattern_height = 9, .width = 50, .height = 40, .batch = 3};
    const auto pictures = [&](std::int64_t width,
                              std::int64_t height) -> Buffer<const std::uint16_t> {
        const Image<float> all = patches({width, height, shape.batch}, 0.1, 11);
        return on_device(queue, quantized<std::uint16_t>(all, 65535).pixels());
    };
    const auto patterns = pictures(shape.pattern_width, shape.pattern_height);
    const auto images = pictures(shape.width, shape.height);
    hash.add(queue.download(match_scores(queue, shape, patterns, images)));
}

void add_circles(Hash& hash, const std::vector<Circle>& found) {
    for (const Circle& circle : found)
        hash.add(circle.x, circle.y, circle.radius, circle.votes, circle.score, circle.residual);
}

void found_circles(Queue& queue, Hash& hash) {
    for (const CircleDrawing drawing : {CircleDrawing::disks, CircleDrawing::outlines}) {
        const SyntheticCircles drawn = synthetic_circles({.drawing = drawing,
                                                          .width = 120,
                                                          .height = 90,
                                                          .count = 4,
                                                          .min_radius = 8,
                                                          .max_radius = 13,
                                                          .noise = 0.05});
        for (const CircleMethod method :
             {CircleMethod::rings, CircleMethod::gradient, CircleMethod::pyramid}) {
            const CircleOptions options{
                .min_radius = Length(6), .max_radius = Length(15), .method = method};
            const bool wants_votes = method != CircleMethod::pyramid;
            const CircleResult result = circles(drawn.image, options, queue, wants_votes);
            add_circles(hash, result.circles);
            if (wants_votes) hash.add(result.votes);
        }
    }
    hash.add(circle_votes(noise_mask({70, 50}), circle_ring(9, 7), queue));
}

void circles_of_the_thesis(Queue& queue, Hash& hash) {
    const SyntheticCircles drawn = synthetic_circles(
        {.width = 120, .height = 90, .count = 4, .min_radius = 10, .max_radius = 10});
    for (const auto& [mode, name] : enum_names(ThesisCircleMode{})) {
        const ThesisCircleResult result =
            circles_thesis(drawn.image, {.radius = 10, .mode = mode}, queue, 1);
        add_circles(hash, result.circles);
        hash.add(result.votes);
    }
}

void add_moments(Hash& hash, const ZernikeMoments& moments) {
    hash.add(moments.radius, moments.values);
}

void moments(Queue& queue, Hash& hash, const ZernikeOptions& options) {
    const ZernikeMoments found = zernike(picture(1), options, queue).moments;
    add_moments(hash, found);
    hash.add(zernike_reconstruct(found, {50, 40}, queue));
    const LabelImage labels = quantized<std::uint32_t>(patches({60, 50}, 0, 3), 5);
    const AnyImage values = patches({60, 50}, 1, 4);
    for (const auto& of : {std::optional<AnyImageView>(values), std::optional<AnyImageView>()})
        for (const ZernikeMoments& object : zernike_objects(labels, of, options, queue).moments)
            add_moments(hash, object);
}

void moments_of_the_thesis(Queue& queue, Hash& hash) {
    const Image<float> image = patches({40, 40}, 1, 4);
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const ThesisZernikeMethod method :
             {ThesisZernikeMethod::direct, ThesisZernikeMethod::recursive}) {
            const ThesisZernikeOptions options{
                .order = 9, .method = method, .precision = precision};
            ThesisZernike work(image, options, queue);
            hash.add(zernike_thesis(image, options, queue).values, work.compute());
        }
}

void solutions_of_the_thesis(Queue& queue, Hash& hash) {
    const TridiagonalSystems system =
        random_tridiagonal(contiguous_lines(700, 1), TridiagonalKind::dominant, 3);
    for (const auto& [method, name] : enum_names(ThesisTridiagonalMethod{}))
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            ThesisTridiagonal work(system, {.method = method, .precision = precision}, queue, 2);
            work.load();
            work.solve();
            hash.add(work.solution());
        }
}

void lines_of_the_thesis(Queue& queue, Hash& hash) {
    const Image<float> line = patches({2048, 1}, 1, 4);
    for (const auto& [wavelet, name] : enum_names(ThesisWavelet{}))
        for (const ThesisWaveletForm form : {ThesisWaveletForm::direct, ThesisWaveletForm::split}) {
            ThesisWaveletWork work(line.pixels(), {.wavelet = wavelet, .form = form, .levels = 4},
                                   queue);
            work.load();
            work.transform();
            hash.add(work.values());
            if (wavelet != ThesisWavelet::cdf97) continue;
            work.invert();
            hash.add(work.values());
        }
}

void rearranged(Queue& queue, Hash& hash) {
    const Image<std::uint8_t> host = picture(3);
    const DeviceImage<const std::uint8_t> image{
        queue.lend(std::span<const std::uint8_t>(host.pixels()), "picture"), host.shape(), {}};
    Arrangement arrangement{AnyImageView(host)};
    hash.add(queue.download(rearrange(image, arrangement.flip(0).turn(1), queue).pixels));
    // The columns one after the other.
    const Shape& shape = host.shape();
    const PixelSteps steps{0, 1, {0, 0, 3, 3 * shape.x, 1}};
    hash.add(queue.download(gather(image.pixels, steps, {shape.y, shape.x, 1, 1, 3}, queue)));
}

const std::vector<Case> cases{
    {"wavelet", wavelets},
    {"wavelet packet", packets},
    {"wavelet denoise",
     [](Queue& q, Hash& h) {
         denoised(q, h, picture(3), {});
         denoised_on_device(q, h);
         WaveletDenoiseOptions rician;
         rician.border = WaveletBorder::periodic;
         rician.noise = NoiseKind::rician;
         denoised(q, h, volume(), rician);
     }},
    {"tridiagonal",
     [](Queue& q, Hash& h) {
         for (const TridiagonalLines& lines :
              {contiguous_lines(129, 37), interleaved_lines(143, 100), contiguous_lines(50000, 1),
               volume_lines({19, 40, 4}, 1), volume_lines({19, 40, 4}, 2)}) {
             solutions<float>(q, h, lines);
             solutions<double>(q, h, lines);
         }
     }},
    {"tridiagonal factors",
     [](Queue& q, Hash& h) {
         for (const TridiagonalLines& sides :
              {contiguous_lines(129, 37), interleaved_lines(1430, 70), contiguous_lines(50000, 2),
               volume_lines({19, 40, 4}, 1)}) {
             sides_solved<float>(q, h, sides);
             sides_solved<double>(q, h, sides);
         }
     }},
    {"match", matches},
    {"rearrange", rearranged},
    {"circles", found_circles},
    {"thesis circles", circles_of_the_thesis},
    {"zernike",
     [](Queue& q, Hash& h) {
         moments(q, h, {.order = 20});
         moments(q, h, {.order = 20, .precision = Precision::single_});
     }},
    {"thesis zernike", moments_of_the_thesis},
    {"thesis tridiagonal", solutions_of_the_thesis},
    {"thesis wavelet", lines_of_the_thesis},
};
INSTANTIATE_TEST_SUITE_P(Transforms, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
