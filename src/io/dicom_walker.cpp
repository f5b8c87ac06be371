#include "io/dicom_walker.h"

#include <algorithm>

#include "io/dicom_elements.h"

namespace tesela::io {
namespace {

constexpr std::int64_t mark_offset = 128;
constexpr std::uint32_t item_tag = 0xfffee000, item_end_tag = 0xfffee00d,
                        sequence_end_tag = 0xfffee0dd, pixel_data_tag = 0x7fe00010,
                        transfer_syntax_tag = 0x00020010;

constexpr char implicit_little_endian[] = "1.2.840.10008.1.2";
constexpr char explicit_big_endian[] = "1.2.840.10008.1.2.2";

// The sequence within functional groups that an element is taken from. Others hold elements of the
// same tags that speak of other images (PS3.3, C.7.6.16.2).
std::uint32_t macro_of(std::uint32_t tag) {
    constexpr std::uint32_t measures = 0x00289110, transformation = 0x00289145,
                            plane_position = 0x00209113, plane_orientation = 0x00209116,
                            segment_identification = 0x0062000a;
    switch (tag) {
        case spacing_tag:
        case slice_spacing_tag:
            return measures;
        case slope_tag:
        case intercept_tag:
            return transformation;
        case position_tag:
            return plane_position;
        case orientation_tag:
            return plane_orientation;
        case frame_segment_tag:
            return segment_identification;
        default:
            return 0;
    }
}

// Sequences that are looked into, whatever type the file gives them.
bool is_known_sequence(std::uint32_t tag) {
    for (const std::uint32_t inside :
         {spacing_tag, slope_tag, position_tag, orientation_tag, frame_segment_tag})
        if (tag == macro_of(inside)) return true;
    return tag == shared_groups_tag || tag == frame_groups_tag;
}

}  // namespace

std::int64_t DicomWalker::walk_meta() {
    at_ = mark_offset + 4;
    while (at_ < file_.size() && u16(at_) == 2) take_top(next());
    syntax = values[transfer_syntax_tag];
    while (!syntax.empty() && (syntax.back() == '\0' || syntax.back() == ' ')) syntax.pop_back();
    return at_;
}
void DicomWalker::walk() {
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
bool DicomWalker::compressed() const {
    const bool compressed = pixels->length == undefined_length;
    if (compressed != compressed_) damaged();
    return compressed;
}

template <std::size_t n>
std::array<std::uint8_t, n> DicomWalker::bytes(std::int64_t at) const {
    if (at + static_cast<std::int64_t>(n) > file_.size()) damaged();
    std::array<std::uint8_t, n> raw;
    file_.read(at, raw);
    return raw;
}
std::uint32_t DicomWalker::u16(std::int64_t at) const {
    const auto b = bytes<2>(at);
    return static_cast<std::uint32_t>(big_endian_ ? b[0] << 8 | b[1] : b[0] | b[1] << 8);
}
std::uint32_t DicomWalker::u32(std::int64_t at) const {
    return big_endian_ ? u16(at) << 16 | u16(at + 2) : u16(at) | u16(at + 2) << 16;
}
// Reads an element's head and stands at its value.
DicomWalker::Element DicomWalker::next() {
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

void DicomWalker::take_top(const Element& e) {
    if (e.tag == pixel_data_tag) {
        pixels = e;
        if (e.length == undefined_length)
            fragments = walk_fragments();
        else
            at_ += e.length;
        pixels_end = at_;
        return;
    }
    if (e.length != undefined_length && !is_sequence(e)) keep(e, values);
    if (skip_value(e, {}, &kept)) tags.insert(e.tag);
}

void DicomWalker::keep(const Element& e, Values& where) {
    constexpr std::uint32_t longest_kept = 1024, longest_table = 1 << 17;
    const bool is_table =
        (e.tag >= red_table_tag && e.tag <= blue_table_tag) || e.tag == slice_offsets_tag;
    if (e.length > (is_table ? longest_table : longest_kept)) return;
    std::vector<std::uint8_t> raw(e.length);
    file_.read(e.value, raw);
    if (big_endian_ && (e.vr == "US" || e.vr == "SS" || e.vr == "OW"))
        for (std::size_t i = 1; i < raw.size(); i += 2) std::swap(raw[i - 1], raw[i]);
    where[e.tag].assign(raw.begin(), raw.end());
}

bool DicomWalker::is_sequence(const Element& e) const {
    return e.length == undefined_length || e.vr == "SQ" || is_known_sequence(e.tag) ||
           wanted.contains(e.tag);
}

// Stands behind the value then. Gives whether there was one.
bool DicomWalker::skip_value(const Element& e, const Path& path, Item* into) {
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
        if (path.empty() && e.tag == frame_groups_tag) frames.emplace_back();
        walk_item(item, inside, into && wanted.contains(e.tag) ? new_item(*into, e.tag) : nullptr);
        has_items = true;
    }
    if (!undefined && at_ != end) damaged();
    explicit_vr_ = before;
    return has_items;
}

DicomWalker::Item* DicomWalker::new_item(Item& parent, std::uint32_t sequence) {
    constexpr std::int64_t most = 1 << 20;
    if (++kept_items_ > most)
        throw unsupported(file_.path(),
                          "its DICOM sequences have more than " + std::to_string(most) + " items");
    return &parent.sequences[sequence].emplace_back();
}

void DicomWalker::walk_item(const Element& item, const Path& path, Item* into) {
    const bool undefined = item.length == undefined_length;
    const std::int64_t end = undefined ? file_.size() : item.value + item.length;
    while (undefined || at_ < end) {
        const Element e = next();
        if (undefined && e.tag == item_end_tag && e.length == 0) return;
        if (e.tag >> 16 == 0xfffe) damaged();
        take_nested(e, path, into);
    }
    if (at_ != end) damaged();
}

// Of the functional groups their sequences, and of these the elements that belong there.
void DicomWalker::take_nested(const Element& e, const Path& path, Item* into) {
    const bool in_groups = path[0] == shared_groups_tag || path[0] == frame_groups_tag;
    if (in_groups && path.size() == 2 && path[1] == macro_of(e.tag) && e.length > 0)
        keep(e, path[0] == frame_groups_tag ? frames.back() : values);
    if (into && !is_sequence(e)) keep(e, into->values);
    if (skip_value(e, path, into) && in_groups && path.size() == 1) tags.insert(e.tag);
}

// Compressed pixels (PS3.5, annex A.4): items up to the end of the sequence.
std::vector<DicomWalker::Fragment> DicomWalker::walk_fragments() {
    std::vector<Fragment> found;
    while (true) {
        const Element item = next();
        if (item.tag == sequence_end_tag && item.length == 0) return found;
        if (item.tag != item_tag || item.length == undefined_length) damaged();
        found.push_back({at_, item.length});
        at_ += item.length;
    }
}

void DicomWalker::take_syntax() {
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
                                            : "its DICOM transfer syntax '" + printable(syntax) +
                                                  "' is not supported");
}

}  // namespace tesela::io
