// Elements of DICOM files in explicit little endian form (PS3.5, section 7.1.2), to be written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tesela::io {

inline constexpr char explicit_little_endian[] = "1.2.840.10008.1.2.1";

// A data set, or an item of a sequence, whose elements come in the order of their tags.
class DicomElements {
  public:
    // Of any kind of text; an empty one is an element without a value.
    void text(std::uint32_t tag, const char* vr, const std::string& value);
    void numbers(std::uint32_t tag, std::span<const std::int64_t> values);  // of 16 bits (US)
    void number(std::uint32_t tag, std::int64_t value) { numbers(tag, {&value, 1}); }
    void longs(std::uint32_t tag, std::span<const std::int64_t> values);  // of 32 bits (UL)
    void tag(std::uint32_t tag, std::uint32_t value);                     // of an element (AT)
    void decimals(std::uint32_t tag, std::span<const double> values);     // decimal strings (DS)
    void sequence(std::uint32_t tag, std::span<const DicomElements> items);
    void sequence(std::uint32_t tag, const DicomElements& item) { sequence(tag, {&item, 1}); }
    // What `more` has takes the place of elements of the same tag.
    void add(const DicomElements& more);
    bool has(std::uint32_t tag) const { return elements_.contains(tag); }

    std::string bytes() const;

  private:
    std::map<std::uint32_t, std::string> elements_;  // with their heads
};

// Parts of what lies behind the other elements: the head of an element whose value of `length`
// bytes follows, a sequence of undefined length, and the heads of its items.
inline constexpr std::uint32_t undefined_length = 0xffffffff;
std::string element_head(std::uint32_t tag, const char* vr, std::uint32_t length);
std::string item_head(std::uint32_t length);
std::string sequence_end();

// A decimal string has at most 16 characters, and here up to 12 digits.
std::string decimal_text(double value);

// The preamble and the elements about the file itself (PS3.10, section 7.1).
std::string dicom_file_head(const std::string& sop_class, const std::string& instance,
                            const std::string& syntax);
// The class of programs that files are written by, which their heads name.
inline constexpr char implementation_uid[] = "2.25.128948205931301906020023817174049506817";

// Identifiers that nothing else has, made of random UUIDs (PS3.5, annex B.2).
std::string new_uid();

}  // namespace tesela::io
