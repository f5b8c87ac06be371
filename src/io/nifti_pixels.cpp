// The voxels of NIfTI files. ITK gives their number and place alone: the library below it turns NaN
// and infinity into zero, and ITK itself scales no more than the first component of vectors.
#include <cmath>
#include <type_traits>

#include "io/itk_bridge.h"
#include "io/nifti_fields.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

constexpr int type_rgb = 128, type_rgba = 2304, intent_symmetric_matrix = 1005;

// Calls `work` with a value of the type that the file's numbers have; parse_nifti let no other
// types pass.
template <class Work>
AnyImage with_stored_type(int datatype, const Work& work) {
    switch (datatype) {
        case 4:
            return work(std::int16_t{});
        case 8:
            return work(std::int32_t{});
        case 16:
            return work(float{});
        case 64:
            return work(double{});
        case 256:
            return work(std::int8_t{});
        case 512:
            return work(std::uint16_t{});
        case 768:
            return work(std::uint32_t{});
        case 1024:
            return work(std::int64_t{});
        case 1280:
            return work(std::uint64_t{});
        default:
            return work(std::uint8_t{});
    }
}

// "DATA SCALING" in nifti1.h: a slope of zero says that there is none, and colors have none.
// Programs also write NaN for none.
ValueScaling scaling_of(const InputFile& file, const NiftiFields& fields) {
    const int datatype = fields.i16(at_datatype);
    const double slope = fields.f32(at_scl_slope);
    const double intercept = fields.f32(at_scl_inter);
    if (datatype == type_rgb || datatype == type_rgba || slope == 0 || std::isnan(slope)) return {};
    if (!std::isfinite(slope) || !std::isfinite(intercept))
        throw unreadable(file.path(),
                         "its NIfTI header gives no valid scaling (scl_slope, scl_inter)");
    return {slope, intercept};
}

// Where the numbers go: those of a color lie together in the file as in the image, vectors lie as
// one volume after the other.
struct Layout {
    std::int64_t length;               // numbers in one of the file's volumes
    std::int64_t stride;               // from one to the next in the image
    std::vector<std::int64_t> places;  // where each volume begins in the image
};

// A symmetric matrix lies as its lower triangle in the file and becomes its upper one, as in other
// formats: xx, xy, xz, yy, yz, zz.
Layout layout_of(const NiftiFields& fields, const Shape& shape) {
    const int datatype = fields.i16(at_datatype);
    if (datatype == type_rgb || datatype == type_rgba) return {shape.elements(), 1, {0}};
    Layout layout{shape.points(), shape.channels, {}};
    for (int c = 0; c < shape.channels; ++c) layout.places.push_back(c);
    std::int64_t rank = 1;
    while (rank * (rank + 1) / 2 < shape.channels) ++rank;
    if (fields.i16(at_intent_code) != intent_symmetric_matrix ||
        rank * (rank + 1) / 2 != shape.channels)
        return layout;
    std::size_t lower = 0;
    for (std::int64_t row = 0; row < rank; ++row)
        for (std::int64_t column = 0; column <= row; ++column)
            layout.places[lower++] = column * rank - column * (column - 1) / 2 + row - column;
    return layout;
}

class VoxelReader {
  public:
    VoxelReader(const InputFile& file, const VolumeHeader& header, const Shape& shape,
                const DecodeOptions& options)
        : file_(file),
          header_(header),
          shape_(shape),
          options_(options),
          fields_(header.nifti),
          scaling_(scaling_of(file, fields_)),
          layout_(layout_of(fields_, shape)) {}

    AnyImage read() const {
        return with_stored_type(fields_.i16(at_datatype), [&](auto stored) {
            using Stored = decltype(stored);
            if (shape_.elements() * static_cast<std::int64_t>(sizeof stored) != header_.data_bytes)
                throw unsupported(file_.path(), "its pixels are not laid out as its header says");
            if (scaling_.needed() && !options_.stored) return read_scaled<Stored>();
            if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
                return read_wide<Stored>();
            } else {
                AnyImage image = allocate(file_.path(), pixel_type_of<Stored>(), shape_, options_);
                fill<Stored>(std::get<Image<Stored>>(image).data(), [](Stored v) { return v; });
                return image;
            }
        });
    }

  private:
    template <class Stored, class Value, class Convert>
    void fill(Value* pixels, const Convert& convert) const {
        std::size_t volume = 0;
        std::int64_t point = 0;
        read_data(file_, header_, [&](std::span<const std::uint8_t> bytes) {
            for (std::size_t i = 0; i < bytes.size(); i += sizeof(Stored)) {
                pixels[point * layout_.stride + layout_.places[volume]] =
                    convert(load_value<Stored>(&bytes[i], fields_.swapped()));
                if (++point < layout_.length) continue;
                point = 0;
                ++volume;
            }
        });
    }

    // Single precision holds what becomes of 16 bits; longer numbers need double precision.
    template <class Stored>
    AnyImage read_scaled() const {
        constexpr bool is_single = sizeof(Stored) <= 2 || std::is_same_v<Stored, float>;
        using Value = std::conditional_t<is_single, float, double>;
        AnyImage image = allocate(file_.path(), pixel_type_of<Value>(), shape_, options_);
        fill<Stored>(std::get<Image<Value>>(image).data(), [this](Stored stored) {
            return static_cast<Value>(scaling_.slope * static_cast<double>(stored) +
                                      scaling_.intercept);
        });
        return image;
    }

    template <class Stored>
    AnyImage read_wide() const {
        return narrow_64_bit<Stored>(file_.path(), shape_, options_, [this](Stored* pixels) {
            fill<Stored>(pixels, [](Stored v) { return v; });
        });
    }

    const InputFile& file_;
    const VolumeHeader& header_;
    const Shape& shape_;
    const DecodeOptions& options_;
    NiftiFields fields_;
    ValueScaling scaling_;
    Layout layout_;
};

}  // namespace

ValueScaling nifti_scaling(const InputFile& file, const VolumeHeader& header) {
    return scaling_of(file, NiftiFields(header.nifti));
}

AnyImage nifti_pixels(const InputFile& file, const VolumeHeader& header, const Shape& shape,
                      const DecodeOptions& options) {
    AnyImage image = VoxelReader(file, header, shape, options).read();
    if (NiftiFields(header.nifti).i16(at_datatype) == type_rgba)
        std::visit([](auto& i) { i.has_alpha = true; }, image);
    return image;
}

}  // namespace tesela::io
