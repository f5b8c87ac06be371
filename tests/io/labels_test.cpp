#include <set>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

using LabelsTest = FileTest;

LabelImage labels_up_to(std::uint32_t largest, const Shape& shape = {4, 3}) {
    LabelImage labels(shape);
    labels.pixels()[1] = 1;
    labels.pixels()[2] = 1;
    labels.pixels()[5] = largest;
    return labels;
}

std::string text_of(const fs::path& path) {
    const Bytes bytes = read_bytes(path);
    return std::string(bytes.begin(), bytes.end());
}

PixelType stored_type(const fs::path& path) { return pixel_type_of(read_image(path).image); }

TEST_F(LabelsTest, SmallestTypeThatFits) {
    const std::vector<std::pair<std::uint32_t, PixelType>> cases = {{255, PixelType::u8},
                                                                    {256, PixelType::u16},
                                                                    {65535, PixelType::u16},
                                                                    {65536, PixelType::u32},
                                                                    {4294967295u, PixelType::u32}};
    for (const std::string name :
         {"a.tif", "a.nii", "a.nii.gz", "a.nrrd", "a.nhdr", "a.mha", "a.mhd"})
        for (const auto& [largest, type] : cases) {
            SCOPED_TRACE(name + std::string(" ") + std::to_string(largest));
            const LabelImage labels = labels_up_to(largest);
            write_labels(labels, file(name));
            EXPECT_EQ(stored_type(file(name)), type);
            EXPECT_EQ(read_labels(file(name)).pixels(), labels.pixels());
        }
}

TEST_F(LabelsTest, TooNarrowFormatsAreRefused) {
    write_labels(labels_up_to(65535), file("a.png"));
    EXPECT_EQ(stored_type(file("a.png")), PixelType::u16);
    EXPECT_EQ(read_labels(file("a.png")).pixels(), labels_up_to(65535).pixels());
    expect_error(ErrorCode::too_narrow, {"b.png", "65535", "65536"},
                 [&] { write_labels(labels_up_to(65536), file("b.png")); });
    write_labels(labels_up_to(255), file("a.bmp"));
    EXPECT_EQ(read_labels(file("a.bmp")).pixels(), labels_up_to(255).pixels());
    expect_error(ErrorCode::too_narrow, {"b.bmp", "256"},
                 [&] { write_labels(labels_up_to(256), file("b.bmp")); });
    expect_error(ErrorCode::unsupported_format, {"b.jpg", "JPEG"},
                 [&] { write_labels(labels_up_to(3), file("b.jpg")); });
    expect_error(ErrorCode::unsupported_format, {"b.png", "volumes"}, [&] {
        write_labels(labels_up_to(3, {2, 2, 3}), file("b.png"));
    });
    EXPECT_EQ(names(), (std::vector<std::string>{"a.bmp", "a.labels.json", "a.png"}));
}

TEST_F(LabelsTest, SideFileOfAPicture) {
    LabelImage labels = labels_up_to(7);
    write_labels(labels, file("a.png"));
    char expected[400];
    const auto c1 = label_color(1), c7 = label_color(7);
    std::snprintf(expected, sizeof expected,
                  "{\"format\": \"tesela-labels\", \"version\": 1, \"image\": \"a.png\", "
                  "\"labels\": [\n"
                  "{\"id\": 1, \"color\": \"#%02x%02x%02x\", \"count\": 2},\n"
                  "{\"id\": 7, \"color\": \"#%02x%02x%02x\", \"count\": 1}\n]}\n",
                  c1[0], c1[1], c1[2], c7[0], c7[1], c7[2]);
    EXPECT_EQ(text_of(file("a.labels.json")), expected);
    labels.geometry.unit = Unit::micrometer;
    labels.geometry.spacing = {0.5, 0.25, 9};
    write_labels(labels, file("a.png"));
    const std::string text = text_of(file("a.labels.json"));
    EXPECT_NE(text.find("\"unit\": \"um2\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"count\": 2, \"area\": 0.25}"), std::string::npos) << text;
}

TEST_F(LabelsTest, SideFileOfAVolume) {
    LabelImage labels = labels_up_to(7, {4, 3, 2});
    labels.geometry.unit = Unit::millimeter;
    labels.geometry.spacing = {0.5, 0.5, 3};
    write_labels(labels, file("a.b.nii.gz"));
    const std::string text = text_of(file("a.b.labels.json"));
    EXPECT_NE(text.find("\"unit\": \"mm3\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"count\": 2, \"volume\": 1.5}"), std::string::npos) << text;
    EXPECT_EQ(names(), (std::vector<std::string>{"a.b.labels.json", "a.b.nii.gz"}));
}

