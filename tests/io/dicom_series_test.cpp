// Folders of several DICOM series.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

class DicomSeriesTest : public FileTest {
  protected:
    DicomSeriesTest() { fs::create_directories(file("study")); }

    void slice(const std::string& name, const std::string& series, const std::string& number,
               double place, std::uint16_t value) {
        DicomSample s;
        s.series = series;
        s.number = number;
        s.position[2] = place;
        s.values.assign(20, value);
        write_bytes(file("study/" + name), dicom_bytes(s));
    }
    // Without pixels, as reports are.
    void report(const std::string& name) {
        Bytes bytes = dicom_bytes({});
        bytes.resize(bytes.size() - 40 - 12);
        write_bytes(file("study/" + name), bytes);
    }
    AnyImage read(const std::string& series) {
        return read_image(file("study"), {.choice = {.series = series}}).image;
    }
    // Series 3 of three slices, and 12 of two; their names are mixed.
    void two_series() {
        for (int i = 0; i < 3; ++i) slice("a" + std::to_string(9 - 2 * i), "1.2.3", "3", i, 30);
        for (int i = 0; i < 2; ++i)
            slice("a" + std::to_string(4 + i * 4), "1.2.12", "12", 5 * i, 120);
    }
};

TEST_F(DicomSeriesTest, AreListedByNumber) {
    two_series();
    slice("z", "1.2.1", "", 0, 1);
    report("report");
    const std::vector<DicomSeries> list = dicom_series(file("study"));
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[0].uid, "1.2.3");
    EXPECT_EQ(list[0].number, 3);
    EXPECT_EQ(list[0].description, "test series");
    EXPECT_EQ(list[0].modality, "MR");
    EXPECT_EQ(list[0].columns, 5);
    EXPECT_EQ(list[0].rows, 4);
    EXPECT_EQ(list[0].files, 3);
    EXPECT_EQ(list[0].images, 3);
    EXPECT_EQ(list[1].number, 12);
    EXPECT_EQ(list[2].number, std::nullopt);
}

TEST_F(DicomSeriesTest, AreChosenByNumberOrUid) {
    two_series();
    for (const char* choice : {"12", "1.2.12"}) {
        const AnyImage image = read(choice);
        EXPECT_EQ(shape_of(image), (Shape{5, 4, 2})) << choice;
        EXPECT_NEAR(geometry_of(image).spacing[2], 5, 1e-9);
        EXPECT_EQ(std::get<Image<std::uint16_t>>(image)(0, 0), 120);
    }
    EXPECT_EQ(shape_of(read("3")), (Shape{5, 4, 3}));
}

TEST_F(DicomSeriesTest, SeveralAreNamedInTheError) {
    two_series();
    expect_error(ErrorCode::unsupported_format,
                 {"study", "2 DICOM series", "--series", "3 (test series, MR, 3 images)", "12 ("},
                 [&] { read_image(file("study")); });
    expect_error(ErrorCode::invalid_argument, {"--series is 4", "study", "3 (test series"},
                 [&] { read("4"); });
    slice("b", "1.2.99", "3", 0, 1);
    expect_error(ErrorCode::invalid_argument, {"several series of this number", "UID"},
                 [&] { read("3"); });
    EXPECT_EQ(shape_of(read("1.2.3")), (Shape{5, 4, 3}));
}

TEST_F(DicomSeriesTest, FilesWithoutAnImageAreLeftOutWithAWarning) {
    for (int i = 0; i < 3; ++i) slice("s" + std::to_string(i), "1.2.3", "3", i, 30);
    report("report");
    const ReadResult result = read_image(file("study"));
    EXPECT_EQ(shape_of(result.image), (Shape{5, 4, 3}));
    expect_warning(result, {"1 DICOM file holds no image"});
    for (int i = 0; i < 3; ++i) fs::remove(file("study/s" + std::to_string(i)));
    expect_error(ErrorCode::unreadable_input, {"no DICOM file of the folder holds an image"},
                 [&] { read_image(file("study")); });
}

// What has one series alone is read whatever the choice, where that is made for other inputs.
TEST_F(DicomSeriesTest, AChoiceNeedsAFolder) {
    write_bytes(file("a.dcm"), dicom_bytes({}));
    expect_error(ErrorCode::invalid_argument, {"--series is 3", "a.dcm", "no folder"},
                 [&] { read_image(file("a.dcm"), {.choice = {.series = "3"}}); });
    EXPECT_NO_THROW(read_image(file("a.dcm"), {.choice = {.where_several = true, .series = "3"}}));
    slice("s", "1.2.3", "3", 0, 30);
    EXPECT_NO_THROW(read_image(file("study"), {.choice = {.where_several = true, .series = "9"}}));
    EXPECT_THROW(read("9"), InvalidArgument);
}

}  // namespace
}  // namespace tesela::io::testing
