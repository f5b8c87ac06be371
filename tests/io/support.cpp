#include "io/support.h"

#include <zlib.h>

#include <cmath>
#include <fstream>
#include <numeric>

#include "io/dicom_segmentation_sample.h"
#include "tesela/volume_io.h"

namespace tesela::io::testing {

FileTest::FileTest() {
    // Thousands of small files: in memory where that can be had.
    const fs::path parent = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    std::string name = (parent / "tesela-io-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder = name;
}
FileTest::~FileTest() { fs::remove_all(folder); }

std::vector<std::string> FileTest::names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        names.push_back(fs::relative(entry.path(), folder).string());
    std::sort(names.begin(), names.end());
    return names;
}

void write_bytes(const fs::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}
Bytes read_bytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

void expect_error(ErrorCode code, const std::vector<std::string>& words,
                  const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << "'" << word << "' is missing in: " << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        return;
    }
    ADD_FAILURE() << "no error was thrown";
}

Bytes joined(const std::string& front, const Bytes& back) {
    Bytes all(front.begin(), front.end());
    all.insert(all.end(), back.begin(), back.end());
    return all;
}

fs::path HandWrittenTest::text(const std::string& name, const std::string& header,
                               const Bytes& behind) {
    Bytes bytes(header.begin(), header.end());
    bytes.insert(bytes.end(), behind.begin(), behind.end());
    write_bytes(file(name), bytes);
    return file(name);
}
fs::path HandWrittenTest::text(const std::string& name, const std::string& header,
                               std::size_t bytes) {
    Bytes ramp(bytes);
    std::iota(ramp.begin(), ramp.end(), std::uint8_t{0});
    return text(name, header, ramp);
}

void expect_warning(const ReadResult& result, const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& warning : result.warnings) all += warning + "\n";
    EXPECT_EQ(result.warnings.size(), words.empty() ? 0u : 1u) << all;
    for (const std::string& word : words)
        EXPECT_NE(all.find(word), std::string::npos) << "'" << word << "' is missing in: " << all;
}

void expect_same_geometry(const Geometry& read, const Geometry& written, double relative) {
    EXPECT_EQ(read.unit, written.unit);
    const double longest = std::max({written.spacing[0], written.spacing[1], written.spacing[2]});
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(read.spacing[i], written.spacing[i], relative * written.spacing[i]);
        EXPECT_NEAR(read.origin[i], written.origin[i],
                    relative * std::max(longest, std::abs(written.origin[i])));
    }
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(read.direction[i], written.direction[i], relative);
    EXPECT_NEAR(read.time_step, written.time_step, relative * written.time_step);
}

namespace {

class DicomWriter {
  public:
    Bytes bytes;

    void append(const std::string& text) { bytes.insert(bytes.end(), text.begin(), text.end()); }
    void u16(std::size_t value) {
        bytes.push_back(static_cast<std::uint8_t>(value));
        bytes.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    void u32(std::size_t value) {
        u16(value & 0xffff);
        u16(value >> 16);
    }
    void text(std::size_t group, std::size_t element, const std::string& vr, std::string value) {
        if (value.size() % 2) value += vr == "UI" ? '\0' : ' ';
        u16(group);
        u16(element);
        append(vr);
        u16(value.size());
        append(value);
    }
    void number(std::size_t group, std::size_t element, std::int64_t value) {
        u16(group);
        u16(element);
        append("US");
        u16(2);
        u16(static_cast<std::size_t>(value));
    }
    // In implicit form where the types are left out.
    void element(const DicomElement& e, bool implicit = false) {
        const bool is_sequence = e.vr == "SQ" || e.vr == "UN";
        DicomWriter value;
        if (is_sequence) {
            const auto add_item = [&](const std::vector<DicomElement>& elements) {
                DicomWriter item;
                for (const DicomElement& inside : elements)
                    item.element(inside, implicit || e.vr == "UN");
                value.head(0xfffe, 0xe000, item.bytes.size());
                value.add(item.bytes);
            };
            if (!e.item.empty()) add_item(e.item);
            for (const auto& elements : e.more_items) add_item(elements);
            if (e.undefined_length) value.head(0xfffe, 0xe0dd, 0);
        } else {
            value.append(e.text + std::string(e.text.size() % 2, ' '));
        }
        u16(e.tag >> 16);
        u16(e.tag & 0xffff);
        if (!implicit) append(e.vr);
        if (!implicit && is_sequence) u16(0);
        if (!implicit && !is_sequence)
            u16(value.bytes.size());
        else
            u32(e.undefined_length ? 0xffffffff : value.bytes.size());
        add(value.bytes);
    }
    // Of an element without a type.
    void head(std::size_t group, std::size_t element, std::size_t length) {
        u16(group);
        u16(element);
        u32(length);
    }
    void add(const Bytes& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }
};

std::string decimals(const double* values, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        char one[32];
        std::snprintf(one, sizeof one, "%s%.8g", i ? "\\" : "", values[i]);
        text += one;
    }
    return text;
}

}  // namespace

