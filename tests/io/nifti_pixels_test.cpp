// The voxels of NIfTI files, made here byte by byte: every value is what the file says.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/gzip_pieces.h"
#include "io/support.h"

namespace tesela::io::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

template <class T>
constexpr std::int16_t type_code() {
    if constexpr (std::is_same_v<T, float>) return 16;
    if constexpr (std::is_same_v<T, double>) return 64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return 2;
    if constexpr (std::is_same_v<T, std::int16_t>) return 4;
    if constexpr (std::is_same_v<T, std::int32_t>) return 8;
    return 1024;
}

// A NIfTI-1 file (nifti1.h) with a spacing of 2 mm.
struct Sample {
    std::vector<std::int16_t> lengths;  // x, y, z, t, components
    std::int16_t intent = 0;
    double slope = 0, intercept = 0;
    bool big_endian = false;
    std::int32_t data_at = 352;

    template <class T>
    Bytes bytes(const std::vector<T>& values) const {
        Bytes file(static_cast<std::size_t>(data_at));
        store<std::int32_t>(file, 0, 348);
        store<std::int16_t>(file, 40, static_cast<std::int16_t>(lengths.size()));
        for (std::size_t i = 0; i < 7; ++i)
            store<std::int16_t>(file, 42 + 2 * i, i < lengths.size() ? lengths[i] : 1);
        store<std::int16_t>(file, 68, intent);
        store<std::int16_t>(file, 70, type_code<T>());
        store<std::int16_t>(file, 72, 8 * sizeof(T));
        for (std::size_t i = 0; i < 8; ++i) store(file, 76 + 4 * i, i == 0 ? 1.0f : 2.0f);
        store(file, 108, static_cast<float>(data_at));
        store(file, 112, static_cast<float>(slope));
        store(file, 116, static_cast<float>(intercept));
        file[123] = 2;  // millimeters
        std::memcpy(&file[344], "n+1", 4);
        file.resize(file.size() + sizeof(T) * values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            store(file, static_cast<std::size_t>(data_at) + sizeof(T) * i, values[i]);
        return file;
    }

  private:
    template <class T>
    void store(Bytes& file, std::size_t at, T value) const {
        put_number(file, at, value, big_endian);
    }
};

// Equal as numbers, or both NaN.
template <class T>
void expect_values(const AnyImage& read, const Shape& shape, const std::vector<T>& expected) {
    ASSERT_EQ(pixel_type_name(pixel_type_of(read)), pixel_type_name(pixel_type_of<T>()));
    const auto& image = std::get<Image<T>>(read);
    ASSERT_EQ(image.shape(), shape);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::isnan(static_cast<double>(expected[i])))
            EXPECT_TRUE(std::isnan(static_cast<double>(image.pixels()[i]))) << "at " << i;
        else
            EXPECT_EQ(image.pixels()[i], expected[i]) << "at " << i;
    }
}

// Counts up; NaN, infinity and minus infinity at places 1, 10 and 23, where `shift` adds.
template <class T>
std::vector<T> values_with_holes(std::size_t count, std::size_t shift = 0) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i) - 5;
    values[1 + shift] = static_cast<T>(nan);
    values[10 + shift] = static_cast<T>(infinity);
    values[23] = static_cast<T>(-infinity);
    return values;
}

class NiftiPixelsTest : public FileTest {
  protected:
    // Reads the sample as .nii and as .nii.gz.
    template <class T>
    std::vector<AnyImage> read_both(const Sample& sample, const std::vector<T>& values) {
        write_bytes(file("a.nii"), sample.bytes(values));
        OutputFile packed(file("b.nii.gz"), file("b.nii.gz"));
        gzip_file(file("a.nii"), packed);
        packed.close();
        return {read_image(file("a.nii")).image, read_image(file("b.nii.gz")).image};
    }
    // Calls `check` for both byte orders and more than one place of the data.
    void in_each_form(Sample sample, const std::function<void(const Sample&)>& check) {
        for (const bool big_endian : {false, true})
            for (const std::int32_t data_at : {352, 368}) {
                SCOPED_TRACE(std::string(big_endian ? "big" : "little") + " endian, data at " +
                             std::to_string(data_at));
                sample.big_endian = big_endian;
                sample.data_at = data_at;
                check(sample);
            }
    }
    template <class T>
    void check_non_finite() {
        in_each_form({.lengths = {4, 3, 2}}, [&](const Sample& sample) {
            const auto values = values_with_holes<T>(24);
            for (const AnyImage& image : read_both(sample, values))
                expect_values(image, {4, 3, 2}, values);
        });
        in_each_form({.lengths = {3, 2, 2, 2}}, [&](const Sample& sample) {
            const auto values = values_with_holes<T>(24);
            for (const AnyImage& image : read_both(sample, values))
                expect_values(image, {3, 2, 2, 2}, values);
        });
        // Vectors lie as one volume after the other.
        in_each_form({.lengths = {2, 2, 2, 1, 3}, .intent = 1007}, [&](const Sample& sample) {
            const auto values = values_with_holes<T>(24);
            std::vector<T> expected;
            for (std::size_t point = 0; point < 8; ++point)
                for (std::size_t c = 0; c < 3; ++c) expected.push_back(values[8 * c + point]);
            for (const AnyImage& image : read_both(sample, values))
                expect_values(image, {2, 2, 2, 1, 3}, expected);
        });
        in_each_form({.lengths = {4, 3, 2}, .slope = -2, .intercept = 7},
                     [&](const Sample& sample) {
                         const auto values = values_with_holes<T>(24);
                         std::vector<T> expected;
                         for (const T value : values) expected.push_back(-2 * value + 7);
                         EXPECT_EQ(expected[10], -infinity);
                         for (const AnyImage& image : read_both(sample, values))
                             expect_values(image, {4, 3, 2}, expected);
                     });
    }
};

