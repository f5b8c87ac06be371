// FreeSurfer's MGH and MGZ: headers made here byte by byte, and what is written.
#include <zlib.h>

#include <cmath>
#include <limits>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

// 4 x 3 x 2 voxels from 0 to 23 in each frame, in coronal slices as FreeSurfer has them.
struct Mgh {
    std::array<std::int32_t, 4> lengths{4, 3, 2, 1};
    std::int32_t version = 1, type = 4;
    std::int16_t has_geometry = 1;
    std::array<float, 3> spacing{1, 2, 3};
    std::array<float, 9> directions{-1, 0, 0, 0, 0, -1, 0, 1, 0};
    std::array<float, 3> center{10, 20, 30};
    Bytes footer = {};

    Bytes bytes() const {
        Bytes file(284 + 48 * static_cast<std::size_t>(std::clamp(lengths[3], 1, 3)));
        const auto store = [&](std::size_t at, auto value) { put_number(file, at, value, true); };
        store(0, version);
        for (std::size_t i = 0; i < 4; ++i) store(4 + 4 * i, lengths[i]);
        store(20, type);
        store(28, has_geometry);
        for (std::size_t i = 0; i < 3; ++i) store(30 + 4 * i, spacing[i]);
        for (std::size_t i = 0; i < 9; ++i) store(42 + 4 * i, directions[i]);
        for (std::size_t i = 0; i < 3; ++i) store(78 + 4 * i, center[i]);
        for (std::size_t i = 284; i < file.size(); i += 2)
            store(i, static_cast<std::int16_t>((i - 284) / 2 % 24));
        file.insert(file.end(), footer.begin(), footer.end());
        return file;
    }
};

Geometry sample_geometry() {
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {0.47, 1.25, 3.3};
    g.origin = {-91.123456, 126.5, -72.25};
    return g;
}

class MghTest : public FileTest {
  protected:
    ReadResult read(const Mgh& mgh) {
        write_bytes(file("a.mgh"), mgh.bytes());
        return read_image(file("a.mgh"));
    }
    template <class T>
    void round_trip() {
        for (const std::string name : {"a.mgh", "a.mgz"})
            for (const Shape& shape : {Shape{1, 1}, Shape{1, 7}, Shape{37, 23}, Shape{6, 5, 4},
                                       Shape{5, 4, 3, 2}, Shape{101, 97, 89}}) {
                SCOPED_TRACE(name + std::to_string(shape.x) + "x" + std::to_string(shape.t));
                Geometry g = sample_geometry();
                g.direction = {0, 0, 1, -0.6, 0.8, 0, 0.8, 0.6, 0};
                if (shape.t > 1) g.time_step = 2.5;
                const auto image = pattern<T>(shape, g);
                write_image(image, file(name));
                const ReadResult result = read_image(file(name));
                EXPECT_EQ(result.format, "MGH");
                expect_warning(result, {});
                expect_same_pixels(result.image, image);
                expect_same_geometry(geometry_of(result.image), g);
            }
    }
};

TEST_F(MghTest, VoxelsAndTheirPlace) {
    const ReadResult result = read({});
    expect_warning(result, {});
    const auto& image = std::get<Image<std::int16_t>>(result.image);
    EXPECT_EQ(image.shape(), (Shape{4, 3, 2}));
    EXPECT_EQ(image(1, 0, 0), 1);
    EXPECT_EQ(image(3, 2, 1), 23);
    const Geometry& g = image.geometry;
    EXPECT_EQ(g.unit, Unit::millimeter);
    EXPECT_EQ(g.orientation(), "LIA");
    EXPECT_EQ(g.spacing, (std::array<double, 3>{1, 2, 3}));
    // In RAS the center (10, 20, 30) less 2, 1.5 and 1 steps along the axes: (12, 17, 33).
    EXPECT_EQ(g.origin, (std::array<double, 3>{-12, -17, 33}));
}

TEST_F(MghTest, FramesAreTimePoints) {
    Bytes footer(20);
    put_number(footer, 0, 2500.0f, true);
    const Mgh in_time{.lengths = {4, 3, 2, 3}, .footer = footer};
    const ReadResult result = read(in_time);
    EXPECT_EQ(shape_of(result.image), (Shape{4, 3, 2, 3}));
    EXPECT_EQ(geometry_of(result.image).time_step, 2.5);
    // Files may end before the repetition time, or have none.
    for (const float none : {0.0f, -1.0f, std::nanf("")}) {
        put_number(footer, 0, none, true);
        EXPECT_EQ(geometry_of(read({.lengths = {4, 3, 2, 3}, .footer = footer}).image).time_step,
                  1);
    }
    EXPECT_EQ(geometry_of(read({.lengths = {4, 3, 2, 3}, .footer = {1, 2}}).image).time_step, 1);
}