Bytes dicom_pixels(const DicomSample& s) {
    DicomWriter out;
    const std::int64_t count = s.rows * s.columns * s.samples * s.frames;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t value =
            s.values.empty() ? static_cast<std::size_t>(i) : s.values[static_cast<std::size_t>(i)];
        if (s.bits_allocated == 1) {
            if (i % 8 == 0) out.bytes.push_back(0);
            out.bytes.back() |= static_cast<std::uint8_t>((value & 1) << i % 8);
        } else if (s.bits_allocated == 8)
            out.bytes.push_back(static_cast<std::uint8_t>(value));
        else
            out.u16(value);
    }
    return out.bytes;
}

Bytes dicom_bytes(const DicomSample& s) {
    DicomWriter meta;
    meta.text(2, 2, "UI", s.sop_class);
    meta.text(2, 3, "UI", s.instance);
    meta.text(2, 0x10, "UI", s.syntax);
    DicomWriter out;
    out.append(std::string(128, '\0') + "DICM");
    out.u16(2);
    out.u16(0);
    out.append("UL");
    out.u16(4);
    out.u32(meta.bytes.size());
    out.add(meta.bytes);
    if (!s.character_set.empty()) out.text(8, 5, "CS", s.character_set);
    out.text(8, 0x16, "UI", s.sop_class);
    out.text(8, 0x18, "UI", s.instance);
    out.text(8, 0x60, "CS", "MR");
    out.text(8, 0x103e, "LO", "test series");
    for (const DicomElement& element : s.patient) out.element(element);
    if (s.is_at_detector) out.text(0x18, 0x1164, "DS", decimals(s.spacing, 2));
    out.text(0x20, 0xd, "UI", "1.2.3");
    out.text(0x20, 0xe, "UI", s.series);
    if (!s.number.empty()) out.text(0x20, 0x11, "IS", s.number);
    if (s.has_place) out.text(0x20, 0x32, "DS", decimals(s.position, 3));
    if (s.has_place) out.text(0x20, 0x37, "DS", decimals(s.orientation, 6));
    if (!s.frame_of_reference.empty()) out.text(0x20, 0x52, "UI", s.frame_of_reference);
    out.number(0x28, 2, s.samples);
    out.text(0x28, 4, "CS", s.colors);
    if (s.samples > 1) out.number(0x28, 6, 0);
    if (s.frames > 1) out.text(0x28, 8, "IS", std::to_string(s.frames));
    out.number(0x28, 0x10, s.rows);
    out.number(0x28, 0x11, s.columns);
    if (s.has_spacing && !s.is_at_detector) out.text(0x28, 0x30, "DS", decimals(s.spacing, 2));
    if (!s.aspect.empty()) out.text(0x28, 0x34, "IS", s.aspect);
    out.number(0x28, 0x100, s.bits_allocated);
    out.number(0x28, 0x101, s.bits_stored);
    out.number(0x28, 0x102, s.bits_stored - 1);
    out.number(0x28, 0x103, 0);
    if (!s.intercept.empty()) out.text(0x28, 0x1052, "DS", s.intercept);
    if (!s.slope.empty()) out.text(0x28, 0x1053, "DS", s.slope);
    for (const DicomElement& element : s.extra) out.element(element);
    out.u16(0x7fe0);
    out.u16(0x10);
    const auto item = [&out](std::size_t element, const Bytes& value) {
        out.head(0xfffe, element, value.size());
        out.add(value);
    };
    out.append(s.bits_allocated <= 8 || !s.fragments.empty() ? "OB" : "OW");
    out.u16(0);
    if (s.fragments.empty()) {
        Bytes pixels = dicom_pixels(s);
        if (s.bits_allocated == 1) pixels.resize(pixels.size() + pixels.size() % 2);
        out.u32(pixels.size());
        out.add(pixels);
        return out.bytes;
    }
    out.u32(0xffffffff);
    item(0xe000, s.offsets);
    for (const Bytes& fragment : s.fragments) item(0xe000, fragment);
    item(0xe0dd, {});
    return out.bytes;
}

