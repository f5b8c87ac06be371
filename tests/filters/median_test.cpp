// Medians of 5x5 pixels, on every device.
#include "filters/median.h"

#include <algorithm>
#include <random>
#include <span>

#include "devices.h"

namespace tesela {
namespace {

class Median : public testing::OnDevice {
  protected:
    // Of planes one behind the other, without what is beside them.
    std::vector<float> medians(const std::vector<float>& planes, int width, int height) {
        constexpr int margin = 2;
        std::vector<float> padded(planes.size() + 2 * margin);
        std::copy(planes.begin(), planes.end(), padded.begin() + margin);
        auto images = queue.upload(std::span<const float>(padded), "images");
        auto filtered = queue.allocate<float>(images.size(), "filtered images");
        const auto count = static_cast<std::int64_t>(planes.size()) / width / height;
        take_medians(queue, width, height, count, margin, 1, images, filtered);
        padded = queue.download(images);
        return {padded.begin() + margin, padded.end() - margin};
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Median);

float median_at(const float* plane, int x, int y, int width, int height) {
    std::vector<float> around;
    for (int j = y - 2; j <= y + 2; ++j)
        for (int i = x - 2; i <= x + 2; ++i)
            around.push_back(
                plane[std::clamp(j, 0, height - 1) * width + std::clamp(i, 0, width - 1)]);
    std::nth_element(around.begin(), around.begin() + 12, around.end());
    return around[12];
}

TEST_P(Median, IsTheMiddleValue) {
    std::mt19937 generator(11);
    constexpr int planes = 3;
    for (const std::pair<int, int>& size :
         {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 3}, {37, 23}, {97, 64}}) {
        const int width = size.first, height = size.second;
        std::vector<float> values(static_cast<std::size_t>(planes) * width * height);
        for (float& value : values) value = static_cast<float>(generator() % 40) - 20;  // with ties
        const std::vector<float> found = medians(values, width, height);
        for (int plane = 0; plane < planes; ++plane)
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x) {
                    const std::size_t begin = static_cast<std::size_t>(plane) * width * height;
                    ASSERT_EQ(found[begin + static_cast<std::size_t>(y * width + x)],
                              median_at(values.data() + begin, x, y, width, height))
                        << width << "x" << height << " at " << x << ", " << y;
                }
    }
}

// A network that finds the median of all columns of zeros and ones finds that of all values.
TEST_P(Median, OfAllColumnsOfZerosAndOnes) {
    constexpr int cases = 6 * 6 * 6 * 6 * 6, width = 5 * cases, height = 5;
    std::vector<float> values(static_cast<std::size_t>(width) * height);
    std::vector<int> ones(cases);
    for (int k = 0; k < cases; ++k)
        for (int column = 0, rest = k; column < 5; ++column, rest /= 6) {
            ones[static_cast<std::size_t>(k)] += rest % 6;
            for (int j = 0; j < rest % 6; ++j)  // the ones begin at any row
                values[static_cast<std::size_t>((j + k + column) % 5 * width + 5 * k + column)] = 1;
        }
    const std::vector<float> found = medians(values, width, height);
    for (int k = 0; k < cases; ++k)
        ASSERT_EQ(found[static_cast<std::size_t>(2 * width + 5 * k + 2)],
                  ones[static_cast<std::size_t>(k)] >= 13)
            << k;
}

}  // namespace
}  // namespace tesela
