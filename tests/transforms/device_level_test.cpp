// Device levels of distances and templates give what the host levels give.
#include <algorithm>

#include "device_images.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/distance.h"

namespace tesela {
namespace {

class TransformsDeviceLevel : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(TransformsDeviceLevel);

TEST_P(TransformsDeviceLevel, OfDistances) {
    for (const Shape& shape : {Shape{37, 23}, Shape{13, 11, 7}}) {
        Image<float> pattern = testing::patches(shape, 0.1, 11);
        pattern.geometry.unit = Unit::millimeter;
        pattern.geometry.spacing = {1, 1.5, 2};
        const auto expect = [&]<class T>(Image<T> labels) {
            std::fill_n(labels.pixels().begin(), shape.x, T{0});
            for (const DistanceOptions& options :
                 {DistanceOptions{.label = 3, .pixels = true, .inside_positive = true},
                  DistanceOptions{.label = 2}, DistanceOptions{}}) {
                const DistanceResult host = signed_distance(labels, options, queue);
                const DeviceImage<const T> resident = lent(labels);
                DeviceDistanceResult device;
                EXPECT_EQ(moved_by([&] { device = signed_distance(resident, options, queue); }), 8);
                expect_same(host.distance, device.distance);
                EXPECT_EQ(device.lowest, host.lowest);
                EXPECT_EQ(device.highest, host.highest);
                EXPECT_EQ(device.millimeters, host.millimeters);
            }
        };
        expect(testing::quantized<std::uint8_t>(pattern, 5));
        expect(testing::quantized<std::uint16_t>(pattern, 5));
        expect(testing::quantized<std::uint32_t>(pattern, 5));
    }
}

TEST_P(TransformsDeviceLevel, RefusesWhatDistancesRefuse) {
    Image<std::uint8_t> mask({4, 4});
    const auto refused = [&](const DistanceOptions& options) {
        const std::string device =
            testing::refusal([&] { signed_distance(lent(mask), options, queue); });
        EXPECT_EQ(device, testing::refusal([&] { signed_distance(mask, options, queue); }));
        return device;
    };
    for (const bool inside_positive : {false, true}) {
        mask.pixels().assign(16, 0);
        EXPECT_NE(refused({.inside_positive = inside_positive}).find("empty"), std::string::npos);
        EXPECT_NE(refused({.label = 2}).find("label 2"), std::string::npos);
        mask.pixels().assign(16, 1);
        EXPECT_NE(refused({.inside_positive = inside_positive}).find("whole"), std::string::npos);
    }
}

}  // namespace
}  // namespace tesela
