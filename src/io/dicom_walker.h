// The elements of a DICOM file (PS3.5, section 7; PS3.10, section 7), walked over as a whole.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/file.h"

namespace tesela::io {

// Elements that lie in sequences as well.
inline constexpr std::uint32_t shared_groups_tag = 0x52009229, frame_groups_tag = 0x52009230;
inline constexpr std::uint32_t position_tag = 0x00200032, orientation_tag = 0x00200037,
                               spacing_tag = 0x00280030, intercept_tag = 0x00281052,
                               slope_tag = 0x00281053, slice_spacing_tag = 0x00180088,
                               frame_segment_tag = 0x0062000b;
// Tables of 16-bit numbers, and offsets of the slices of a dose, which may be long.
inline constexpr std::uint32_t red_table_tag = 0x00281201, blue_table_tag = 0x00281203,
                               slice_offsets_tag = 0x3004000c;

class DicomWalker {
  public:
    explicit DicomWalker(const InputFile& file) : file_(file) {}

    // By tag.
    using Values = std::map<std::uint32_t, std::string>;
    // Elements of the outermost level, without long values. What the functional groups of an
    // enhanced file say of all frames takes their place (PS3.3, C.7.6.16).
    Values values;
    // What they say of each frame.
    std::vector<Values> frames;
    // Sequences whose items are kept, be they of the outermost level or within others of these.
    std::set<std::uint32_t> wanted;
    struct Item {
        Values values;  // without long ones
        std::map<std::uint32_t, std::vector<Item>> sequences;
    };
    Item kept;  // has sequences alone
    // The elements of the outermost level and of the groups, sequences too, that are not empty.
    std::set<std::uint32_t> tags;

    struct Element {
        std::uint32_t tag = 0, length = 0;
        std::string vr;          // empty where the syntax leaves it out
        std::int64_t value = 0;  // where the value begins
    };
    std::optional<Element> pixels;
    std::int64_t pixels_end = 0;
    // Of compressed pixels, the table of offsets first.
    struct Fragment {
        std::int64_t begin = 0, length = 0;
    };
    std::vector<Fragment> fragments;
    std::string syntax;

    // The elements about the file itself. Gives where the others begin.
    std::int64_t walk_meta();
    // Throws UnreadableInput for a file whose structure is damaged, UnsupportedFormat for a
    // transfer syntax that is not.
    void walk();
    // Whether the pixels are compressed. Throws where that is not what the transfer syntax says.
    bool compressed() const;
    bool big_endian() const { return big_endian_; }

    [[noreturn]] void damaged() const {
        throw unreadable(file_.path(), "its DICOM structure is damaged or truncated");
    }

  private:
    // The sequences that an element lies in, the outermost first.
    using Path = std::vector<std::uint32_t>;

    template <std::size_t n>
    std::array<std::uint8_t, n> bytes(std::int64_t at) const;
    std::uint32_t u16(std::int64_t at) const;
    std::uint32_t u32(std::int64_t at) const;
    Element next();
    void take_top(const Element& e);
    void keep(const Element& e, Values& where);
    bool is_sequence(const Element& e) const;
    bool skip_value(const Element& e, const Path& path, Item* into);
    Item* new_item(Item& parent, std::uint32_t sequence);
    void walk_item(const Element& item, const Path& path, Item* into);
    void take_nested(const Element& e, const Path& path, Item* into);
    std::vector<Fragment> walk_fragments();
    void take_syntax();

    const InputFile& file_;
    std::int64_t at_ = 0, kept_items_ = 0;
    bool explicit_vr_ = true;
    bool compressed_ = false, big_endian_ = false;
};

}  // namespace tesela::io
