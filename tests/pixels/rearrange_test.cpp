// Boxes, mirrored and turned images on host and devices.
#include "tesela/rearrange.h"

#include <algorithm>
#include <cmath>

#include "device_images.h"
#include "refusal.h"
#include "tesela/align.h"

namespace tesela {
namespace {

constexpr Shape odd{7, 5, 4, 2, 3};

// Every element has its place as its value.
template <class T>
Image<T> numbered(const Shape& shape) {
    Image<T> image(shape);
    for (std::int64_t i = 0; i < shape.elements(); ++i)
        image.pixels()[static_cast<std::size_t>(i)] = static_cast<T>(i);
    image.has_alpha = shape.channels == 4;
    return image;
}

Geometry oblique() {
    const double c = std::cos(0.3), s = std::sin(0.3);
    return {.spacing = {0.5, 2, 3},
            .origin = {10, -20, 30},
            .direction = {c, -s, 0, s, c, 0, 0, 0, 1},
            .unit = Unit::millimeter};
}

class Rearrange : public testing::OnDeviceImages {
  protected:
    // `place` gives x, y and z of the image for those of the result.
    template <class Place>
    void expect_places(const Image<std::uint16_t>& image, const Arrangement& arrangement,
                       const Place& place) {
        const AnyImage made = rearrange(image, arrangement);
        const auto& result = std::get<Image<std::uint16_t>>(made);
        const Shape& shape = result.shape();
        ASSERT_EQ(shape, arrangement.shape());
        for (std::int64_t t = 0; t < shape.t; ++t)
            for (std::int64_t z = 0; z < shape.z; ++z)
                for (std::int64_t y = 0; y < shape.y; ++y)
                    for (std::int64_t x = 0; x < shape.x; ++x) {
                        const auto [from_x, from_y, from_z] = place(x, y, z);
                        for (int c = 0; c < shape.channels; ++c)
                            ASSERT_EQ(result(x, y, z, t, c), image(from_x, from_y, from_z, t, c));
                        if (image.geometry.known()) {
                            const auto here =
                                physical_point(result.geometry, {double(x), double(y), double(z)});
                            const auto there = physical_point(
                                image.geometry, {double(from_x), double(from_y), double(from_z)});
                            for (std::size_t a = 0; a < 3; ++a)
                                ASSERT_NEAR(here[a], there[a], 1e-12);
                        }
                    }
        expect_same(result, rearrange(lent(image), arrangement, queue));
    }

