// The device level of warps gives what the host level gives.
#include <limits>

#include "device_images.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

class WarpDeviceLevel : public testing::OnDeviceImages {
  protected:
    template <class T>
    void expect_same_warps(const Image<T>& image, const Transform& transform) {
        const ImageGrid target{image.shape().z > 1 ? Shape{30, 20, 9} : Shape{60, 50}, {}};
        for (const bool inverse : {false, true})
            for (const std::optional<double> outside : {std::optional<double>{}, {-7.5}}) {
                const WarpOptions options{inverse, outside};
                const DeviceImage<const T> resident = lent(image);
                DeviceImage<T> warped;
                const std::int64_t moved =
                    moved_by([&] { warped = warp(resident, transform, target, options, queue); });
                EXPECT_EQ(moved, (std::is_same_v<T, float> ? 4 : 0));
                expect_same(std::get<Image<T>>(warp(image, transform, target, options, queue)),
                            warped);
            }
    }
};
TESELA_ON_EVERY_DEVICE(WarpDeviceLevel);

Transform turned(int dimensions) {
    LinearMap turn{LinearKind::affine, {0.9, -0.3, 0, 0.3, 0.9, 0, 0, 0, 1}, {4.5, -3.25, 0}};
    return {.dimensions = dimensions, .steps = {turn}};
}

TEST_P(WarpDeviceLevel, OfEveryPixelType) {
    for (const Shape& shape : {Shape{57, 43}, Shape{23, 17, 11}, Shape{31, 17, 1, 1, 3}}) {
        const Image<float> image = testing::patches(shape, 0.1, 11);
        const Transform transform = turned(shape.z > 1 ? 3 : 2);
        expect_same_warps(testing::quantized<std::uint8_t>(image, 255), transform);
        expect_same_warps(testing::quantized<std::uint16_t>(image, 65535), transform);
        expect_same_warps(testing::quantized<std::int16_t>(image, 900), transform);
        expect_same_warps(image, transform);
    }
}

// Of pixels between -2 and 2, half of them at .5: halves go away from 0, as on the host.
TEST_P(WarpDeviceLevel, RoundsHalvesAwayFromZero) {
    Image<std::int16_t> image({5, 1});
    image.pixels() = {-2, -1, 0, 1, 2};
    const LinearMap half{LinearKind::affine, {0.5, 0, 0, 0, 1, 0, 0, 0, 1}, {}};
    const auto warped =
        warp(lent(image), {.dimensions = 2, .steps = {half}}, {{9, 1}, {}}, {}, queue);
    EXPECT_EQ(pixels(warped), (std::vector<std::int16_t>{-2, -2, -1, -1, 0, 1, 1, 2, 2}));
}

TEST_P(WarpDeviceLevel, OfLabels) {
    const auto labels = testing::quantized<std::uint32_t>(testing::patches({57, 43}, 0.1, 3), 9);
    const ImageGrid target{{60, 50}, {}};
    for (const bool inverse : {false, true})
        expect_same(warp_labels(labels, turned(2), target, inverse, queue),
                    warp_labels(lent(labels), turned(2), target, inverse, queue));
}

TEST_P(WarpDeviceLevel, RefusesWhatTheHostLevelRefuses) {
    Image<float> image({8, 6});
    const ImageGrid target{{8, 6}, {}};
    image(2, 1) = std::numeric_limits<float>::infinity();
    EXPECT_EQ(testing::refusal([&] { warp(lent(image), turned(2), target, {}, queue); }), "");
    image(3, 1) = 2e37f;
    const std::string device =
        testing::refusal([&] { warp(lent(image), turned(2), target, {}, queue); });
    EXPECT_NE(device, "");
    EXPECT_EQ(device, testing::refusal([&] { warp(image, turned(2), target, {}, queue); }));
    EXPECT_NE(testing::refusal([&] { warp(lent(image), turned(3), target, {}, queue); }), "");
    EXPECT_THROW(warp(lent(Image<float>({4, 4, 1, 2})), turned(2), target, {}, queue),
                 UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
