// NIfTI-2: headers made here byte by byte, and what is written where an axis is long.
#include <cmath>
#include <limits>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

// 4 x 3 x 2 numbers of 16 bits, from 0 to 23.
struct Nifti2 {
    std::array<std::int64_t, 8> dim{3, 4, 3, 2, 1, 1, 1, 1};
    std::string magic{"n+2\0\r\n\x1a\n", 8};
    bool big_endian = false;
    std::int64_t vox_offset = 544;
    std::int32_t units = 2;
    std::array<double, 12> srow{-2, 0, 0, 91.123456789, 0, 2, 0, -126.5, 0, 0, 3, -72.25};
    double slope = 1, intercept = 0;

    Bytes voxels() const {
        Bytes data(48);
        for (std::size_t i = 0; i < 24; ++i)
            put_number(data, 2 * i, static_cast<std::int16_t>(i), big_endian);
        return data;
    }
    Bytes header() const {
        Bytes file(544);
        const auto store = [&](std::size_t at, auto value) {
            put_number(file, at, value, big_endian);
        };
        store(0, std::int32_t{540});
        std::memcpy(&file[4], magic.data(), magic.size());
        store(12, std::int16_t{4});
        store(14, std::int16_t{16});
        for (std::size_t i = 0; i < 8; ++i) store(16 + 8 * i, dim[i]);
        const double pixdim[] = {-1, 2, 2, 3, 1, 1, 1, 1};
        for (std::size_t i = 0; i < 8; ++i) store(104 + 8 * i, pixdim[i]);
        store(168, vox_offset);
        store(176, slope);
        store(184, intercept);
        store(348, std::int32_t{1});  // sform_code
        for (std::size_t i = 0; i < 12; ++i) store(400 + 8 * i, srow[i]);
        store(500, units);
        return file;
    }
    Bytes bytes() const {
        Bytes file = header();
        const Bytes data = voxels();
        file.insert(file.end(), data.begin(), data.end());
        return file;
    }
};

class Nifti2Test : public FileTest {
  protected:
    ReadResult read(const Nifti2& nifti) {
        write_bytes(file("a.nii"), nifti.bytes());
        return read_image(file("a.nii"));
    }
    static void expect_ramp(const AnyImage& image) {
        const auto& values = std::get<Image<std::int16_t>>(image);
        EXPECT_EQ(values.shape(), (Shape{4, 3, 2}));
        EXPECT_EQ(values(1, 0, 0), 1);
        EXPECT_EQ(values(3, 2, 1), 23);
    }
};

TEST_F(Nifti2Test, BothByteOrders) {
    for (const bool big : {false, true}) {
        const ReadResult result = read({.big_endian = big});
        expect_warning(result, {});
        EXPECT_EQ(result.format, "NIfTI-2");
        expect_ramp(result.image);
        const Geometry& g = geometry_of(result.image);
        EXPECT_EQ(g.orientation(), "LAS");
        // Double precision, which NIfTI-1 does not have.
        EXPECT_EQ(g.origin, (std::array<double, 3>{-91.123456789, 126.5, -72.25}));
        EXPECT_EQ(g.spacing, (std::array<double, 3>{2, 2, 3}));
    }
}

TEST_F(Nifti2Test, Pairs) {
    Nifti2 nifti{.magic = {"ni2\0\r\n\x1a\n", 8}, .vox_offset = 0};
    write_bytes(file("p.hdr"), nifti.header());
    write_bytes(file("p.img"), nifti.voxels());
    expect_ramp(read_image(file("p.hdr")).image);
    expect_ramp(read_image(file("p.img")).image);
    EXPECT_EQ(files_read(file("p.img")).size(), 3u);
    fs::remove(file("p.img"));
    expect_unreadable({"p.hdr", "another file", "p.img"}, [&] { read_image(file("p.hdr")); });
}

