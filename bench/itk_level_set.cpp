// Level sets on the CPU beside those of ITK 5, from the same balls, both at the best setting of a
// small sweep.
//
// tesela_itk_level_set [SIDE]: phantoms with 5 % noise and 20 % uneven brightness.
// tesela_itk_level_set structures CH2 AAL: caudate, putamen and thalamus of both sides of a head,
// at one setting for all six; each ITK result by itself, ours in one run.
#include <itkGeodesicActiveContourLevelSetImageFilter.h>
#include <itkImage.h>
#include <itkShapeDetectionLevelSetImageFilter.h>
#include <itkThresholdSegmentationLevelSetImageFilter.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tesela/io.h"
#include "tesela/level_set.h"
#include "tesela/stop_function.h"
#include "tesela/synthetic_volume.h"

namespace tesela::bench {
namespace {

using Values = itk::Image<float, 3>;

struct Phantom {
    VolumeScene scene;
    double x, y, z, radius;  // of the ball, as shares of the side
    double lower, upper;
    std::uint32_t lowest_label;  // of the truth, this one and higher ones
};

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Inside>
double dice(const LabelImage& truth, std::uint32_t lowest_label, const Inside& inside) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < truth.pixels().size(); ++i) {
        const bool a = inside(i), b = truth.pixels()[i] >= lowest_label;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

template <class Value>
Values::Pointer itk_image(const Shape& shape, const Value& value) {
    const auto image = Values::New();
    itk::Size<3> size;
    size[0] = static_cast<itk::SizeValueType>(shape.x);
    size[1] = static_cast<itk::SizeValueType>(shape.y);
    size[2] = static_cast<itk::SizeValueType>(shape.z);
    image->SetRegions(size);
    image->Allocate();
    for (std::int64_t i = 0; i < shape.points(); ++i) image->GetBufferPointer()[i] = value(i);
    return image;
}

// The best Dice over weights of curvature, and its time.
template <class Filter>
void run_itk(const char* name, const SyntheticVolume& made, const Phantom& phantom,
             const Values::Pointer& start, const Values::Pointer& feature,
             const std::function<void(Filter&)>& set) {
    double best = 0, seconds = 0, best_curvature = 0;
    for (const float curvature : {0.1f, 0.5f, 2.0f}) {
        const auto filter = Filter::New();
        filter->SetInput(start);
        filter->SetFeatureImage(feature);
        filter->SetPropagationScaling(1);
        filter->SetCurvatureScaling(curvature);
        filter->SetMaximumRMSError(0.005);
        filter->SetNumberOfIterations(800);
        set(*filter);
        const double taken = seconds_of([&] { filter->Update(); });
        const float* values = filter->GetOutput()->GetBufferPointer();
        // The threshold filter is negative inside as well.
        const double found =
            dice(made.truth, phantom.lowest_label, [&](std::size_t i) { return values[i] <= 0; });
        if (found <= best) continue;
        best = found;
        seconds = taken;
        best_curvature = curvature;
    }
    std::printf("  %-34s Dice %.4f  %9.4f s  curvature %.1f\n", name, best, seconds,
                best_curvature);
}

// The best Dice over three settings, and the time of the fastest of three runs.
void run_ours(const SyntheticVolume& made, const Phantom& phantom, const Seeds& seeds,
              Queue& queue) {
    struct Setting {
        const char* name;
        double smoothing, neck;
    };
    double best = 0, seconds = 0;
    const char* name = "";
    for (const Setting& setting : {Setting{"default", 0.9, 0},
                                   {"--neck 2", 0.9, 2},
                                   {"--smoothing 0.6 --neck 1.5", 0.6, 1.5}}) {
        const LevelSetOptions options{.lower = phantom.lower,
                                      .upper = phantom.upper,
                                      .smoothing = {setting.smoothing},
                                      .neck = {setting.neck}};
        LevelSetResult ours;
        double fastest = 1e30;
        for (int i = 0; i < 3; ++i)
            fastest = std::min(
                fastest, seconds_of([&] { ours = level_set(made.image, seeds, options, queue); }));
        const double found = dice(made.truth, phantom.lowest_label,
                                  [&](std::size_t i) { return ours.labels.pixels()[i] != 0; });
        if (found <= best) continue;
        best = found;
        seconds = fastest;
        name = setting.name;
    }
    std::printf("  %-34s Dice %.4f  %9.4f s  %s\n", "tesela level-set ftc", best, seconds, name);
}

double squared_distance(const Shape& shape, std::int64_t i, const std::array<double, 3>& center) {
    const double dx = static_cast<double>(i % shape.x) - center[0],
                 dy = static_cast<double>(i / shape.x % shape.y) - center[1],
                 dz = static_cast<double>(i / shape.x / shape.y) - center[2];
    return dx * dx + dy * dy + dz * dz;
}

Values::Pointer ball_distance(const Shape& shape, const std::array<double, 3>& center,
                              double radius) {
    return itk_image(shape, [&](std::int64_t i) {
        return static_cast<float>(std::sqrt(squared_distance(shape, i, center)) - radius);
    });
}

void run(const Phantom& phantom, std::int64_t side) {
    const Shape shape{side, side, side};
    const SyntheticVolume made =
        synthetic_volume({.scene = phantom.scene, .shape = shape, .noise = 0.05, .bias = 0.2});
    const auto length = static_cast<double>(side);
    const double x = std::round(phantom.x * length), y = std::round(phantom.y * length),
                 z = std::round(phantom.z * length), radius = phantom.radius * length;
    std::printf("%s, %lld^3\n", std::string(enum_name(phantom.scene)).c_str(),
                static_cast<long long>(side));
    Queue queue(Device::parse("cpu"));
    const AnyImage image = made.image;
    const Seeds seeds = std::vector<SeedBall>{{{{x, y, z}, 3}, radius}};
    run_ours(made, phantom, seeds, queue);
    const auto start = ball_distance(shape, {x, y, z}, radius);
    const auto values = itk_image(shape, [&](std::int64_t i) {
        return static_cast<float>(made.image.pixels()[static_cast<std::size_t>(i)]);
    });
    const Image<float> stop = stop_function(image, {}, queue).stop;
    const auto edges = itk_image(
        shape, [&](std::int64_t i) { return stop.pixels()[static_cast<std::size_t>(i)]; });
    using Threshold = itk::ThresholdSegmentationLevelSetImageFilter<Values, Values>;
    run_itk<Threshold>("ITK ThresholdSegmentation", made, phantom, start, values,
                       [&](Threshold& filter) {
                           filter.SetLowerThreshold(static_cast<float>(phantom.lower));
                           filter.SetUpperThreshold(static_cast<float>(phantom.upper));
                       });
    using Geodesic = itk::GeodesicActiveContourLevelSetImageFilter<Values, Values>;
    run_itk<Geodesic>("ITK GeodesicActiveContour", made, phantom, start, edges,
                      [](Geodesic& filter) { filter.SetAdvectionScaling(1); });
    using ShapeDetection = itk::ShapeDetectionLevelSetImageFilter<Values, Values>;
    run_itk<ShapeDetection>("ITK ShapeDetection", made, phantom, start, edges,
                            [](ShapeDetection&) {});
}

// ---- Six structures of a head ------------------------------------------------------------------

struct Structure {
    std::uint32_t label;
    std::array<double, 3> center{};
    double mean = 0, deviation = 0;  // of the image in the ball
};
constexpr double ball_radius = 4;

std::vector<Structure> structures_of(const Image<std::uint8_t>& head, const LabelImage& atlas) {
    std::vector<Structure> structures;
    const Shape& shape = head.shape();
    for (const std::uint32_t label : {71u, 72u, 73u, 74u, 77u, 78u}) {
        Structure one{label};
        double count = 0, sum = 0, squares = 0, inside = 0;
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            if (atlas.pixels()[static_cast<std::size_t>(i)] != label) continue;
            ++count;
            one.center[0] += static_cast<double>(i % shape.x);
            one.center[1] += static_cast<double>(i / shape.x % shape.y);
            one.center[2] += static_cast<double>(i / shape.x / shape.y);
        }
        for (double& at : one.center) at = std::round(10 * at / count) / 10;
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            if (squared_distance(shape, i, one.center) > ball_radius * ball_radius) continue;
            const double value = head.pixels()[static_cast<std::size_t>(i)];
            ++inside;
            sum += value;
            squares += value * value;
        }
        one.mean = sum / inside;
        one.deviation = std::sqrt(squares / inside - one.mean * one.mean);
        structures.push_back(one);
    }
    return structures;
}

