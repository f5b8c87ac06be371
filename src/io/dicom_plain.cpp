#include <cstdio>

#include "io/dicom_header.h"

namespace tesela::io {
namespace {

// Elements in explicit little endian form (PS3.5, section 7.1.2).
class ElementWriter {
  public:
    void text(unsigned group, unsigned element, const char* vr, std::string value) {
        if (value.size() % 2) value += vr[0] == 'U' ? '\0' : ' ';
        head(group, element, vr);
        u16(value.size());
        append(value);
    }
    void number(unsigned group, unsigned element, std::int64_t value) {
        head(group, element, "US");
        u16(2);
        u16(static_cast<std::size_t>(value));
    }
    template <std::size_t n>
    void decimals(unsigned group, unsigned element, const std::array<double, n>& values) {
        std::string joined;
        for (const double value : values) {
            char one[24];  // a decimal string has at most 16 characters
            std::snprintf(one, sizeof one, "%.9g", value);
            joined += (joined.empty() ? "" : "\\") + std::string(one);
        }
        text(group, element, "DS", joined);
    }
    void length(unsigned group, unsigned element, std::size_t value) {
        head(group, element, "UL");
        u16(4);
        u32(value);
    }
    void pixels(const char* vr, std::span<const std::uint8_t> values) {
        head(0x7fe0, 0x10, vr);
        u16(0);
        u32(values.size() + values.size() % 2);
        append_even(values);
    }
    // Behind an empty table of offsets.
    void only_fragment(std::span<const std::uint8_t> stream) {
        constexpr std::size_t item = 0xe000, sequence_end = 0xe0dd;
        head(0x7fe0, 0x10, "OB");
        u16(0);
        u32(0xffffffff);
        item_head(item, 0);
        item_head(item, stream.size() + stream.size() % 2);
        append_even(stream);
        item_head(sequence_end, 0);
    }
    void append(const std::string& raw) { bytes_.insert(bytes_.end(), raw.begin(), raw.end()); }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  private:
    void append_even(std::span<const std::uint8_t> raw) {
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
        if (raw.size() % 2) bytes_.push_back(0);
    }
    void item_head(std::size_t element, std::size_t bytes) {
        u16(0xfffe);
        u16(element);
        u32(bytes);
    }
    void head(unsigned group, unsigned element, const char* vr) {
        u16(group);
        u16(element);
        append(vr);
    }
    void u16(std::size_t value) {
        bytes_.push_back(static_cast<std::uint8_t>(value));
        bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
    }
    void u32(std::size_t value) {
        u16(value & 0xffff);
        u16(value >> 16 & 0xffff);
    }

    std::vector<std::uint8_t> bytes_;
};

constexpr char ct_image[] = "1.2.840.10008.5.1.4.1.1.2";  // has a rescale slope, places and spacing
constexpr char explicit_little_endian[] = "1.2.840.10008.1.2.1";
constexpr char any_instance[] = "1.2.3";

void put_meta(ElementWriter& out, const std::string& syntax) {
    ElementWriter meta;
    meta.text(2, 0x02, "UI", ct_image);
    meta.text(2, 0x03, "UI", any_instance);
    meta.text(2, 0x10, "UI", syntax);
    out.append(std::string(128, '\0') + "DICM");
    out.length(2, 0, meta.bytes().size());
    out.append(std::string(meta.bytes().begin(), meta.bytes().end()));
}

void put_image(ElementWriter& out, const DicomHeader& h) {
    out.text(8, 0x16, "UI", ct_image);
    out.text(8, 0x18, "UI", any_instance);
    if (h.position) out.decimals(0x20, 0x32, *h.position);
    if (h.orientation) out.decimals(0x20, 0x37, *h.orientation);
    out.number(0x28, 0x02, h.samples);
    out.text(0x28, 0x04, "CS", h.colors);
    if (h.samples > 1) out.number(0x28, 0x06, h.planar);
    out.number(0x28, 0x10, h.rows);
    out.number(0x28, 0x11, h.columns);
    if (h.spacing) out.decimals(0x28, 0x30, *h.spacing);
    out.number(0x28, 0x100, h.bits_allocated);
    out.number(0x28, 0x101, h.bits_stored);
    out.number(0x28, 0x102, h.bits_stored - 1);
    out.number(0x28, 0x103, h.is_signed);
    out.decimals<1>(0x28, 0x1052, {h.intercept});
    out.decimals<1>(0x28, 0x1053, {h.slope});
}

}  // namespace

std::vector<std::uint8_t> plain_dicom(const DicomHeader& header,
                                      std::span<const std::uint8_t> pixels) {
    ElementWriter out;
    put_meta(out, header.compressed ? header.transfer_syntax : explicit_little_endian);
    put_image(out, header);
    if (header.compressed)
        out.only_fragment(pixels);
    else
        out.pixels(header.bits_allocated == 8 ? "OB" : "OW", pixels);
    return out.bytes();
}

}  // namespace tesela::io