    template <class T>
    void expect_the_same_on_the_device() {
        const Image<T> image = numbered<T>({9, 6, 3, 1, 4});
        Arrangement arrangement{AnyImageView(image)};
        arrangement.flip(1).turn(1, 1);
        expect_same(std::get<Image<T>>(rearrange(image, arrangement)),
                    rearrange(lent(image), arrangement, queue));
    }
};

using Place = std::array<std::int64_t, 3>;

TEST_P(Rearrange, BoxesHaveTheirPixels) {
    Image<std::uint16_t> image = numbered<std::uint16_t>(odd);
    for (const bool known : {false, true}) {
        if (known) image.geometry = oblique();
        Arrangement arrangement{AnyImageView(image)};
        arrangement.crop({{2, 1, 3}, {4, 3, 1}});
        expect_places(image, arrangement, [](auto x, auto y, auto z) {
            return Place{x + 2, y + 1, z + 3};
        });
        arrangement.crop({{1, 1, 0}, {2, 2, 1}});
        expect_places(image, arrangement, [](auto x, auto y, auto z) {
            return Place{x + 3, y + 2, z + 3};
        });
    }
}

TEST_P(Rearrange, FlipsKeepPlaces) {
    Image<std::uint16_t> image = numbered<std::uint16_t>(odd);
    image.geometry = oblique();
    const Place last{odd.x - 1, odd.y - 1, odd.z - 1};
    for (int axis = 0; axis < 3; ++axis) {
        Arrangement arrangement{AnyImageView(image)};
        expect_places(image, arrangement.flip(axis), [&](auto x, auto y, auto z) {
            Place place{x, y, z};
            const auto a = static_cast<std::size_t>(axis);
            place[a] = last[a] - place[a];
            return place;
        });
        EXPECT_EQ(arrangement.flip(axis).geometry(), image.geometry);
    }
}

TEST_P(Rearrange, TurnsAreCounterclockwise) {
    Image<std::uint16_t> image = numbered<std::uint16_t>(odd);
    image.geometry = oblique();
    const auto turned = [&](int quarters, int axis) {
        return Arrangement{AnyImageView(image)}.turn(quarters, axis);
    };
    // The right edge comes to the top.
    expect_places(image, turned(1, 2), [](auto x, auto y, auto z) {
        return Place{odd.x - 1 - y, x, z};
    });
    expect_places(image, turned(1, 1), [](auto x, auto y, auto z) {
        return Place{odd.x - 1 - z, y, x};
    });
    expect_places(image, turned(1, 0), [](auto x, auto y, auto z) {
        return Place{x, odd.y - 1 - z, y};
    });
    expect_places(image, turned(2, 2), [](auto x, auto y, auto z) {
        return Place{odd.x - 1 - x, odd.y - 1 - y, z};
    });
    expect_places(image, turned(-1, 2), [](auto x, auto y, auto z) {
        return Place{y, odd.y - 1 - x, z};
    });
    expect_places(image, turned(4, 2), [](auto x, auto y, auto z) { return Place{x, y, z}; });
}

TEST_P(Rearrange, EveryTypeOfADevice) {
    expect_the_same_on_the_device<std::uint8_t>();
    expect_the_same_on_the_device<std::uint16_t>();
    expect_the_same_on_the_device<std::int16_t>();
    expect_the_same_on_the_device<std::uint32_t>();
    expect_the_same_on_the_device<float>();
}

TEST_P(Rearrange, NothingIsTransferred) {
    const Image<std::uint8_t> image = numbered<std::uint8_t>({64, 64});
    const auto there = lent(image);
    const Arrangement arrangement{AnyImageView(image)};
    EXPECT_EQ(moved_by([&] { rearrange(there, arrangement, queue); }), 0);
}

TESELA_ON_EVERY_DEVICE(Rearrange);

TEST(RearrangeHost, EveryPixelType) {
    const auto reversed = [](const auto& image) {
        Arrangement arrangement{AnyImageView(image)};
        const AnyImage made = rearrange(image, arrangement.flip(0));
        auto expected = image.pixels();
        std::reverse(expected.begin(), expected.end());
        EXPECT_EQ(std::get<std::decay_t<decltype(image)>>(made).pixels(), expected);
    };
    reversed(numbered<std::int8_t>({100, 1}));
    reversed(numbered<std::int32_t>({100, 1}));
    reversed(numbered<double>({100, 1}));
}

TEST(RearrangeHost, WrongBoxesAreRefused) {
    const Image<std::uint8_t> image = numbered<std::uint8_t>({8, 6, 4});
    const auto refusal_of = [&](const PixelBox& box) {
        return testing::refusal([&] { Arrangement{AnyImageView(image)}.crop(box); });
    };
    EXPECT_EQ(refusal_of({{7, 0, 0}, {2, 6, 4}}),
              "the box goes from 7 to 8 along x, where the image has pixels 0 to 7");
    EXPECT_EQ(refusal_of({{0, -1, 0}, {8, 6, 4}}),
              "the box goes from -1 to 4 along y, where the image has pixels 0 to 5");
    EXPECT_NE(refusal_of({{0, 0, 0}, {8, 6, 0}}), "");
    EXPECT_NE(refusal_of({{0, 0, 1}, {8, 6, INT64_MAX}}), "");
}

TEST(BoxOfNonzero, IsTheSmallestOne) {
    Image<float> image({10, 8, 6, 2});
    EXPECT_NE(testing::refusal([&] { box_of_nonzero(image); }), "");
    image(3, 2, 4) = 1;
    EXPECT_EQ(box_of_nonzero(image), (PixelBox{{3, 2, 4}, {1, 1, 1}}));
    image(7, 1, 4, 1) = -1;
    EXPECT_EQ(box_of_nonzero(image), (PixelBox{{3, 1, 4}, {5, 2, 1}}));
    EXPECT_EQ(box_of_nonzero(image, {2, 3, 4}), (PixelBox{{1, 0, 0}, {9, 6, 6}}));
}

}  // namespace
}  // namespace tesela
