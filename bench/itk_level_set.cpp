// Level sets on the CPU beside those of ITK 5, on phantoms with 5 % noise and 20 % uneven
// brightness, from the same balls: ITK at the best setting of a small sweep, each in one run.
//
// tesela_itk_level_set [SIDE]
#include <itkGeodesicActiveContourLevelSetImageFilter.h>
#include <itkImage.h>
#include <itkShapeDetectionLevelSetImageFilter.h>
#include <itkThresholdSegmentationLevelSetImageFilter.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

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
    LevelSetResult ours;
    double fastest = 1e30;
    for (int i = 0; i < 3; ++i)
        fastest =
            std::min(fastest, seconds_of([&] {
                         ours = level_set(image, seeds,
                                          {.lower = phantom.lower, .upper = phantom.upper}, queue);
                     }));
    std::printf("  %-34s Dice %.4f  %9.4f s\n", "tesela level-set ftc",
                dice(made.truth, phantom.lowest_label,
                     [&](std::size_t i) { return ours.labels.pixels()[i] != 0; }),
                fastest);
    const auto start = itk_image(shape, [&](std::int64_t i) {
        const double dx = static_cast<double>(i % shape.x) - x;
        const double dy = static_cast<double>(i / shape.x % shape.y) - y;
        const double dz = static_cast<double>(i / shape.x / shape.y) - z;
        return static_cast<float>(std::sqrt(dx * dx + dy * dy + dz * dz) - radius);
    });
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

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela;
    try {
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
