// Headers of NIfTI files, made here byte by byte: where their voxels lie, in the file and in space.
#include <bit>
#include <cmath>
#include <cstring>

#include "io/gzip_pieces.h"
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using Vector = std::array<double, 3>;

// 4 x 3 x 2 numbers of 16 bits, from 0 to 23.
struct Nifti {
    std::vector<std::int16_t> dim{4, 3, 2};
    std::vector<float> pixdim{1, 2, 2, 3, 1};  // qfac first
    std::int16_t qform = 0, sform = 0, intent = 0, bits = 16;
    Vector quaternion{}, offset{};
    std::array<float, 12> srow{};
    std::uint8_t units = 2;
    float vox_offset = 352, toffset = 0;
    std::string magic = "n+1";
    bool big_endian = false;
    std::size_t behind = 4;  // bytes between the header and the voxels

    Bytes bytes() const {
        Bytes file(magic == "n+1" ? 348 + behind : 348);
        store<std::int32_t>(file, 0, 348);
        store(file, 40, static_cast<std::int16_t>(dim.size()));
        for (std::size_t i = 0; i < 7; ++i)
            store<std::int16_t>(file, 42 + 2 * i, i < dim.size() ? dim[i] : 1);
        store(file, 68, intent);
        store<std::int16_t>(file, 70, 4);
        store(file, 72, bits);
        for (std::size_t i = 0; i < pixdim.size(); ++i) store(file, 76 + 4 * i, pixdim[i]);
        store(file, 108, vox_offset);
        file[123] = units;
        store(file, 136, toffset);
        store(file, 252, qform);
        store(file, 254, sform);
        for (std::size_t i = 0; i < 3; ++i) {
            store(file, 256 + 4 * i, static_cast<float>(quaternion[i]));
            store(file, 268 + 4 * i, static_cast<float>(offset[i]));
        }
        for (std::size_t i = 0; i < 12; ++i) store(file, 280 + 4 * i, srow[i]);
        std::memcpy(&file[344], magic.data(), magic.size());
        if (magic != "n+1") return file;
        const Bytes data = voxels();
        file.insert(file.end(), data.begin(), data.end());
        return file;
    }
    Bytes voxels() const {
        std::size_t count = 1;
        for (const std::int16_t length : dim) count *= static_cast<std::size_t>(length);
        Bytes data(2 * count);
        for (std::size_t i = 0; i < count; ++i) store(data, 2 * i, static_cast<std::int16_t>(i));
        return data;
    }

  private:
    template <class T>
    void store(Bytes& file, std::size_t at, T value) const {
        put_number(file, at, value, big_endian);
    }
};

class NiftiHeaderTest : public FileTest {
  protected:
    ReadResult read(const Nifti& nifti) {
        write_bytes(file("a.nii"), nifti.bytes());
        return read_image(file("a.nii"));
    }
    Geometry geometry(const Nifti& nifti) {
        const ReadResult result = read(nifti);
        expect_warning(result, {});
        return geometry_of(result.image);
    }
    void refused(ErrorCode code, const std::vector<std::string>& words, const Nifti& nifti) {
        expect_error(code, words, [&] { read(nifti); });
    }
    void write_packed(const std::string& name, const Bytes& plain) {
        write_bytes(file("plain"), plain);
        OutputFile out(file(name), file(name));
        gzip_file(file("plain"), out);
        out.close();
        fs::remove(file("plain"));
    }
    static void expect_ramp(const AnyImage& image) {
        const auto& values = std::get<Image<std::int16_t>>(image);
        EXPECT_EQ(values.shape(), (Shape{4, 3, 2}));
        EXPECT_EQ(values(1, 0, 0), 1);
        EXPECT_EQ(values(3, 2, 1), 23);
    }
};

// ---- space --------------------------------------------------------------------------------------

