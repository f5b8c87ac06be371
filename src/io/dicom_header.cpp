#include "io/dicom_header.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "io/gzip.h"

namespace tesela::io {
namespace {

constexpr std::int64_t mark_offset = 128;
constexpr std::uint32_t undefined_length = 0xffffffff;
constexpr std::uint32_t item_tag = 0xfffee000, item_end_tag = 0xfffee00d,
                        sequence_end_tag = 0xfffee0dd, pixel_data_tag = 0x7fe00010,
                        transfer_syntax_tag = 0x00020010;

constexpr char implicit_little_endian[] = "1.2.840.10008.1.2";
constexpr char explicit_little_endian[] = "1.2.840.10008.1.2.1";
constexpr char explicit_big_endian[] = "1.2.840.10008.1.2.2";
constexpr char deflated[] = "1.2.840.10008.1.2.1.99";

constexpr std::uint32_t shared_groups_tag = 0x52009229, frame_groups_tag = 0x52009230;
constexpr std::uint32_t position_tag = 0x00200032, orientation_tag = 0x00200037,
                        spacing_tag = 0x00280030, intercept_tag = 0x00281052,
                        slope_tag = 0x00281053;

// The sequence within functional groups that an element is taken from. Others hold elements of the
// same tags that speak of other images (PS3.3, C.7.6.16.2).
std::uint32_t macro_of(std::uint32_t tag) {
    constexpr std::uint32_t measures = 0x00289110, transformation = 0x00289145,
                            plane_position = 0x00209113, plane_orientation = 0x00209116;
    switch (tag) {
        case spacing_tag:
            return measures;
        case slope_tag:
        case intercept_tag:
            return transformation;
        case position_tag:
            return plane_position;
        case orientation_tag:
            return plane_orientation;
        default:
            return 0;
    }
}

// Sequences that are looked into, whatever type the file gives them.
bool is_known_sequence(std::uint32_t tag) {
    for (const std::uint32_t inside : {spacing_tag, slope_tag, position_tag, orientation_tag})
        if (tag == macro_of(inside)) return true;
    return tag == shared_groups_tag || tag == frame_groups_tag;
}

struct Element {
    std::uint32_t tag = 0, length = 0;
    std::string vr;          // empty where the syntax leaves it out
    std::int64_t value = 0;  // where the value begins
};

class DicomWalker {
  public:
    explicit DicomWalker(const InputFile& file) : file_(file) {}

    // Elements of the outermost level, by tag; long values are left out. What the functional groups
    // of an enhanced file say of its one frame takes their place (PS3.3, C.7.6.16).
    std::map<std::uint32_t, std::string> values;
    // The elements of the outermost level and of the groups, sequences too, that are not empty.
    std::set<std::uint32_t> tags;
    std::optional<Element> pixels;
    std::int64_t pixels_end = 0;
    std::string syntax;

    // The elements about the file itself. Gives where the others begin.
    std::int64_t walk_meta() {
        at_ = mark_offset + 4;
        while (at_ < file_.size() && peek_group() == 2) take_top(next());
        syntax = values[transfer_syntax_tag];
        while (!syntax.empty() && (syntax.back() == '\0' || syntax.back() == ' '))
            syntax.pop_back();
        return at_;
    }
    void walk() {
        walk_meta();
        take_syntax();
        std::uint32_t last = 0;
        while (at_ < file_.size()) {
            const Element element = next();
            if (element.tag <= last) damaged();
            last = element.tag;
            take_top(element);
        }
    }
    bool compressed() const { return compressed_; }
    bool big_endian() const { return big_endian_; }

    [[noreturn]] void damaged() const {
        throw unreadable(file_.path(), "its DICOM structure is damaged or truncated");
    }

  private:
    template <std::size_t n>
    std::array<std::uint8_t, n> bytes(std::int64_t at) const {
        if (at + static_cast<std::int64_t>(n) > file_.size()) damaged();
        std::array<std::uint8_t, n> raw;
        file_.read(at, raw);
        return raw;
    }
    std::uint32_t u16(std::int64_t at) const {
        const auto b = bytes<2>(at);
        return static_cast<std::uint32_t>(big_endian_ ? b[0] << 8 | b[1] : b[0] | b[1] << 8);
    }
    std::uint32_t u32(std::int64_t at) const {
        return big_endian_ ? u16(at) << 16 | u16(at + 2) : u16(at) | u16(at + 2) << 16;
    }
    std::uint32_t peek_group() const { return u16(at_); }