namespace {

// Two frames with a place each, and colors by a palette of 20 entries.
Bytes enhanced_dicom() {
    DicomSample s;
    s.frames = 2;
    DicomElement groups{0x52009230, "SQ"};
    for (const char* place : {"1\\2\\3", "1\\2\\5"})
        groups.more_items.push_back({{0x00209113, "SQ", "", {{0x00200032, "DS", place}}}});
    s.extra = {groups};
    return dicom_bytes(s);
}
Bytes palette_dicom() {
    DicomSample s;
    s.colors = "PALETTE COLOR";
    s.bits_allocated = s.bits_stored = 8;
    const std::string extent("\x14\0\0\0\x08\0", 6), table = "abcdefghijklmnopqrst";
    for (const std::uint32_t tag : {0x00281101u, 0x00281102u, 0x00281103u})
        s.extra.push_back({tag, "US", extent});
    for (const std::uint32_t tag : {0x00281201u, 0x00281202u, 0x00281203u})
        s.extra.push_back({tag, "US", table});
    return dicom_bytes(s);
}

}  // namespace

Bytes small_gif() {
    return {71, 73,  70,  56,  55, 97, 5,  0,  4,  0,   129, 0, 0,  200, 10, 20, 0, 0,
            0,  255, 255, 255, 1,  2,  3,  44, 0,  0,   0,   0, 5,  0,   4,  0,  0, 8,
            15, 0,   1,   4,   16, 48, 64, 32, 65, 131, 5,   7, 38, 36,  24, 16, 0, 59};
}

Bytes small_jp2() {
    return {0,   0,   0,   12,  106, 80,  32,  32,  13,  10,  135, 10,  0,   0,   0,   20,  102,
            116, 121, 112, 106, 112, 50,  32,  0,   0,   0,   0,   106, 112, 50,  32,  0,   0,
            0,   45,  106, 112, 50,  104, 0,   0,   0,   22,  105, 104, 100, 114, 0,   0,   0,
            4,   0,   0,   0,   5,   0,   3,   7,   7,   0,   0,   0,   0,   0,   15,  99,  111,
            108, 114, 1,   0,   0,   0,   0,   0,   16,  0,   0,   0,   171, 106, 112, 50,  99,
            255, 79,  255, 81,  0,   47,  0,   0,   0,   0,   0,   5,   0,   0,   0,   4,   0,
            0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   5,   0,   0,   0,   4,   0,   0,
            0,   0,   0,   0,   0,   0,   0,   3,   7,   1,   1,   7,   1,   1,   7,   1,   1,
            255, 82,  0,   12,  0,   0,   0,   1,   0,   1,   4,   4,   0,   1,   255, 92,  0,
            7,   64,  64,  72,  72,  80,  255, 100, 0,   37,  0,   1,   67,  114, 101, 97,  116,
            101, 100, 32,  98,  121, 32,  79,  112, 101, 110, 74,  80,  69,  71,  32,  118, 101,
            114, 115, 105, 111, 110, 32,  50,  46,  53,  46,  52,  255, 144, 0,   10,  0,   0,
            0,   0,   0,   48,  0,   1,   255, 147, 223, 128, 32,  9,   44,  16,  113, 223, 128,
            40,  6,   182, 219, 113, 219, 207, 180, 20,  2,   110, 197, 90,  188, 128, 161, 245,
            2,   128, 11,  57,  160, 45,  127, 128, 255, 217};
}