TEST_F(NiftiHeaderTest, UnitsScaleStepsAndPlaces) {
    const std::pair<std::uint8_t, float> units[] = {{1, 1e-3f}, {2, 1.0f}, {3, 1e3f}};
    for (const auto& [unit, size] : units)
        for (const bool by_sform : {false, true}) {
            Nifti nifti;
            nifti.units = unit;
            nifti.pixdim = {1, 2 * size, 2 * size, 3 * size};
            nifti.offset = {10 * size, 20 * size, -30 * size};
            nifti.srow = {2 * size, 0,         0, 10 * size, 0,        2 * size,
                          0,        20 * size, 0, 0,         3 * size, -30 * size};
            (by_sform ? nifti.sform : nifti.qform) = 1;
            const Geometry g = geometry(nifti);
            EXPECT_EQ(g.unit, Unit::millimeter);
            EXPECT_EQ(g.orientation(), "RAS");
            const double expected[] = {2, 2, 3, -10, -20, -30};
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_NEAR(g.spacing[i], expected[i], 1e-6);
                EXPECT_NEAR(g.origin[i], expected[i + 3], 1e-5);
            }
            // What is written says the same in millimeters.
            for (const std::string name : {"b.nii", "b.nrrd", "b.mha"}) {
                write_image(read(nifti).image, file(name));
                const ReadResult again = read_image(file(name));
                expect_warning(again, {});
                expect_same_geometry(geometry_of(again.image), g);
            }
        }
}

TEST_F(NiftiHeaderTest, UnnamedUnitsAreMillimeters) {
    for (const int unit : {0, 4, 7}) {
        const ReadResult result =
            read({.qform = 1, .offset = {1, 2, 3}, .units = static_cast<std::uint8_t>(unit)});
        expect_warning(result, {"unit of length"});
        EXPECT_EQ(geometry_of(result.image).origin, (Vector{-1, -2, 3}));
    }
    EXPECT_EQ(geometry({.pixdim = {1, 1, 1, 1}, .units = 0}), Geometry{});
    EXPECT_EQ(geometry({.pixdim = {0, 0, 0, 0}, .units = 0}), Geometry{});
}

TEST_F(NiftiHeaderTest, AnSformNeedsNoPixdim) {
    Nifti nifti{.sform = 1, .srow = {1, 0, 0, -55, 0, 1, 0, -56, 0, 0, 1, -37}};
    nifti.pixdim = {0, 0.5f, 0.5f, 0.75f};
    const ReadResult unit = read(nifti);
    expect_warning(unit, {"sform and pixdim disagree", "sform was used"});
    EXPECT_EQ(geometry_of(unit.image).spacing, (Vector{1, 1, 1}));
    EXPECT_EQ(geometry_of(unit.image).origin, (Vector{55, 56, -37}));
    for (const float none : {0.0f, -1.0f}) {
        nifti.pixdim = {0, none, none, none};
        EXPECT_EQ(geometry(nifti).spacing, (Vector{1, 1, 1}));
    }
}

TEST_F(NiftiHeaderTest, SignsOfPixdimAreNotUsed) {
    for (const bool qform : {false, true}) {
        Nifti nifti;
        nifti.qform = qform;
        nifti.pixdim = {1, 2, -2, 5};
        const ReadResult result = read(nifti);
        expect_warning(result, qform ? std::vector<std::string>{}
                                     : std::vector<std::string>{"how a patient lies"});
        const Geometry& g = geometry_of(result.image);
        EXPECT_EQ(g.spacing, (Vector{2, 2, 5}));
        EXPECT_EQ(g.orientation(), qform ? "RAS" : "LPS");
    }
}

TEST_F(NiftiHeaderTest, AnAxisWithoutSizeIsNamed) {
    const ReadResult result = read({.pixdim = {1, 2, 0, 5}, .qform = 1});
    expect_warning(result, {"axis 2", "1 is assumed"});
    EXPECT_EQ(geometry_of(result.image).spacing, (Vector{2, 1, 5}));
    EXPECT_EQ(geometry_of(result.image).orientation(), "RAS");
    EXPECT_EQ(geometry({.dim = {4, 3}, .pixdim = {1, 2, 2, 0}, .qform = 1}).spacing,
              (Vector{2, 2, 1}));
    // The sform, too, where the qform would lack a size.
    const ReadResult other = read({.pixdim = {1, 2, 0, 5},
                                   .qform = 1,
                                   .sform = 2,
                                   .srow = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 5, 0}});
    EXPECT_EQ(geometry_of(other.image).spacing, (Vector{2, 2, 5}));
    refused(ErrorCode::unreadable_input, {"axis 2"},
            {.sform = 1, .srow = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0}});
}

