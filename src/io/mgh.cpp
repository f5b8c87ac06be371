// MGH and MGZ: a header of 284 bytes, all numbers with their highest byte first, the voxels frame
// by frame, and a footer that begins with the repetition time.
#include "io/mgh.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/gzip.h"
#include "io/volume_writer.h"

namespace tesela::io {
namespace {

constexpr std::size_t header_bytes = 284;
constexpr std::size_t at_version = 0, at_lengths = 4, at_type = 20, at_has_geometry = 28,
                      at_spacing = 30, at_directions = 42, at_center = 78;
constexpr std::size_t footer_bytes = 20;  // five numbers, the first the repetition time in ms
// Of spacings and places, in mm.
constexpr double largest_length = 1e9;

struct MghType {
    int code;
    NumberType number;
    PixelType pixel;
};
constexpr MghType types[] = {{0, NumberType::u8, PixelType::u8},
                             {1, NumberType::i32, PixelType::i32},
                             {3, NumberType::f32, PixelType::f32},
                             {4, NumberType::i16, PixelType::i16},
                             {10, NumberType::u16, PixelType::u16}};
constexpr int most_types = 11;  // that FreeSurfer counts

template <class T>
T load(std::span<const std::uint8_t> bytes, std::size_t at) {
    std::array<std::uint8_t, sizeof(T)> raw;
    std::memcpy(raw.data(), &bytes[at], sizeof(T));
    if (std::endian::native == std::endian::little) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}

template <class T>
void store(std::string& bytes, std::size_t at, T value) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (std::endian::native == std::endian::little) std::reverse(raw.begin(), raw.end());
    std::copy(raw.begin(), raw.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

Vector3 load_vector(std::span<const std::uint8_t> bytes, std::size_t at) {
    return {load<float>(bytes, at), load<float>(bytes, at + 4), load<float>(bytes, at + 8)};
}
void store_vector(std::string& bytes, std::size_t at, const Vector3& vector) {
    for (std::size_t i = 0; i < 3; ++i) store(bytes, at + 4 * i, static_cast<float>(vector[i]));
}

// From right, front and head (RAS), which MGH speaks of, to LPS, and back.
Vector3 turned(const Vector3& v) { return {0.0 - v[0], 0.0 - v[1], v[2]}; }

// From the first voxel to the place that MGH calls the center, half of all voxels along each axis.
Vector3 to_center(const Shape& shape, const Vector3& spacing,
                  const std::array<Vector3, 3>& directions) {
    const double halves[] = {static_cast<double>(shape.x) / 2, static_cast<double>(shape.y) / 2,
                             static_cast<double>(shape.z) / 2};
    Vector3 way{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t row = 0; row < 3; ++row)
            way[row] += halves[axis] * spacing[axis] * directions[axis][row];
    return way;
}

std::vector<std::uint8_t> head_of(const InputFile& file, bool& packed) {
    std::vector<std::uint8_t> head = file.head(header_bytes);
    packed = head.size() > 1 && head[0] == 0x1f && head[1] == 0x8b;
    return packed ? inflate_head(file, 0, header_bytes) : head;
}

void parse_axes(const InputFile& file, std::span<const std::uint8_t> head, VolumeHeader& header) {
    constexpr std::int64_t most_elements = std::int64_t{1} << 48;
    constexpr AxisRole roles[] = {AxisRole::x, AxisRole::y, AxisRole::z, AxisRole::time};
    std::int64_t elements = 1;
    for (std::size_t axis = 0; axis < 4; ++axis) {
        const std::int64_t length = load<std::int32_t>(head, at_lengths + 4 * axis);
        if (length > most_elements / elements)
            throw unreadable(file.path(), "its MGH header claims an enormous image");
        elements *= length;
        header.axes.push_back({length, roles[axis]});
    }
}

void parse_type(const InputFile& file, std::span<const std::uint8_t> head, VolumeHeader& header) {
    const int code = load<std::int32_t>(head, at_type);
    const auto* type = std::find_if(std::begin(types), std::end(types),
                                    [&](const MghType& t) { return t.code == code; });
    if (type == std::end(types))
        throw unsupported(file.path(), "its MGH data type " + std::to_string(code) +
                                           " is not supported; mri_convert -odt float converts it");
    header.type = type->number;
}

// Without geometry nothing is known; FreeSurfer takes voxels of 1 mm in coronal slices then.
void parse_geometry(const InputFile& file, std::span<const std::uint8_t> head,
                    VolumeHeader& header) {
    if (load<std::int16_t>(head, at_has_geometry) == 0) return;
    VolumeAxes axes;
    axes.spacing = load_vector(head, at_spacing);
    axes.origin = turned(load_vector(head, at_center));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        axes.directions[axis] = turned(load_vector(head, at_directions + 12 * axis));
        // Not a number, too.
        if (!(std::abs(axes.spacing[axis]) <= largest_length &&
              std::abs(axes.origin[axis]) <= largest_length))
            throw unreadable(file.path(), "its MGH header gives no valid spacing or center");
    }
    const Vector3 way = to_center(header.shape(), axes.spacing, axes.directions);
    for (std::size_t row = 0; row < 3; ++row) axes.origin[row] -= way[row];
    header.geometry.unit = Unit::millimeter;
    set_geometry(file, axes, header);
}

// What lies behind the voxels, up to 1 MiB. Voxels are as good without it.
std::vector<std::uint8_t> tail_of(const InputFile& file, bool packed, std::int64_t place) {
    std::vector<std::uint8_t> tail(1 << 20);
    std::size_t got = 0;
    if (!packed) {
        got = file.read_some(place, tail);
    } else {
        try {
            Inflater stream(file, 0);
            if (stream.skip(place) == place) got = stream.read(tail);
        } catch (const UnreadableInput&) {
            got = 0;
        }
    }
    tail.resize(got);
    return tail;
}

// The repetition time is that of the frames. Files may end before it.
void parse_time(const InputFile& file, bool packed, VolumeHeader& header) {
    if (header.shape().t == 1) return;
    const std::int64_t place = header_bytes + header.data_bytes();
    std::array<std::uint8_t, 4> bytes;
    if (packed) {
        Inflater stream(file, 0);
        if (stream.skip(place) < place || stream.read(bytes) < bytes.size()) return;
    } else if (file.read_some(place, bytes) < bytes.size()) {
        return;
    }
    const double seconds = load<float>(bytes, 0) / 1e3;
    if (seconds > 0 && std::isfinite(seconds)) header.geometry.time_step = seconds;
}

}  // namespace

// MGH has no mark but the version, so that all numbers have to be those of a header.
bool is_mgh(const InputFile& file) {
    bool packed = false;
    const std::vector<std::uint8_t> head = head_of(file, packed);
    if (head.size() < header_bytes || load<std::int32_t>(head, at_version) != 1) return false;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (load<std::int32_t>(head, at_lengths + 4 * axis) < 1) return false;
    const int type = load<std::int32_t>(head, at_type);
    const int has_geometry = load<std::int16_t>(head, at_has_geometry);
    return type >= 0 && type < most_types && (has_geometry == 0 || has_geometry == 1);
}

VolumeHeader parse_mgh(const InputFile& file) {
    VolumeHeader header;
    header.format = "MGH";
    header.data_file = file.path();
    header.big_endian = true;
    bool packed = false;
    const std::vector<std::uint8_t> head = head_of(file, packed);
    parse_axes(file, head, header);
    parse_type(file, head, header);
    parse_geometry(file, head, header);
    if (packed) header.encoding = DataEncoding::gzip;
    (packed ? header.skipped_bytes : header.data_offset) = header_bytes;
    parse_time(file, packed, header);
    return header;
}

ReadResult read_mgh(const InputFile& file, const DecodeOptions& options) {
    const VolumeHeader header = parse_mgh(file);
    ReadResult read = read_volume(file, header, options);
    if (header.type != NumberType::f32)
        take_mgh_tags(tail_of(file, header.encoding == DataEncoding::gzip,
                              static_cast<std::int64_t>(header_bytes) + header.data_bytes()),
                      read);
    return read;
}

bool is_mgh_type(PixelType type) {
    return std::any_of(std::begin(types), std::end(types),
                       [&](const MghType& t) { return t.pixel == type; });
}

void check_mgh_limits(const AnyImage& image, const fs::path& shown) {
    const Shape& s = shape_of(image);
    if (std::max({s.x, s.y, s.z, s.t}) > std::numeric_limits<std::int32_t>::max())
        throw TooNarrow("cannot write " + quoted(shown) +
                        ": MGH takes at most 2147483647 points along an axis; use .nrrd or .mha");
    check_geometry_limits(image, shown, "MGH", largest_length);
}

std::string mgh_header(const AnyImage& image) {
    const Shape& s = shape_of(image);
    const Geometry& g = geometry_of(image);
    const double scale = millimeters_of_unit(g);
    std::string bytes(header_bytes, '\0');
    store(bytes, at_version, std::int32_t{1});
    const std::int64_t lengths[] = {s.x, s.y, s.z, s.t};
    for (std::size_t axis = 0; axis < 4; ++axis)
        store(bytes, at_lengths + 4 * axis, static_cast<std::int32_t>(lengths[axis]));
    const auto* type = std::find_if(std::begin(types), std::end(types), [&](const MghType& t) {
        return t.pixel == pixel_type_of(image);
    });
    store(bytes, at_type, std::int32_t{type->code});
    store(bytes, at_has_geometry, static_cast<std::int16_t>(g.known()));
    std::array<Vector3, 3> directions;
    Vector3 spacing, center;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        directions[axis] = {g.direction[axis], g.direction[3 + axis], g.direction[6 + axis]};
        spacing[axis] = g.spacing[axis] * scale;
        store_vector(bytes, at_directions + 12 * axis, turned(directions[axis]));
    }
    store_vector(bytes, at_spacing, spacing);
    const Vector3 way = to_center(s, spacing, directions);
    for (std::size_t row = 0; row < 3; ++row) center[row] = g.origin[row] * scale + way[row];
    store_vector(bytes, at_center, turned(center));
    return bytes;
}

std::string mgh_footer(const AnyImage& image) {
    if (shape_of(image).t == 1) return "";
    std::string bytes(footer_bytes, '\0');
    store(bytes, 0, static_cast<float>(geometry_of(image).time_step * 1e3));
    return bytes;
}

}  // namespace tesela::io
