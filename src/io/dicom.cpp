// DICOM through ITK's GDCM reader: single files, and folders that hold one series. What is
// compressed is unpacked first, so that all slices go the same way from there.
#include <itkGDCMImageIO.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/decode_client.h"
#include "io/dicom_streams.h"
#include "io/itk_bridge.h"
#include "io/volume.h"

namespace tesela::io {
namespace {

struct Slice {
    fs::path path;
    DicomHeader header;
    double along = 0;  // position along the normal of the slices, mm
};

using Vector = std::array<double, 3>;

Vector normal_of(const std::array<double, 6>& o) {
    return {o[1] * o[5] - o[2] * o[4], o[2] * o[3] - o[0] * o[5], o[0] * o[4] - o[1] * o[3]};
}
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::vector<Slice> find_slices(const fs::path& folder) {
    std::vector<Slice> slices;
    for (const fs::path& path : dicom_files(folder))
        slices.push_back({path, parse_dicom(InputFile(path))});
    if (slices.empty()) throw unreadable(folder, "the folder holds no DICOM files");
    return slices;
}

void check_one_series(const fs::path& folder, const std::vector<Slice>& slices) {
    std::map<std::string, std::pair<std::string, int>> series;
    for (const Slice& slice : slices) {
        auto& [description, count] = series[slice.header.series];
        description = slice.header.description;
        ++count;
    }
    if (series.size() == 1) return;
    std::string names;
    for (const auto& [uid, facts] : series)
        names += (names.empty() ? "" : "; ") + uid + " (" + facts.first + ", " +
                 std::to_string(facts.second) + " files)";
    throw unsupported(folder, "the folder holds " + std::to_string(series.size()) +
                                  " DICOM series, put one into a folder of its own: " + names);
}

void check_alike(const fs::path& folder, const std::vector<Slice>& slices) {
    const DicomHeader& first = slices.front().header;
    for (const Slice& slice : slices) {
        const DicomHeader& h = slice.header;
        if (!h.position || !h.orientation || !h.spacing)
            throw unsupported(slice.path, "it does not say where its slice lies");
        bool alike =
            h.rows == first.rows && h.columns == first.columns && h.samples == first.samples;
        for (std::size_t i = 0; i < 6; ++i)
            alike = alike && std::abs((*h.orientation)[i] - (*first.orientation)[i]) < 1e-3;
        for (std::size_t i = 0; i < 2; ++i)
            alike = alike &&
                    std::abs((*h.spacing)[i] - (*first.spacing)[i]) < 1e-3 * (*first.spacing)[i];
        if (!alike)
            throw unsupported(folder, "the slice " + quoted(slice.path.filename()) +
                                          " differs from " +
                                          quoted(slices.front().path.filename()) +
                                          " in size, spacing, orientation or type");
    }
}

// Sorts by position; returns the distance between neighbors in mm, 1 for a single slice.
double sort_slices(const fs::path& folder, std::vector<Slice>& slices) {
    const Vector normal = normal_of(*slices.front().header.orientation);
    for (Slice& slice : slices) slice.along = dot(normal, *slice.header.position);
    std::sort(slices.begin(), slices.end(),
              [](const Slice& a, const Slice& b) { return a.along < b.along; });
    if (slices.size() == 1) return 1;
    const double step =
        (slices.back().along - slices.front().along) / static_cast<double>(slices.size() - 1);
    std::size_t narrowest = 1, widest = 1;
    const auto gap = [&](std::size_t i) { return slices[i].along - slices[i - 1].along; };
    for (std::size_t i = 1; i < slices.size(); ++i) {
        if (gap(i) < gap(narrowest)) narrowest = i;
        if (gap(i) > gap(widest)) widest = i;
    }
    const auto pair = [&](std::size_t i) {
        return quoted(slices[i - 1].path.filename()) + " and " + quoted(slices[i].path.filename());
    };
    if (gap(narrowest) <= 1e-4 * step)
        throw unsupported(folder, pair(narrowest) +
                                      " lie at the same place (several echoes or times "
                                      "in one series are not taken)");
    const std::size_t odd = step - gap(narrowest) > gap(widest) - step ? narrowest : widest;
    if (std::abs(gap(odd) - step) > 0.05 * step)
        throw unsupported(folder, "its slices are not evenly spaced: " + pair(odd) + " are " +
                                      std::to_string(gap(odd)) + " mm apart, the mean is " +
                                      std::to_string(step) + " mm; is a slice missing?");
    return step;
}

// The shift between neighbors may have a part within the slice plane, as with a tilted gantry.
void check_straight(const std::vector<Slice>& slices, std::vector<std::string>& warnings) {
    const Vector& first = *slices.front().header.position;
    const Vector& last = *slices.back().header.position;
    const Vector shift{last[0] - first[0], last[1] - first[1], last[2] - first[2]};
    const double length = std::sqrt(dot(shift, shift));
    const double along = slices.back().along - slices.front().along;
    if (length > 0 && along < 0.9999 * length)
        warnings.push_back(
            "the DICOM slices are shifted sideways (a tilted gantry); the shear is not "
            "kept");
}

struct Decoded {
    AnyImage image;
    Geometry geometry;
};

// The pixels as they lie in a file without compression, and the header that fits them.
std::vector<std::uint8_t> plain_pixels(const InputFile& file, DicomHeader& header,
                                       DecodeClient& decoder) {
    if (!header.compressed) {
        std::vector<std::uint8_t> pixels(
            static_cast<std::size_t>(header.pixels_end - header.pixels_begin));
        file.read(header.pixels_begin, pixels);
        return pixels;
    }
    if (is_rle(header)) {
        header.compressed = false;
        header.planar = 0;
        return decode_rle(file, header);
    }
    // Stored values are all that the decoder is asked for, in the colors of the image.
    DicomHeader packed = header;
    packed.slope = 1;
    packed.intercept = 0;
    packed.position.reset();
    packed.orientation.reset();
    packed.spacing.reset();
    if (header.samples == 1) packed.colors = "MONOCHROME2";
    DecodeRequest request;
    request.columns = header.columns;
    request.rows = header.rows;
    request.samples = header.samples;
    request.bits_allocated = header.bits_allocated;
    request.is_signed = header.is_signed;
    header.compressed = false;
    header.planar = 0;
    if (header.samples == 3) header.colors = "RGB";
    return decoder.decode(file.path(), request,
                          plain_dicom(packed, compressed_stream(file, packed)));
}

Decoded decode(const InputFile& file, DicomHeader header, const DecodeOptions& options,
               DecodeClient& decoder) {
    const fs::path& path = file.path();
    const std::vector<std::uint8_t> pixels = plain_pixels(file, header, decoder);
    const detail::TemporaryFolder folder(path);
    const fs::path plain = folder.path() / "slice.dcm";
    const std::vector<std::uint8_t> bytes = plain_dicom(header, pixels);
    OutputFile out(plain, plain);
    out.write_or_throw(bytes.data(), bytes.size());
    out.close();
    Decoded result;
    try {
        run_itk([&] {
            const auto io = itk::GDCMImageIO::New();
            io->SetFileName(plain.string());
            io->ReadImageInformation();
            result.geometry = itk_geometry(*io, path);
            result.image = itk_pixels(*io, path, options);
        });
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw unreadable(path, error.what());
    }
    return result;
}

// The type that holds both without loss: rescaled slices of one series may come out in different
// types.
PixelType common_type(PixelType a, PixelType b) {
    if (a == b) return a;
    const auto range = [](PixelType t) -> std::pair<int, bool> {  // bits of magnitude, signed
        switch (t) {
            case PixelType::u8:
                return {8, false};
            case PixelType::i8:
                return {7, true};
            case PixelType::u16:
                return {16, false};
            case PixelType::i16:
                return {15, true};
            case PixelType::u32:
                return {32, false};
            case PixelType::i32:
                return {31, true};
            default:
                return {64, true};
        }
    };
    const auto [bits_a, signed_a] = range(a);
    const auto [bits_b, signed_b] = range(b);
    const int bits = std::max(bits_a, bits_b);
    if (signed_a || signed_b)
        return bits <= 7    ? PixelType::i8
               : bits <= 15 ? PixelType::i16
               : bits <= 31 ? PixelType::i32
                            : PixelType::f64;
    return bits <= 8 ? PixelType::u8 : bits <= 16 ? PixelType::u16 : PixelType::u32;
}

AnyImage stack(const fs::path& folder, const std::vector<AnyImage>& parts,
               const DecodeOptions& options) {
    PixelType type = pixel_type_of(parts.front());
    for (const AnyImage& part : parts) type = common_type(type, pixel_type_of(part));
    Shape shape = shape_of(parts.front());
    shape.z = static_cast<std::int64_t>(parts.size());
    AnyImage volume = allocate(folder, type, shape, options);
    std::visit(
        [&](auto& to) {
            using To = typename std::decay_t<decltype(to)>::value_type;
            auto* out = to.data();
            for (const AnyImage& part : parts)
                std::visit(
                    [&](const auto& from) {
                        out = std::transform(from.pixels().begin(), from.pixels().end(), out,
                                             [](auto value) { return static_cast<To>(value); });
                    },
                    part);
        },
        volume);
    return volume;
}

}  // namespace

ReadResult read_dicom_file(const InputFile& file, const DecodeOptions& options) {
    const DicomHeader header = parse_dicom(file);
    require_memory(file.path(),
                   header.rows * header.columns * header.samples * (header.bits_allocated / 8),
                   options.max_bytes);
    DecodeClient decoder;
    Decoded decoded = decode(file, header, options, decoder);
    if (header.spacing) geometry_of(decoded.image) = decoded.geometry;
    return {std::move(decoded.image), "DICOM", {}};
}

std::vector<fs::path> dicom_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
        const fs::path& path = i->path();
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) < 132) continue;
        if (path.filename() != "DICOMDIR" && is_dicom(InputFile(path))) files.push_back(path);
    }
    if (error) throw unreadable(folder, error.message());
    std::sort(files.begin(), files.end());
    return files;
}

