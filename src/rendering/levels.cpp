#include "rendering/levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "core/threads.h"

namespace tesela::rendering {
namespace {

template <class T>
struct Mean {
    double sum = 0;
    int count = 0;

    void add(T value) {
        if (!std::isfinite(static_cast<double>(value))) return;
        sum += static_cast<double>(value);
        ++count;
    }
    T result() const {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(count > 0 ? sum / count
                                            : std::numeric_limits<double>::quiet_NaN());
        else
            return static_cast<T>(std::floor(sum / count + 0.5));
    }
};

struct MostFrequent {
    std::array<std::uint32_t, 8> labels{};
    std::size_t size = 0;

    void add(std::uint32_t label) { labels[size++] = label; }
    std::uint32_t result() const {
        std::uint32_t best = 0;
        std::ptrdiff_t most = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::ptrdiff_t times =
                std::count(labels.begin(), labels.begin() + size, labels[i]);
            if (times < most || (times == most && labels[i] >= best)) continue;
            best = labels[i];
            most = times;
        }
        return best;
    }
};

// Applies `Summary` to the voxels that each coarser voxel covers.
template <class Summary, class T>
Image<T> half(const PixelView<T>& volume) {
    const Shape& from = volume.shape();
    Image<T> made(half_of(from));
    const Shape& to = made.shape();
    detail::for_each_index(to.z, 0, [&](std::int64_t z) {
        for (std::int64_t y = 0; y < to.y; ++y)
            for (std::int64_t x = 0; x < to.x; ++x)
                for (int channel = 0; channel < to.channels; ++channel) {
                    Summary summary;
                    for (std::int64_t k = 2 * z; k < std::min(2 * z + 2, from.z); ++k)
                        for (std::int64_t j = 2 * y; j < std::min(2 * y + 2, from.y); ++j)
                            for (std::int64_t i = 2 * x; i < std::min(2 * x + 2, from.x); ++i)
                                summary.add(volume(i, j, k, 0, channel));
                    made(x, y, z, 0, channel) = summary.result();
                }
    });
    return made;
}

}  // namespace

Shape half_of(Shape shape) {
    shape.x = (shape.x + 1) / 2;
    shape.y = (shape.y + 1) / 2;
    shape.z = (shape.z + 1) / 2;
    return shape;
}

AnyImage half_of(const AnyImageView& volume) {
    return volume.visit(
        []<class T>(const PixelView<T>& image) { return AnyImage(half<Mean<T>>(image)); });
}

LabelImage half_of_labels(const LabelView& labels) { return half<MostFrequent>(labels); }

}  // namespace tesela::rendering
