#include "tesela/skeleton.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/morphology/morphology_thinning.kernel.h"
#include "morphology/bit_planes.h"
#include "morphology/mask_values.h"

namespace tesela {
namespace {

// Rounds between two looks whether there is still something to do.
constexpr int rounds_at_once = 8;

void check(const Shape& shape) {
    if (shape.channels != 1)
        throw UnsupportedFormat("skeletons are of masks of one channel; this image has " +
                                std::to_string(shape.channels));
    if (shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat(
            "skeletons are of pictures; this image is a volume or has frames: give its slices one "
            "by one");
}

}  // namespace

DeviceImage<std::uint8_t> skeletonize(const DeviceImage<const std::uint8_t>& mask, Queue& queue,
                                      const Progress& progress) {
    check(mask.shape);
    const kernels::morphology_grid grid = bit_grid(mask.shape, queue.device());
    auto bits = packed(queue, grid, BitsOf::mask, mask.pixels);
    auto thinned = queue.allocate<std::uint64_t>(words_of(grid), "thinned mask");
    auto changed = queue.allocate<std::uint32_t>(1, "whether points went");
    do {
        progress.report(0, "thinning");
        queue.fill(changed, 0U);
        for (int round = 0; round < rounds_at_once; ++round)
            for (const std::int32_t second : {0, 1}) {
                queue.launch(kernels::morphology_thin, Range{grid.pitch, mask.shape.y}, bits,
                             thinned, changed, second, grid);
                std::swap(bits, thinned);
            }
    } while (queue.download(changed).front() != 0);
    return {unpacked(queue, grid, BitsOf::mask, 255, bits), mask.shape, mask.geometry};
}

Image<std::uint8_t> skeletonize(const AnyImageView& mask, Queue& queue, const Progress& progress) {
    return mask.visit([&](const auto& typed) {
        check(typed.shape());
        const std::vector<std::uint8_t> bytes = bytes_of_mask(typed.pixels());
        const DeviceImage<const std::uint8_t> lent{
            queue.lend(std::span<const std::uint8_t>(bytes), "mask"), typed.shape(),
            typed.geometry};
        const DeviceImage<std::uint8_t> found = skeletonize(lent, queue, progress);
        auto skeleton = Image<std::uint8_t>::unwritten(typed.shape(), typed.geometry);
        queue.read(found.pixels, std::span<std::uint8_t>(skeleton.pixels()));
        return skeleton;
    });
}

std::int64_t skeleton_device_bytes(const Shape& shape, const Device& device) {
    return 2 * 8 * words_of(bit_grid(shape, device)) + 2 * shape.points() + 4;
}

}  // namespace tesela
