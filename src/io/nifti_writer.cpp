// The header of a NIfTI file that is written.
#include <cmath>
#include <cstring>
#include <limits>

#include "io/nifti.h"
#include "io/volume_writer.h"

namespace tesela::io {
namespace {

bool needs_nifti2(const Shape& s) {
    return std::max({s.x, s.y, s.z, s.t, std::int64_t{s.channels}}) > nifti1_longest;
}

std::int16_t nifti_type(const AnyImage& image) {
    if (const int channels = channels_of_nifti_type(image); channels > 1)
        return channels == 3 ? 128 : 2304;
    switch (pixel_type_of(image)) {
        case PixelType::u8:
            return 2;
        case PixelType::i8:
            return 256;
        case PixelType::u16:
            return 512;
        case PixelType::i16:
            return 4;
        case PixelType::u32:
            return 768;
        case PixelType::i32:
            return 8;
        case PixelType::f32:
            return 16;
        case PixelType::f64:
            break;
    }
    return 64;
}

// The vector of the unit quaternion of a rotation (row-major) that is near to one.
Vector3 quaternion_of(const std::array<double, 9>& r) {
    // The largest of four times the squares of its parts: b, c, d, a.
    const double squares[] = {1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                              1 - r[0] - r[4] + r[8], 1 + r[0] + r[4] + r[8]};
    const auto largest = static_cast<std::size_t>(std::max_element(squares, squares + 4) - squares);
    const double part = std::sqrt(squares[largest]) / 2, quarter = 1 / (4 * part);
    const Vector3 turns{r[7] - r[5], r[2] - r[6], r[3] - r[1]};  // 4 a (b, c, d)
    if (largest == 3) return {turns[0] * quarter, turns[1] * quarter, turns[2] * quarter};
    const double sign = turns[largest] < 0 ? -1 : 1;  // the real part is not negative
    Vector3 vector;
    for (std::size_t i = 0; i < 3; ++i)
        vector[i] =
            sign * (i == largest ? part : (r[3 * i + largest] + r[3 * largest + i]) * quarter);
    return vector;
}

double determinant(const std::array<double, 9>& d) {
    return d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
           d[2] * (d[3] * d[7] - d[4] * d[6]);
}

class NiftiHeader {
  public:
    NiftiHeader(const AnyImage& image, bool is_labels)
        : at_(needs_nifti2(shape_of(image)) ? nifti2 : nifti1), bytes_(at_.header_bytes + 4) {
        store(0, static_cast<std::int32_t>(at_.header_bytes));
        if (&at_ == &nifti1) bytes_[38] = 'r';
        store_text(at_.magic, at_.single);
        store_shape(image);
        store_type(image, is_labels);
        store_geometry(image);
    }

    std::string text() const { return {bytes_.begin(), bytes_.end()}; }

  private:
    template <class T>
    void store(std::size_t place, T value) {
        std::memcpy(&bytes_[place], &value, sizeof value);
    }
    void store_text(std::size_t place, std::string_view text) {
        std::memcpy(&bytes_[place], text.data(), text.size());
    }
    void store_real(std::size_t place, std::size_t i, double value) {
        if (at_.real_bytes == 4)
            store(place + 4 * i, static_cast<float>(value));
        else
            store(place + 8 * i, value);
    }
    void store_code(std::size_t place, int code) {
        if (at_.code_bytes == 2)
            store(place, static_cast<std::int16_t>(code));
        else
            store(place, std::int32_t{code});
    }

