// Images that are written as a DICOM series: what they take from their source, and their values.
#include <cmath>
#include <set>

#include "io/dicom_fields.h"
#include "io/dicom_source_samples.h"

namespace tesela::io::testing {
namespace {

constexpr char ct_class[] = "1.2.840.10008.5.1.4.1.1.2", mr_class[] = "1.2.840.10008.5.1.4.1.1.4",
               capture_class[] = "1.2.840.10008.5.1.4.1.1.7";
constexpr std::uint32_t sources_tag = 0x00082112;

// The elements of a written file.
struct Written {
    explicit Written(const fs::path& path) : file(path), walker(file), fields(file, walker.values) {
        walker.wanted = {sources_tag};
        walker.walk();
    }
    std::string text(std::uint32_t tag) const { return fields.text(tag); }
    // The instances that the image says it is made of.
    std::vector<std::string> sources() const {
        std::vector<std::string> all;
        const auto found = walker.kept.sequences.find(sources_tag);
        if (found == walker.kept.sequences.end()) return all;
        for (const DicomWalker::Item& item : found->second)
            all.push_back(DicomFields(file, item.values).text(0x00081155));
        return all;
    }

    InputFile file;
    DicomWalker walker;
    DicomFields fields;
};

class DicomWriterTest : public FileTest {
  protected:
    DicomWriterTest() { how.origin = {.source = write_source(file("source"))}; }

    AnyImage source() const { return read_image(file("source")).image; }
    std::vector<std::string> write(const AnyImage& image) const {
        return write_image(image, file("out") / "", how);
    }
    AnyImage written() const { return read_image(file("out")).image; }
    fs::path slice(int number) const {
        return file("out") / ("00000" + std::to_string(number) + ".dcm");
    }
    // Writes pixels of this type on the grid of the source and reads the same ones.
    template <class T>
    void keeps(const Image<T>& image) const {
        SCOPED_TRACE(pixel_type_name(pixel_type_of<T>()));
        EXPECT_TRUE(write(image).empty());
        const AnyImage found = written();
        EXPECT_EQ(shape_of(found), image.shape());
        std::visit(
            [&](const auto& read) {
                for (std::size_t i = 0; i < image.pixels().size(); ++i)
                    ASSERT_EQ(static_cast<double>(read.pixels()[i]),
                              static_cast<double>(image.pixels()[i]))
                        << i;
            },
            found);
        if (image.geometry.known()) expect_same_geometry(geometry_of(found), image.geometry, 1e-9);
    }
    template <class T>
    Image<T> on_grid(int channels = 1) const {
        const AnyImage image = source();
        Shape shape = shape_of(image);
        shape.channels = channels;
        return pattern<T>(shape, geometry_of(image));
    }
    void refuses(const AnyImage& image, const std::vector<std::string>& words,
                 ErrorCode code = ErrorCode::invalid_argument) const {
        expect_error(code, words, [&] { write(image); });
        EXPECT_FALSE(fs::exists(file("out")));
    }