ReadResult read_dicom_folder(const fs::path& folder, const DecodeOptions& options) {
    std::vector<Slice> slices = find_slices(folder);
    check_one_series(folder, slices);
    if (slices.size() == 1) return read_dicom_file(InputFile(slices.front().path), options);
    check_alike(folder, slices);
    const double step = sort_slices(folder, slices);
    const DicomHeader& h = slices.front().header;
    // While the stack is made, the slices are there twice.
    require_memory(folder,
                   2 * h.rows * h.columns * h.samples * (h.bits_allocated / 8) *
                       static_cast<std::int64_t>(slices.size()),
                   options.max_bytes);
    std::vector<AnyImage> parts;
    Geometry geometry;
    DecodeClient decoder;  // one process for all slices
    for (const Slice& slice : slices) {
        Decoded decoded = decode(InputFile(slice.path), slice.header, options, decoder);
        if (parts.empty()) geometry = decoded.geometry;
        Shape flat = shape_of(decoded.image);
        if (!parts.empty() && !(flat == shape_of(parts.front())))
            throw unsupported(folder, "its slices differ in size");
        parts.push_back(std::move(decoded.image));
    }
    ReadResult result{stack(folder, parts, options), "DICOM", {}};
    geometry.spacing[2] = step;
    geometry_of(result.image) = geometry;
    check_straight(slices, result.warnings);
    return result;
}

}  // namespace tesela::io