    // Reads an element's head and stands at its value.
    Element next() {
        Element e;
        e.tag = u16(at_) << 16 | u16(at_ + 2);
        at_ += 4;
        if (explicit_vr_ && e.tag >> 16 != 0xfffe) {
            const auto letters = bytes<2>(at_);
            e.vr.assign(letters.begin(), letters.end());
            static const std::set<std::string> with_long_length = {
                "OB", "OD", "OF", "OL", "OV", "OW", "SQ", "SV", "UC", "UN", "UR", "UT", "UV"};
            static const std::set<std::string> with_short_length = {
                "AE", "AS", "AT", "CS", "DA", "DS", "DT", "FD", "FL", "IS", "LO",
                "LT", "PN", "SH", "SL", "SS", "ST", "TM", "UI", "UL", "US"};
            if (with_long_length.count(e.vr)) {
                e.length = u32(at_ + 4);
                at_ += 8;
            } else if (with_short_length.count(e.vr)) {
                e.length = u16(at_ + 2);
                at_ += 4;
            } else {
                damaged();
            }
        } else {
            e.length = u32(at_);
            at_ += 4;
        }
        e.value = at_;
        if (e.length != undefined_length && e.length > file_.size() - at_) damaged();
        return e;
    }

    void take_top(const Element& e) {
        if (e.tag == pixel_data_tag) {
            pixels = e;
            if (e.length == undefined_length)
                walk_fragments();
            else
                at_ += e.length;
            pixels_end = at_;
            return;
        }
        if (e.length != undefined_length && !is_sequence(e)) keep(e);
        if (skip_value(e, {})) tags.insert(e.tag);
    }

    void keep(const Element& e) {
        constexpr std::uint32_t longest_kept = 1024;
        if (e.length > longest_kept) return;
        std::vector<std::uint8_t> raw(e.length);
        file_.read(e.value, raw);
        if (big_endian_ && e.vr == "US")
            for (std::size_t i = 1; i < raw.size(); i += 2) std::swap(raw[i - 1], raw[i]);
        values[e.tag].assign(raw.begin(), raw.end());
    }

    // The sequences that an element lies in, the outermost first.
    using Path = std::vector<std::uint32_t>;

    bool is_sequence(const Element& e) const {
        return e.length == undefined_length || e.vr == "SQ" || is_known_sequence(e.tag);
    }

    // Stands behind the value then. Gives whether there was one.
    bool skip_value(const Element& e, const Path& path) {
        constexpr std::size_t deepest = 16;
        if (path.size() > deepest) damaged();
        const bool undefined = e.length == undefined_length;
        if (!is_sequence(e)) {
            at_ += e.length;
            return e.length > 0;
        }
        if (e.tag == pixel_data_tag) {  // compressed, of an icon
            walk_fragments();
            return true;
        }
        if (undefined && explicit_vr_ && e.vr != "SQ" && e.vr != "UN") damaged();
        // The items of a sequence of unknown kind are in implicit form (PS3.5, section 6.2.2).
        const bool before = explicit_vr_;
        if (e.vr == "UN") explicit_vr_ = false;
        const std::int64_t end = undefined ? file_.size() : e.value + e.length;
        Path inside = path;
        inside.push_back(e.tag);
        bool has_items = false;
        while (undefined || at_ < end) {
            const Element item = next();
            if (undefined && item.tag == sequence_end_tag && item.length == 0) break;
            if (item.tag != item_tag) damaged();
            walk_item(item, inside);
            has_items = true;
        }
        if (!undefined && at_ != end) damaged();
        explicit_vr_ = before;
        return has_items;
    }

    void walk_item(const Element& item, const Path& path) {
        const bool undefined = item.length == undefined_length;
        const std::int64_t end = undefined ? file_.size() : item.value + item.length;
        while (undefined || at_ < end) {
            const Element e = next();
            if (undefined && e.tag == item_end_tag && e.length == 0) return;
            if (e.tag >> 16 == 0xfffe) damaged();
            take_nested(e, path);
        }
        if (at_ != end) damaged();
    }

    // Of the functional groups their sequences, and of these the elements that belong there. The
    // groups of the frame follow those of all frames, and take their place.
    void take_nested(const Element& e, const Path& path) {
        const bool in_groups = path[0] == shared_groups_tag || path[0] == frame_groups_tag;
        if (in_groups && path.size() == 2 && path[1] == macro_of(e.tag) && e.length > 0) keep(e);
        if (skip_value(e, path) && in_groups && path.size() == 1) tags.insert(e.tag);
    }