TEST_F(NiftiHeaderTest, HandednessOfTheQform) {
    Nifti nifti{.qform = 1, .quaternion = {0, 0, 1}, .offset = {1, 2, 3}};  // half a turn about z
    EXPECT_EQ(geometry(nifti).orientation(), "LPS");
    EXPECT_EQ(geometry(nifti).origin, (Vector{-1, -2, 3}));
    nifti.pixdim[0] = 0;  // as 1
    EXPECT_EQ(geometry(nifti).orientation(), "LPS");
    nifti.pixdim[0] = -1;
    EXPECT_EQ(geometry(nifti).orientation(), "LPI");
    nifti.quaternion = {0, 0, 1.00001};  // too long by rounding
    EXPECT_EQ(geometry(nifti).orientation(), "LPI");
}

TEST_F(NiftiHeaderTest, CodesOfZeroLeaveFormsUnused) {
    const float nan = std::nanf("");
    const Nifti nifti{.quaternion = {nan, nan, nan}, .offset = {9, 9, 9}, .srow = {nan}};
    const ReadResult result = read(nifti);
    expect_warning(result, {"neither sform nor qform"});
    EXPECT_EQ(geometry_of(result.image).spacing, (Vector{2, 2, 3}));
    EXPECT_EQ(geometry_of(result.image).origin, Vector{});
    Nifti used = nifti;
    used.qform = 1;
    refused(ErrorCode::unreadable_input, {"(qform)"}, used);
    used = nifti;
    used.sform = 1;
    refused(ErrorCode::unreadable_input, {"(sform)"}, used);
}

TEST_F(NiftiHeaderTest, FormsThatDisagree) {
    Nifti nifti{.qform = 1, .offset = {5, 6, 7}, .srow = {2, 0, 0, 15, 0, 2, 0, 16, 0, 0, 3, 17}};
    for (const int code : {1, 2, 4}) {
        nifti.sform = static_cast<std::int16_t>(code);
        const ReadResult result = read(nifti);
        const std::string used = code == 1 ? "sform" : "qform";
        expect_warning(result, {"disagree", "the " + used + " was used"});
        EXPECT_EQ(geometry_of(result.image).origin,
                  (code == 1 ? Vector{-15, -16, 17} : Vector{-5, -6, 7}));
    }
}

TEST_F(NiftiHeaderTest, ShearedForms) {
    Nifti nifti{.sform = 1, .srow = {2, 1, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0}};
    nifti.pixdim[2] = std::sqrt(5.0f);
    refused(ErrorCode::unsupported_format, {"26.6 degrees", "resample"}, nifti);
    nifti.qform = 1;
    const ReadResult result = read(nifti);
    expect_warning(result, {"the qform was used"});
    EXPECT_EQ(geometry_of(result.image).orientation(), "RAS");
}

TEST_F(NiftiHeaderTest, OneAndTwoAxes) {
    const AnyImage line = read({.dim = {4}}).image;
    EXPECT_EQ(shape_of(line), Shape{4});
    EXPECT_EQ(std::get<Image<std::int16_t>>(line)(3, 0), 3);
    EXPECT_EQ(shape_of(read({.dim = {4, 3}}).image), (Shape{4, 3}));
    refused(ErrorCode::unreadable_input, {"0 dimensions"}, {.dim = {}});
}

