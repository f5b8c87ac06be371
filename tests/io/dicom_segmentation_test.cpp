// DICOM segmentations: files written by hand, and what is written.
#include <random>

#include "io/dicom_fields.h"
#include "io/dicom_segment_terms.h"
#include "io/dicom_segmentation_sample.h"
#include "io/dicom_source_samples.h"

namespace tesela::io::testing {
namespace {

class DicomSegmentationTest : public FileTest {
  protected:
    LabelMap read(const DicomSample& sample, const std::string& channel = "") {
        write_bytes(file("a.dcm"), dicom_bytes(sample));
        ReadOptions options;
        options.choice.channel = channel;
        return read_label_map(file("a.dcm"), options);
    }
    void refuses(const DicomSample& sample, std::vector<std::string> words,
                 ErrorCode code = ErrorCode::unsupported_format) {
        words.push_back("a.dcm");
        expect_error(code, words, [&] { read(sample); });
    }
};

TEST_F(DicomSegmentationTest, FramesBecomeSlices) {
    const LabelMap map = read(segmentation({{2, 7, {0, 14}}, {1, 3, {4}}, {1, 5, {5, 6}}},
                                           {segment_of(1, "Segment_1"), segment_of(2, "tumor")}));
    ASSERT_EQ(map.labels.shape(), (Shape{5, 3, 3}));
    EXPECT_EQ(map.labels(4, 0, 0), 1u);
    EXPECT_EQ(map.labels(0, 1, 1), 1u);
    EXPECT_EQ(map.labels(1, 1, 1), 1u);
    EXPECT_EQ(map.labels(0, 0, 2), 2u);
    EXPECT_EQ(map.labels(4, 2, 2), 2u);
    std::int64_t inside = 0;
    for (const std::uint32_t label : map.labels.pixels()) inside += label != 0;
    EXPECT_EQ(inside, 5);
    Geometry expected;
    expected.unit = Unit::millimeter;
    expected.spacing = {0.75, 0.5, 2};
    expected.origin = {1, 2, 3};
    expect_same_geometry(map.labels.geometry, expected, 1e-9);
    EXPECT_TRUE(map.warnings.empty());
    ASSERT_TRUE(map.table);
    const std::string liver =
        "TerminologyEntry:Segmentation category and type - DICOM~SCT^123037004^Anatomical "
        "Structure~SCT^10200004^Liver~^^~Anatomic codes - DICOM~^^~^^|";
    EXPECT_EQ(*map.table,
              (LabelTable{{1, {"", {}, {"", liver}}}, {2, {"tumor", {}, {"", liver}}}}));
    EXPECT_TRUE(is_label_map(file("a.dcm")));
    EXPECT_EQ(read_image(file("a.dcm")).format, "DICOM");
}

TEST_F(DicomSegmentationTest, MissingSlicesAreEmpty) {
    const std::vector<std::vector<DicomElement>> one{segment_of(1, "a")};
    const LabelMap by_gap = read(segmentation({{1, 0, {1}}, {1, 2, {1}}, {1, 8, {1}}}, one));
    EXPECT_EQ(by_gap.labels.shape().z, 5);
    EXPECT_EQ(by_gap.labels(1, 0, 4), 1u);
    EXPECT_EQ(by_gap.labels(1, 0, 2), 0u);
    DicomSample said = segmentation({{1, 0, {1}}, {1, 2, {1}}}, one);
    said.extra.insert(said.extra.end() - 1,
                      {0x52009229, "SQ", "", {{0x00289110, "SQ", "", {{0x00180088, "DS", "1"}}}}});
    EXPECT_EQ(read(said).labels.shape().z, 3);
    said.extra[2].item[0].item[0].text = "0.9";  // which does not fit
    EXPECT_EQ(read(said).labels.shape().z, 2);
    const LabelMap single = read(segmentation({{1, 4, {1}}}, one));
    EXPECT_EQ(single.labels.shape(), (Shape{5, 3}));
    EXPECT_NEAR(single.labels.geometry.origin[2], 4, 1e-9);
}

TEST_F(DicomSegmentationTest, OfOverlappingSegmentsTheLastCounts) {
    const DicomSample sample =
        segmentation({{3, 0, {0, 1, 2}}, {1, 0, {1, 2, 3}}, {2, 0, {2, 3, 4}}},
                     {segment_of(1, "one"), segment_of(3, "three"), segment_of(2, "two")});
    const LabelMap map = read(sample);
    const std::vector<std::uint32_t> row(map.labels.data(), map.labels.data() + 5);
    EXPECT_EQ(row, (std::vector<std::uint32_t>{3, 3, 3, 2, 2}));
    ASSERT_EQ(map.warnings.size(), 1u);
    EXPECT_NE(map.warnings[0].find("3 voxels are in several"), std::string::npos)
        << map.warnings[0];
    for (const char* channel : {"1", "two", "TWO"}) {
        const LabelMap two = read(sample, channel);
        const std::vector<std::uint32_t> own(two.labels.data(), two.labels.data() + 5);
        EXPECT_EQ(own, (std::vector<std::uint32_t>{0, 0, 2, 2, 2})) << channel;
        EXPECT_TRUE(two.warnings.empty());
    }
    expect_error(ErrorCode::invalid_argument, {"--channel is four", "one, two, three"},
                 [&] { read(sample, "four"); });
    const LabelImage slice =
        read_label_map(file("a.dcm"), {.choice = {.channel = "0", .slice = 0}}).labels;
    EXPECT_EQ(slice(1, 0), 1u);
}

TEST_F(DicomSegmentationTest, FoldersOfSeriesHoldThem) {
    write_source(file("study"));
    DicomSample s = segmentation({{1, 0, {1}}}, {segment_of(1, "a")});
    s.series = "1.2.99";
    s.number = "99";
    write_bytes(file("study") / "seg", dicom_bytes(s));
    const ReadOptions options{.choice = {.series = "99"}};
    EXPECT_EQ(read_labels(file("study"), options)(1, 0), 1u);
    EXPECT_EQ(shape_of(read_image(file("study"), {.choice = {.series = "3"}}).image).z, 3);
    write_bytes(file("study") / "seg2", dicom_bytes(s));
    expect_error(ErrorCode::unsupported_format, {"several segmentations"},
                 [&] { read_labels(file("study"), options); });
}

TEST_F(DicomSegmentationTest, OthersAreRefused) {
    const std::vector<std::vector<DicomElement>> one{segment_of(1, "a")};
    const std::vector<SampleFrame> two{{1, 0, {1}}, {1, 1, {1}}};
    DicomSample fractions = segmentation(two, one);
    fractions.extra[0].text = "FRACTIONAL";
    refuses(fractions, {"'FRACTIONAL'", "BINARY"});
    refuses(segmentation({{2, 0, {1}}}, one), {"the segment 2"}, ErrorCode::unreadable_input);
    refuses(segmentation(two, {}), {"names no segments"}, ErrorCode::unreadable_input);
    refuses(segmentation(two, {segment_of(1, "a"), segment_of(1, "b")}), {"have the number 1"},
            ErrorCode::unreadable_input);
    refuses(segmentation(two, {segment_of(0, "a")}), {"SegmentNumber"},
            ErrorCode::unreadable_input);
    refuses(segmentation({{1, 0}, {1, 1}, {1, 2.5}}, one), {"not evenly spaced"});
    refuses(segmentation({{1, 0}, {1, 0.002}, {1, 1e5}}, one), {"not evenly spaced"});
    DicomSample sideways = segmentation({{1, 0, {1}}, {1, 1, {1}}, {1, 2, {1}}}, one);
    sideways.extra[2].more_items[1][0].item[0].text = "4\\2\\1";
    refuses(sideways, {"shifted sideways"});
    DicomSample short_of_pixels = segmentation(two, one);
    short_of_pixels.frames = 40;
    refuses(short_of_pixels, {"functional groups"}, ErrorCode::unreadable_input);
    DicomSample huge = segmentation({{1, 0}, {1, 1}, {1, 60000}}, one);
    write_bytes(file("a.dcm"), dicom_bytes(huge));
    expect_error(ErrorCode::out_of_memory, {"a.dcm"},
                 [&] { read_image(file("a.dcm"), {.max_bytes = 100000}); });
}

TEST_F(DicomSegmentationTest, MutationsReadOrFailCleanly) {
    const QuietScope quiet;
    const char* asked = std::getenv("TESELA_MUTATION_ROUNDS");  // more for a long search
    const int rounds = asked ? std::atoi(asked) : 400;
    const Bytes whole = dicom_bytes(small_segmentation());
    std::mt19937 random(static_cast<unsigned>(49 + rounds));
    int read = 0;
    for (int round = 0; round < rounds; ++round) {
        Bytes mutant = whole;
        for (unsigned i = 0; i < 1 + random() % 4; ++i) {
            std::uint8_t& byte = mutant[132 + random() % (mutant.size() - 132)];
            byte = random() % 3 ? static_cast<std::uint8_t>(random())
                                : static_cast<std::uint8_t>(byte ^ 1u << random() % 8);
        }
        write_bytes(file("m.dcm"), mutant);
        try {
            const ReadResult result = read_image(file("m.dcm"), {.max_bytes = 1 << 26});
            ++read;
            if (!result.label_table || !std::holds_alternative<Image<std::uint8_t>>(result.image))
                continue;
            for (const std::uint8_t label : std::get<Image<std::uint8_t>>(result.image).pixels())
                ASSERT_TRUE(label == 0 || result.label_table->contains(label)) << round;
        } catch (const Error& error) {
            ASSERT_NE(std::string(error.what()).find("m.dcm"), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(read, rounds / 10);
    EXPECT_LT(read, rounds);
}

TEST_F(DicomSegmentationTest, ColorsComeBackAsTheyWere) {
    // Of highdicom 0.28.2, CIELabColor.from_rgb(255, 0, 0) and (0, 128, 64).
    const std::array<std::int64_t, 3> red{34886, 53484, 50172}, green{30619, 21203, 39669};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(static_cast<double>(cielab_of({255, 0, 0})[i]), static_cast<double>(red[i]), 6);
        EXPECT_NEAR(static_cast<double>(cielab_of({0, 128, 64})[i]), static_cast<double>(green[i]),
                    6);
    }
    for (int code = 0; code < 1 << 24; code += 251) {
        const Rgb color{static_cast<std::uint8_t>(code >> 16), static_cast<std::uint8_t>(code >> 8),
                        static_cast<std::uint8_t>(code)};
        ASSERT_EQ(color_of_cielab(cielab_of(color)), color);
    }
    EXPECT_EQ(color_of_cielab({0, 0, 0})[0], 0);  // far beyond what a screen shows
}

// ---- writing ----------------------------------------------------------------------------------

class DicomSegmentationWriterTest : public FileTest {
  protected:
    DicomSegmentationWriterTest() {
        how.origin = {.source = write_source(file("source")), .process = "threshold otsu"};
        const AnyImage source = read_image(file("source")).image;
        labels = LabelImage(shape_of(source), geometry_of(source));
        labels(1, 2, 1) = 5;
        labels(2, 2, 1) = 5;
        labels(4, 3, 1) = 300;
        labels(0, 0, 2) = 5;
    }
    std::vector<std::string> write(const LabelTable& table = {}) const {
        return write_labels(labels, file("l.dcm"), how, table);
    }
    void refuses(const std::vector<std::string>& words,
                 ErrorCode code = ErrorCode::invalid_argument) const {
        expect_error(code, words, [&] { write(); });
        EXPECT_FALSE(fs::exists(file("l.dcm")));
    }
    // Of a source in this character set.
    void expect_name_to_lose_characters(const std::string& character_set,
                                        const std::string& words) {
        DicomSample s = source_slice(0);
        s.character_set = character_set;
        write_bytes(file("one.dcm"), dicom_bytes(s));
        how.origin.source = file("one.dcm");
        labels = LabelImage({5, 4}, geometry_of(read_image(file("one.dcm")).image));
        labels(0, 0) = 1;
        const std::vector<std::string> warnings = write({{1, {"caf\xc3\xa9"}}});
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find(words), std::string::npos) << warnings[0];
    }

    LabelImage labels;
    WriteOptions how;
};

TEST_F(DicomSegmentationWriterTest, RoundTrip) {
    const std::string terms =
        "TerminologyEntry:Segmentation category and type - DICOM~SCT^123037004^Anatomical "
        "Structure~SCT^64033007^Kidney~SCT^7771000^Left~Anatomic codes - DICOM~SCT^1^a~SCT^2^b|"
        "DicomSegmentAlgorithmType:MANUAL|";
    const LabelTable table{{5, {"Ni\xc3\xa8re", Rgb{1, 2, 250}, {"", terms}}}, {9, {"not there"}}};
    const std::vector<std::string> warnings = write(table);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("from 1 to 2"), std::string::npos) << warnings[0];
    EXPECT_EQ(names().size(), 5u);  // no side file
    const LabelMap map = read_label_map(file("l.dcm"));
    expect_same_geometry(map.labels.geometry, labels.geometry, 1e-9);
    ASSERT_EQ(map.labels.shape(), labels.shape());
    for (std::size_t i = 0; i < labels.pixels().size(); ++i) {
        const std::uint32_t was = labels.pixels()[i];
        EXPECT_EQ(map.labels.pixels()[i], was == 5 ? 1u : was == 300 ? 2u : 0u);
    }
    EXPECT_EQ(*map.table, (LabelTable{{1, {"Ni\xc3\xa8re", Rgb{1, 2, 250}, {"", terms}}},
                                      {2, {"Segment_300", label_color(300)}}}));
    EXPECT_TRUE(map.warnings.empty());
}

TEST_F(DicomSegmentationWriterTest, IsTiedToItsSource) {
    write({{5, {"\xc3\xa9"}}});
    const InputFile file(this->file("l.dcm"));
    DicomWalker walker(file);
    walker.wanted = {0x00081115, 0x0008114a, 0x00620002, 0x52009230, 0x00089124, 0x00082112};
    walker.walk();
    const DicomFields fields(file, walker.values);
    EXPECT_EQ(fields.text(0x00080005), "ISO_IR 192");
    EXPECT_EQ(fields.text(0x00100010), "M\xc3\xbcller^Eva");
    EXPECT_EQ(fields.text(0x0020000d), "1.2.3");
    EXPECT_EQ(fields.text(0x00200052), source_frame);
    EXPECT_EQ(fields.text(0x00080060), "SEG");
    const DicomWalker::Item& series = walker.kept.sequences.at(0x00081115).front();
    EXPECT_EQ(DicomFields(file, series.values).text(0x0020000e), source_series);
    EXPECT_EQ(series.sequences.at(0x0008114a).size(), 3u);
    // The first and the last slice too, of the first segment.
    const auto& frames = walker.kept.sequences.at(0x52009230);
    ASSERT_EQ(frames.size(), 4u);
    const auto image_of = [&](std::size_t i) {
        const auto& item = frames[i].sequences.at(0x00089124).front().sequences.at(0x00082112);
        return DicomFields(file, item.front().values).text(0x00081155);
    };
    EXPECT_EQ(image_of(0), "1.2.3.4.5.1");
    EXPECT_EQ(image_of(2), "1.2.3.4.5.3");
    EXPECT_EQ(image_of(3), "1.2.3.4.5.2");
}

TEST_F(DicomSegmentationWriterTest, LabelsInOtherOrderAreTurned) {
    LabelImage turned({5, 4, 3}, labels.geometry);
    Geometry& g = turned.geometry;
    for (std::size_t i = 0; i < 3; ++i) {
        g.origin[i] += 4 * g.spacing[0] * g.direction[3 * i];
        g.direction[3 * i] = -g.direction[3 * i];
    }
    turned(0, 3, 2) = 1;
    write_labels(turned, file("l.dcm"), how);
    EXPECT_EQ(read_labels(file("l.dcm"))(4, 3, 2), 1u);
}

TEST_F(DicomSegmentationWriterTest, MasksAndEmptyMapsAreSegments) {
    Image<std::uint8_t> mask(labels.shape(), labels.geometry);
    mask(3, 1, 1) = 255;
    EXPECT_TRUE(write_image(mask, file("l.dcm"), how).empty());
    EXPECT_EQ(read_labels(file("l.dcm"))(3, 1, 1), 1u);
    EXPECT_EQ(read_label_map(file("l.dcm")).table->at(1).name, "");
    mask(2, 1, 1) = 7;
    expect_error(ErrorCode::unsupported_format, {"l.dcm", "this is an image", "out/"},
                 [&] { write_image(mask, file("l.dcm"), how); });
    expect_error(ErrorCode::unsupported_format, {"l.dcm", "this is an image"}, [&] {
        write_image(Image<float>({5, 4}), file("l.dcm"), how);
    });
    std::fill(labels.pixels().begin(), labels.pixels().end(), 0);
    write();
    const LabelMap map = read_label_map(file("l.dcm"));
    EXPECT_EQ(map.labels.shape(), labels.shape());
    EXPECT_EQ(map.labels.pixels(), labels.pixels());
}

TEST_F(DicomSegmentationWriterTest, OtherCharacterSetsKeepAscii) {
    expect_name_to_lose_characters("ISO_IR 144", "ISO_IR 144");
    EXPECT_EQ(read_label_map(file("l.dcm")).table->at(1).name, "caf?");
}

TEST_F(DicomSegmentationWriterTest, TextsOfNoCharacterSetStayAsTheyAre) {
    expect_name_to_lose_characters("", "names no character set");
    const InputFile made(file("l.dcm"));
    DicomWalker walker(made);
    walker.walk();
    const DicomFields fields(made, walker.values);
    EXPECT_EQ(fields.text(0x00080005), "");
    EXPECT_EQ(fields.text(0x00100010), "M\xfcller^Eva");
}

TEST_F(DicomSegmentationWriterTest, AnythingElseIsRefused) {
    const LabelImage good = labels;
    labels = LabelImage({5, 4, 2}, good.geometry);
    refuses({"l.dcm", "does not lie on the grid of the series of", "source"});
    labels = good;
    labels.geometry.origin[0] += 1;
    refuses({"does not lie on the grid"});
    labels.geometry = {};
    refuses({"does not say where it lies"});
    labels = LabelImage({5, 4, 3, 2}, good.geometry);
    refuses({"time axis"}, ErrorCode::unsupported_format);
    labels = good;
    how.compression = Compression::small;
    refuses({".dcm", "use .seg.nrrd"});
    how.compression = Compression::automatic;
    DicomSample s = source_slice(0);
    s.frame_of_reference = "";
    write_bytes(file("one.dcm"), dicom_bytes(s));
    how.origin.source = file("one.dcm");
    refuses({"one.dcm", "no frame of reference"});
    s = source_slice(0);
    s.has_spacing = false;
    write_bytes(file("one.dcm"), dicom_bytes(s));
    refuses({"one.dcm", "where its images lie"});
    how.origin.source = file("gone");
    refuses({"gone", "No such file"}, ErrorCode::unreadable_input);
    how.origin = {};
    refuses({"none is named"});
}

TEST_F(DicomSegmentationWriterTest, MoreThanDicomHoldsIsRefused) {
    DicomSample s = source_slice(0);
    s.rows = 300;
    s.columns = 230;
    s.values.clear();
    write_bytes(file("one.dcm"), dicom_bytes(s));
    how.origin.source = file("one.dcm");
    labels = LabelImage({230, 300}, geometry_of(read_image(file("one.dcm")).image));
    for (std::uint32_t i = 0; i < 65536; ++i) labels.pixels()[i] = i + 1;
    refuses({"65,535 segments at most", ".seg.nrrd"}, ErrorCode::unsupported_format);
    for (std::uint32_t i = 0; i < 69000; ++i) labels.pixels()[i] = i + 1;
    refuses({"65536 slices"}, ErrorCode::unsupported_format);
}

// The first and the last slice count too.
TEST_F(DicomSegmentationWriterTest, EmptySlicesAtTheEndsCount) {
    fs::create_directory(file("four"));
    for (const int number : {0, 1, 2, 3}) {
        DicomSample s = source_slice(number);
        s.rows = 128;
        s.columns = 256;
        s.values.clear();
        write_bytes(file("four") / std::to_string(number), dicom_bytes(s));
    }
    how.origin.source = file("four");
    labels = LabelImage({256, 128, 4}, geometry_of(read_image(file("four")).image));
    for (const std::int64_t z : {1, 2})
        for (std::uint32_t i = 0; i < 32768; ++i)
            labels.pixels()[static_cast<std::size_t>(z * 32768 + i)] = i + 1;
    refuses({"65536 slices"}, ErrorCode::unsupported_format);
}

TEST_F(DicomSegmentationWriterTest, ASampleIsNotPlaced) {
    how.is_sample = true;
    labels = LabelImage({1, 1, 2}, labels.geometry);
    EXPECT_TRUE(write().empty());
    EXPECT_FALSE(fs::exists(file("l.dcm")));
}

}  // namespace
}  // namespace tesela::io::testing