    void store_shape(const AnyImage& image) {
        const Shape& s = shape_of(image);
        const bool in_volumes = channels_of_nifti_type(image) < s.channels;
        const std::int64_t dim[8] = {in_volumes ? 5 : s.t > 1 ? 4 : 3, s.x, s.y, s.z, s.t,
                                     in_volumes ? s.channels : 1,      1,   1};
        for (std::size_t i = 0; i < 8; ++i)
            if (at_.length_bytes == 2)
                store(at_.dim + 2 * i, static_cast<std::int16_t>(dim[i]));
            else
                store(at_.dim + 8 * i, dim[i]);
        if (!in_volumes) return;
        // ITK makes pixels of the fifth axis by this intent, not by those of colors.
        store_code(at_.intent_code, nifti_intent_vectors);
        if (kind_of(image) == PixelKind::rgba) store_text(at_.intent_name, nifti_name_rgba);
    }

    void store_type(const AnyImage& image, bool is_labels) {
        const int channels = channels_of_nifti_type(image);
        store(at_.datatype, nifti_type(image));
        store(at_.bitpix,
              static_cast<std::int16_t>(8 * channels * pixel_type_bytes(pixel_type_of(image))));
        if (at_.has_whole_vox_offset)
            store(at_.vox_offset, std::int64_t{std::ssize(bytes_)});
        else
            store_real(at_.vox_offset, 0, static_cast<double>(bytes_.size()));
        store_real(at_.scl_slope, 0, 1);
        if (!is_labels) return;
        store_code(at_.intent_code, nifti_intent_labels);
        store_text(at_.intent_name, "labels");
    }

    // Both forms; without a unit neither. A time step of 1 may be unknown, and gets no unit.
    void store_geometry(const AnyImage& image) {
        constexpr int millimeter = 2, second = 8;
        const Geometry& g = geometry_of(image);
        const double scale = millimeters_of_unit(g);
        std::array<double, 9> rotation = g.direction;  // to RAS
        for (std::size_t i = 0; i < 6; ++i) rotation[i] = 0.0 - rotation[i];
        const bool turned = determinant(rotation) < 0;
        store_real(at_.pixdim, 0, turned ? -1 : 1);
        for (std::size_t axis = 0; axis < 7; ++axis)
            store_real(at_.pixdim, axis + 1,
                       axis < 3    ? g.spacing[axis] * scale
                       : axis == 3 ? g.time_step
                                   : 1);
        const bool has_time = shape_of(image).t > 1 && g.time_step != 1;
        store_units((has_time ? second : 0) | (g.known() ? millimeter : 0));
        if (!g.known()) return;
        store_code(at_.qform_code, 1);
        store_code(at_.sform_code, 1);
        for (std::size_t row = 0; row < 3; ++row) {
            const double origin = (row < 2 ? 0.0 - g.origin[row] : g.origin[row]) * scale;
            for (std::size_t axis = 0; axis < 3; ++axis)
                store_real(at_.srow, 4 * row + axis,
                           rotation[3 * row + axis] * g.spacing[axis] * scale);
            store_real(at_.srow, 4 * row + 3, origin);
            store_real(at_.qoffset, row, origin);
        }
        for (std::size_t row = 0; row < 3 && turned; ++row) rotation[3 * row + 2] *= -1;
        const Vector3 quaternion = quaternion_of(rotation);
        for (std::size_t i = 0; i < 3; ++i) store_real(at_.quatern, i, quaternion[i]);
    }

    void store_units(int units) {
        if (at_.units_bytes == 1)
            store(at_.xyzt_units, static_cast<std::uint8_t>(units));
        else
            store(at_.xyzt_units, std::int32_t{units});
    }

    const NiftiLayout& at_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace

void check_nifti_limits(const AnyImage& image, const fs::path& shown) {
    check_geometry_limits(image, shown, "NIfTI", nifti_largest_length);
}

std::string nifti_header(const AnyImage& image, bool is_labels) {
    return NiftiHeader(image, is_labels).text();
}

int channels_of_nifti_type(const AnyImage& image) {
    const PixelKind kind = kind_of(image);
    const bool is_color = kind == PixelKind::rgb || kind == PixelKind::rgba;
    return is_color && pixel_type_of(image) == PixelType::u8 ? shape_of(image).channels : 1;
}

}  // namespace tesela::io
