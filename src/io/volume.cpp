// NIfTI, NRRD and MetaImage through ITK's image readers and writers.
#include "io/volume.h"

#include <itkMetaDataObject.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>

#include <limits>
#include <optional>

#include "io/itk_bridge.h"
#include "io/nifti_fields.h"

namespace tesela::io {
namespace {

itk::ImageIOBase::Pointer make_io(VolumeFormat format) {
    switch (format) {
        case VolumeFormat::nifti:
            return itk::NiftiImageIO::New().GetPointer();
        case VolumeFormat::nrrd:
            return itk::NrrdImageIO::New().GetPointer();
        case VolumeFormat::metaimage:
            break;
    }
    auto io = itk::MetaImageIO::New();
    io->SetDoublePrecision(17);  // as many digits as a double has
    return io.GetPointer();
}

VolumeFormat volume_format(const std::string& name) {
    return name == "NIfTI"  ? VolumeFormat::nifti
           : name == "NRRD" ? VolumeFormat::nrrd
                            : VolumeFormat::metaimage;
}

// The library below ITK tells packed NIfTI files by suffix, for a.nii.gz it takes the pixels of an
// a.nii that lies beside it, and it holds extensions of the header, however long. So it gets a file
// of the header alone, which says that no extension follows, in a temporary folder of its own.
class FileForItk {
  public:
    FileForItk(const fs::path& path, const VolumeHeader& header) : path_(path) {
        if (header.format != "NIfTI") return;
        folder_.emplace(path);
        path_ = folder_->path() / "volume.nii";
        constexpr std::uint8_t no_extension[4] = {};
        OutputFile file(path_, path_);
        file.write_or_throw(header.nifti.data(), header.nifti.size());
        file.write_or_throw(no_extension, sizeof no_extension);
        file.close();
    }

    std::string string() const { return path_.string(); }

  private:
    fs::path path_;
    std::optional<detail::TemporaryFolder> folder_;
};

itk::IOComponentEnum component(PixelType type) {
    using itk::IOComponentEnum;
    switch (type) {
        case PixelType::u8:
            return IOComponentEnum::UCHAR;
        case PixelType::i8:
            return IOComponentEnum::CHAR;
        case PixelType::u16:
            return IOComponentEnum::USHORT;
        case PixelType::i16:
            return IOComponentEnum::SHORT;
        case PixelType::u32:
            return IOComponentEnum::UINT;
        case PixelType::i32:
            return IOComponentEnum::INT;
        case PixelType::f32:
            return IOComponentEnum::FLOAT;
        case PixelType::f64:
            break;
    }
    return IOComponentEnum::DOUBLE;
}

itk::IOPixelEnum pixel_kind(const AnyImage& image) {
    using itk::IOPixelEnum;
    const int channels = shape_of(image).channels;
    if (channels == 1) return IOPixelEnum::SCALAR;
    const bool bytes = pixel_type_of(image) == PixelType::u8;
    if (bytes && channels == 3) return IOPixelEnum::RGB;
    if (bytes && channels == 4 && has_alpha(image)) return IOPixelEnum::RGBA;
    return IOPixelEnum::VECTOR;
}

double millimeters_of_unit(const Geometry& g) { return g.unit == Unit::micrometer ? 1e-3 : 1; }

void describe(itk::ImageIOBase& io, const AnyImage& image) {
    const Shape& shape = shape_of(image);
    const Geometry& g = geometry_of(image);
    // Three axes even for one slice, which keeps its place in space.
    const unsigned dimensions = shape.t > 1 ? 4 : 3;
    const std::int64_t lengths[] = {shape.x, shape.y, shape.z, shape.t};
    const double scale = millimeters_of_unit(g);
    io.SetNumberOfDimensions(dimensions);
    itk::ImageIORegion region(dimensions);
    for (unsigned axis = 0; axis < dimensions; ++axis) {
        io.SetDimensions(axis, static_cast<itk::SizeValueType>(lengths[axis]));
        region.SetSize(axis, static_cast<itk::SizeValueType>(lengths[axis]));
        io.SetSpacing(axis, axis < 3 ? g.spacing[axis] * scale : g.time_step);
        io.SetOrigin(axis, axis < 3 ? g.origin[axis] * scale : 0);
        std::vector<double> column(dimensions, 0.0);
        if (axis == 3) column[3] = 1;
        for (unsigned row = 0; row < 3 && axis < 3; ++row)
            column[row] = g.direction[3 * row + axis];
        io.SetDirection(axis, column);
    }
    io.SetIORegion(region);
    io.SetComponentType(component(pixel_type_of(image)));
    io.SetPixelType(pixel_kind(image));
    io.SetNumberOfComponents(static_cast<unsigned>(shape.channels));
    io.UseCompressionOff();
    if (!g.known())
        itk::EncapsulateMetaData<std::string>(io.GetMetaDataDictionary(), no_spacing_key,
                                              no_spacing_value);
}

// What NIfTI's header must allow: 16-bit lengths, and geometry in single precision.
void check_nifti_limits(const AnyImage& image, const fs::path& shown) {
    const Shape& s = shape_of(image);
    if (std::max({s.x, s.y, s.z, s.t, std::int64_t{s.channels}}) > 0x7fff)
        throw TooNarrow("cannot write " + quoted(shown) +
                        ": NIfTI takes at most 32767 points along an axis; use .nrrd or .mha");
    const auto check = [&](double value, double lowest, const char* name, const char* unit) {
        if (value >= lowest && value <= nifti_largest_length) return;
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", value);
        throw TooNarrow("cannot write " + quoted(shown) + ": a " + name + " of " + text + unit +
                        " is beyond what NIfTI holds; use .nrrd or .mha");
    };
    const Geometry& g = geometry_of(image);
    const double scale = millimeters_of_unit(g);
    constexpr double lowest = std::numeric_limits<float>::min();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(g.spacing[axis] * scale, lowest, "spacing", " mm");
        check(g.origin[axis] * scale, -nifti_largest_length, "coordinate of the origin", " mm");
    }
    if (s.t > 1) check(g.time_step, lowest, "time step", " s");
}

VolumeHeader parse(VolumeFormat format, const InputFile& file) {
    switch (format) {
        case VolumeFormat::nifti:
            return parse_nifti(file);
        case VolumeFormat::nrrd:
            return parse_nrrd(file);
        case VolumeFormat::metaimage:
            break;
    }
    return parse_metaimage(file);
}

// ITK does not look whether its writes succeed, so the file is measured against its own header.
void check_written(VolumeFormat format, const fs::path& staged, const fs::path& shown) {
    try {
        const InputFile file(staged);
        check_data(file, parse(format, file), {});
    } catch (const Error&) {
        throw unwritable(shown, "not all of it could be written; the disk may be full");
    }
}

}  // namespace