    WriteOptions how;
};

TEST_F(DicomWriterTest, TakesPatientStudyAndPlaces) {
    how.origin.process = "smooth";
    EXPECT_TRUE(write(source()).empty());
    std::set<std::string> instances;
    std::string series;
    for (const int number : {1, 2, 3}) {
        const Written made(slice(number));
        EXPECT_EQ(made.text(0x00100010), "M\xfcller^Eva");
        EXPECT_EQ(made.text(0x00080005), "ISO_IR 100");
        EXPECT_EQ(made.text(0x00100020), "P-17");
        EXPECT_EQ(made.text(0x00100040), "F");
        EXPECT_EQ(made.text(0x0020000d), "1.2.3");
        EXPECT_EQ(made.text(0x00200052), source_frame);
        EXPECT_EQ(made.text(0x00080016), mr_class);
        EXPECT_EQ(made.text(0x00080060), "MR");
        EXPECT_EQ(made.text(0x00080008), "DERIVED\\SECONDARY\\OTHER");
        EXPECT_EQ(made.text(0x0008103e), "test series, Tesela: smooth");
        EXPECT_EQ(made.text(0x00082111), "Tesela: smooth");
        EXPECT_EQ(made.text(0x00200011), "1003");
        EXPECT_EQ(made.text(0x00200013), std::to_string(number));
        EXPECT_EQ(made.sources(), std::vector{"1.2.3.4.5." + std::to_string(number)});
        EXPECT_EQ(made.walker.values.count(0x00281053), 0u);  // MR without a scaling
        for (const std::uint32_t birth : {0x00100030u, 0x00080090u, 0x00200010u})
            EXPECT_EQ(made.walker.values.count(birth), 1u);  // empty, but there
        if (series.empty()) series = made.text(0x0020000e);
        EXPECT_EQ(made.text(0x0020000e), series);
        instances.insert(made.text(0x00080018));
    }
    EXPECT_EQ(instances.size(), 3u);
    for (const std::string& uid : {series, *instances.begin()}) {
        EXPECT_TRUE(uid.starts_with("2.25."));
        EXPECT_LE(uid.size(), 64u);
    }
    keeps(std::get<Image<std::uint16_t>>(source()));
    EXPECT_NE(Written(slice(1)).text(0x0020000e), series);
}

TEST_F(DicomWriterTest, KeepsWholeNumbers) {
    keeps(on_grid<std::uint8_t>());
    keeps(on_grid<std::int8_t>());
    keeps(on_grid<std::uint16_t>());
    keeps(on_grid<std::int16_t>());
    Image<std::int32_t> offset = Image<std::int32_t>(shape_of(source()), geometry_of(source()));
    for (std::size_t i = 0; i < offset.pixels().size(); ++i)
        offset.pixels()[i] = 1000000 + static_cast<std::int32_t>(1000 * i);
    keeps(offset);
    Image<float> whole(offset.shape(), offset.geometry);
    for (std::size_t i = 0; i < whole.pixels().size(); ++i)
        whole.pixels()[i] = -1024 + static_cast<float>(i);
    keeps(whole);
    Image<double> tiny(offset.shape(), offset.geometry);
    tiny.pixels()[3] = 1e-306;
    tiny.pixels()[4] = 1e-320;
    EXPECT_EQ(write(tiny).size(), 1u);  // in steps that a number of DICOM can say
    Image<double> constant(offset.shape(), offset.geometry);
    std::fill(constant.pixels().begin(), constant.pixels().end(), 0.25);
    write(constant);
    std::visit([](const auto& read) { EXPECT_NEAR(read.pixels()[7], 0.25, 1e-12); }, written());
}

TEST_F(DicomWriterTest, RoundsOthersToManySteps) {
    Image<float> image = on_grid<float>();
    const std::vector<std::string> warnings = write(image);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("65,536 steps of "), std::string::npos) << warnings[0];
    const auto [lowest, highest] =
        std::minmax_element(image.pixels().begin(), image.pixels().end());
    const double half = (*highest - *lowest) / 65535.0 / 2;
    std::visit(
        [&](const auto& read) {
            double largest = 0;
            for (std::size_t i = 0; i < image.pixels().size(); ++i)
                largest = std::max(
                    largest, std::abs(static_cast<double>(read.pixels()[i]) - image.pixels()[i]));
            EXPECT_LE(largest, 1.01 * half);
            EXPECT_GT(largest, 0);
        },
        written());
}

TEST_F(DicomWriterTest, OfCtHasItsScaleAndTubes) {
    for (const int number : {0, 1, 2}) {
        DicomSample s = source_slice(number);
        s.sop_class = ct_class;
        s.slope = "1";
        s.intercept = "-1024";
        write_bytes(file("source") / (std::to_string(9 - number) + ".dcm"), dicom_bytes(s));
    }
    keeps(std::get<Image<std::int16_t>>(source()));
    const Written made(slice(1));
    EXPECT_EQ(made.text(0x00080016), ct_class);
    EXPECT_EQ(made.text(0x00080008), "DERIVED\\SECONDARY\\AXIAL");
    EXPECT_EQ(made.text(0x00281053), "1");
    EXPECT_EQ(made.text(0x00281054), "HU");
    EXPECT_EQ(made.walker.values.count(0x00180060), 1u);  // KVP, which the source lacks
    keeps(on_grid<std::uint8_t>());
    EXPECT_EQ(Written(slice(1)).text(0x00281054), "US");
}

// As filters that choose among values leave them.
TEST_F(DicomWriterTest, KeepsTheScalingOfItsSource) {
    for (const int number : {0, 1, 2}) {
        DicomSample s = source_slice(number);
        s.slope = "0.6909";
        s.intercept = "-3.5";
        write_bytes(file("source") / (std::to_string(9 - number) + ".dcm"), dicom_bytes(s));
    }
    const AnyImage image = source();
    std::visit([&](const auto& typed) { keeps(typed); }, image);
    EXPECT_EQ(Written(slice(1)).text(0x00281053), "0.6909");
    DicomSample s = source_slice(2);
    s.slope = "0.7";
    write_bytes(file("source") / "7.dcm", dicom_bytes(s));
    EXPECT_EQ(write(source()).size(), 1u);  // the slices differ
}

TEST_F(DicomWriterTest, ColorsAndPicturesAreSecondaryCaptures) {
    keeps(on_grid<std::uint8_t>(3));
    EXPECT_EQ(Written(slice(2)).text(0x00080016), capture_class);
    EXPECT_EQ(Written(slice(2)).text(0x00280004), "RGB");
    fs::remove_all(file("out"));
    keeps(pattern<std::uint8_t>({7, 3}));
    const Written made(slice(1));
    EXPECT_EQ(made.text(0x00080016), capture_class);
    EXPECT_EQ(made.walker.values.count(0x00200032), 0u);
    EXPECT_EQ(made.text(0x00100020), "P-17");
}

TEST_F(DicomWriterTest, WhatLiesNowhereGetsNoPlace) {
    DicomSample s = source_slice(0);
    s.has_place = false;
    write_bytes(file("flat.dcm"), dicom_bytes(s));
    how.origin.source = file("flat.dcm");
    keeps(std::get<Image<std::uint16_t>>(read_image(file("flat.dcm")).image));
    const Written made(slice(1));
    EXPECT_EQ(made.text(0x00080016), capture_class);
    EXPECT_EQ(made.walker.values.count(0x00200032), 0u);
    EXPECT_EQ(made.walker.values.count(0x00200020), 1u);
    EXPECT_EQ(made.text(0x00280030), "0.5\\0.75");
    EXPECT_EQ(made.sources(), std::vector<std::string>{"1.2.3.4.5.1"});
}

// Slices across those of the source are made of all that they cut.
TEST_F(DicomWriterTest, ReformattedSlicesNameTheImagesTheyCut) {
    Image<std::uint16_t> turned = pattern<std::uint16_t>({3, 4, 2}, geometry_of(source()));
    Geometry& g = turned.geometry;
    const std::array<double, 9> d = g.direction;
    for (std::size_t i = 0; i < 3; ++i) {
        g.direction[3 * i] = d[3 * i + 2];
        g.direction[3 * i + 2] = -d[3 * i];
    }
    g.spacing = {2.5, 0.5, 0.75};
    keeps(turned);
    const Written made(slice(1));
    EXPECT_EQ(made.text(0x00080008), "DERIVED\\SECONDARY\\MPR");
    EXPECT_EQ(made.sources().size(), 3u);
    fs::remove_all(file("out"));
    turned.geometry = geometry_of(source());
    turned.geometry.spacing[2] = 1.25;  // halfway between the first two
    write(turned);
    EXPECT_EQ(Written(slice(2)).sources().size(), 2u);
    turned.geometry.origin[0] = 1000;
    write(turned);
    EXPECT_TRUE(Written(slice(2)).sources().empty());
}

TEST_F(DicomWriterTest, ReplacesItsOwnSeriesAlone) {
    write(source());
    how.overwrite = false;
    expect_error(ErrorCode::invalid_argument, {"out", "exists already"}, [&] { write(source()); });
    how.overwrite = true;
    Image<std::uint16_t> fewer = pattern<std::uint16_t>({5, 4}, geometry_of(source()));
    write(fewer);
    EXPECT_FALSE(fs::exists(slice(2)));
    write_bytes(file("out") / "notes.txt", {'a'});
    expect_error(ErrorCode::unwritable_output, {"out", "it is a folder"}, [&] { write(source()); });
    EXPECT_TRUE(fs::exists(file("out") / "notes.txt"));
    for (const AnyImage& image : {source(), AnyImage(fewer)})
        expect_error(ErrorCode::invalid_argument, {"source", "derived from", "another name"},
                     [&] { write_image(image, file("source") / "", how); });
    write_source(file("another"));
    expect_error(ErrorCode::unwritable_output, {"another", "it is a folder"},
                 [&] { write_image(source(), file("another") / "", how); });
    expect_error(ErrorCode::unwritable_output, {"there is no folder"},
                 [&] { write_image(source(), file("none") / "out" / "", how); });
}

TEST_F(DicomWriterTest, FoldersOfResultsStay) {
    const auto stays = [&](const char* name) {
        SCOPED_TRACE(name);
        expect_error(ErrorCode::unwritable_output, {name, "it is a folder"},
                     [&] { write_image(source(), file(name) / "", how); });
    };
    write(source());
    fs::copy_file(slice(1), file("out") / "copy.dcm");
    stays("out");
    fs::remove(file("out") / "copy.dcm");
    write_image(source(), file("other") / "", how);
    fs::copy_file(file("other") / "000001.dcm", slice(4));
    stays("out");
    fs::remove(slice(4));
    write(source());
    fs::create_directory(file("results"));
    const LabelImage labels(shape_of(source()), geometry_of(source()));
    write_labels(labels, file("results") / "000001.dcm", how);
    stays("results");
}

TEST_F(DicomWriterTest, NeverReplacesItsSource) {
    write(source());
    const auto refuses = [&](const fs::path& from, const fs::path& to) {
        how.origin.source = from;
        expect_error(ErrorCode::invalid_argument, {"derived from", "another name"}, [&] {
            if (to.has_filename())
                write_labels(LabelImage(shape_of(source()), geometry_of(source())), to, how);
            else
                write_image(source(), to, how);
        });
    };
    refuses(file("out"), file("out") / "");
    refuses(slice(2), file("out") / "");
    fs::create_directory_symlink(file("out"), file("link"));
    refuses(file("link"), file("out") / "");
    refuses(file("out"), slice(2));
    EXPECT_EQ(shape_of(written()).z, 3);
}

TEST_F(DicomWriterTest, FillsEmptyFolders) {
    fs::create_directory(file("out"));
    {
        const FileSizeLimit limit(700);
        expect_error(ErrorCode::unwritable_output, {"out"}, [&] { write(source()); });
    }
    EXPECT_TRUE(fs::is_directory(file("out")));
    how.overwrite = false;
    write(source());
    EXPECT_TRUE(fs::exists(slice(3)));
    fs::remove_all(file("out"));
    write_bytes(file("out"), {});
    expect_error(ErrorCode::invalid_argument, {"out", "exists"}, [&] { write(source()); });
    EXPECT_TRUE(fs::exists(file("out")));
    fs::create_directory(file("empty"));
    fs::create_directory_symlink(file("empty"), file("link"));
    expect_error(ErrorCode::unwritable_output, {"link", "it is a folder"},
                 [&] { write_image(source(), file("link") / "", how); });
    EXPECT_TRUE(fs::is_symlink(file("link")));
}

// As those of a tilted gantry.
TEST_F(DicomWriterTest, ShearedSeriesKeepTheirPlaces) {
    for (const int number : {0, 1, 2}) {
        DicomSample s = source_slice(number);
        for (std::size_t i = 0; i < 3; ++i) s.position[i] += number * s.orientation[i];
        write_bytes(file("source") / (std::to_string(9 - number) + ".dcm"), dicom_bytes(s));
    }
    EXPECT_TRUE(write(source()).empty());
    constexpr std::uint32_t position = 0x00200032;
    for (const int number : {1, 2, 3}) {
        const Written made(slice(number)),
            given(file("source") / (std::to_string(10 - number) + ".dcm"));
        const auto at = made.fields.decimals<3>(position, "place"),
                   expected = given.fields.decimals<3>(position, "place");
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR((*at)[i], (*expected)[i], 1e-9) << number;
    }
    LabelImage labels(shape_of(source()), geometry_of(source()));
    labels(1, 2, 1) = 1;
    write_labels(labels, file("labels.dcm"), how);
    const LabelMap map = read_label_map(file("labels.dcm"));
    EXPECT_EQ(map.labels.pixels(), labels.pixels());
    ASSERT_EQ(map.warnings.size(), 1u);
    EXPECT_NE(map.warnings[0].find("shifted sideways"), std::string::npos);
    AnyImage moved = source();
    geometry_of(moved).origin[0] += 1;
    const std::vector<std::string> warnings = write(moved);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("tilted gantry"), std::string::npos);
}

