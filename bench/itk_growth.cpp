// Region growing on the CPU beside the filters of ITK that it equals, on a head of 256^3 voxels:
// both in one run, each its fastest of several.
//
// tesela_itk_growth VOLUME X Y Z [LOWER UPPER]
#include <itkConfidenceConnectedImageFilter.h>
#include <itkConnectedThresholdImageFilter.h>
#include <itkNeighborhoodConnectedImageFilter.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "inputs.h"
#include "tesela/io.h"
#include "tesela/region_grow.h"

namespace tesela::bench {
namespace {

using Pixels = itk::Image<std::uint8_t, 3>;

double seconds_of(const std::function<void()>& work) {
    double fastest = 1e30;
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        fastest = std::min(fastest, taken.count());
    }
    return fastest;
}

struct Head {
    Image<std::uint8_t> image;
    Pixels::Pointer itk = Pixels::New();
    std::array<double, 4> seed{};

    explicit Head(Image<std::uint8_t> pixels) : image(std::move(pixels)) {
        itk::Size<3> size;
        size[0] = static_cast<itk::SizeValueType>(image.shape().x);
        size[1] = static_cast<itk::SizeValueType>(image.shape().y);
        size[2] = static_cast<itk::SizeValueType>(image.shape().z);
        itk->SetRegions(size);
        itk->Allocate();
        std::copy(image.pixels().begin(), image.pixels().end(), itk->GetBufferPointer());
    }
};

template <class Filter>
void compare(const Head& head, const char* name, Filter& filter, const RegionGrowOptions& options) {
    filter.SetInput(head.itk);
    filter.SetReplaceValue(1);
    Pixels::IndexType index;
    for (unsigned axis = 0; axis < 3; ++axis)
        index[axis] = static_cast<itk::IndexValueType>(head.seed[axis]);
    filter.AddSeed(index);
    const double theirs = seconds_of([&] {
        filter.Modified();
        filter.Update();
    });
    Queue queue(Device::parse("cpu"));
    const Seeds seeds = std::vector<SeedPoint>{{{head.seed, 3}}};
    const AnyImage image = head.image;
    RegionGrowResult result;
    const double ours = seconds_of([&] { result = region_grow(image, seeds, options, queue); });
    std::int64_t differences = 0;
    for (std::size_t i = 0; i < result.labels.pixels().size(); ++i)
        differences += filter.GetOutput()->GetBufferPointer()[i] != result.labels.pixels()[i];
    std::printf("%-14s %10lld voxels  ITK %8.1f ms  tesela %8.1f ms  ratio %6.1f  %lld differ\n",
                name, static_cast<long long>(head.image.shape().points() - result.unlabeled_points),
                theirs * 1e3, ours * 1e3, theirs / ours, static_cast<long long>(differences));
}

void run(const Head& head, double lower, double upper) {
    LimitGrowOptions limits{.lower = lower, .upper = upper};
    const auto connected = itk::ConnectedThresholdImageFilter<Pixels, Pixels>::New();
    connected->SetLower(static_cast<std::uint8_t>(lower));
    connected->SetUpper(static_cast<std::uint8_t>(upper));
    compare(head, "limits", *connected, limits);
    limits.radius = 1;
    const auto neighborhood = itk::NeighborhoodConnectedImageFilter<Pixels, Pixels>::New();
    neighborhood->SetLower(static_cast<std::uint8_t>(lower));
    neighborhood->SetUpper(static_cast<std::uint8_t>(upper));
    compare(head, "limits, box", *neighborhood, limits);
    for (const double multiplier : {2.0, 2.5, 3.0}) {
        const auto confidence = itk::ConfidenceConnectedImageFilter<Pixels, Pixels>::New();
        confidence->SetMultiplier(multiplier);
        confidence->SetNumberOfIterations(4);
        confidence->SetInitialNeighborhoodRadius(1);
        compare(head, "confidence", *confidence, ConfidenceGrowOptions{.multiplier = multiplier});
    }
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela;
    if (argc != 5 && argc != 7) {
        std::fprintf(stderr, "usage: tesela_itk_growth VOLUME X Y Z [LOWER UPPER]\n");
        return 2;
    }
    try {
        const AnyImage read = io::read_image(argv[1]).image;
        bench::Head head(
            bench::repeated(std::get<Image<std::uint8_t>>(read), Shape{256, 256, 256}));
        for (std::size_t axis = 0; axis < 3; ++axis) head.seed[axis] = std::atof(argv[2 + axis]);
        bench::run(head, argc > 5 ? std::atof(argv[5]) : 60, argc > 5 ? std::atof(argv[6]) : 130);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_itk_growth: %s\n", error.what());
        return 1;
    }
    return 0;
}