TEST_F(Nifti2Test, ScalingAndUnits) {
    const ReadResult result = read({.units = 3, .slope = 0.5, .intercept = 10});
    EXPECT_EQ(std::get<Image<float>>(result.image)(3, 2, 1), 21.5f);
    EXPECT_EQ(geometry_of(result.image).spacing[2], 3e-3);
}

TEST_F(Nifti2Test, DamagedHeaders) {
    expect_unreadable({"a.nii", "NIfTI-2", "as text"}, [&] {
        read({.magic = {"n+2\0\n\n\x1a\n", 8}});
    });
    Nifti2 nifti;
    nifti.dim[1] = -1;
    expect_unreadable({"a.nii", "-1 along axis 1"}, [&] { read(nifti); });
    constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
    nifti.dim = {4, longest, longest, longest, longest};
    expect_unreadable({"a.nii", "enormous"}, [&] { read(nifti); });
    nifti.dim = {5, 4, 3, 2, 1, std::int64_t{1} << 33};
    expect_unreadable({"a.nii", "enormous"}, [&] { read(nifti); });
    nifti.dim = {3, 1 << 20, 1 << 14, 2};
    expect_unreadable({"a.nii", "claims 68719476736 bytes"}, [&] { read(nifti); });
    nifti = {.srow = {std::nan("")}};
    expect_unreadable({"a.nii", "sform"}, [&] { read(nifti); });
    for (const std::int64_t place : {std::int64_t{-1}, longest}) {
        nifti = {.vox_offset = place};
        expect_unreadable({"a.nii", "place of the data"}, [&] { read(nifti); });
    }
    Bytes bytes = Nifti2{}.bytes();
    bytes.resize(539);
    write_bytes(file("b.nii"), bytes);
    expect_unreadable({"b.nii", "truncated"}, [&] { read_image(file("b.nii")); });
}

TEST_F(Nifti2Test, VoxelsBehindTheHeaderWithoutAPlace) {
    const ReadResult result = read({.vox_offset = 0});
    expect_warning(result, {"vox_offset", "behind"});
    expect_ramp(result.image);
}

TEST_F(Nifti2Test, LongAxesAreWritten) {
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {0.47, 1.25, 3.3};
    g.origin = {-91.123456789, 126.5, -72.25};
    g.direction = {0, 0, 1, -1, 0, 0, 0, 1, 0};
    const auto round_trip = [&]<class T>(const std::string& name, const Image<T>& image) {
        write_image(image, file(name));
        const ReadResult result = read_image(file(name));
        EXPECT_EQ(result.format, "NIfTI-2");
        expect_warning(result, {});
        expect_same_pixels(result.image, image);
        expect_same_geometry(geometry_of(result.image), image.geometry, 1e-12);
    };
    for (const std::string name : {"a.nii", "a.nii.gz"}) {
        SCOPED_TRACE(name);
        round_trip(name, pattern<std::uint8_t>({32768, 1}, g));
        round_trip(name, pattern<std::int16_t>({2, 40000, 2}, g));
        round_trip(name, pattern<float>({1, 2, 33000}, g));
        round_trip(name, pattern<double>({1, 2, 33000}));
        round_trip(name, pattern<std::uint8_t>({32768, 2, 1, 1, 3}, g));
        round_trip(name, pattern<float>({32768, 1, 1, 1, 2}, g));
        Geometry in_time = g;
        in_time.time_step = 2.5;
        round_trip(name, pattern<std::uint16_t>({2, 2, 1, 40000}, in_time));
    }
    // Shorter ones stay NIfTI-1, which more programs read.
    write_image(pattern<std::uint8_t>({32767, 1}, g), file("b.nii"));
    EXPECT_EQ(read_image(file("b.nii")).format, "NIfTI");
}

TEST_F(Nifti2Test, LabelsOfLongAxes) {
    LabelImage labels({40000, 2});
    labels.pixels()[70000] = 70000;
    write_labels(labels, file("a.nii.gz"));
    EXPECT_EQ(read_labels(file("a.nii.gz")).pixels(), labels.pixels());
}

}  // namespace
}  // namespace tesela::io::testing