Bytes small_j2k() {
    return {255, 79,  255, 81,  0,   41,  0,   0,   0,   0,   0,   5,   0,   0,   0,   4,   0,
            0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   5,   0,   0,   0,   4,   0,   0,
            0,   0,   0,   0,   0,   0,   0,   1,   15,  1,   1,   255, 82,  0,   12,  0,   0,
            0,   1,   0,   0,   4,   4,   0,   1,   255, 92,  0,   4,   64,  128, 255, 100, 0,
            37,  0,   1,   67,  114, 101, 97,  116, 101, 100, 32,  98,  121, 32,  79,  112, 101,
            110, 74,  80,  69,  71,  32,  118, 101, 114, 115, 105, 111, 110, 32,  50,  46,  53,
            46,  52,  255, 144, 0,   10,  0,   0,   0,   0,   0,   55,  0,   1,   255, 147, 207,
            252, 48,  148, 17,  80,  83,  225, 54,  145, 5,   83,  22,  85,  38,  95,  128, 23,
            220, 87,  248, 224, 116, 181, 214, 41,  106, 231, 252, 68,  153, 213, 27,  150, 194,
            224, 248, 124, 167, 193, 131, 255, 217};
}

Bytes small_webp() {
    return {0x52, 0x49, 0x46, 0x46, 0x3c, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50,
            0x38, 0x4c, 0x30, 0x00, 0x00, 0x00, 0x2f, 0x04, 0xc0, 0x00, 0x10, 0xb9, 0x8c, 0xe8,
            0x7f, 0xec, 0x0a, 0x11, 0xd1, 0xff, 0x70, 0x10, 0x64, 0xdb, 0x0c, 0xec, 0xfe, 0x66,
            0xd7, 0xd8, 0x06, 0xe5, 0xc8, 0xe2, 0x02, 0x81, 0x64, 0xa6, 0xfc, 0x19, 0x66, 0x22,
            0x98, 0xa4, 0xa9, 0xb6, 0x63, 0x20, 0x9e, 0xe5, 0xdc, 0x6c, 0xfa, 0x0b};
}

