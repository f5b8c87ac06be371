// Round trips of pictures through every format that holds them.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{1, 1}, {1, 7}, {7, 1}, {37, 23}};

class PictureTest : public FileTest {
  protected:
    template <class T>
    void round_trip(const std::string& name, int channels, bool alpha = false) {
        for (const auto& [width, height] : sizes) {
            SCOPED_TRACE(name + " " + std::to_string(width) + "x" + std::to_string(height) + "x" +
                         std::to_string(channels) + " " +
                         std::string(pixel_type_name(pixel_type_of<T>())));
            Image<T> image = pattern<T>({width, height, 1, 1, channels});
            image.has_alpha = alpha;
            write_image(image, file(name));
            const ReadResult result = read_image(file(name));
            expect_same_pixels(result.image, image);
            EXPECT_FALSE(geometry_of(result.image).known());
            EXPECT_TRUE(result.warnings.empty());
        }
        EXPECT_EQ(names(), std::vector<std::string>{name});
        fs::remove(file(name));
    }
};

TEST_F(PictureTest, Png) {
    round_trip<std::uint8_t>("a.png", 1);
    round_trip<std::uint8_t>("a.png", 2, true);
    round_trip<std::uint8_t>("a.png", 3);
    round_trip<std::uint8_t>("a.png", 4, true);
    round_trip<std::uint16_t>("a.PNG", 1);
    round_trip<std::uint16_t>("a.png", 2, true);
    round_trip<std::uint16_t>("a.png", 3);
    round_trip<std::uint16_t>("a.png", 4, true);
}

TEST_F(PictureTest, Bmp) {
    round_trip<std::uint8_t>("a.bmp", 1);
    round_trip<std::uint8_t>("a.bmp", 3);
    round_trip<std::uint8_t>("a.bmp", 4, true);
}

TEST_F(PictureTest, Tiff) {
    for (const int channels : {1, 2, 3, 5}) {
        round_trip<std::uint8_t>("a.tif", channels);
        round_trip<std::int8_t>("a.tif", channels);
        round_trip<std::uint16_t>("a.tif", channels);
        round_trip<std::int16_t>("a.tiff", channels);
        round_trip<std::uint32_t>("a.tif", channels);
        round_trip<std::int32_t>("a.tif", channels);
        round_trip<float>("a.tif", channels);
        round_trip<double>("a.tif", channels);
    }
    round_trip<std::uint8_t>("a.tif", 2, true);
    round_trip<std::uint16_t>("a.tif", 4, true);
}

TEST_F(PictureTest, FormatIsToldByContent) {
    const Image<std::uint8_t> image = pattern<std::uint8_t>({9, 5, 1, 1, 3});
    for (const char* name : {"a.png", "a.bmp", "a.tif"}) {
        write_image(image, file(name));
        fs::rename(file(name), file("lying.jpg"));
        const ReadResult result = read_image(file("lying.jpg"));
        expect_same_pixels(result.image, image);
    }
    write_image(image, file("a.jpg"));
    fs::rename(file("a.jpg"), file("lying.png"));
    EXPECT_EQ(read_image(file("lying.png")).format, "JPEG");
}

TEST_F(PictureTest, TypesThatDoNotFitAreRefused) {
    const auto narrow = [&](const AnyImage& image, const std::string& name) {
        expect_error(ErrorCode::too_narrow,
                     {name, std::string(pixel_type_name(pixel_type_of(image)))},
                     [&] { write_image(image, file(name)); });
    };
    narrow(pattern<float>({3, 3}), "a.png");
    narrow(pattern<std::uint32_t>({3, 3}), "a.png");
    narrow(pattern<std::int8_t>({3, 3}), "a.png");
    narrow(pattern<std::int16_t>({3, 3}), "a.png");
    narrow(pattern<std::uint16_t>({3, 3}), "a.jpg");
    narrow(pattern<std::uint16_t>({3, 3}), "a.bmp");
    EXPECT_TRUE(names().empty());
}

TEST_F(PictureTest, AxesAndChannelsThatDoNotFitAreRefused) {
    const auto refused = [&](const AnyImage& image, const std::string& name,
                             const std::string& word) {
        expect_error(ErrorCode::unsupported_format, {name, word},
                     [&] { write_image(image, file(name)); });
    };
    refused(pattern<std::uint8_t>({3, 3, 2}), "a.png", "volumes");
    refused(pattern<std::uint8_t>({3, 3, 2}), "a.jpg", "volumes");
    refused(pattern<std::uint8_t>({3, 3, 1, 2}), "a.png", "volumes");
    refused(pattern<std::uint8_t>({3, 3, 1, 1, 5}), "a.png", "5 channels");
    refused(pattern<std::uint8_t>({3, 3, 1, 1, 2}), "a.png", "2 channels");
    refused(pattern<std::uint8_t>({3, 3, 1, 1, 2}), "a.jpg", "2 channels");
    Image<std::uint8_t> clear = pattern<std::uint8_t>({3, 3, 1, 1, 4});
    clear.has_alpha = true;
    refused(clear, "a.jpg", "opacity");
    refused(pattern<std::uint8_t>({70000, 1}), "a.jpg", "too large");
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tesela::io::testing