ReadResult read_volume(const InputFile& file, VolumeHeader header, const DecodeOptions& options) {
    check_data(file, header, options);
    const FileForItk name(file.path(), header);
    AnyImage image;
    Geometry geometry;
    Shape shape;
    const bool is_nifti = !header.nifti.empty();
    try {
        run_itk([&] {
            const auto io = make_io(volume_format(header.format));
            io->SetFileName(name.string());
            io->ReadImageInformation();
            geometry = itk_geometry(*io, file.path());
            shape = itk_shape(*io, file.path());
            if (!is_nifti) image = itk_pixels(*io, file.path(), options);
        });
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw unreadable(file.path(), error.what());
    }
    if (is_nifti) {
        image = nifti_pixels(file, header, shape, options);
        const std::string disagreement = compare_nifti_forms(header.nifti, geometry);
        if (!disagreement.empty()) header.warnings.push_back(disagreement);
    }
    if (header.unit == Unit::unknown) {
        const double time_step = geometry.time_step;
        geometry = {};
        geometry.time_step = time_step;
    }
    geometry.unit = header.unit;
    geometry_of(image) = geometry;
    // 64-bit integers are there beside what they become.
    const std::int64_t wide =
        header.data_bytes > static_cast<std::int64_t>(pixel_bytes(image)) ? header.data_bytes : 0;
    return {std::move(image),
            header.format,
            std::move(header.warnings),
            0,
            std::max(header.work_bytes, wide),
            is_nifti && options.stored ? nifti_scaling(file, header) : ValueScaling{}};
}

void write_volume(const AnyImage& image, VolumeFormat format, const fs::path& staged,
                  const fs::path& shown) {
    if (format == VolumeFormat::nifti) check_nifti_limits(image, shown);
    // The libraries below ITK print when they run out of space, so that must not come to pass.
    constexpr std::int64_t header_room = 4096;
    require_room(staged, shown, static_cast<std::int64_t>(pixel_bytes(image)) + header_room);
    try {
        run_itk([&] {
            const auto io = make_io(format);
            io->SetFileName(staged.string());
            describe(*io, image);
            io->Write(pixel_data(image));
        });
    } catch (const std::runtime_error& error) {
        throw unwritable(shown, error.what());
    }
    check_written(format, staged, shown);
}

}  // namespace tesela::io
