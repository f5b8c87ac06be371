// The NIfTI-1 header: checks, and what ITK does not tell or set.
#include <cmath>
#include <cstring>

#include "io/gzip.h"
#include "io/nifti_fields.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

int bits_of(int datatype) {
    switch (datatype) {
        case 2:
        case 256:
            return 8;
        case 4:
        case 512:
            return 16;
        case 8:
        case 16:
        case 768:
        case 2304:
            return 32;
        case 128:
            return 24;
        case 64:
        case 1024:
        case 1280:
            return 64;
        default:
            return 0;
    }
}

// Elements of the image. Throws for lengths that no image can have.
std::int64_t count_elements(const InputFile& file, const NiftiFields& fields) {
    const int dimensions = fields.i16(at_dim);
    if (dimensions < 2 || dimensions > 7)
        throw unreadable(file.path(),
                         "its NIfTI header claims " + std::to_string(dimensions) + " dimensions");
    std::int64_t elements = 1;
    for (int i = 1; i <= dimensions; ++i) {
        const int length = fields.i16(at_dim + 2 * static_cast<std::size_t>(i));
        if (length < 1)
            throw unreadable(file.path(), "its NIfTI header claims a length of " +
                                              std::to_string(length) + " along axis " +
                                              std::to_string(i));
        if (i > 5 && length > 1)
            throw unsupported(file.path(),
                              "NIfTI images of more than five dimensions are not supported");
        elements *= length;  // five lengths below 2^15 fit 63 bits less one: checked below
        if (elements > (std::int64_t{1} << 48))
            throw unreadable(file.path(), "its NIfTI header claims an enormous image");
    }
    return elements;
}

// ITK looks for the nearest rotation by an iteration that does not end for numbers that are none.
void check_geometry(const InputFile& file, const NiftiFields& fields) {
    const auto check = [&](std::size_t at, std::size_t count, const char* name) {
        for (std::size_t i = 0; i < count; ++i)
            if (!(std::abs(fields.f32(at + 4 * i)) <= nifti_largest_length))
                throw unreadable(file.path(),
                                 std::string("its NIfTI header gives no valid spacing, "
                                             "origin or direction (") +
                                     name + ")");
    };
    check(at_pixdim, 1 + static_cast<std::size_t>(std::min(fields.i16(at_dim), 4)), "pixdim");
    check(at_quatern, 6, "qform");
    check(at_srow, 12, "sform");
}

// Row-major 3 x 4, from voxel indices to millimeters, axes to the right, front and head (RAS).
using Affine = std::array<double, 12>;

Affine sform(const NiftiFields& fields) {
    Affine a;
    for (std::size_t i = 0; i < 12; ++i) a[i] = fields.f32(at_srow + 4 * i);
    return a;
}

// Method 2 of nifti1.h: a rotation as a unit quaternion, its real part implied.
Affine qform(const NiftiFields& fields) {
    const double b = fields.f32(at_quatern), c = fields.f32(at_quatern + 4),
                 d = fields.f32(at_quatern + 8);
    const double a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
    const double rotation[9] = {a * a + b * b - c * c - d * d, 2 * (b * c - a * d),
                                2 * (b * d + a * c),           2 * (b * c + a * d),
                                a * a + c * c - b * b - d * d, 2 * (c * d - a * b),
                                2 * (b * d - a * c),           2 * (c * d + a * b),
                                a * a + d * d - c * c - b * b};
    const double handedness = fields.f32(at_pixdim) < 0 ? -1 : 1;
    Affine affine;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            affine[4 * row + axis] = rotation[3 * row + axis] *
                                     fields.f32(at_pixdim + 4 * (axis + 1)) *
                                     (axis == 2 ? handedness : 1);
        affine[4 * row + 3] = fields.f32(at_qoffset + 4 * row);
    }
    return affine;
}

Affine affine_of(const Geometry& g) {
    Affine a;
    for (std::size_t row = 0; row < 3; ++row) {
        const double sign = row < 2 ? -1 : 1;  // LPS to RAS
        for (std::size_t axis = 0; axis < 3; ++axis)
            a[4 * row + axis] = sign * g.direction[3 * row + axis] * g.spacing[axis];
        a[4 * row + 3] = sign * g.origin[row];
    }
    return a;
}

// Whether both put the corners of the image within a tenth of a voxel of each other.
bool agree(const Affine& a, const Affine& b, const NiftiFields& fields) {
    double smallest_spacing = HUGE_VAL;
    for (std::size_t axis = 1; axis <= 3; ++axis)
        smallest_spacing = std::min(smallest_spacing, std::abs(fields.f32(at_pixdim + 4 * axis)));
    for (unsigned corner = 0; corner < 8; ++corner) {
        double square = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            double distance = a[4 * row + 3] - b[4 * row + 3];
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (corner >> axis & 1u)
                    distance += (a[4 * row + axis] - b[4 * row + axis]) *
                                std::max(0, fields.i16(at_dim + 2 * (axis + 1)) - 1);
            square += distance * distance;
        }
        if (!(std::sqrt(square) <= 0.1 * smallest_spacing)) return false;
    }
    return true;
}

}  // namespace

