#include "io/dicom_elements.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>

namespace tesela::io {
namespace {

void put_u16(std::string& out, std::uint32_t value) {
    out += static_cast<char>(value);
    out += static_cast<char>(value >> 8);
}
void put_u32(std::string& out, std::uint32_t value) {
    put_u16(out, value & 0xffff);
    put_u16(out, value >> 16);
}
void put_tag(std::string& out, std::uint32_t tag) {
    put_u16(out, tag >> 16);
    put_u16(out, tag & 0xffff);
}

bool has_long_length(std::string_view vr) {
    return vr == "OB" || vr == "OW" || vr == "SQ" || vr == "UT" || vr == "UC";
}

std::string element(std::uint32_t tag, const char* vr, const std::string& value) {
    return element_head(tag, vr, static_cast<std::uint32_t>(value.size())) + value;
}

}  // namespace

void DicomElements::text(std::uint32_t tag, const char* vr, const std::string& value) {
    const bool is_uid = std::strcmp(vr, "UI") == 0;
    elements_[tag] = element(tag, vr, value + std::string(value.size() % 2, is_uid ? '\0' : ' '));
}

void DicomElements::numbers(std::uint32_t tag, std::span<const std::int64_t> values) {
    std::string raw;
    for (const std::int64_t value : values) put_u16(raw, static_cast<std::uint32_t>(value));
    elements_[tag] = element(tag, "US", raw);
}

void DicomElements::longs(std::uint32_t tag, std::span<const std::int64_t> values) {
    std::string raw;
    for (const std::int64_t value : values) put_u32(raw, static_cast<std::uint32_t>(value));
    elements_[tag] = element(tag, "UL", raw);
}

void DicomElements::tag(std::uint32_t tag, std::uint32_t value) {
    std::string raw;
    put_tag(raw, value);
    elements_[tag] = element(tag, "AT", raw);
}

void DicomElements::decimals(std::uint32_t tag, std::span<const double> values) {
    std::string joined;
    for (const double value : values) joined += (joined.empty() ? "" : "\\") + decimal_text(value);
    text(tag, "DS", joined);
}

void DicomElements::sequence(std::uint32_t tag, std::span<const DicomElements> items) {
    std::string raw;
    for (const DicomElements& item : items) {
        const std::string inside = item.bytes();
        raw += item_head(static_cast<std::uint32_t>(inside.size())) + inside;
    }
    elements_[tag] = element(tag, "SQ", raw);
}

void DicomElements::add(const DicomElements& more) {
    for (const auto& [tag, raw] : more.elements_) elements_[tag] = raw;
}

std::string DicomElements::bytes() const {
    std::string all;
    for (const auto& [tag, raw] : elements_) all += raw;
    return all;
}

std::string element_head(std::uint32_t tag, const char* vr, std::uint32_t length) {
    std::string head;
    put_tag(head, tag);
    head += vr;
    if (has_long_length(vr)) {
        put_u16(head, 0);
        put_u32(head, length);
    } else {
        put_u16(head, length);
    }
    return head;
}

std::string item_head(std::uint32_t length) {
    std::string head;
    put_tag(head, 0xfffee000);
    put_u32(head, length);
    return head;
}

std::string sequence_end() {
    std::string end;
    put_tag(end, 0xfffee0dd);
    put_u32(end, 0);
    return end;
}

std::string decimal_text(double value) {
    constexpr std::size_t longest = 16;
    char text[32];
    for (int digits = 12; digits > 0; --digits) {
        std::snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0 : value);
        if (std::strlen(text) <= longest) break;
    }
    std::replace(text, text + std::strlen(text), ',', '.');  // a locale's decimal comma
    return text;
}

std::string dicom_file_head(const std::string& sop_class, const std::string& instance,
                            const std::string& syntax) {
    DicomElements meta;
    const std::string version("\0\1", 2);
    meta.text(0x00020002, "UI", sop_class);
    meta.text(0x00020003, "UI", instance);
    meta.text(0x00020010, "UI", syntax);
    meta.text(0x00020012, "UI", implementation_uid);
    meta.text(0x00020013, "SH", "TESELA");
    const std::string rest = element(0x00020001, "OB", version) + meta.bytes();
    DicomElements length;
    const auto bytes = static_cast<std::int64_t>(rest.size());
    length.longs(0x00020000, {&bytes, 1});
    return std::string(128, '\0') + "DICM" + length.bytes() + rest;
}

std::string new_uid() {
    // Version 4 of RFC 4122, as one decimal number, computed digit by digit.
    std::random_device device;
    std::array<std::uint32_t, 4> words{device(), device(), device(), device()};
    words[1] = (words[1] & 0xffff0fff) | 0x00004000;
    words[2] = (words[2] & 0x3fffffff) | 0x80000000;
    std::string digits;
    while (std::any_of(words.begin(), words.end(), [](std::uint32_t word) { return word > 0; })) {
        std::uint64_t rest = 0;
        for (std::uint32_t& word : words) {
            rest = rest << 32 | word;
            word = static_cast<std::uint32_t>(rest / 10);
            rest %= 10;
        }
        digits.insert(digits.begin(), static_cast<char>('0' + rest));
    }
    return "2.25." + digits;
}

}  // namespace tesela::io