TEST_F(NiftiHeaderTest, TheFifthAxisIsOfChannels) {
    for (const int intent : {0, 1005, 1006, 1007, 1008, 2003}) {
        const ReadResult result =
            read({.dim = {2, 2, 1, 1, 3}, .intent = static_cast<std::int16_t>(intent)});
        EXPECT_EQ(shape_of(result.image), (Shape{2, 2, 1, 1, 3}));
        EXPECT_EQ(std::get<Image<std::int16_t>>(result.image)(1, 0, 0, 0, 2), 9);
        EXPECT_EQ(result.separate_channels, intent >= 1005 && intent <= 1008) << intent;
        EXPECT_EQ(result.warnings.empty(), intent != 0);
    }
    EXPECT_TRUE(has_alpha(read({.dim = {2, 2, 1, 1, 4}, .intent = 2004}).image));
    refused(ErrorCode::unsupported_format, {"axes"}, {.dim = {2, 2, 1, 1, 1, 3}});
    EXPECT_EQ(shape_of(read({.dim = {2, 2, 1, 1, 3, 1, 1}}).image), (Shape{2, 2, 1, 1, 3}));
}

// ---- time ---------------------------------------------------------------------------------------

TEST_F(NiftiHeaderTest, TimeStepsAreSeconds) {
    const std::tuple<std::uint8_t, float, double> steps[] = {
        {8, 1.5f, 1.5}, {16, 1500.0f, 1.5}, {24, 1.5e6f, 1.5}, {8, 0.0f, 1}, {0, 1.0f, 1}};
    for (const auto& [unit, step, seconds] : steps) {
        Nifti nifti{.dim = {4, 3, 2, 2}, .pixdim = {1, 2, 2, 3, step}, .qform = 1};
        nifti.units = static_cast<std::uint8_t>(2 | unit);
        const ReadResult result = read(nifti);
        expect_warning(result, {});
        EXPECT_NEAR(geometry_of(result.image).time_step, seconds, 1e-9) << int{unit};
        for (const std::string name : {"b.nii", "b.nrrd", "b.mha"}) {
            write_image(result.image, file(name));
            const ReadResult again = read_image(file(name));
            expect_warning(again, {});
            EXPECT_NEAR(geometry_of(again.image).time_step, seconds, 1e-6) << name;
        }
    }
}

TEST_F(NiftiHeaderTest, StepsThatAreNoTimeAreNamed) {
    const std::tuple<std::uint8_t, float, std::string> steps[] = {{32, 50.0f, "Hz"},
                                                                  {40, 50.0f, "ppm"},
                                                                  {48, 50.0f, "rad/s"},
                                                                  {56, 50.0f, "unknown unit"},
                                                                  {8, -2.0f, "no valid time step"},
                                                                  {8, std::nanf(""), "no valid"}};
    for (const auto& [unit, step, word] : steps) {
        Nifti nifti{.dim = {4, 3, 2, 2}, .pixdim = {1, 2, 2, 3, step}, .qform = 1};
        nifti.units = static_cast<std::uint8_t>(2 | unit);
        const ReadResult result = read(nifti);
        expect_warning(result, {word});
        EXPECT_EQ(geometry_of(result.image).time_step, 1);
        nifti.dim = {4, 3, 2};
        expect_warning(read(nifti), {});
    }
    Nifti nifti{.dim = {4, 3, 2, 2}, .pixdim = {1, 2, 2, 3, 2.5f}, .qform = 1};
    expect_warning(read(nifti), {"unit of time"});
    nifti.units = 10;
    nifti.toffset = 3;
    expect_warning(read(nifti), {"toffset"});
}

// ---- where the voxels lie -----------------------------------------------------------------------

TEST_F(NiftiHeaderTest, TheLengthOfTheFileTellsWhereVoxelsBegin) {
    for (const std::size_t behind : {0u, 4u}) {
        const Nifti nifti{.qform = 1, .vox_offset = 0, .behind = behind};
        const ReadResult plain = read(nifti);
        expect_ramp(plain.image);
        expect_warning(plain, {"vox_offset 0"});
        write_packed("b.nii.gz", nifti.bytes());
        const ReadResult packed = read_image(file("b.nii.gz"));
        expect_ramp(packed.image);
        expect_warning(packed, {"vox_offset 0"});
    }
    expect_ramp(read({.vox_offset = 368, .behind = 20}).image);
    expect_ramp(read({.vox_offset = 348, .behind = 0}).image);
    Bytes extended = Nifti{.vox_offset = 0}.bytes();
    extended[348] = 1;
    write_bytes(file("c.nii"), extended);
    expect_error(ErrorCode::unsupported_format, {"c.nii", "extensions"},
                 [&] { read_image(file("c.nii")); });
    refused(ErrorCode::unreadable_input, {"48 bytes"}, {.vox_offset = 353});
    refused(ErrorCode::unreadable_input, {"place of the data"}, {.vox_offset = -352});
}