void write_gzip_file(const fs::path& path, const Bytes& bytes) {
    const gzFile packed = gzopen(path.c_str(), "wb");
    gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(packed);
}

// Tags as FreeSurfer writes them: numbers with their highest byte first, texts with a zero behind.
class Tags {
  public:
    Tags() : bytes_(20) {}

    template <class T>
    Tags& number(T value) {
        bytes_.resize(bytes_.size() + sizeof value);
        put_number(bytes_, bytes_.size() - sizeof value, value, true);
        return *this;
    }
    Tags& text(const std::string& text) {
        number(static_cast<std::int32_t>(text.size() + 1));
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        bytes_.push_back(0);
        return *this;
    }
    Tags& entry(const std::string& name, const std::array<std::int32_t, 4>& color) {
        text(name);
        for (const std::int32_t part : color) number(part);
        return *this;
    }
    // A table of this version begins.
    Tags& table(std::int32_t version) { return number<std::int32_t>(1).number(version); }
    const Bytes& bytes() const { return bytes_; }

  private:
    Bytes bytes_;
};

TEST_F(MghTest, NamesOfLabels) {
    // Behind a command line, a transform of an old form and another tag.
    Tags tags;
    tags.number<std::int32_t>(3).number<std::int64_t>(3).number<std::uint8_t>('a');
    tags.number<std::uint8_t>('b').number<std::uint8_t>(0);
    tags.number<std::int32_t>(30).number<std::int32_t>(2).number<std::uint8_t>('x');
    tags.number<std::int32_t>(2);
    tags.table(-2).number<std::int32_t>(54).text("LUT.txt").number<std::int32_t>(2);
    tags.number<std::int32_t>(17).entry("Left-Hippocampus", {220, 216, 20, 0});
    tags.number<std::int32_t>(53).entry("Right, \"it\"", {1, 2, 255, 255});
    const LabelTable expected{{17, {"Left-Hippocampus", Rgb{220, 216, 20}}},
                              {53, {"Right, \"it\"", Rgb{1, 2, 255}}}};
    const ReadResult result = read({.footer = tags.bytes()});
    expect_warning(result, {});
    ASSERT_TRUE(result.label_table);
    EXPECT_EQ(*result.label_table, expected);
    write_gzip_file(file("a.mgz"), Mgh{.footer = tags.bytes()}.bytes());
    EXPECT_EQ(*read_label_map(file("a.mgz")).table, expected);
    // Version 1 lists all from 0 on.
    Tags first;
    first.table(3).text("LUT.txt").entry("Unknown", {0, 0, 0, 0}).entry("", {0, 0, 0, 0});
    first.entry("two", {9, 8, 7, 0});
    EXPECT_EQ(*read({.footer = first.bytes()}).label_table,
              (LabelTable{{0, {"Unknown", Rgb{0, 0, 0}}}, {2, {"two", Rgb{9, 8, 7}}}}));
    EXPECT_FALSE(read({.footer = Tags().bytes()}).label_table);
    EXPECT_FALSE(read({}).label_table);
}

TEST_F(MghTest, DamagedNamesOfLabelsAreAWarning) {
    const auto warns = [&](const Tags& tags, const std::string& words) {
        const ReadResult result = read({.footer = tags.bytes()});
        expect_warning(result, {"labels have no names", words});
        EXPECT_FALSE(result.label_table);
    };
    warns(Tags().table(-3), "version 3");
    warns(Tags().table(-2).number<std::int32_t>(9), "ends early");
    warns(Tags().table(-2).number<std::int32_t>(9).number<std::int32_t>(-1), "ends early");
    const auto table = [](std::int32_t count) {
        return Tags().table(-2).number<std::int32_t>(9).text("f").number(count);
    };
    warns(table(0x7fffffff), "ends early");
    warns(table(1).number<std::int32_t>(-5).entry("a", {0, 0, 0, 0}), "a label is -5");
    warns(table(1).number<std::int32_t>(5).entry("a", {0, 256, 0, 0}), "a color has the part 256");
    warns(table(1).number<std::int32_t>(5).entry("a", {0, -1, 0, 0}), "a color has the part -1");
    warns(table(2)
              .number<std::int32_t>(5)
              .entry("a", {0, 0, 0, 0})
              .number<std::int32_t>(5)
              .entry("b", {0, 0, 0, 0}),
          "label 5 is listed twice");
    // Other tags that end early are none of ours.
    expect_warning(
        read({.footer = Tags().number<std::int32_t>(31).number<std::int64_t>(99).bytes()}), {});
}

