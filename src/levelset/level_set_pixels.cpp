#include "levelset/level_set_pixels.h"

#include "kernels/levelset/level_set_levels.kernel.h"
#include "pixels/native_pixels.h"

namespace tesela {
namespace {

AnyImageView with_kernels(const AnyImageView& image, std::vector<std::string>& warnings) {
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>)
            return image;
        else
            return AnyImageView::owning(to_float(typed, warnings));
    });
}

template <class T>
struct Kernels;
#define TESELA_VALUE_KERNELS(type, suffix)                                  \
    template <>                                                             \
    struct Kernels<type> {                                                  \
        static constexpr auto& values = kernels::level_set_values_##suffix; \
    }
TESELA_VALUE_KERNELS(std::uint8_t, u8);
TESELA_VALUE_KERNELS(std::uint16_t, u16);
TESELA_VALUE_KERNELS(std::int16_t, i16);
TESELA_VALUE_KERNELS(float, f32);
#undef TESELA_VALUE_KERNELS

}  // namespace

LevelSetPixels::LevelSetPixels(const AnyImageView& image, Queue& queue)
    : kept_(with_kernels(image, warnings)),
      pixels_(kept_->visit([&]<class T>(const PixelView<T>& typed) -> AnyPixels {
          if constexpr (native<T>)
              return Both<T>{PixelSource<T>(typed), queue};
          else
              throw UnsupportedFormat("level sets have no kernels of this pixel type");
      })) {}

std::vector<float> LevelSetPixels::values_at(Queue& queue,
                                             std::span<const std::uint32_t> points) const {
    auto values = queue.allocate<float>(static_cast<std::int64_t>(points.size()), "values");
    if (points.empty()) return {};
    on_device([&]<class T>(const DeviceImage<const T>& image) {
        queue.launch(Kernels<T>::values, Range{values.size()}, image.pixels,
                     queue.lend(points, "points"), values);
    });
    return queue.download(values);
}

}  // namespace tesela