VolumeHeader parse_nifti(const InputFile& file) {
    VolumeHeader header;
    header.format = "NIfTI";
    header.data_file = file.path();
    header.nifti = file.head(nifti_header_bytes);
    const bool packed =
        header.nifti.size() > 1 && header.nifti[0] == 0x1f && header.nifti[1] == 0x8b;
    if (packed) {
        header.stream_offset = 0;
        header.nifti = inflate_head(file, 0, nifti_header_bytes);
    }
    if (header.nifti.size() < nifti_header_bytes)
        throw unreadable(file.path(), "it is truncated inside its NIfTI header");
    const NiftiFields fields(header.nifti);
    if (std::memcmp(&header.nifti[at_magic], "ni1", 4) == 0)
        throw unsupported(file.path(),
                          "it is one half of a NIfTI pair (.hdr, .img); convert it to .nii");
    const int datatype = fields.i16(at_datatype);
    const int bits = bits_of(datatype);
    if (bits == 0)
        throw unsupported(file.path(),
                          "its NIfTI data type " + std::to_string(datatype) + " is not supported");
    if (fields.i16(at_bitpix) != bits)
        throw unreadable(file.path(), "its NIfTI header gives " +
                                          std::to_string(fields.i16(at_bitpix)) +
                                          " bits for data type " + std::to_string(datatype));
    header.data_bytes = count_elements(file, fields) * (bits / 8);
    check_geometry(file, fields);
    const double offset = fields.f32(at_vox_offset);
    if (!(offset >= 0 && offset < 1e9))
        throw unreadable(file.path(), "its NIfTI header gives no valid place of the data");
    const std::int64_t start = std::max<std::int64_t>(static_cast<std::int64_t>(offset), 348);
    (packed ? header.skipped_bytes : header.data_offset) = start;
    const bool no_forms = fields.i16(at_qform_code) <= 0 && fields.i16(at_sform_code) <= 0;
    bool unit_spacing = true;
    for (std::size_t axis = 1; axis <= 3; ++axis)
        unit_spacing = unit_spacing && (fields.f32(at_pixdim + 4 * axis) == 1 ||
                                        fields.i16(at_dim) < static_cast<int>(axis));
    if (no_forms && fields.units() == 0 && unit_spacing)
        header.unit = Unit::unknown;
    else if (fields.units() == 0)
        header.warnings.push_back(
            "the NIfTI file does not name its unit of length; millimeters are assumed");
    return header;
}

std::string compare_nifti_forms(const std::vector<std::uint8_t>& nifti, const Geometry& used) {
    const NiftiFields fields(nifti);
    if (fields.i16(at_qform_code) <= 0 || fields.i16(at_sform_code) <= 0) return "";
    const Affine s = sform(fields), q = qform(fields);
    if (agree(s, q, fields)) return "";
    const Affine read = affine_of(used);
    const std::string start = "the NIfTI file's sform and qform disagree; ";
    if (agree(read, s, fields)) return start + "the sform was used";
    if (agree(read, q, fields)) return start + "the qform was used";
    return start + "neither fits the geometry that was read";
}

void patch_nifti(const fs::path& path, bool is_labels, bool spacing_known) {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "r+b"));
    std::vector<std::uint8_t> bytes(nifti_header_bytes);
    if (!file || std::fread(bytes.data(), 1, nifti_header_bytes, file.get()) != nifti_header_bytes)
        throw std::runtime_error("the header could not be completed");
    const auto store16 = [&](std::size_t at, std::int16_t value) {
        std::memcpy(&bytes[at], &value, sizeof value);  // ITK writes in this machine's order
    };
    if (is_labels) {
        constexpr std::int16_t intent_label = 1002;  // NIFTI_INTENT_LABEL
        store16(at_intent_code, intent_label);
        std::memset(&bytes[at_intent_name], 0, 16);
        std::memcpy(&bytes[at_intent_name], "labels", 6);
    }
    if (!spacing_known) {
        bytes[at_xyzt_units] = 0;
        store16(at_qform_code, 0);
        store16(at_sform_code, 0);
    }
    std::rewind(file.get());
    if (std::fwrite(bytes.data(), 1, nifti_header_bytes, file.get()) != nifti_header_bytes ||
        std::fflush(file.get()) != 0)
        throw std::runtime_error("the header could not be completed");
}

}  // namespace tesela::io