std::vector<std::pair<std::string, Bytes>> sample_files(const fs::path& scratch) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {0.5, 0.75, 2};
    geometry.origin = {10, -20, 30};
    const Geometry microscope = micrometers_per_pixel(0.325, 0.5);
    const std::vector<std::pair<std::string, AnyImage>> images = {
        {"gray.png", pattern<std::uint8_t>({13, 11})},
        {"sized.png", pattern<std::uint8_t>({13, 11}, microscope)},
        {"sized.jpg", pattern<std::uint8_t>({33, 20}, microscope)},
        {"color16.png", pattern<std::uint16_t>({7, 5, 1, 1, 3})},
        {"gray.jpg", pattern<std::uint8_t>({33, 20})},
        {"color.jpg", pattern<std::uint8_t>({33, 20, 1, 1, 3})},
        {"stack.tif", pattern<std::uint16_t>({9, 8, 3})},
        {"float.tif", pattern<float>({9, 8})},
        {"channels.tif", pattern<std::int16_t>({9, 8, 2, 1, 2}, microscope)},
        {"channels.ome.tif", pattern<std::uint8_t>({9, 8, 1, 1, 2}, microscope)},
        {"gray.bmp", pattern<std::uint8_t>({9, 8})},
        {"color.bmp", pattern<std::uint8_t>({9, 8, 1, 1, 3})},
        {"short.nii", pattern<std::int16_t>({6, 5, 4}, geometry)},
        {"float.nii.gz", pattern<float>({6, 5, 4}, geometry)},
        {"short.nrrd", pattern<std::int16_t>({6, 5, 4}, geometry)},
        {"float.mha", pattern<float>({6, 5, 4}, geometry)},
        {"long.nii", pattern<std::uint8_t>({32768, 1}, geometry)},
        {"short.mgh", pattern<std::int16_t>({6, 5, 4}, geometry)},
        {"float.mgz", pattern<float>({6, 5, 4}, geometry)},
        {"short.npy", pattern<std::int16_t>({6, 5, 4})},
        {"float.npz", pattern<float>({6, 5, 4}, geometry)},
        {"short.ome.zarr.zip", pattern<std::int16_t>({6, 5, 4}, geometry)},
    };
    std::vector<std::pair<std::string, Bytes>> files;
    for (const auto& [name, image] : images) {
        write_image(image, scratch / name);
        files.emplace_back(name, read_bytes(scratch / name));
        fs::remove(scratch / name);
    }
    files.emplace_back("slice.dcm", dicom_bytes({}));
    files.emplace_back("frames.dcm", enhanced_dicom());
    files.emplace_back("palette.dcm", palette_dicom());
    files.emplace_back("segments.dcm", dicom_bytes(small_segmentation()));
    files.emplace_back("small.webp", small_webp());
    files.emplace_back("small.gif", small_gif());
    files.emplace_back("small.jp2", small_jp2());
    const AnyImage soft = pattern<std::uint8_t>({70, 9, 8}), wide = pattern<float>({6, 5, 4});
    for (const auto& [name, image] :
         {std::pair{"soft.tvol", &soft}, std::pair{"float.tvol", &wide}}) {
        write_volume_file(*volume_input(*image), scratch / name);
        files.emplace_back(name, read_bytes(scratch / name));
        fs::remove(scratch / name);
    }
    return files;
}

std::vector<std::pair<std::string, Bytes>> sample_piece_files(const fs::path& scratch) {
    Image<std::int16_t> volume(Shape{128, 128, 70});
    Image<std::uint8_t> picture({1400, 1000});
    std::fill_n(volume.pixels().begin() + 500'000, 300'000, std::int16_t{-7});
    std::fill_n(picture.pixels().begin() + 300'000, 500'000, std::uint8_t{200});
    std::vector<std::pair<std::string, Bytes>> files;
    const auto add = [&](const std::string& name, const AnyImage& image) {
        const bool is_nifti = name.ends_with(".gz");
        write_image(image, scratch / name,
                    {.compression = is_nifti ? Compression::automatic : Compression::small});
        files.emplace_back(name, read_bytes(scratch / name));
        fs::remove(scratch / name);
    };
    for (const char* name : {"pieces.nii.gz", "pieces.nrrd", "pieces.mha"}) add(name, volume);
    add("stripes.png", picture);
    return files;
}

// With a table of one label behind the voxels.
static Bytes named_mgh(const fs::path& scratch) {
    write_image(pattern<std::uint8_t>({3, 2, 2}), scratch / "names.mgh");
    Bytes bytes = read_bytes(scratch / "names.mgh");
    fs::remove(scratch / "names.mgh");
    bytes.resize(bytes.size() + 20);
    for (const std::int32_t number :
         {1, -2, 9, 4, 0x66666600, 1, 8, 4, 0x61626300, 10, 20, 30, 0}) {
        bytes.resize(bytes.size() + 4);
        put_number(bytes, bytes.size() - 4, number, true);
    }
    return bytes;
}

