// Small files as other programs write them, where TESELA_CASES names the folder that holds them;
// every value is known.
#include <cstdlib>

#include "io/video_support.h"

namespace tesela::io::testing {
namespace {

using Vector = std::array<double, 3>;

class HeaderCasesTest : public FileTest {
  protected:
    void SetUp() override {
        const char* cases = std::getenv("TESELA_CASES");
        if (!cases || !fs::is_directory(cases))
            GTEST_SKIP() << "TESELA_CASES does not name the folder of cases";
        root = cases;
    }
    double value(const std::string& name, std::int64_t x, std::int64_t y, std::int64_t z) const {
        return std::visit([&](const auto& i) { return static_cast<double>(i(x, y, z)); },
                          read_image(root / name).image);
    }
    Geometry geometry(const std::string& name) const {
        return geometry_of(read_image(root / name).image);
    }
    void refused(const std::string& name, const std::vector<std::string>& words) const {
        expect_error(ErrorCode::unsupported_format, words, [&] { read_image(root / name); });
    }
    fs::path root;
};

TEST_F(HeaderCasesTest, Nifti) {
    EXPECT_NEAR(geometry("03-nifti-pixdim/micron.nii").origin[0], -1, 1e-6);
    EXPECT_NEAR(geometry("03-nifti-pixdim/micron.nii").spacing[0], 0.5, 1e-6);
    EXPECT_NEAR(geometry("03-nifti-pixdim/meter.nii").origin[0], -10, 1e-5);
    EXPECT_EQ(geometry("03-nifti-pixdim/msec.nii").time_step, 1.5);
    EXPECT_EQ(geometry("03-nifti-pixdim/hz.nii").time_step, 1);
    EXPECT_EQ(geometry("03-nifti-pixdim/negative.nii").spacing, (Vector{2, 2, 5}));
    EXPECT_EQ(value("08-nifti-offsets/off0.nii", 3, 2, 1), 23);
    const Geometry unit = geometry("01-nifti-qform-sform/srow-without-spacing.nii");
    EXPECT_EQ(unit.spacing, (Vector{1, 1, 1}));
    EXPECT_NEAR(unit.origin[0], 54.97, 1e-5);
    EXPECT_EQ(shape_of(read_image(root / "04-nifti-dims/disp.nii").image), (Shape{4, 3, 2, 1, 3}));
    EXPECT_EQ(value("04-nifti-dims/d1.nii", 3, 0, 0), 3);
    for (const char* name : {"pair.hdr", "pair.img"})
        EXPECT_EQ(value(std::string("05-nifti-endian-pairs/") + name, 3, 2, 1), 0x1717);
    expect_error(ErrorCode::unreadable_input, {"alone.img"},
                 [&] { read_image(root / "05-nifti-endian-pairs/alone.hdr"); });
}

TEST_F(HeaderCasesTest, Nrrd) {
    EXPECT_EQ(geometry("09-nrrd-space/las.nrrd").origin, (Vector{10, -20, 30}));
    EXPECT_EQ(geometry("09-nrrd-space/las.nrrd").orientation(), "LAS");
    EXPECT_EQ(geometry("09-nrrd-space/rast.nrrd").origin, (Vector{-10, -20, 30}));
    EXPECT_EQ(geometry("09-nrrd-space/minmax.nrrd").spacing, (Vector{2, 2, 3}));
    for (const char* name : {"ascii.nrrd", "bskip.nrrd", "d5.nhdr"})
        EXPECT_EQ(value(std::string("11-nrrd-encodings/") + name, 3, 2, 1), 23) << name;
    refused("11-nrrd-encodings/d9.nhdr", {"d9.nhdr", "several files", "sl_%02d.raw"});
    refused("11-nrrd-encodings/d11.nhdr", {"d11.nhdr", "several files", "LIST"});
}

TEST_F(HeaderCasesTest, MetaImage) {
    EXPECT_EQ(value("12-metaimage/z2.mha", 3, 2, 1), 23);
    EXPECT_EQ(value("44-metaimage-inflate/none.mha", 15, 15, 15),
              value("44-metaimage-inflate/half.mha", 15, 15, 15));
    EXPECT_NE(value("44-metaimage-inflate/half.mha", 15, 15, 15), 0);
    EXPECT_EQ(value("12-metaimage/slope.mha", 0, 0, 0), -5);
    EXPECT_EQ(value("12-metaimage/slope.mha", 3, 2, 1), 41);
    for (const char* name : {"h1.mhd", "h7.mhd", "hl.mha", "pc.mhd"})
        EXPECT_EQ(value(std::string("12-metaimage/") + name, 3, 2, 1), 23) << name;
}

TEST_F(HeaderCasesTest, Dicom) {
    for (const char* name : {"14-dicom-pixels/bigendian", "14-dicom-pixels/high15"}) {
        EXPECT_EQ(value(name, 1, 0, 0), 2) << name;
        EXPECT_EQ(value(name, 2, 0, 0), 4095) << name;
    }
    EXPECT_EQ(value("14-dicom-pixels/mono1-hu", 0, 0, 0), -1000);
    EXPECT_EQ(value("14-dicom-pixels/mono1-hu", 1, 0, 0), -980);
    const ReadResult mono1 = read_image(root / "14-dicom-pixels/mono1-hu");
    ASSERT_EQ(mono1.warnings.size(), 1u);
    EXPECT_NE(mono1.warnings[0].find("MONOCHROME1"), std::string::npos);
    const AnyImage color = read_image(root / "42-dicom-compressed/jpegrgb").image;
    const auto& rgb = std::get<Image<std::uint8_t>>(color);
    constexpr int lossy = 3;
    EXPECT_NEAR(rgb(8, 8, 0, 0, 0), 200, lossy);
    EXPECT_NEAR(rgb(8, 8, 0, 0, 1), 50, lossy);
    EXPECT_NEAR(rgb(8, 8, 0, 0, 2), 20, lossy);
}

// Four frames at uneven times: a duration times a rate is no count.
TEST_F(HeaderCasesTest, FramesOfUnevenTimes) {
    if (!has_video_codecs()) GTEST_SKIP() << "built without FFmpeg's libraries";
    const auto video = open_frames(root / "32-video/vfr.mkv");
    EXPECT_FALSE(video->facts().frames);
    int frames = 0;
    while (video->next()) ++frames;
    EXPECT_EQ(frames, 4);
}

}  // namespace
}  // namespace tesela::io::testing
