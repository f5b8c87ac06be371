// Reconstruction and skeletons on every device.
#include "tesela/reconstruct.h"

#include <algorithm>
#include <random>

#include "device_images.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/skeleton.h"

namespace tesela {
namespace {

class MorphologyToTheEnd : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(MorphologyToTheEnd);

// Dilations of one pixel below the mask, until nothing changes.
template <class T>
Image<T> expected(const Image<T>& marker, const Image<T>& mask, int axes) {
    Image<T> values = mask;
    for (std::size_t i = 0; i < values.pixels().size(); ++i)
        values.pixels()[i] = std::min(marker.pixels()[i], mask.pixels()[i]);
    const Shape& s = mask.shape();
    for (bool changes = true; changes;) {
        changes = false;
        for (std::int64_t z = 0; z < s.z; ++z)
            for (std::int64_t y = 0; y < s.y; ++y)
                for (std::int64_t x = 0; x < s.x; ++x)
                    for (int n = 0; n < 27; ++n) {
                        const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
                        if (std::abs(dx) + std::abs(dy) + std::abs(dz) > axes || x + dx < 0 ||
                            x + dx >= s.x || y + dy < 0 || y + dy >= s.y || z + dz < 0 ||
                            z + dz >= s.z)
                            continue;
                        const T reach = std::min(values(x + dx, y + dy, z + dz), mask(x, y, z));
                        changes |= reach > values(x, y, z);
                        values(x, y, z) = std::max(values(x, y, z), reach);
                    }
    }
    return values;
}

constexpr std::array sizes{Shape{1, 1}, Shape{40, 1}, Shape{1, 30}, Shape{37, 23},
                           Shape{13, 11, 7}};

template <class T>
Image<T> scattered(const Shape& shape, double full, unsigned seed) {
    const Image<float> values = testing::patches(shape, 1, seed);
    Image<T> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<T>(full * static_cast<double>(values.pixels()[i]));
    return image;
}
// Here and there as high as the mask or higher, elsewhere low.
template <class T>
Image<T> marker_of(const Image<T>& mask, unsigned seed) {
    std::mt19937 generator(seed);
    Image<T> marker(mask.shape());
    for (std::size_t i = 0; i < marker.pixels().size(); ++i)
        marker.pixels()[i] = static_cast<T>(generator() % 29 == 0 ? mask.pixels()[i] + T{1}
                                                                  : mask.pixels()[i] / T{4});
    return marker;
}

TEST_P(MorphologyToTheEnd, Reconstruction) {
    testing::Cases cases(GetParam());
    unsigned seed = 0;
    const auto check = [&]<class T>(T, double full) {
        for (const Shape& shape : sizes)
            for (const bool faces : {false, true}) {
                if (!cases.take()) continue;
                const bool is_volume = shape.z > 1;
                const Image<T> mask = scattered<T>(shape, full, ++seed);
                const Image<T> marker = marker_of(mask, seed);
                const Connectivity connectivity = !faces      ? Connectivity::automatic
                                                  : is_volume ? Connectivity::six
                                                              : Connectivity::four;
                const Image<T> wanted = expected(marker, mask, faces ? 1 : is_volume ? 3 : 2);
                const AnyImage found = reconstruct(marker, mask, {connectivity}, queue);
                EXPECT_EQ(std::get<Image<T>>(found).pixels(), wanted.pixels());
                if constexpr (std::is_same_v<T, std::uint8_t>)
                    expect_same(wanted,
                                reconstruct(lent(marker), lent(mask), {connectivity}, queue));
            }
    };
    check(std::uint8_t{}, 254);
    check(std::uint16_t{}, 65534);
    check(std::int16_t{}, 30000);
    check(std::uint32_t{}, 4e9);
    check(float{}, 1);
    check(double{}, -1e200);
}

// More values than there are levels.
TEST_P(MorphologyToTheEnd, ReconstructionOfManyValues) {
    const Image<float> mask = scattered<float>({300, 250}, 1e6, 3);
    const Image<float> marker = marker_of(mask, 4);
    EXPECT_EQ(std::get<Image<float>>(reconstruct(marker, mask, {}, queue)).pixels(),
              expected(marker, mask, 2).pixels());
}

TEST_P(MorphologyToTheEnd, ReconstructionOfBadInput) {
    const Image<std::uint8_t> image({4, 4});
    const auto refused = [&](const AnyImage& marker, const AnyImage& mask,
                             const ReconstructOptions& options, const std::string& words) {
        try {
            reconstruct(marker, mask, options, queue);
            ADD_FAILURE() << "taken; expected: " << words;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    refused(Image<std::uint16_t>({4, 4}), image, {}, "same pixel type");
    refused(Image<std::uint8_t>({4, 3}), image, {}, "4");
    refused(image, image, {Connectivity::six}, "connectivity");
    refused(Image<std::uint8_t>({4, 4, 1, 1, 3}), Image<std::uint8_t>({4, 4, 1, 1, 3}), {},
            "one channel");
    Image<float> values({2, 2});
    values.pixels()[1] = std::nanf("");
    refused(values, values, {}, "NaN");
}

Image<std::uint8_t> picture_of(const std::vector<std::string>& rows) {
    Image<std::uint8_t> image({std::ssize(rows.front()), std::ssize(rows)});
    for (std::size_t y = 0; y < rows.size(); ++y)
        for (std::size_t x = 0; x < rows[y].size(); ++x)
            image(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)) =
                rows[y][x] != '.' ? 255 : 0;
    return image;
}

// Zhang and Suen's two passes in turn, point by point.
Image<std::uint8_t> thinned(Image<std::uint8_t> image) {
    const Shape& s = image.shape();
    const auto value = [&](std::int64_t x, std::int64_t y) {
        return x >= 0 && x < s.x && y >= 0 && y < s.y && image(x, y) != 0 ? 1 : 0;
    };
    for (bool changes = true; changes;) {
        changes = false;
        for (const int pass : {0, 1}) {
            Image<std::uint8_t> next = image;
            for (std::int64_t y = 0; y < s.y; ++y)
                for (std::int64_t x = 0; x < s.x; ++x) {
                    const std::array p{
                        value(x, y - 1), value(x + 1, y - 1), value(x + 1, y), value(x + 1, y + 1),
                        value(x, y + 1), value(x - 1, y + 1), value(x - 1, y), value(x - 1, y - 1)};
                    int set = 0, steps = 0;
                    for (std::size_t k = 0; k < 8; ++k) {
                        set += p[k];
                        steps += p[k] == 0 && p[(k + 1) % 8] == 1;
                    }
                    const bool side = pass == 0
                                          ? p[0] * p[2] * p[4] == 0 && p[2] * p[4] * p[6] == 0
                                          : p[0] * p[2] * p[6] == 0 && p[0] * p[4] * p[6] == 0;
                    if (value(x, y) && set >= 2 && set <= 6 && steps == 1 && side) {
                        next(x, y) = 0;
                        changes = true;
                    }
                }
            image = next;
        }
    }
    return image;
}

TEST_P(MorphologyToTheEnd, Skeletons) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{9, 1}, Shape{1, 70}, Shape{65, 40}, Shape{200, 90}}) {
        Image<std::uint8_t> image = scattered<std::uint8_t>(shape, 255, 5);
        for (std::uint8_t& v : image.pixels()) v = v > 110 ? 255 : 0;
        const Image<std::uint8_t> wanted = thinned(image);
        EXPECT_EQ(skeletonize(image, queue).pixels(), wanted.pixels());
        expect_same(wanted, skeletonize(lent(image), queue));
    }
    const auto letter = picture_of({"............", ".########...", ".########...", ".###..###...",
                                    ".###..###...", ".########...", ".########...", ".###...###..",
                                    ".###....##..", "............"});
    EXPECT_EQ(skeletonize(letter, queue).pixels(), thinned(letter).pixels());
    EXPECT_THROW(skeletonize(Image<std::uint8_t>({4, 4, 2}), queue), UnsupportedFormat);
    EXPECT_THROW(skeletonize(Image<std::uint8_t>({4, 4, 1, 1, 3}), queue), UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