    // Compressed pixels (PS3.5, annex A.4): items up to the end of the sequence.
    void walk_fragments() {
        while (true) {
            const Element item = next();
            if (item.tag == sequence_end_tag && item.length == 0) return;
            if (item.tag != item_tag || item.length == undefined_length) damaged();
            at_ += item.length;
        }
    }

    void take_syntax() {
        static const std::set<std::string> plain = {implicit_little_endian, explicit_little_endian,
                                                    explicit_big_endian};
        // JPEG, JPEG-LS and JPEG 2000 in their usual forms, and run lengths.
        static const std::set<std::string> packed = {
            "1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.57",
            "1.2.840.10008.1.2.4.70", "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.81",
            "1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91", "1.2.840.10008.1.2.5"};
        explicit_vr_ = syntax != implicit_little_endian;
        big_endian_ = syntax == explicit_big_endian;
        compressed_ = packed.count(syntax) != 0;
        if (!compressed_ && plain.count(syntax) == 0)
            throw unsupported(file_.path(), syntax.empty()
                                                ? "it names no DICOM transfer syntax"
                                                : "its DICOM transfer syntax '" +
                                                      printable(syntax) + "' is not supported");
    }

    const InputFile& file_;
    std::int64_t at_ = 0;
    bool explicit_vr_ = true;
    bool compressed_ = false, big_endian_ = false;
};

std::string text_of(const std::string& raw) {
    const std::size_t end = raw.find_last_not_of(std::string(" \0", 2));
    const std::size_t start = raw.find_first_not_of(' ');
    return end == raw.npos || start == raw.npos ? "" : raw.substr(start, end - start + 1);
}

// Decimal strings (PS3.5, section 6.2), parted by backslashes.
template <std::size_t n>
std::optional<std::array<double, n>> numbers(const std::string& raw) {
    std::array<double, n> result{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t end = std::min(raw.find('\\', at), raw.size());
        if (at > end) return std::nullopt;
        std::string word = text_of(raw.substr(at, end - at));
        if (!word.empty() && word[0] == '+') word.erase(0, 1);
        const auto [stop, error] =
            std::from_chars(word.data(), word.data() + word.size(), result[i]);
        if (error != std::errc{} || stop != word.data() + word.size() || !std::isfinite(result[i]))
            return std::nullopt;
        at = end + 1;
    }
    return at == raw.size() + 1 ? std::optional(result) : std::nullopt;
}

class DicomFields {
  public:
    DicomFields(const InputFile& file, const DicomWalker& walker) : file_(file), walker_(walker) {}

    std::string text(std::uint32_t tag) const {
        const auto at = walker_.values.find(tag);
        return at == walker_.values.end() ? "" : text_of(at->second);
    }
    int u16(std::uint32_t tag, const char* name, int otherwise = -1) const {
        const auto at = walker_.values.find(tag);
        if (at == walker_.values.end() && otherwise >= 0) return otherwise;
        if (at == walker_.values.end() || at->second.size() != 2) invalid(name);
        return static_cast<unsigned char>(at->second[0]) | static_cast<unsigned char>(at->second[1])
                                                               << 8;
    }
    template <std::size_t n>
    std::optional<std::array<double, n>> decimals(std::uint32_t tag, const char* name) const {
        const std::string value = text(tag);
        if (value.empty()) return std::nullopt;
        const auto result = numbers<n>(value);
        if (!result) invalid(name);
        return result;
    }
    [[noreturn]] void invalid(const char* name) const {
        throw unreadable(file_.path(), std::string("its DICOM header has no valid ") + name);
    }

