// Region growing takes the same voxels as the filters of ITK that it is named after.
#include <gtest/gtest.h>
#include <itkConfidenceConnectedImageFilter.h>
#include <itkConnectedThresholdImageFilter.h>
#include <itkNeighborhoodConnectedImageFilter.h>

#include <cstdlib>
#include <filesystem>

#include "tesela/io.h"
#include "tesela/region_grow.h"

namespace tesela::io::testing {
namespace {

using Mask = itk::Image<std::uint8_t, 3>;
using Place = std::array<std::int64_t, 3>;

template <class T>
typename itk::Image<T, 3>::Pointer to_itk(const Image<T>& image) {
    const auto result = itk::Image<T, 3>::New();
    const Shape& s = image.shape();
    itk::Size<3> size;
    size[0] = static_cast<itk::SizeValueType>(s.x);
    size[1] = static_cast<itk::SizeValueType>(s.y);
    size[2] = static_cast<itk::SizeValueType>(s.z);
    result->SetRegions(size);
    result->Allocate();
    std::copy(image.pixels().begin(), image.pixels().end(), result->GetBufferPointer());
    return result;
}

// One filter and the growth that is to equal it, from the same seeds, which have one label.
template <class T>
class Comparison {
  public:
    Comparison(const Image<T>& image, const std::vector<Place>& seeds)
        : image_(image), itk_(to_itk(image)), seeds_(seeds) {}

    template <template <class, class> class Filter>
    typename Filter<itk::Image<T, 3>, Mask>::Pointer make() const {
        const auto filter = Filter<itk::Image<T, 3>, Mask>::New();
        filter->SetInput(itk_);
        filter->SetReplaceValue(1);
        for (const Place& at : seeds_) filter->AddSeed({{at[0], at[1], at[2]}});
        return filter;
    }

    // Runs both; gives the number of voxels of the region.
    template <class Filter>
    std::int64_t compare(Filter& filter, const RegionGrowOptions& options) const {
        filter.Update();
        std::vector<SeedPoint> points;
        for (const Place& at : seeds_)
            points.push_back({{{static_cast<double>(at[0]), static_cast<double>(at[1]),
                                static_cast<double>(at[2]), 0},
                               3},
                              1});
        Queue queue(Device::parse("cpu"));
        const RegionGrowResult result = region_grow(image_, points, options, queue);
        const std::uint8_t* expected = filter.GetOutput()->GetBufferPointer();
        std::int64_t differences = 0, voxels = 0;
        for (std::size_t i = 0; i < result.labels.pixels().size(); ++i) {
            voxels += expected[i];
            differences += expected[i] != result.labels.pixels()[i];
        }
        EXPECT_EQ(differences, 0) << "of " << voxels;
        return voxels;
    }

    std::int64_t connected(double lower, double upper, Connectivity connectivity) const {
        const auto filter = make<itk::ConnectedThresholdImageFilter>();
        using Itk = std::decay_t<decltype(*filter)>;
        filter->SetLower(static_cast<T>(lower));
        filter->SetUpper(static_cast<T>(upper));
        filter->SetConnectivity(connectivity == Connectivity::twenty_six
                                    ? Itk::ConnectivityEnum::FullConnectivity
                                    : Itk::ConnectivityEnum::FaceConnectivity);
        LimitGrowOptions options;
        options.lower = lower;
        options.upper = upper;
        options.connectivity = connectivity;
        return compare(*filter, options);
    }
    std::int64_t neighborhood(double lower, double upper, int radius) const {
        const auto filter = make<itk::NeighborhoodConnectedImageFilter>();
        filter->SetLower(static_cast<T>(lower));
        filter->SetUpper(static_cast<T>(upper));
        filter->SetRadius(itk::Size<3>::Filled(static_cast<itk::SizeValueType>(radius)));
        LimitGrowOptions options;
        options.lower = lower;
        options.upper = upper;
        options.radius = radius;
        return compare(*filter, options);
    }
    std::int64_t confidence(int radius, double multiplier, int iterations) const {
        const auto filter = make<itk::ConfidenceConnectedImageFilter>();
        filter->SetInitialNeighborhoodRadius(static_cast<unsigned>(radius));
        filter->SetMultiplier(multiplier);
        filter->SetNumberOfIterations(static_cast<unsigned>(iterations));
        ConfidenceGrowOptions options;
        options.radius = radius;
        options.multiplier = multiplier;
        options.iterations = iterations;
        return compare(*filter, options);
    }

  private:
    const Image<T>& image_;
    typename itk::Image<T, 3>::Pointer itk_;
    std::vector<Place> seeds_;
};

// The file in the folder that a variable names, or nothing where there is none.
std::optional<AnyImage> read_from(const char* variable, const std::string& name) {
    const char* folder = std::getenv(variable);
    if (!folder || !std::filesystem::exists(std::filesystem::path(folder) / name)) return {};
    return read_image(std::filesystem::path(folder) / name).image;
}

constexpr std::int64_t many = 100000;  // voxels of a region that says something

// From mricron-data, as every build that runs tests has it.
TEST(RegionGrowItk, HeadOfBytes) {
    const auto image = read_from("TESELA_IMAGES", "ch2.nii.gz");
    ASSERT_TRUE(image.has_value())
        << "TESELA_IMAGES does not name the folder that holds ch2.nii.gz; run ./dev test";
    const Comparison<std::uint8_t> head(std::get<Image<std::uint8_t>>(*image),
                                        {{65, 120, 80}, {115, 120, 80}});
    EXPECT_GT(head.connected(75, 120, Connectivity::automatic), many);
    EXPECT_GT(head.connected(90, 110, Connectivity::twenty_six), many);
    EXPECT_GT(head.neighborhood(60, 130, 1), many);
    EXPECT_GT(head.neighborhood(50, 140, 2), 0);
    EXPECT_GT(head.confidence(1, 2.5, 4), many);
    EXPECT_GT(head.confidence(2, 2.0, 2), many);
    EXPECT_GT(head.confidence(0, 3.0, 1), 0);
}

TEST(RegionGrowItk, DataTest) {
    const auto image = read_from("TESELA_DATA", "volumes/MR_Gd.nii.gz");
    if (!image) GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
    Image<float> values(shape_of(*image));
    std::visit(
        [&](const auto& typed) {
            std::transform(typed.pixels().begin(), typed.pixels().end(), values.pixels().begin(),
                           [](auto value) { return static_cast<float>(value); });
        },
        *image);
    const Comparison<float> head(values, {{88, 94, 70}});
    EXPECT_GT(head.connected(300, 900, Connectivity::automatic), many);
    EXPECT_GT(head.neighborhood(300, 900, 1), many);
    EXPECT_GT(head.confidence(1, 2.5, 4), many);
    EXPECT_GT(head.confidence(2, 2.0, 3), many);
}

}  // namespace
}  // namespace tesela::io::testing