TEST_F(LabelsTest, EmptyMapHasAnEmptyList) {
    write_labels(LabelImage({2, 2}), file("a.png"));
    EXPECT_NE(text_of(file("a.labels.json")).find("\"labels\": [\n]}"), std::string::npos);
}

TEST_F(LabelsTest, NiftiSaysThatItHoldsLabels) {
    write_labels(labels_up_to(300, {4, 3, 2}), file("a.nii"));
    const Bytes bytes = read_bytes(file("a.nii"));
    EXPECT_EQ(bytes[68] | bytes[69] << 8, 1002);
    write_image(labels_up_to(300, {4, 3, 2}), file("b.nii"));
    EXPECT_EQ(read_bytes(file("b.nii"))[68], 0);
}

TEST_F(LabelsTest, GeometrySurvives) {
    LabelImage labels = labels_up_to(5, {4, 3, 2});
    labels.geometry.unit = Unit::millimeter;
    labels.geometry.spacing = {0.5, 0.75, 3};
    labels.geometry.origin = {1, 2, 3};
    write_labels(labels, file("a.nii.gz"));
    expect_same_geometry(read_labels(file("a.nii.gz")).geometry, labels.geometry);
}

TEST_F(LabelsTest, SideFileNames) {
    EXPECT_EQ(labels_side_file("x/foo.png"), fs::path("x/foo.labels.json"));
    EXPECT_EQ(labels_side_file("foo.NII.GZ"), fs::path("foo.labels.json"));
    EXPECT_EQ(labels_side_file("foo.bar.tif"), fs::path("foo.bar.labels.json"));
    EXPECT_EQ(labels_side_file("foo.xyz"), fs::path("foo.labels.json"));
}

TEST_F(LabelsTest, Entries) {
    LabelImage labels({5, 1});
    labels.pixels() = {3, 0, 4000000000u, 3, 1};
    const std::vector<LabelEntry> entries = label_entries(labels);
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].id, 1u);
    EXPECT_EQ(entries[1].id, 3u);
    EXPECT_EQ(entries[1].count, 2);
    EXPECT_EQ(entries[1].color, label_color(3));
    EXPECT_EQ(entries[2].id, 4000000000u);
    EXPECT_TRUE(label_entries(LabelImage({3, 3})).empty());
}

TEST_F(LabelsTest, Colors) {
    EXPECT_EQ(label_color(0), (std::array<std::uint8_t, 3>{0, 0, 0}));
    std::set<std::array<std::uint8_t, 3>> seen;
    for (std::uint32_t id = 1; id <= 1000; ++id) {
        const auto color = label_color(id), next = label_color(id + 1);
        EXPECT_GE(*std::max_element(color.begin(), color.end()), 200);
        int distance = 0;
        for (std::size_t c = 0; c < 3; ++c) distance += std::abs(color[c] - next[c]);
        EXPECT_GE(distance, 100) << id;
        seen.insert(color);
    }
    EXPECT_GT(seen.size(), 990u);
    EXPECT_EQ(label_color(77), label_color(77));
}

TEST_F(LabelsTest, WhatIsNoLabelMapIsRefused) {
    write_image(pattern<float>({3, 3}), file("f.tif"));
    expect_error(ErrorCode::unsupported_format, {"f.tif", "float32"},
                 [&] { read_labels(file("f.tif")); });
    Image<std::int16_t> negative({2, 2});
    negative(1, 1) = -1;
    write_image(negative, file("n.tif"));
    expect_error(ErrorCode::unsupported_format, {"n.tif", "negative"},
                 [&] { read_labels(file("n.tif")); });
    write_image(pattern<std::uint8_t>({3, 3, 1, 1, 3}), file("c.png"));
    expect_error(ErrorCode::unsupported_format, {"c.png", "3"},
                 [&] { read_labels(file("c.png")); });
}

TEST_F(LabelsTest, BothFilesOrNone) {
    write_bytes(file("a.labels.json"), {'x'});
    expect_error(ErrorCode::invalid_argument, {"a.labels.json", "exists"},
                 [&] { write_labels(labels_up_to(3), file("a.png"), {.overwrite = false}); });
    EXPECT_EQ(names(), std::vector<std::string>{"a.labels.json"});
    // A folder in the side file's place, and an older label map that must stay.
    fs::create_directory(file("b.labels.json"));
    write_bytes(file("b.png"), {'o', 'l', 'd'});
    expect_error(ErrorCode::unwritable_output, {"b.labels.json"},
                 [&] { write_labels(labels_up_to(3), file("b.png")); });
    EXPECT_EQ(text_of(file("b.png")), "old");
}

}  // namespace
}  // namespace tesela::io::testing
