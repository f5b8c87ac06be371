#include <cmath>
#include <cstring>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

const std::vector<std::string> volume_names = {"a.nii",  "a.nii.gz", "a.nrrd",
                                               "a.nhdr", "a.mha",    "a.mhd"};

Geometry sample_geometry() {
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {0.47, 1.25, 3.3};
    g.origin = {-91.123456, 126.5, -72.25};
    return g;
}

class VolumeTest : public FileTest {
  protected:
    template <class T>
    ReadResult round_trip(const std::string& name, const Image<T>& image) {
        write_image(image, file(name));
        ReadResult result = read_image(file(name));
        expect_same_pixels(result.image, image);
        return result;
    }
    template <class T>
    void round_trip_type() {
        for (const std::string& name : volume_names)
            for (const Shape& shape :
                 {Shape{1, 1}, Shape{1, 7}, Shape{37, 23}, Shape{6, 5, 4}, Shape{5, 4, 3, 2}}) {
                SCOPED_TRACE(name + " " + std::string(pixel_type_name(pixel_type_of<T>())) + " " +
                             std::to_string(shape.x) + "x" + std::to_string(shape.t));
                Geometry g = sample_geometry();
                if (shape.t > 1) g.time_step = 2.5;
                const ReadResult result = round_trip(name, pattern<T>(shape, g));
                expect_same_geometry(geometry_of(result.image), g);
                EXPECT_TRUE(result.warnings.empty());
            }
    }
};

TEST_F(VolumeTest, UnsignedIntegers) {
    round_trip_type<std::uint8_t>();
    round_trip_type<std::uint16_t>();
    round_trip_type<std::uint32_t>();
}
TEST_F(VolumeTest, SignedIntegers) {
    round_trip_type<std::int8_t>();
    round_trip_type<std::int16_t>();
    round_trip_type<std::int32_t>();
}
TEST_F(VolumeTest, FloatingPoint) {
    round_trip_type<float>();
    round_trip_type<double>();
}

TEST_F(VolumeTest, FilesMade) {
    const auto image = pattern<std::int16_t>({6, 5, 4}, sample_geometry());
    for (const std::string& name : volume_names) write_image(image, file(name));
    EXPECT_EQ(names(), (std::vector<std::string>{"a.mha", "a.mhd", "a.nhdr", "a.nii", "a.nii.gz",
                                                 "a.nrrd", "a.raw"}));
}

TEST_F(VolumeTest, PairsMayBeMovedTogether) {
    const auto image = pattern<std::int16_t>({6, 5, 4}, sample_geometry());
    for (const std::string name : {"p.nhdr", "p.mhd"}) {
        write_image(image, file(name));
        fs::create_directory(file("moved"));
        fs::rename(file(name), file("moved/" + name));
        fs::rename(file("p.raw"), file("moved/p.raw"));
        expect_same_pixels(read_image(file("moved/" + name)).image, image);
        fs::remove(file("moved/p.raw"));
        expect_error(ErrorCode::unreadable_input, {"p.raw"},
                     [&] { read_image(file("moved/" + name)); });
        fs::remove_all(file("moved"));
    }
}

TEST_F(VolumeTest, AllOrientations) {
    static constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const auto pixels = pattern<std::uint8_t>({4, 3, 2}).pixels();
    for (const auto& order : orders)
        for (unsigned flips = 0; flips < 8; ++flips) {
            Geometry g = sample_geometry();
            g.direction = {};
            for (std::size_t axis = 0; axis < 3; ++axis)
                g.direction[3 * static_cast<std::size_t>(order[axis]) + axis] =
                    flips >> axis & 1u ? -1 : 1;
            Image<std::uint8_t> image({4, 3, 2}, g);
            image.pixels() = pixels;
            for (const std::string& name : volume_names) {
                SCOPED_TRACE(name + " " + g.orientation());
                const ReadResult result = round_trip(name, image);
                expect_same_geometry(geometry_of(result.image), g);
                EXPECT_EQ(geometry_of(result.image).orientation(), g.orientation());
                EXPECT_TRUE(result.warnings.empty());
            }
        }
}