  private:
    const InputFile& file_;
    const DicomWalker& walker_;
};

// Combinations that the decoder takes for granted.
void read_pixel_format(const InputFile& file, const DicomFields& f, DicomHeader& h) {
    h.samples = f.u16(0x00280002, "SamplesPerPixel", 1);
    h.bits_allocated = f.u16(0x00280100, "BitsAllocated");
    h.bits_stored = f.u16(0x00280101, "BitsStored");
    h.is_signed = f.u16(0x00280103, "PixelRepresentation", 0);
    h.colors = f.text(0x00280004);
    h.is_inverted = h.colors == "MONOCHROME1";
    if (h.is_inverted) h.colors = "MONOCHROME2";
    const int high = f.u16(0x00280102, "HighBit");
    h.layout.first_bit = high - (h.bits_stored - 1);
    h.layout.packed_bits =
        h.bits_allocated == 1 && h.colors == "MONOCHROME2" && h.samples == 1 && h.is_signed == 0;
    const bool bits_taken = h.layout.packed_bits || h.bits_allocated == 8 ||
                            h.bits_allocated == 16 || h.bits_allocated == 32;
    if (!bits_taken || h.bits_stored < 1 || h.layout.first_bit < 0 || high >= h.bits_allocated ||
        h.is_signed > 1)
        throw unsupported(file.path(), "its DICOM pixels of " + std::to_string(h.bits_stored) +
                                           " in " + std::to_string(h.bits_allocated) +
                                           " bits are not supported");
    static const std::set<std::string> three = {"RGB", "YBR_FULL", "YBR_FULL_422", "YBR_RCT",
                                                "YBR_ICT"};
    const bool fits = h.samples == 1 ? h.colors == "MONOCHROME2"
                                     : h.samples == 3 && three.count(h.colors) != 0 &&
                                           (h.bits_allocated == 8 || h.colors == "RGB");
    if (!fits)
        throw unsupported(file.path(), "its DICOM pixels ('" + printable(h.colors) + "', " +
                                           std::to_string(h.samples) +
                                           " samples) are not supported");
    h.planar = h.samples > 1 ? f.u16(0x00280006, "PlanarConfiguration", 0) : 0;
    if (h.planar > 1) f.invalid("PlanarConfiguration");
    if (const auto intercept = f.decimals<1>(intercept_tag, "RescaleIntercept"))
        h.intercept = (*intercept)[0];
    if (const auto slope = f.decimals<1>(slope_tag, "RescaleSlope")) h.slope = (*slope)[0];
    // Of doses, in place of a slope (PS3.3, C.8.8.3).
    constexpr std::uint32_t dose_scaling_tag = 0x3004000e;
    if (const auto scaling = f.decimals<1>(dose_scaling_tag, "DoseGridScaling"))
        h.slope *= (*scaling)[0];
    constexpr double most_stored = 4294967296.0;
    if (h.slope == 0 || !(std::abs(h.slope) * most_stored + std::abs(h.intercept) <
                          std::numeric_limits<float>::max()))
        f.invalid("RescaleSlope");
}

// How pixels without compression lie in the file. The header is then that of pixels in whole bytes,
// each with colors of its own.
void read_layout(const DicomWalker& walker, DicomHeader& h) {
    // Words of two bytes are swapped whatever they hold, longer numbers as a whole.
    if (walker.big_endian() && walker.pixels->vr == "OW")
        h.layout.swapped_bytes = std::max(2, h.bits_allocated / 8);
    h.layout.shared_colors = !h.compressed && h.colors == "YBR_FULL_422";
    if (h.layout.packed_bits) h.bits_allocated = h.bits_stored = 8;
    if (h.layout.shared_colors) h.colors = "YBR_FULL";
}

// The bytes that the pixels take without compression.
std::int64_t bytes_needed(const DicomHeader& h) {
    const std::int64_t pixels = h.rows * h.columns;
    if (h.layout.packed_bits) return (pixels + 7) / 8;
    if (h.layout.shared_colors) return 2 * pixels;
    return pixels * h.samples * (h.bits_allocated / 8);
}

// Values and geometry that lie in sequences.
void check_scaling(const InputFile& file, const DicomWalker& walker, DicomHeader& h) {
    const auto has = [&](std::uint32_t tag) { return walker.tags.count(tag) != 0; };
    constexpr std::uint32_t modality_table = 0x00283000, real_world = 0x00409096;
    const bool has_groups = has(shared_groups_tag) || has(frame_groups_tag);
    if (has_groups && walker.values.count(spacing_tag) == 0)
        h.warnings.push_back("the functional groups of this enhanced DICOM file tell no spacing");
    if (has(modality_table))
        throw unsupported(file.path(),
                          "a table (Modality LUT Sequence) gives its values their meaning, which "
                          "is not supported");
    if (has(real_world))
        h.warnings.push_back(
            "the file maps its values to a quantity (Real World Value Mapping), which is not "
            "applied");
}

void check_spacing(const DicomFields& f, const DicomHeader& h) {
    if (h.spacing && !((*h.spacing)[0] > 0 && (*h.spacing)[1] > 0)) f.invalid("PixelSpacing");
    if (!h.orientation) return;
    const auto& o = *h.orientation;
    const double row = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
    const double column = o[3] * o[3] + o[4] * o[4] + o[5] * o[5];
    const double angle = o[0] * o[3] + o[1] * o[4] + o[2] * o[5];
    if (!(std::abs(row - 1) < 1e-2 && std::abs(column - 1) < 1e-2 && std::abs(angle) < 1e-2))
        f.invalid("ImageOrientationPatient");
}

// Projections may have the size of pixels at the detector alone, scanned films that of the scan.
void read_spacing(const DicomFields& f, bool has_regions, DicomHeader& h) {
    h.spacing = f.decimals<2>(spacing_tag, "PixelSpacing");
    struct Other {
        std::uint32_t tag;
        const char *name, *where;
    };
    for (const Other& other : {Other{0x00181164, "ImagerPixelSpacing", "at the detector"},
                               Other{0x00182010, "NominalScannedPixelSpacing", "on the film"}}) {
        if (h.spacing) break;
        h.spacing = f.decimals<2>(other.tag, other.name);
        if (h.spacing)
            h.warnings.push_back("the size of a pixel is that " + std::string(other.where) + " (" +
                                 other.name + "), not in the body");
    }
    if (!h.spacing && has_regions)
        h.warnings.push_back(
            "the sizes of a pixel that ultrasound regions give are not read; the size is unknown");
    const auto aspect = f.decimals<2>(0x00280034, "PixelAspectRatio");
    if (!h.spacing && aspect && (*aspect)[0] != (*aspect)[1])
        h.warnings.push_back("its pixels are not square (PixelAspectRatio), which is not kept");
    check_spacing(f, h);
}

bool holds_mark(const InputFile& file, std::string_view mark) {
    std::array<std::uint8_t, 6> bytes{};
    return file.read_some(mark_offset, std::span(bytes).first(mark.size())) == mark.size() &&
           std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

}  // namespace

bool is_dicom(const InputFile& file) { return holds_mark(file, "DICM"); }

bool is_surely_dicom(const InputFile& file) {
    return holds_mark(file, std::string_view("DICM\2\0", 6));
}

InputFile open_dicom(const fs::path& path, std::int64_t most_bytes) {
    InputFile file(path);
    DicomWalker walker(file);
    const std::int64_t begin = walker.walk_meta();
    if (walker.syntax != deflated) return file;
    std::string content = inflate_all(file, begin, most_bytes, Wrapping::none);
    std::string head(mark_offset, '\0');
    head.append("DICM\2\0\x10\0UI\x14\0", 12).append(explicit_little_endian).append(1, '\0');
    return {path, content.insert(0, head)};
}

DicomHeader parse_dicom(const InputFile& file) {
    DicomWalker walker(file);
    walker.walk();
    if (!walker.pixels) throw unsupported(file.path(), "this DICOM file holds no image");
    const DicomFields f(file, walker);
    DicomHeader h;
    h.series = printable(f.text(0x0020000e));
    h.description = printable(f.text(0x0008103e).empty() ? f.text(0x00080060) : f.text(0x0008103e));
    h.rows = f.u16(0x00280010, "Rows");
    h.columns = f.u16(0x00280011, "Columns");
    if (h.rows == 0 || h.columns == 0) f.invalid("size");
    check_scaling(file, walker, h);
    const auto frames = f.decimals<1>(0x00280008, "NumberOfFrames");
    if (frames && (*frames)[0] != 1)
        throw unsupported(file.path(), "DICOM files of several frames are not supported");
    h.position = f.decimals<3>(position_tag, "ImagePositionPatient");
    h.orientation = f.decimals<6>(orientation_tag, "ImageOrientationPatient");
    constexpr std::uint32_t ultrasound_regions_tag = 0x00186011;
    read_spacing(f, walker.tags.count(ultrasound_regions_tag) != 0, h);
    read_pixel_format(file, f, h);
    h.transfer_syntax = walker.syntax;
    h.compressed = walker.pixels->length == undefined_length;
    if (h.compressed != walker.compressed()) walker.damaged();
    read_layout(walker, h);
    if (h.compressed ? h.layout.packed_bits || h.layout.first_bit > 0
                     : h.layout.shared_colors && (h.planar == 1 || h.columns % 2 > 0))
        throw unsupported(file.path(), "the layout of its DICOM pixels is not supported");
    h.pixels_begin = walker.pixels->value;
    h.pixels_end = walker.pixels_end;
    const std::int64_t needed = bytes_needed(h);
    const std::int64_t there = h.pixels_end - h.pixels_begin;
    if (needed > (h.compressed ? 4096 * there : there))
        throw unreadable(file.path(), "its DICOM header claims " + std::to_string(h.columns) +
                                          " x " + std::to_string(h.rows) +
                                          " pixels, more than the file holds");
    // What lies behind the last pixel is of no use to the decoder, but for a byte that makes it
    // even.
    if (!h.compressed) h.pixels_end = h.pixels_begin + std::min(there, needed + needed % 2);
    return h;
}

}  // namespace tesela::io