std::vector<std::pair<std::string, Bytes>> sample_header_files(const fs::path& scratch) {
    Bytes numbers(24);
    std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
    Bytes packed(64);
    uLongf size = packed.size();
    compress(packed.data(), &size, numbers.data(), numbers.size());
    packed.resize(size);
    const std::string nrrd = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 4 3 2\n";
    const std::string meta =
        "ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\n"
        "ElementType = MET_UCHAR\nElementSpacing = 1 2 3\nOffset = 4 5 6\n"
        "TransformMatrix = 0 1 0 1 0 0 0 0 1\nDistanceUnits = um\n";
    const std::string digits = "000102030405060708090a0b0c0d0e0f1011121314151617";
    std::string list;
    for (const std::uint8_t number : numbers) list += std::to_string(number) + " ";
    std::vector<std::pair<std::string, Bytes>> files;
    const auto add = [&files](const std::string& name, const std::string& head,
                              const Bytes& behind) {
        Bytes bytes(head.begin(), head.end());
        bytes.insert(bytes.end(), behind.begin(), behind.end());
        files.emplace_back(name, bytes);
    };
    add("text.nrrd",
        nrrd +
            "space: LAS\nspace directions: (1,0,0) (0,2,0) (0,0,3)\n"
            "space units: \"um\" \"mm\" \"cm\"\nencoding: ascii\n\n" +
            list,
        {});
    add("hex.nrrd",
        nrrd +
            "axis mins: 0 1 2\naxis maxs: 4 7 8\ncenters: cell node ???\n"
            "units: \"mm\" \"mm\" \"mm\"\nencoding: hex\n\n" +
            digits,
        {});
    add("skip.nrrd",
        nrrd +
            "kinds: vector domain time\nspacings: nan 2 500\n"
            "units: \"\" \"mm\" \"ms\"\nencoding: gzip\nbyte skip: -1\n\n",
        packed);
    add("packed.mha",
        meta +
            "CompressedData = True\nElementToIntensityFunctionSlope = 2\n"
            "ElementDataFile = LOCAL\n",
        packed);
    add("skip.mha", meta + "HeaderSize = -1\nElementDataFile = LOCAL\n", numbers);
    add("text.mha", meta + "BinaryData = False\nElementDataFile = LOCAL\n" + list, {});
    add("layers.seg.nrrd",
        "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 2 3 2 2\nkinds: list domain domain domain\n"
        "encoding: raw\nSegment0_ID:=a\nSegment0_Name:=one\\ntwo\nSegment0_Color:=0 0.5 1\n"
        "Segment0_LabelValue:=3\nSegment0_Layer:=0\nSegment0_Tags:=a:b|\nSegment1_ID:=b\n"
        "Segment1_Name:=two\nSegment1_LabelValue:=3\nSegment1_Layer:=1\n"
        "Segmentation_MasterRepresentation:=Binary labelmap\n\n",
        numbers);
    LabelImage labels({4, 3, 2});
    labels.pixels()[3] = 7;
    write_labels(labels, scratch / "packed.seg.nrrd", {}, {{7, {"liver"}}});
    files.emplace_back("packed.seg.nrrd", read_bytes(scratch / "packed.seg.nrrd"));
    fs::remove(scratch / "packed.seg.nrrd");
    add("gray.pgm", "P5 4 3 # bytes\n255\n", numbers);
    add("color.ppm", "P6\n2 1\n65535\n", numbers);
    add("bits.pbm", "P4 9 2\n", numbers);
    add("text.ppm", "P3 1 2 9\n1 2 3 # red\n4 5 6\n", {});
    files.emplace_back("names.mgh", named_mgh(scratch));
    write_image(pattern<std::int16_t>({3, 2, 2, 2}), scratch / "units.nii");
    Bytes nifti = read_bytes(scratch / "units.nii");
    fs::remove(scratch / "units.nii");
    constexpr std::uint8_t micrometers = 3, milliseconds = 16;
    nifti[123] = micrometers | milliseconds;
    std::fill(nifti.begin() + 108, nifti.begin() + 112, std::uint8_t{0});  // vox_offset
    nifti[252] = 1;                                                        // qform_code
    files.emplace_back("units.nii", nifti);
    return files;
}

std::vector<std::pair<std::string, Bytes>> sample_flow_files(const fs::path& scratch) {
    std::vector<std::pair<std::string, Bytes>> files;
    for (const std::string name : {"flow.flo", "flow.png", "flow.F"}) {
        write_flow(flow_pattern(6, 5), scratch / name);
        files.emplace_back(name, read_bytes(scratch / name));
        fs::remove(scratch / name);
    }
    files.emplace_back("gray.ras", raster_bytes({}, {1, 2, 3, 4, 5, 6}));
    return files;
}