template <class Filter>
double itk_dice(const Values::Pointer& values, const LabelImage& atlas, const Structure& one,
                float curvature, unsigned iterations) {
    const auto filter = Filter::New();
    filter->SetInput(ball_distance(atlas.shape(), one.center, ball_radius));
    filter->SetFeatureImage(values);
    filter->SetPropagationScaling(1);
    filter->SetCurvatureScaling(curvature);
    filter->SetMaximumRMSError(0.005);
    filter->SetNumberOfIterations(iterations);
    filter->SetLowerThreshold(static_cast<float>(one.mean - 2.5 * one.deviation));
    filter->SetUpperThreshold(static_cast<float>(one.mean + 2.5 * one.deviation));
    filter->Update();
    const float* found = filter->GetOutput()->GetBufferPointer();
    double both = 0, either = 0;
    for (std::size_t i = 0; i < atlas.pixels().size(); ++i) {
        const bool a = found[i] <= 0, b = atlas.pixels()[i] == one.label;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

void run_structures(const char* head_file, const char* atlas_file) {
    const auto head = std::get<Image<std::uint8_t>>(io::read_image(head_file).image);
    const LabelImage atlas = io::read_labels(atlas_file);
    const auto values = itk_image(head.shape(), [&](std::int64_t i) {
        return static_cast<float>(head.pixels()[static_cast<std::size_t>(i)]);
    });
    const std::vector<Structure> structures = structures_of(head, atlas);
    for (const float curvature : {0.5f, 2.0f})
        for (const unsigned iterations : {40u, 80u, 120u, 160u, 320u}) {
            double sum = 0;
            std::printf("ITK ThresholdSegmentation, curvature %.1f, %3u iterations:", curvature,
                        iterations);
            const double seconds = seconds_of([&] {
                for (const Structure& one : structures) {
                    using Threshold = itk::ThresholdSegmentationLevelSetImageFilter<Values, Values>;
                    const double found =
                        itk_dice<Threshold>(values, atlas, one, curvature, iterations);
                    std::printf(" %.2f", found);
                    sum += found;
                }
            });
            std::printf("; mean %.3f, %.1f s\n", sum / static_cast<double>(structures.size()),
                        seconds);
            std::fflush(stdout);
        }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela;
    try {
        if (argc == 4 && std::string(argv[1]) == "structures") {
            bench::run_structures(argv[2], argv[3]);
            return 0;
        }
        const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 64;
        for (const bench::Phantom& phantom :
             {bench::Phantom{VolumeScene::sphere, 0.5, 0.5, 0.5, 0.08, 120, 255, 1},
              bench::Phantom{VolumeScene::torus, 0.77, 0.5, 0.5, 0.06, 120, 255, 1},
              bench::Phantom{VolumeScene::head, 0.66, 0.5, 0.5, 0.05, 88, 190, 2}})
            bench::run(phantom, side);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_itk_level_set: %s\n", error.what());
        return 1;
    }
    return 0;
}