TEST_F(MghTest, NoGeometry) {
    const ReadResult result = read({.has_geometry = 0, .spacing = {9, std::nanf(""), -1}});
    expect_warning(result, {});
    EXPECT_EQ(geometry_of(result.image), Geometry{});
    const auto image = pattern<std::uint8_t>({5, 4, 3});
    write_image(image, file("b.mgz"));
    EXPECT_EQ(geometry_of(read_image(file("b.mgz")).image), Geometry{});
}

TEST_F(MghTest, RoundTrips) {
    round_trip<std::uint8_t>();
    round_trip<std::int16_t>();
    round_trip<std::uint16_t>();
    round_trip<std::int32_t>();
    round_trip<float>();
}

TEST_F(MghTest, CompressionAsOfNifti) {
    const auto image = pattern<std::int16_t>({60, 50, 40}, sample_geometry());
    write_image(image, file("a.mgh"));
    EXPECT_EQ(fs::file_size(file("a.mgh")), 284u + 240000u);
    for (const Compression compression : {Compression::fast, Compression::small}) {
        write_image(image, file("a.mgz"), {.compression = compression});
        expect_same_pixels(read_image(file("a.mgz")).image, image);
        expect_error(ErrorCode::invalid_argument, {".mgz"},
                     [&] { write_image(image, file("b.mgh"), {.compression = compression}); });
    }
    expect_error(ErrorCode::invalid_argument, {".mgh"},
                 [&] { write_image(image, file("b.mgz"), {.compression = Compression::none}); });
}

TEST_F(MghTest, WhatItDoesNotHold) {
    const auto refused = [&](ErrorCode code, const std::vector<std::string>& words,
                             const AnyImage& image) {
        expect_error(code, words, [&] { write_image(image, file("b.mgz")); });
        EXPECT_TRUE(names().empty());
    };
    refused(ErrorCode::too_narrow, {"b.mgz", "float64"}, pattern<double>({3, 2}));
    refused(ErrorCode::too_narrow, {"b.mgz", "uint32"}, pattern<std::uint32_t>({3, 2}));
    refused(ErrorCode::too_narrow, {"b.mgz", "int8"}, pattern<std::int8_t>({3, 2}));
    refused(ErrorCode::unsupported_format, {"b.mgz", "3 channels", ".nrrd"},
            pattern<std::uint8_t>({3, 2, 1, 1, 3}));
    Geometry g = sample_geometry();
    g.spacing[1] = 1e39;
    refused(ErrorCode::too_narrow, {"b.mgz", "spacing", "MGH"}, pattern<float>({3, 2}, g));
}

TEST_F(MghTest, Labels) {
    for (const std::uint32_t largest : {255u, 256u, 65536u, 2147483647u}) {
        LabelImage labels({4, 3, 2});
        labels.pixels()[5] = largest;
        write_labels(labels, file("a.mgz"));
        EXPECT_EQ(read_labels(file("a.mgz")).pixels(), labels.pixels());
    }
    LabelImage labels({4, 3, 2});
    labels.pixels()[5] = 2147483648u;
    expect_error(ErrorCode::too_narrow, {"b.mgz", "2147483648"},
                 [&] { write_labels(labels, file("b.mgz")); });
}

TEST_F(MghTest, DamagedHeaders) {
    for (const std::int32_t type : {2, 5, 6, 7, 8, 9})
        expect_error(ErrorCode::unsupported_format, {"a.mgh", "data type", "mri_convert"},
                     [&] { read({.type = type}); });
    // What is no header of MGH is an unknown file.
    for (const Mgh& other : {Mgh{.version = 2}, Mgh{.type = 11}, Mgh{.has_geometry = 7},
                             Mgh{.lengths = {4, 0, 2, 1}}, Mgh{.lengths = {4, 3, -2, 1}}})
        expect_error(ErrorCode::unsupported_format, {"a.mgh", "known format"},
                     [&] { read(other); });
    constexpr std::int32_t longest = std::numeric_limits<std::int32_t>::max();
    expect_unreadable({"a.mgh", "enormous"}, [&] {
        read({.lengths = {longest, longest, longest, longest}});
    });
    expect_unreadable({"a.mgh", "claims 1200000 bytes"}, [&] {
        read({.lengths = {600000, 1, 1, 1}});
    });
    expect_unreadable({"a.mgh", "spacing or center"}, [&] {
        read({.spacing = {1, std::nanf(""), 1}});
    });
    expect_unreadable({"a.mgh", "spacing or center"}, [&] { read({.center = {1e30f, 0, 0}}); });
    expect_error(ErrorCode::unsupported_format, {"a.mgh", "right angles"}, [&] {
        read({.directions = {1, 0, 0, 1, 0, 0, 0, 0, 1}});
    });
}

}  // namespace
}  // namespace tesela::io::testing
