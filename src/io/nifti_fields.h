// The fields of a NIfTI-1 header (nifti1.h of the NIfTI Data Format Working Group).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace tesela::io {

inline constexpr std::size_t nifti_header_bytes = 348;
// Of spacings and origins, in mm: a thousand kilometers.
inline constexpr double nifti_largest_length = 1e9;
// Byte offsets of header fields.
inline constexpr std::size_t at_dim = 40, at_intent_code = 68, at_datatype = 70, at_bitpix = 72,
                             at_pixdim = 76, at_vox_offset = 108, at_scl_slope = 112,
                             at_scl_inter = 116, at_xyzt_units = 123, at_toffset = 136,
                             at_qform_code = 252, at_sform_code = 254, at_quatern = 256,
                             at_qoffset = 268, at_srow = 280, at_intent_name = 328, at_magic = 344;

// Intents of several numbers a voxel.
inline constexpr int nifti_intent_none = 0, nifti_intent_symmetric_matrix = 1005,
                     nifti_intent_vectors = 1007, nifti_intent_rgb = 2003, nifti_intent_rgba = 2004;
// Our name of vectors that are colors with alpha.
inline constexpr char nifti_name_rgba[] = "RGBA";

class NiftiFields {
  public:
    // `bytes` holds the header and must live as long as this object.
    explicit NiftiFields(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
        swapped_ = value<std::int32_t>(0) != static_cast<int>(nifti_header_bytes);
    }

    bool big_endian() const { return swapped_ == (std::endian::native == std::endian::little); }
    int i16(std::size_t at) const { return value<std::int16_t>(at); }
    double f32(std::size_t at) const { return value<float>(at); }
    // Of an axis from 1 to 7.
    double pixdim(std::size_t axis) const { return f32(at_pixdim + 4 * axis); }
    int length_unit() const { return bytes_[at_xyzt_units] & 0x07; }
    int time_unit() const { return bytes_[at_xyzt_units] & 0x38; }
    // A text that zeros or the end of the field's 16 bytes end.
    std::string intent_name() const {
        const auto* first = bytes_.data() + at_intent_name;
        return {first, std::find(first, first + 16, 0)};
    }
    bool has_magic(const char* magic) const {
        return std::memcmp(&bytes_[at_magic], magic, 4) == 0;
    }

  private:
    template <class T>
    T value(std::size_t at) const {
        std::array<std::uint8_t, sizeof(T)> raw;
        std::memcpy(raw.data(), &bytes_[at], sizeof(T));
        if (swapped_) std::reverse(raw.begin(), raw.end());
        return std::bit_cast<T>(raw);
    }

    std::span<const std::uint8_t> bytes_;
    bool swapped_ = false;
};

}  // namespace tesela::io