TEST_F(VolumeTest, Oblique) {
    // Rotations by 0.3 about z, then 0.5 about x, then 1.1 about y.
    const double ca = std::cos(0.3), sa = std::sin(0.3), cb = std::cos(0.5), sb = std::sin(0.5),
                 cc = std::cos(1.1), sc = std::sin(1.1);
    Geometry g = sample_geometry();
    g.direction = {cc * ca + sc * sb * sa,  -cc * sa + sc * sb * ca, sc * cb, cb * sa, cb * ca, -sb,
                   -sc * ca + cc * sb * sa, sc * sa + cc * sb * ca,  cc * cb};
    for (const std::string& name : volume_names) {
        SCOPED_TRACE(name);
        const ReadResult result = round_trip(name, pattern<float>({5, 4, 3}, g));
        expect_same_geometry(geometry_of(result.image), g);
        EXPECT_TRUE(result.warnings.empty());
    }
}

TEST_F(VolumeTest, OneObliqueSliceKeepsItsPlace) {
    Geometry g = sample_geometry();
    g.direction = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    for (const std::string& name : volume_names)
        expect_same_geometry(geometry_of(round_trip(name, pattern<float>({5, 4}, g)).image), g);
}

TEST_F(VolumeTest, Channels) {
    for (const std::string& name : volume_names) {
        SCOPED_TRACE(name);
        round_trip(name, pattern<std::uint8_t>({5, 4, 3, 1, 3}, sample_geometry()));
        round_trip(name, pattern<float>({5, 4, 3, 1, 3}, sample_geometry()));
        round_trip(name, pattern<float>({5, 4, 3, 1, 2}, sample_geometry()));
        round_trip(name, pattern<std::int16_t>({5, 4, 3, 2, 3}, sample_geometry()));
    }
}

// MetaImage says nothing of what channels are, but for our own field of alpha.
TEST_F(VolumeTest, ColorsStayColors) {
    for (const std::string& name : volume_names) {
        SCOPED_TRACE(name);
        EXPECT_FALSE(round_trip(name, pattern<std::uint8_t>({5, 4, 1, 1, 3})).separate_channels);
        const bool says = name.find(".mh") == name.npos;
        EXPECT_EQ(round_trip(name, pattern<std::uint16_t>({5, 4, 2, 1, 3})).separate_channels,
                  says);
        EXPECT_EQ(round_trip(name, pattern<float>({5, 4, 2, 1, 3})).separate_channels, says);
        auto picture = pattern<std::uint8_t>({5, 4, 2, 1, 4});
        auto deep = pattern<std::uint16_t>({5, 4, 2, 1, 4});
        picture.has_alpha = deep.has_alpha = true;
        EXPECT_FALSE(round_trip(name, picture).separate_channels);
        EXPECT_FALSE(round_trip(name, deep).separate_channels);
    }
}

TEST_F(VolumeTest, UnknownSpacingStaysUnknown) {
    for (const std::string& name : volume_names) {
        SCOPED_TRACE(name);
        const auto image = pattern<std::uint8_t>({5, 4, 3});
        EXPECT_EQ(geometry_of(round_trip(name, image).image), Geometry{});
    }
}

TEST_F(VolumeTest, MicrometersAreWrittenAsMillimeters) {
    Geometry g = sample_geometry();
    g.unit = Unit::micrometer;
    g.spacing = {250, 500, 1000};
    g.origin = {1000, 2000, 3000};
    Geometry expected;
    expected.unit = Unit::millimeter;
    expected.spacing = {0.25, 0.5, 1};
    expected.origin = {1, 2, 3};
    for (const std::string& name : volume_names)
        expect_same_geometry(
            geometry_of(round_trip(name, pattern<std::uint8_t>({5, 4, 3}, g)).image), expected);
}

TEST_F(VolumeTest, NeighborsOfTheSameStemAreNotMixedUp) {
    const auto one = pattern<std::uint8_t>({6, 5, 4}, sample_geometry());
    auto other = one;
    other.pixels()[7] ^= 1;
    write_image(one, file("a.nii"));
    write_image(other, file("a.nii.gz"));
    expect_same_pixels(read_image(file("a.nii")).image, one);
    expect_same_pixels(read_image(file("a.nii.gz")).image, other);
}