TEST_F(NiftiPixelsTest, NonFiniteSinglePrecision) { check_non_finite<float>(); }
TEST_F(NiftiPixelsTest, NonFiniteDoublePrecision) { check_non_finite<double>(); }

TEST_F(NiftiPixelsTest, VectorsOverTime) {
    const auto values = values_with_holes<float>(48, 30);
    std::vector<float> expected;
    for (std::size_t point = 0; point < 24; ++point)
        for (std::size_t c = 0; c < 2; ++c) expected.push_back(values[24 * c + point]);
    in_each_form({.lengths = {3, 2, 2, 2, 2}, .intent = 1007}, [&](const Sample& sample) {
        for (const AnyImage& image : read_both(sample, values))
            expect_values(image, {3, 2, 2, 2, 2}, expected);
    });
}

TEST_F(NiftiPixelsTest, SymmetricMatricesBecomeUpperTriangles) {
    const auto values = values_with_holes<float>(48);
    const std::size_t upper[] = {0, 1, 3, 2, 4, 5};  // xx, xy, xz, yy, yz, zz in the file
    std::vector<float> expected;
    for (std::size_t point = 0; point < 8; ++point)
        for (const std::size_t c : upper) expected.push_back(values[8 * c + point]);
    for (const AnyImage& image : read_both({.lengths = {2, 2, 2, 1, 6}, .intent = 1005}, values))
        expect_values(image, {2, 2, 2, 1, 6}, expected);
}

TEST_F(NiftiPixelsTest, EveryComponentOfAVectorIsScaled) {
    std::vector<std::int16_t> values;
    for (int i = 0; i < 24; ++i) values.push_back(static_cast<std::int16_t>(100 * i - 700));
    std::vector<float> expected;
    for (std::size_t point = 0; point < 8; ++point)
        for (std::size_t c = 0; c < 3; ++c)
            expected.push_back(0.5f * static_cast<float>(values[8 * c + point]) + 3);
    const Sample vectors{.lengths = {2, 2, 2, 1, 3}, .intent = 1007, .slope = 0.5, .intercept = 3};
    in_each_form(vectors, [&](const Sample& sample) {
        for (const AnyImage& image : read_both(sample, values))
            expect_values(image, {2, 2, 2, 1, 3}, expected);
        for (const AnyImage& image :
             read_both(sample, std::vector<float>(values.begin(), values.end())))
            expect_values(image, {2, 2, 2, 1, 3}, expected);
    });
}

TEST_F(NiftiPixelsTest, ScaledLongIntegersKeepTheirDigits) {
    const std::vector<std::int32_t> values = {16777217, -2147483647, 3, 4};
    const Sample sample{.lengths = {2, 2}, .slope = 0.5, .intercept = 1};
    for (const AnyImage& image : read_both(sample, values))
        expect_values<double>(image, {2, 2}, {8388609.5, -1073741822.5, 2.5, 3});
    const std::vector<std::int64_t> wide = {std::int64_t{1} << 40, -1, 0, 1};
    for (const AnyImage& image : read_both(sample, wide))
        expect_values<double>(image, {2, 2}, {549755813889.0, 0.5, 1, 1.5});
}

TEST_F(NiftiPixelsTest, TheStandardsWaysToSayNoScaling) {
    const std::vector<std::int16_t> values = {1, 2, 3, 4};
    for (const auto& [slope, intercept] :
         {std::pair{0.0, 5.0}, {nan, 0.0}, {nan, nan}, {0.0, nan}, {1.0, 0.0}})
        for (const AnyImage& image :
             read_both({.lengths = {2, 2}, .slope = slope, .intercept = intercept}, values))
            expect_values(image, {2, 2}, values);
    for (const AnyImage& image : read_both({.lengths = {2, 2}, .slope = 1e-20}, values))
        expect_values<float>(image, {2, 2}, {1e-20f, 2e-20f, 3e-20f, 4e-20f});
}

