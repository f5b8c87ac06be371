// The fields of the headers of NIfTI-1 and NIfTI-2 (nifti1.h and nifti2.h of the NIfTI Data Format
// Working Group).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace tesela::io {

// Of spacings and origins, in mm: a thousand kilometers.
inline constexpr double nifti_largest_length = 1e9;
// Of an axis in NIfTI-1.
inline constexpr std::int64_t nifti1_longest = 0x7fff;

// Intents of several numbers a voxel.
inline constexpr int nifti_intent_none = 0, nifti_intent_labels = 1002,
                     nifti_intent_symmetric_matrix = 1005, nifti_intent_vectors = 1007,
                     nifti_intent_rgb = 2003, nifti_intent_rgba = 2004;
// Our name of vectors that are colors with alpha.
inline constexpr char nifti_name_rgba[] = "RGBA";

// Byte offsets of a version's fields, and how many bytes their numbers have.
struct NiftiLayout {
    std::size_t header_bytes, dim, intent_code, datatype, bitpix, pixdim, vox_offset, scl_slope,
        scl_inter, xyzt_units, toffset, qform_code, sform_code, quatern, qoffset, srow, intent_name,
        magic;
    std::size_t length_bytes;       // of dim
    std::size_t code_bytes;         // of intent_code, qform_code and sform_code
    std::size_t units_bytes;        // of xyzt_units
    std::size_t real_bytes;         // of all others but datatype and bitpix, which have two bytes
    bool has_whole_vox_offset;      // of eight bytes
    std::string_view single, pair;  // the mark of one file, and of a header beside its data
};
inline constexpr NiftiLayout nifti1{.header_bytes = 348,
                                    .dim = 40,
                                    .intent_code = 68,
                                    .datatype = 70,
                                    .bitpix = 72,
                                    .pixdim = 76,
                                    .vox_offset = 108,
                                    .scl_slope = 112,
                                    .scl_inter = 116,
                                    .xyzt_units = 123,
                                    .toffset = 136,
                                    .qform_code = 252,
                                    .sform_code = 254,
                                    .quatern = 256,
                                    .qoffset = 268,
                                    .srow = 280,
                                    .intent_name = 328,
                                    .magic = 344,
                                    .length_bytes = 2,
                                    .code_bytes = 2,
                                    .units_bytes = 1,
                                    .real_bytes = 4,
                                    .has_whole_vox_offset = false,
                                    .single = {"n+1\0", 4},
                                    .pair = {"ni1\0", 4}};
// The bytes behind the marks of NIfTI-2 show that the file was not changed as text.
inline constexpr NiftiLayout nifti2{.header_bytes = 540,
                                    .dim = 16,
                                    .intent_code = 504,
                                    .datatype = 12,
                                    .bitpix = 14,
                                    .pixdim = 104,
                                    .vox_offset = 168,
                                    .scl_slope = 176,
                                    .scl_inter = 184,
                                    .xyzt_units = 500,
                                    .toffset = 216,
                                    .qform_code = 344,
                                    .sform_code = 348,
                                    .quatern = 352,
                                    .qoffset = 376,
                                    .srow = 400,
                                    .intent_name = 508,
                                    .magic = 4,
                                    .length_bytes = 8,
                                    .code_bytes = 4,
                                    .units_bytes = 4,
                                    .real_bytes = 8,
                                    .has_whole_vox_offset = true,
                                    .single = {"n+2\0\r\n\x1a\n", 8},
                                    .pair = {"ni2\0\r\n\x1a\n", 8}};
inline constexpr std::size_t longest_nifti_header = nifti2.header_bytes;
inline constexpr std::size_t nifti_intent_name_bytes = 16;

class NiftiFields {
  public:
    // `bytes` holds the beginning of a file and must live as long as this object.
    explicit NiftiFields(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
        if (bytes.size() < 4) return;
        for (const NiftiLayout* layout : {&nifti1, &nifti2})
            for (const bool swapped : {false, true}) {
                swapped_ = swapped;
                if (value<std::int32_t>(0) == static_cast<int>(layout->header_bytes)) {
                    layout_ = layout;
                    return;
                }
            }
    }

    // Whether it begins as a header does; nothing else is to be asked where it does not, or where
    // it is not complete.
    bool found() const { return layout_ != nullptr; }
    bool complete() const { return bytes_.size() >= layout_->header_bytes; }

    const NiftiLayout& at() const { return *layout_; }
    bool is_nifti2() const { return layout_ == &nifti2; }
    bool is_single() const { return has_mark(layout_->single); }
    bool is_pair() const { return has_mark(layout_->pair); }
    bool big_endian() const { return swapped_ == (std::endian::native == std::endian::little); }

    std::int64_t dim(std::size_t axis) const {
        return whole(at().dim + axis * at().length_bytes, at().length_bytes);
    }
    int datatype() const { return value<std::int16_t>(at().datatype); }
    int bitpix() const { return value<std::int16_t>(at().bitpix); }
    int code(std::size_t place) const { return static_cast<int>(whole(place, at().code_bytes)); }
    int intent() const { return code(at().intent_code); }
    // The number `i` of those that begin there.
    double real(std::size_t place, std::size_t i = 0) const {
        return at().real_bytes == 4 ? value<float>(place + 4 * i) : value<double>(place + 8 * i);
    }
    double vox_offset() const {
        return at().has_whole_vox_offset ? static_cast<double>(whole(at().vox_offset, 8))
                                         : real(at().vox_offset);
    }
    int length_unit() const { return units() & 0x07; }
    int time_unit() const { return units() & 0x38; }
    // A text that zeros or the end of the field end.
    std::string intent_name() const {
        const auto* first = bytes_.data() + at().intent_name;
        return {first, std::find(first, first + nifti_intent_name_bytes, 0)};
    }

  private:
    bool has_mark(std::string_view mark) const {
        return std::memcmp(&bytes_[at().magic], mark.data(), mark.size()) == 0;
    }
    int units() const { return static_cast<int>(whole(at().xyzt_units, at().units_bytes)); }

    std::int64_t whole(std::size_t place, std::size_t bytes) const {
        switch (bytes) {
            case 1:
                return bytes_[place];
            case 2:
                return value<std::int16_t>(place);
            case 4:
                return value<std::int32_t>(place);
            default:
                return value<std::int64_t>(place);
        }
    }

    template <class T>
    T value(std::size_t at) const {
        std::array<std::uint8_t, sizeof(T)> raw;
        std::memcpy(raw.data(), &bytes_[at], sizeof(T));
        if (swapped_) std::reverse(raw.begin(), raw.end());
        return std::bit_cast<T>(raw);
    }

    std::span<const std::uint8_t> bytes_;
    const NiftiLayout* layout_ = nullptr;
    bool swapped_ = false;
};

}  // namespace tesela::io