TEST_F(VolumeTest, FormatIsToldByContent) {
    const auto image = pattern<std::int16_t>({6, 5, 4}, sample_geometry());
    for (const std::string name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha"})
        for (const std::string lie : {"a.dat", "a.png", "a.nii", "a.nii.gz", "a.hdr"}) {
            SCOPED_TRACE(name + " as " + lie);
            write_image(image, file(name));
            if (name != lie) fs::rename(file(name), file(lie));
            expect_same_pixels(read_image(file(lie)).image, image);
            fs::remove(file(lie));
        }
}

// ---- NIfTI headers, by their bytes ---------------------------------------------------------

class NiftiTest : public VolumeTest {
  protected:
    NiftiTest() {
        image = pattern<std::int16_t>({6, 5, 4}, sample_geometry());
        write_image(image, file("a.nii"));
        bytes = read_bytes(file("a.nii"));
    }
    template <class T>
    T at(std::size_t offset) const {
        T value;
        std::memcpy(&value, &bytes[offset], sizeof value);
        return value;
    }
    template <class T>
    void set(std::size_t offset, T value) {
        std::memcpy(&bytes[offset], &value, sizeof value);
    }
    ReadResult reread() {
        write_bytes(file("b.nii"), bytes);
        return read_image(file("b.nii"));
    }

    Image<std::int16_t> image;
    Bytes bytes;
};

TEST_F(NiftiTest, BothFormsAreWrittenAndAgree) {
    EXPECT_EQ(bytes.size(), 352u + 240u);
    EXPECT_GT(at<std::int16_t>(252), 0);  // qform_code
    EXPECT_GT(at<std::int16_t>(254), 0);  // sform_code
    EXPECT_EQ(bytes[123] & 7, 2);         // millimeters
    // RAS: x and y change sign against our LPS.
    EXPECT_NEAR(at<float>(280), -0.47, 1e-6);
    EXPECT_NEAR(at<float>(292), 91.123456, 1e-4);
    EXPECT_NEAR(at<float>(268), 91.123456, 1e-4);
    EXPECT_NEAR(at<float>(280 + 16 + 4), -1.25, 1e-6);
    EXPECT_NEAR(at<float>(280 + 32 + 8), 3.3, 1e-6);
}

TEST_F(NiftiTest, SlopeTurnsIntegersIntoFloats) {
    set(112, 0.5f);
    set(116, 10.0f);
    const ReadResult result = reread();
    const auto& read = std::get<Image<float>>(result.image);
    for (std::size_t i = 0; i < read.pixels().size(); ++i)
        EXPECT_FLOAT_EQ(read.pixels()[i], 0.5f * image.pixels()[i] + 10);
    set(112, 1.0f);
    set(116, 0.0f);
    expect_same_pixels(reread().image, image);
    set(112, 0.0f);  // by the standard: no scaling
    expect_same_pixels(reread().image, image);
}

TEST_F(NiftiTest, DisagreeingFormsAreReported) {
    set(292, at<float>(292) + 20.0f);
    const ReadResult result = reread();
    ASSERT_EQ(result.warnings.size(), 1u);
    const double x = geometry_of(result.image).origin[0];
    const bool sform = std::abs(x - (image.geometry.origin[0] - 20)) < 1e-3;
    EXPECT_NE(result.warnings[0].find(sform ? "the sform was used" : "the qform was used"),
              std::string::npos)
        << result.warnings[0] << x;
}

TEST_F(NiftiTest, OneFormSuffices) {
    for (const std::size_t code : {252u, 254u}) {
        Bytes kept = bytes;
        set<std::int16_t>(code, 0);
        const ReadResult result = reread();
        EXPECT_TRUE(result.warnings.empty());
        expect_same_geometry(geometry_of(result.image), image.geometry);
        bytes = kept;
    }
}

TEST_F(NiftiTest, UnitsOfLength) {
    set<std::uint8_t>(123, 3);  // micrometers
    Geometry expected = image.geometry;
    for (double& s : expected.spacing) s *= 1e-3;
    for (double& s : expected.origin) s *= 1e-3;
    expect_same_geometry(geometry_of(reread().image), expected);
    set<std::uint8_t>(123, 0);
    const ReadResult unnamed = reread();
    EXPECT_TRUE(geometry_of(unnamed.image).known());
    EXPECT_EQ(unnamed.warnings.size(), 1u);
}

TEST_F(NiftiTest, BigEndian) {
    const auto swap = [&](std::size_t offset, std::size_t size) {
        std::reverse(&bytes[offset], &bytes[offset] + size);
    };
    swap(0, 4);
    for (std::size_t i = 0; i < 8; ++i) swap(40 + 2 * i, 2);
    for (const std::size_t i : {68u, 70u, 72u, 74u, 252u, 254u}) swap(i, 2);
    for (std::size_t i = 76; i < 120; i += 4) swap(i, 4);
    for (std::size_t i = 256; i < 328; i += 4) swap(i, 4);
    for (std::size_t i = 352; i < bytes.size(); i += 2) swap(i, 2);
    const ReadResult result = reread();
    expect_same_pixels(result.image, image);
    expect_same_geometry(geometry_of(result.image), image.geometry);
}

TEST_F(NiftiTest, SixtyFourBitIntegersAreNarrowedWhereTheyFit) {
    bytes.resize(352);
    set<std::int16_t>(70, 1024);
    set<std::int16_t>(72, 64);
    const auto append = [&](std::int64_t value) {
        Bytes raw(8);
        std::memcpy(raw.data(), &value, 8);
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    };
    for (int i = 0; i < 120; ++i) append(i - 60);
    EXPECT_EQ(std::get<Image<std::int32_t>>(reread().image)(5, 4, 3), 59);
    bytes.resize(bytes.size() - 8);
    append(std::int64_t{1} << 40);
    expect_error(ErrorCode::unsupported_format, {"64-bit"}, [&] { reread(); });
}

TEST_F(NiftiTest, HeaderClaims) {
    Bytes kept = bytes;
    for (const std::size_t i : {42u, 44u, 46u}) set<std::int16_t>(i, 32000);
    expect_error(ErrorCode::unreadable_input, {"b.nii", "65536000000000"}, [&] { reread(); });
    bytes = kept;
    set<std::int16_t>(42, -3);
    expect_error(ErrorCode::unreadable_input, {"b.nii", "-3"}, [&] { reread(); });
    bytes = kept;
    set<std::int16_t>(70, 32);
    expect_error(ErrorCode::unsupported_format, {"data type 32"}, [&] { reread(); });
    bytes = kept;
    std::memcpy(&bytes[344], "ni1", 4);
    expect_error(ErrorCode::unreadable_input, {"b.nii", "another file", "b.img"},
                 [&] { reread(); });
    bytes = kept;
    set(80, std::nanf(""));
    expect_error(ErrorCode::unreadable_input, {"spacing"}, [&] { reread(); });
}

TEST_F(NiftiTest, PackedDataThatClaimMuchAreRefused) {
    Image<std::uint8_t> zeros({200, 200, 200}, sample_geometry());
    write_image(zeros, file("z.nii.gz"));
    EXPECT_LT(fs::file_size(file("z.nii.gz")), 100000u);
    expect_error(ErrorCode::out_of_memory, {"z.nii.gz", "8000000"},
                 [&] { read_image(file("z.nii.gz"), {.max_bytes = 7000000}); });
    expect_same_pixels(read_image(file("z.nii.gz"), {.max_bytes = 8000000}).image, zeros);
}

// Single precision does not hold these, and the other formats do.
TEST_F(VolumeTest, GeometryBeyondNifti) {
    const auto refused = [&](const Geometry& geometry, const std::vector<std::string>& words) {
        const auto image = pattern<std::uint8_t>({4, 3, 2, 2}, geometry);
        for (const std::string name : {"a.nii", "a.nii.gz"}) {
            std::vector<std::string> all{name, ".nrrd"};
            all.insert(all.end(), words.begin(), words.end());
            expect_error(ErrorCode::too_narrow, all, [&] { write_image(image, file(name)); });
            EXPECT_FALSE(fs::exists(file(name)));
        }
        for (const std::string name : {"a.nrrd", "a.mha"})
            EXPECT_EQ(geometry_of(round_trip(name, image).image).spacing, geometry.spacing) << name;
    };
    Geometry g = sample_geometry();
    g.spacing[1] = 1e39;
    refused(g, {"spacing", "1e+39 mm"});
    g.spacing[1] = 1e-39;
    refused(g, {"spacing", "1e-39 mm"});
    g = sample_geometry();
    g.origin[2] = -1e200;
    refused(g, {"origin", "-1e+200 mm"});
    g = sample_geometry();
    g.time_step = 1e300;
    refused(g, {"time step", "1e+300"});
    g = sample_geometry();
    g.spacing = {1e8, 1e-6, 1e8};  // within
    g.origin = {1e9, 0, -1e9};
    expect_same_geometry(
        geometry_of(round_trip("b.nii", pattern<std::uint8_t>({4, 3, 2}, g)).image), g);
}

}  // namespace
}  // namespace tesela::io::testing