TEST_F(NiftiPixelsTest, ScalingThatIsNoNumberIsRefused) {
    const std::vector<float> values = {1, 2, 3, 4};
    for (const auto& [slope, intercept] :
         {std::pair{2.0, infinity}, {2.0, nan}, {-infinity, 0.0}, {infinity, 0.0}}) {
        const Sample sample{.lengths = {2, 2}, .slope = slope, .intercept = intercept};
        expect_error(ErrorCode::unreadable_input, {"a.nii", "scl_slope"},
                     [&] { read_both(sample, values); });
    }
}

// Infinite values of a file stay what they are.
TEST_F(NiftiPixelsTest, ScalingBeyondTheLargestNumberIsRefused) {
    const auto refused = [&](const auto& values, double slope, double intercept = 0) {
        const Sample sample{.lengths = {2, 2}, .slope = slope, .intercept = intercept};
        expect_error(ErrorCode::unreadable_input, {"a.nii", "too large"},
                     [&] { read_both(sample, values); });
    };
    refused(std::vector<std::int16_t>{0, 0, 0, 0}, 3e38);  // whatever may be stored
    refused(std::vector<float>{0, -1e30f, 0, 0}, 1e10);
    refused(std::vector<std::uint8_t>{1, 0, 0, 0}, 3e38, 3e38);
    constexpr float beyond = std::numeric_limits<float>::infinity();
    const std::vector<float> values = {0, 1, beyond, -beyond};
    for (const AnyImage& image : read_both({.lengths = {2, 2}, .slope = 3e38}, values))
        expect_values<float>(image, {2, 2}, {0, 3e38f, beyond, -beyond});
}

TEST_F(NiftiPixelsTest, MoreVoxelsThanOnePieceOfTheFile) {
    Image<float> image({97, 89, 41, 1, 2});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = i % 1001 == 0 ? std::nanf("") : static_cast<float>(i % 65521);
    for (const char* name : {"large.nii", "large.nii.gz"}) {
        write_image(image, file(name));
        expect_values(read_image(file(name)).image, image.shape(), image.pixels());
    }
}

TEST_F(NiftiPixelsTest, TransparencyIsKept) {
    auto image = pattern<std::uint8_t>({5, 4, 3, 1, 4});
    image.has_alpha = true;
    for (const char* name : {"a.nii", "a.nii.gz"}) {
        write_image(image, file(name));
        expect_same_pixels(read_image(file(name)).image, image);
    }
}

// ---- other formats --------------------------------------------------------------------------

class NonFiniteTest : public FileTest {
  protected:
    template <class T>
    void round_trip(const std::string& name, const Shape& shape) {
        SCOPED_TRACE(name);
        Image<T> image(shape);
        const auto values = values_with_holes<T>(image.pixels().size());
        std::copy(values.begin(), values.end(), image.data());
        write_image(image, file(name));
        expect_values(read_image(file(name)).image, shape, values);
    }
};

TEST_F(NonFiniteTest, EveryFormatThatHoldsRealNumbersKeepsThem) {
    for (const std::string name :
         {"a.nii", "a.nii.gz", "a.nrrd", "a.nhdr", "a.mha", "a.mhd", "a.tif"})
        for (const Shape& shape : {Shape{6, 5, 4}, Shape{6, 5, 1, 1, 3}}) {
            round_trip<float>(name, shape);
            round_trip<double>(name, shape);
        }
    for (const std::string name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha"})
        round_trip<float>(name, {4, 3, 2, 2, 3});
}

// Files of other programs: big-endian ones.
TEST_F(NonFiniteTest, OtherByteOrder) {
    const auto big_endian = [](Bytes bytes) {
        for (const float value : {1.5f, std::nanf(""), static_cast<float>(-infinity), 4.0f}) {
            const auto bits = std::bit_cast<std::uint32_t>(value);
            for (const int shift : {24, 16, 8, 0})
                bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
        }
        return bytes;
    };
    const std::string nrrd =
        "NRRD0001\ntype: float\ndimension: 2\nsizes: 2 2\nendian: big\nencoding: raw\n\n";
    const std::string meta =
        "ObjectType = Image\nNDims = 2\nBinaryData = True\nBinaryDataByteOrderMSB = True\n"
        "DimSize = 2 2\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n";
    for (const std::string& header : {nrrd, meta}) {
        write_bytes(file("a.dat"), big_endian(Bytes(header.begin(), header.end())));
        expect_values<float>(read_image(file("a.dat")).image, {2, 2},
                             {1.5f, std::nanf(""), static_cast<float>(-infinity), 4.0f});
    }
}

}  // namespace
}  // namespace tesela::io::testing