TEST_F(DicomWriterTest, SaysWhatTheSourceSaysOfItsPixels) {
    constexpr std::uint32_t burned = 0x00280301, faces = 0x00280302, dates = 0x00280303;
    for (const int number : {0, 1, 2}) {
        DicomSample s = source_slice(number);
        s.extra = {{burned, "CS", "YES"}, {faces, "CS", "NO"}, {dates, "CS", "MODIFIED"}};
        write_bytes(file("source") / (std::to_string(9 - number) + ".dcm"), dicom_bytes(s));
    }
    write(source());
    const Written made(slice(1));
    EXPECT_EQ(made.text(burned), "YES");
    EXPECT_EQ(made.text(faces), "NO");
    EXPECT_EQ(made.text(dates), "MODIFIED");
}

TEST_F(DicomWriterTest, RefusesWhatDicomDoesNotHold) {
    const AnyImage image = source();
    Image<float> holes = on_grid<float>();
    holes.pixels()[5] = std::nanf("");
    refuses(holes, {"out", "not finite", ".nrrd"}, ErrorCode::unsupported_format);
    holes.pixels()[5] = 2e30f;
    refuses(holes, {"beyond 10^30"}, ErrorCode::unsupported_format);
    refuses(pattern<std::uint8_t>({5, 4, 1, 2}), {"time axis", "--time"},
            ErrorCode::unsupported_format);
    refuses(on_grid<std::uint8_t>(2), {"--channel"}, ErrorCode::unsupported_format);
    refuses(on_grid<std::uint16_t>(3), {"8-bit colors"}, ErrorCode::unsupported_format);
    expect_error(ErrorCode::unsupported_format, {"out/", "labels.dcm"}, [&] {
        write_labels(LabelImage(shape_of(image), geometry_of(image)), file("out") / "", how);
    });
    how.compression = Compression::small;
    refuses(image, {"out", "no compression 'small'"});
    how.compression = Compression::none;
    how.origin.source = file("other.png");
    write_image(pattern<std::uint8_t>({5, 4}), file("other.png"));
    refuses(image, {"out", "other.png", "no DICOM"});
    how.origin.source = file("other.zarr");
    write_image(pattern<std::uint8_t>({5, 4}), file("other.zarr"));
    refuses(image, {"out", "other.zarr", "no DICOM", "--dicom-source"});
    how.origin = {};
    refuses(image, {"out", "none is named"});
    how.origin.source = file("gone");
    refuses(image, {"gone", "No such file"}, ErrorCode::unreadable_input);
    how.origin = {.source = file("source"), .series = "12"};
    refuses(image, {"--series is 12"});
    fs::create_directory(file("empty"));
    how.origin.source = file("empty");
    refuses(image, {"empty", "no DICOM files"}, ErrorCode::unreadable_input);
    DicomSample nameless = source_slice(0);
    nameless.instance = "";
    write_bytes(file("nameless.dcm"), dicom_bytes(nameless));
    how.origin = {.source = file("nameless.dcm")};
    refuses(image, {"nameless.dcm", "has no SOPInstanceUID"});
}

TEST_F(DicomWriterTest, FullDisksLeaveNothing) {
    const FileSizeLimit limit(700);
    refuses(source(), {"out"}, ErrorCode::unwritable_output);
    EXPECT_EQ(names().size(), 4u);  // the source and its files
}

}  // namespace
}  // namespace tesela::io::testing