std::vector<std::pair<std::string, Bytes>> sample_y4m_files() {
    return {{"420.y4m", y4m_bytes("W5 H3 F30000:1001 Ip A1:1 C420jpeg", 2, 27)},
            {"422.y4m", y4m_bytes("W5 H3 C422 XCOLORRANGE=FULL", 2, 33)},
            {"444.y4m", y4m_bytes("W5 H3 F25:1 C444", 2, 45)},
            {"mono.y4m", y4m_bytes("W5 H3 Cmono", 2, 15)}};
}

std::vector<std::pair<std::string, Bytes>> sample_slide_files(const fs::path& scratch) {
    const auto colors = pattern<std::uint8_t>({32, 32, 1, 1, 3}, micrometers_per_pixel(0.5, 0.5));
    const fs::path path = scratch / "slide.ome.tif";
    std::vector<std::pair<std::string, Bytes>> files;
    for (const TileCompression compression :
         {TileCompression::jpeg, TileCompression::deflate, TileCompression::none}) {
        write_repeated_slide(colors, 50, 40, path, {true, 16, compression});
        files.emplace_back(std::string(enum_name(compression)) + ".ome.tif", read_bytes(path));
    }
    return files;
}

std::vector<std::pair<std::string, Bytes>> sample_geojson_files() {
    const std::string now = R"({"type": "FeatureCollection", "features": [{
        "type": "Feature",
        "id": "7c4b4a7e-8c2d-4a43-b6f6-3d1f5a0f3f5e",
        "geometry": {"type": "Polygon", "coordinates": [
          [[10, 10], [20.5, 10], [20.5, 30], [10, 30], [10, 10]],
          [[12, 12], [12, 14], [14, 14], [12, 12]]]},
        "nucleusGeometry": {"type": "Point", "coordinates": [1, 2]},
        "properties": {
          "objectType": "annotation", "name": "Region 1", "isLocked": true,
          "classification": {"names": ["Tumor", "Positive"], "color": [200, 0, 10]},
          "measurements": {"Area": 12.5, "Solidity": NaN}}}]})";
    const std::string early = R"([{
        "type": "Feature", "id": "PathDetectionObject",
        "geometry": {"type": "MultiPolygon", "coordinates": [[[[0,0],[4,0],[0,3],[0,0]]]]},
        "properties": {
          "classification": {"name": "Tumor: Positive", "colorRGB": -3670016},
          "isLocked": false,
          "measurements": [{"name": "Area", "value": 6.0}]}}])";
    return {{"qupath.geojson", {now.begin(), now.end()}},
            {"qupath-early.json", {early.begin(), early.end()}}};
}

Bytes y4m_bytes(const std::string& header, int frames, std::size_t frame_bytes) {
    const std::string line = "YUV4MPEG2 " + header + "\n", mark = "FRAME\n";
    Bytes bytes(line.begin(), line.end());
    for (int i = 0; i < frames; ++i) {
        constexpr std::uint8_t value = 99;
        bytes.insert(bytes.end(), mark.begin(), mark.end());
        bytes.insert(bytes.end(), frame_bytes, value);
    }
    return bytes;
}

FlowField flow_pattern(std::int64_t width, std::int64_t height) {
    FlowField flow({width, height, 1, 1, 2});
    const auto steps = pattern<std::uint16_t>({width, height, 1, 1, 2});
    for (std::size_t i = 0; i < flow.pixels().size(); ++i)
        flow.pixels()[i] =
            i / 2 % 7 == 3 ? unknown_flow : static_cast<float>(steps.pixels()[i]) / 64 - 512;
    return flow;
}

Bytes raster_bytes(const Raster& raster, const Bytes& pixels) {
    Bytes bytes;
    for (const std::uint32_t word :
         {raster.magic, raster.width, raster.height, raster.depth, raster.length, raster.type,
          raster.map_type, raster.map_length})
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    return bytes;
}

}  // namespace tesela::io::testing