TEST_F(NiftiHeaderTest, BitsThatDoNotFitTheTypeAreNamed) {
    const ReadResult result = read({.qform = 1, .bits = 0});
    expect_ramp(result.image);
    expect_warning(result, {"bitpix"});
}

TEST_F(NiftiHeaderTest, PairsAreReadByEitherName) {
    const std::vector<std::pair<std::string, std::string>> names = {
        {"a.hdr", "a.img"},    {"b.hdr.gz", "b.img.gz"}, {"c.hdr", "c.img.gz"},
        {"d.hdr.gz", "d.img"}, {"E.HDR", "E.IMG"},       {"f.g.hdr", "f.g.img"}};
    for (const bool big_endian : {false, true})
        for (const auto& [head, data] : names)
            for (const float offset : {0.0f, 16.0f}) {
                SCOPED_TRACE(head + " " + data);
                const Nifti nifti{.qform = 1,
                                  .offset = {1, 2, 3},
                                  .vox_offset = offset,
                                  .magic = "ni1",
                                  .big_endian = big_endian};
                Bytes voxels(static_cast<std::size_t>(offset));
                const Bytes ramp = nifti.voxels();
                voxels.insert(voxels.end(), ramp.begin(), ramp.end());
                for (const auto& [name, bytes] : {std::pair{head, nifti.bytes()}, {data, voxels}})
                    if (name.ends_with(".gz"))
                        write_packed(name, bytes);
                    else
                        write_bytes(file(name), bytes);
                for (const std::string& name : {head, data}) {
                    const ReadResult result = read_image(file(name));
                    expect_ramp(result.image);
                    expect_warning(result, {});
                    EXPECT_EQ(geometry_of(result.image).origin, (Vector{-1, -2, 3}));
                    std::vector<fs::path> files = files_read(file(name));
                    for (const std::string& part : {head, data})
                        EXPECT_NE(std::find(files.begin(), files.end(), file(part)), files.end());
                }
                for (const std::string& name : {head, data}) fs::remove(file(name));
            }
}

TEST_F(NiftiHeaderTest, HalvesOfPairsAreRefusedByName) {
    const Nifti nifti{.vox_offset = 0, .magic = "ni1"};
    write_bytes(file("a.hdr"), nifti.bytes());
    expect_error(ErrorCode::unreadable_input, {"a.hdr", "a.img"},
                 [&] { read_image(file("a.hdr")); });
    write_bytes(file("a.img"), Bytes(47));
    for (const std::string name : {"a.hdr", "a.img"})
        expect_error(ErrorCode::unreadable_input, {"a.hdr", "48 bytes"},
                     [&] { read_image(file(name)); });
    write_bytes(file("b.img"), Bytes(48));
    expect_error(ErrorCode::unsupported_format, {"b.img", "known format"},
                 [&] { read_image(file("b.img")); });
    Bytes analyze = nifti.bytes();
    std::memset(&analyze[344], 0, 4);
    write_bytes(file("b.hdr"), analyze);
    for (const std::string name : {"b.hdr", "b.img"})
        expect_error(ErrorCode::unsupported_format, {"b.hdr", "Analyze 7.5"},
                     [&] { read_image(file(name)); });
    // Another program's .hdr says nothing of a file that is known by itself.
    write_bytes(file("c.hdr"), {'E', 'N', 'V', 'I', '\n'});
    write_image(pattern<std::uint8_t>({5, 4}), file("c.tif"));
    fs::rename(file("c.tif"), file("c.img"));
    EXPECT_EQ(read_image(file("c.img")).format, "TIFF");
}

}  // namespace
}  // namespace tesela::io::testing
