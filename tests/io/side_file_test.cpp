// Which image a side file belongs to.
#include <fstream>

#include "io/side_file.h"
#include "support.h"
#include "tesela/io.h"
#include "tesela/wavelet_io.h"

namespace tesela::io {
namespace {

class SideFiles : public testing::FileTest {
  protected:
    void touch(const std::string& name, const std::string& text = "") const {
        std::ofstream(file(name)) << text;
    }
    bool belongs(const std::string& image) const {
        return is_side_file_of(file("q.labels.json"), file(image));
    }
    std::string owner(const std::string& image) const {
        return other_owner(file("q.labels.json"), file(image)).filename().string();
    }
};

TEST_F(SideFiles, NameTheirImage) {
    EXPECT_FALSE(belongs("q.png"));
    write_labels(LabelImage({4, 3}), file("q.png"));
    touch("q.jpg");
    EXPECT_TRUE(belongs("q.png"));
    EXPECT_FALSE(belongs("q.jpg"));
    EXPECT_EQ(owner("q.png"), "");
    EXPECT_EQ(owner("q.jpg"), "q.png");
    EXPECT_EQ(owner("q.nii.gz"), "q.png");
    fs::remove(file("q.png"));
    EXPECT_FALSE(belongs("q.jpg"));
    EXPECT_EQ(owner("q.jpg"), "");
}

TEST_F(SideFiles, OfEarlierVersionsBelongToTheOnlyImage) {
    touch("q.labels.json", "{\"format\": \"tesela-labels\", \"version\": 1, \"labels\": [\n]}\n");
    touch("q.png");
    EXPECT_TRUE(belongs("q.png"));
    touch("q.csv");
    touch("other.png");
    EXPECT_TRUE(belongs("q.png"));
    touch("q.tif");
    EXPECT_FALSE(belongs("q.png"));
    EXPECT_EQ(owner("q.png"), "q.tif");
}

TEST_F(SideFiles, KeepWorkingWhenBothAreRenamed) {
    write_labels(LabelImage({4, 3}), file("a.png"));
    fs::rename(file("a.png"), file("q.png"));
    fs::rename(file("a.labels.json"), file("q.labels.json"));
    EXPECT_TRUE(belongs("q.png"));
    touch("q.tif");
    EXPECT_FALSE(belongs("q.png"));
}

TEST_F(SideFiles, NamesThatAreNoText) {
    const std::string name = "q\xff.png";
    write_labels(LabelImage({4, 3}), file(name));
    EXPECT_TRUE(is_side_file_of(labels_side_file(file(name)), file(name)));
}

WaveletCoefficients coefficients() {
    WaveletCoefficients made;
    Image<float> values({8, 6});
    for (std::size_t i = 0; i < values.pixels().size(); ++i)
        values.pixels()[i] = static_cast<float>(i * 7 % 11);
    made.values = values;
    made.shape = {8, 6};
    made.pixel_type = PixelType::u8;
    made.options.levels = 2;
    return made;
}

TEST_F(SideFiles, ChangedNumbersOfWaveletsAreFound) {
    const fs::path path = file("bands.tif"), side = file("bands.wavelet.json");
    write_coefficients(coefficients(), path);
    const testing::Bytes bytes = testing::read_bytes(side);
    const std::string whole(bytes.begin(), bytes.end());
    EXPECT_EQ(coefficients_of(coefficients().values, path).options.levels, 2);
    for (const auto& [old, changed] : {std::pair{"\"levels\": 2", "\"levels\": 1"},
                                       {"\"levels\": 2", "\"levels\": 0"},
                                       {"bior4.4", "haar"},
                                       {"reflect", "zero"},
                                       {"uint8", "int16"},
                                       {"\"has_alpha\": false", "\"has_alpha\": true"},
                                       {"tesela-wavelet", "other"},
                                       {"\"levels\": 2", "\"levels\": 1e300"},
                                       {"\n", "\n{"}}) {
        std::string text = whole;
        ASSERT_NE(text.find(old), std::string::npos) << old;
        text.replace(text.find(old), std::string(old).size(), changed);
        std::ofstream(side) << text;
        testing::expect_error(ErrorCode::unreadable_input,
                              {"bands.wavelet.json", "make the coefficients again"},
                              [&] { coefficients_of(coefficients().values, path); });
    }
    fs::remove(side);
    testing::expect_error(ErrorCode::unreadable_input, {"bands.wavelet.json", "missing"},
                          [&] { coefficients_of(coefficients().values, path); });
}

}  // namespace
}  // namespace tesela::io
