// The bound of the number of components, against its definition and against the components.
#include "segmentation/components/most_components.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "reference/components_reference.h"
#include "segmentation/growth/neighbors.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

// Of every pixel whether it is the first of a run of which none has an equal neighbor in a row
// before.
template <class T>
MostComponents runs_that_begin(const Image<T>& image, int axes, double background) {
    const auto& pixels = image.pixels();
    const auto nx = static_cast<std::size_t>(image.shape().x);
    const Neighbors neighbors(image.shape(), axes);
    MostComponents most;
    for (std::size_t first = 0, end = 0; first < pixels.size(); first = end) {
        bool begins = true;
        for (end = first; end == first || (end % nx != 0 && pixels[end] == pixels[first]); ++end)
            neighbors.for_each(static_cast<std::int64_t>(end), [&](std::size_t other) {
                if (other < end / nx * nx && pixels[other] == pixels[end]) begins = false;
            });
        most.found += begins;
        most.kept += begins && pixels[first] != background;
    }
    return most;
}

template <class T>
Image<T> noise(const Shape& shape, unsigned values) {
    std::mt19937 generator(5);
    Image<T> image(shape);
    for (T& pixel : image.pixels()) pixel = static_cast<T>(generator() % values);
    return image;
}

template <class T>
void expect_bounds(const Shape& shape, int axes, unsigned values) {
    const auto connectivity =
        static_cast<Connectivity>(axes == shape.dimensions() ? 0 : 2 * shape.dimensions());
    Image<T> image = noise<T>(shape, values);
    const std::array<int, 4> size{static_cast<int>(shape.x), static_cast<int>(shape.y),
                                  static_cast<int>(shape.z), static_cast<int>(shape.t)};
    for (const ComponentValues kind : {ComponentValues::equal, ComponentValues::binary}) {
        ComponentOptions options{.values = kind, .connectivity = connectivity};
        if (kind == ComponentValues::equal) options.background = 1.0;
        const MostComponents most = most_components(image, options);
        if (kind == ComponentValues::binary)
            for (T& pixel : image.pixels()) pixel = pixel != T{0} ? T{1} : T{0};
        const double background = kind == ComponentValues::binary ? 0 : 1;
        const MostComponents expected = runs_that_begin(image, axes, background);
        EXPECT_EQ(most.found, expected.found);
        EXPECT_EQ(most.kept, expected.kept);
        const auto labels = reference::components(size, axes, [&](std::size_t a, std::size_t b) {
            return image.pixels()[a] == image.pixels()[b];
        });
        EXPECT_GE(most.found, *std::max_element(labels.begin(), labels.end()));
    }
}

TEST(MostComponents, AreRunsWithoutAnEqualNeighborBefore) {
    for (const Shape& shape : {Shape{1}, Shape{40}, Shape{1, 40}, Shape{37, 23}, Shape{9, 7, 11},
                               Shape{1, 1, 30}, Shape{5, 6, 4, 7}, Shape{6, 1, 5, 1}})
        for (const bool all : {true, false})
            for (const unsigned values : {1u, 2u, 3u, 60u}) {
                const int axes = all ? std::max(shape.dimensions(), 2) : 1;
                expect_bounds<std::uint8_t>(shape, axes, values);
                expect_bounds<std::int16_t>(shape, axes, values);
                expect_bounds<float>(shape, axes, values);
                expect_bounds<double>(shape, axes, values);
            }
}

TEST(MostComponents, SizesBoundWhatStays) {
    const AnyImage image = noise<std::uint8_t>({64, 64}, 200);
    const ComponentOptions options{.values = ComponentValues::equal, .min_size = 100};
    EXPECT_GT(most_components(image, options).found, 3000);
    EXPECT_EQ(most_components(image, options).kept, 40);
}

}  // namespace
}  // namespace tesela
