// PNM: pictures written by hand, so that every value is known.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class PnmTest : public HandWrittenTest {
  protected:
    template <class T>
    void expect_pixels(const std::string& head, const Bytes& behind, const Shape& shape,
                       const std::vector<T>& values,
                       const std::vector<std::string>& words_of_warning = {}) {
        SCOPED_TRACE(head);
        const ReadResult result = read_image(text("a.pnm", head, behind));
        EXPECT_EQ(result.format, "PNM");
        expect_warning(result, words_of_warning);
        Image<T> image(shape);
        std::copy(values.begin(), values.end(), image.pixels().begin());
        expect_same_pixels(result.image, image);
    }
    void refused(const std::string& head, std::vector<std::string> words,
                 const Bytes& behind = {}) {
        SCOPED_TRACE(head);
        words.push_back("a.pnm");
        expect_unreadable(words, [&] { read_image(text("a.pnm", head, behind)); });
    }
};

TEST_F(PnmTest, GrayMaps) {
    expect_pixels<std::uint8_t>("P5\n# by hand\n3 2 # lengths\n255\n", {0, 1, 2, 35, 254, 255},
                                {3, 2}, {0, 1, 2, 35, 254, 255});
    // Two bytes, the highest first.
    expect_pixels<std::uint16_t>("P5 2 1 65535\n", {1, 2, 255, 254}, {2, 1}, {258, 65534});
    expect_pixels<std::uint16_t>("P5 2 1 4095\n", {0, 1, 15, 255}, {2, 1}, {1, 4095},
                                 {"4095", "as they are stored"});
    expect_pixels<std::uint8_t>("P2\n3 2\n255\n0 1 2\n35\t254 255", {}, {3, 2},
                                {0, 1, 2, 35, 254, 255});
    expect_pixels<std::uint16_t>("P2 1 2 65535 65535 # the last\n 7\n", {}, {1, 2}, {65535, 7});
}

TEST_F(PnmTest, Colors) {
    expect_pixels<std::uint8_t>("P6 1 2 255\n", {1, 2, 3, 4, 5, 6}, {1, 2, 1, 1, 3},
                                {1, 2, 3, 4, 5, 6});
    expect_pixels<std::uint16_t>("P6\n1\n1\n65535\n", {0, 1, 0, 2, 1, 0}, {1, 1, 1, 1, 3},
                                 {1, 2, 256});
    expect_pixels<std::uint8_t>("P3 1 2 255 1 2 3 4 5 6\n", {}, {1, 2, 1, 1, 3},
                                {1, 2, 3, 4, 5, 6});
}

// 1 is black; as a label it stays 1.
TEST_F(PnmTest, Bits) {
    const std::vector<std::uint8_t> expected{0, 255, 0, 255, 255, 255, 255, 255, 255, 0,
                                             0, 0,   0, 0,   0,   0,   0,   0,   0,   0};
    expect_pixels<std::uint8_t>("P4\n10 2\n", {0xa0, 0x40, 0xff, 0xff}, {10, 2}, expected);
    expect_pixels<std::uint8_t>("P1\n10 2\n1010000001\n11111 1 1 1\n11", {}, {10, 2}, expected);
    const LabelImage labels = read_labels(text("a.pnm", "P4 4 1\n", Bytes{0x50}));
    EXPECT_EQ(labels(0, 0), 0u);
    EXPECT_EQ(labels(1, 0), 1u);
    EXPECT_EQ(labels(3, 0), 1u);
}

TEST_F(PnmTest, OfSeveralPicturesTheFirstIsRead) {
    expect_pixels<std::uint8_t>("P5 2 1 255\n", joined("\1\2P5 2 1 255\n\3\4", {}), {2, 1}, {1, 2},
                                {"more than one picture"});
}

TEST_F(PnmTest, DamagedFilesAreRefused) {
    refused("P5 3 2 255\n", {"more than the file holds"}, {1, 2, 3, 4});
    refused("P5 3 2 255\n", {"ends early"}, {1, 2, 3, 4, 5});
    refused("P2 3 2 255\n1 2 3 4 5", {"more than the file holds"});
    refused("P2 2 2 255\n1 2 3         ", {"no valid pixels"});
    refused("P1 4 1\n0 1 0 2", {"no valid pixels"});
    refused("P5 0 2 255\n", {"0 x 2 pixels"}, {1});
    refused("P5 2 1 0\n", {"largest value 0"}, {1, 2});
    refused("P5 2 1 65536\n", {"largest value 65536"}, {1, 2});
    refused("P5 -2 1 255\n", {"no valid width"}, {1, 2});
    refused("P5 2 1x 255\n", {"no valid height"}, {1, 2});
    refused("P5 99999999999 1 255\n", {"no valid width"}, {1, 2});
    refused("P5 2147483647 2147483647 255\n", {"more than the file holds"}, {1, 2});
    refused("P2 2 1 9\n3 10\n", {"a pixel of the PNM file is 10"});
    refused("P5 2", {"no valid"});
}

}  // namespace
}  // namespace tesela::io::testing
