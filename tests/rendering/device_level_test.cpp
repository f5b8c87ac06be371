// Volumes that lie on a device are shown as those of the host.
#include "device_images.h"
#include "segmentation/pictures.h"
#include "tesela/render.h"

namespace tesela {
namespace {

class RenderDeviceLevel : public testing::OnDeviceImages {
  protected:
    template <class T>
    void expect_same_view(const Image<T>& volume, int level) {
        Renderer host(volume, queue, level);
        const DeviceImage<const T> resident = lent(volume);
        const QueueWork before = queue.counters();
        Renderer device(resident, queue, level);
        const QueueWork work = queue.counters() - before;
        const bool is_read = volume.shape().channels == 1 || level > 0;
        const auto bytes = volume.shape().elements() * std::int64_t{sizeof(T)};
        EXPECT_EQ(work.bytes_downloaded, is_read ? bytes : 0);
        EXPECT_EQ(device.level(), level);
        EXPECT_EQ(device.value_range(), host.value_range());
        const Camera camera = host.camera(CameraView::anterior);
        const RenderSettings settings{.width = 48, .height = 40};
        const RenderedView shown = device.render(camera, settings);
        const RenderedView expected = host.render(camera, settings);
        EXPECT_EQ(shown.picture.pixels(), expected.picture.pixels());
        EXPECT_NE(shown.picture.pixels(), std::vector<std::uint8_t>(shown.picture.pixels().size()));
    }
};
TESELA_ON_EVERY_DEVICE(RenderDeviceLevel);

TEST_P(RenderDeviceLevel, OfEveryPixelType) {
    const Image<float> volume = testing::patches({33, 29, 21}, 0.1, 11);
    for (const int level : {0, 1}) {
        expect_same_view(testing::quantized<std::uint8_t>(volume, 255), level);
        expect_same_view(testing::quantized<std::uint16_t>(volume, 4000), level);
        expect_same_view(testing::quantized<std::int16_t>(volume, 900), level);
        expect_same_view(volume, level);
        const Image<float> colors = testing::patches({33, 29, 21, 1, 3}, 0.1, 11);
        expect_same_view(testing::quantized<std::uint8_t>(colors, 255), level);
        expect_same_view(testing::quantized<std::uint16_t>(colors, 60000), level);
    }
}

TEST_P(RenderDeviceLevel, RefusesWhatTheHostRefuses) {
    EXPECT_THROW(Renderer(lent(Image<float>({4, 4, 4, 1, 3})), queue), UnsupportedFormat);
    EXPECT_THROW(Renderer(lent(Image<std::uint8_t>({4, 4, 4, 2})), queue), UnsupportedFormat);
    EXPECT_THROW(Renderer(lent(Image<std::uint8_t>({4, 4, 4})), queue, 5), InvalidArgument);
}

}  // namespace
}  // namespace tesela
