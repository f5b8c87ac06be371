// NIfTI-1 and NIfTI-2: the header's numbers and where they lie, alone or in pairs of .hdr and .img.
// nifti_geometry.cpp has what it says of space.
#include "io/nifti.h"

#include <cmath>
#include <optional>

#include "io/gzip.h"

namespace tesela::io {
namespace {

constexpr int type_rgb = 128, type_rgba = 2304;

struct NumberOfType {
    NumberType number;
    int channels = 1;
};

NumberOfType number_of(const InputFile& file, int datatype) {
    const char* name = "";
    switch (datatype) {
        case 2:
            return {NumberType::u8};
        case 4:
            return {NumberType::i16};
        case 8:
            return {NumberType::i32};
        case 16:
            return {NumberType::f32};
        case 64:
            return {NumberType::f64};
        case type_rgb:
            return {NumberType::u8, 3};
        case 256:
            return {NumberType::i8};
        case 512:
            return {NumberType::u16};
        case 768:
            return {NumberType::u32};
        case 1024:
            return {NumberType::i64};
        case 1280:
            return {NumberType::u64};
        case type_rgba:
            return {NumberType::u8, 4};
        case 1:
            name = " (single bits)";
            break;
        case 32:
        case 1792:
        case 2048:
            name = " (complex numbers)";
            break;
        case 1536:
            name = " (128-bit floating point)";
            break;
        default:
            break;
    }
    throw unsupported(file.path(), "its NIfTI data type " + std::to_string(datatype) + name +
                                       " is not supported");
}

// Axes of the file; colors lie together, vectors as one volume after the other.
void parse_axes(const InputFile& file, const NiftiFields& fields, int colors,
                VolumeHeader& header) {
    const std::int64_t dimensions = fields.dim(0);
    if (dimensions < 1 || dimensions > 7)
        throw unreadable(file.path(),
                         "its NIfTI header claims " + std::to_string(dimensions) + " dimensions");
    constexpr std::int64_t most_elements = std::int64_t{1} << 48, most_channels = 0x7fff;
    std::int64_t elements = colors;
    if (colors > 1) header.axes.push_back({colors, AxisRole::channel});
    for (int axis = 1; axis <= dimensions; ++axis) {
        const std::int64_t length = fields.dim(static_cast<std::size_t>(axis));
        if (length < 1)
            throw unreadable(file.path(), "its NIfTI header claims a length of " +
                                              std::to_string(length) + " along axis " +
                                              std::to_string(axis));
        if (length > most_elements / elements || (axis == 5 && length > most_channels))
            throw unreadable(file.path(), "its NIfTI header claims an enormous image");
        elements *= length;
        if (length > 1 && (axis > 5 || (axis == 5 && colors > 1)))
            throw unsupported(file.path(), "it has more than four axes and one of channels");
        if (axis < 5 || length > 1)
            header.axes.push_back({length, static_cast<AxisRole>(axis - 1)});
    }
}

// A symmetric matrix lies as its lower triangle in the file and becomes its upper one, as in other
// formats: xx, xy, xz, yy, yz, zz.
std::vector<int> order_of_channels(const NiftiFields& fields, int channels) {
    int rank = 1;
    while (rank * (rank + 1) / 2 < channels) ++rank;
    if (fields.intent() != nifti_intent_symmetric_matrix || rank * (rank + 1) / 2 != channels)
        return {};
    std::vector<int> order;
    for (int row = 0; row < rank; ++row)
        for (int column = 0; column <= row; ++column)
            order.push_back(column * rank - column * (column - 1) / 2 + row - column);
    return order;
}

// What several channels are, by the intents of nifti1.h.
void take_intent(const NiftiFields& fields, int channels, VolumeHeader& header) {
    const int intent = fields.intent();
    const bool is_rgba = intent == nifti_intent_rgba || fields.intent_name() == nifti_name_rgba;
    header.has_alpha = is_rgba && channels == 4;
    header.channel_order = order_of_channels(fields, channels);
    if (intent == nifti_intent_vectors && !is_rgba)
        header.meaning = ChannelMeaning::vectors;
    else if (intent != nifti_intent_none && intent != nifti_intent_rgb && !is_rgba)
        header.meaning = ChannelMeaning::other;
    if (intent == nifti_intent_none && channels == 3)
        header.warnings.push_back(
            "the NIfTI header does not say what its 3 channels are; they are taken as red, green "
            "and blue");
}

// "DATA SCALING" in nifti1.h: a slope of zero says that there is none, and colors have none.
// Programs also write NaN for none.
ValueScaling scaling_of(const InputFile& file, const NiftiFields& fields) {
    const double slope = fields.real(fields.at().scl_slope),
                 intercept = fields.real(fields.at().scl_inter);
    if (slope == 0 || std::isnan(slope)) return {};
    if (!std::isfinite(slope) || !std::isfinite(intercept))
        throw unreadable(file.path(),
                         "its NIfTI header gives no valid scaling (scl_slope, scl_inter)");
    return {slope, intercept};
}

bool ends_with(const std::string& name, std::string_view suffix) {
    return name.size() > suffix.size() &&
           std::equal(suffix.begin(), suffix.end(), name.end() - std::ssize(suffix),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
}

// The file beside `path` that has `to` in place of the suffix `from`; compressed or not, as `path`
// is where both are there. Nothing where the suffix is another.
std::optional<fs::path> partner(const fs::path& path, std::string_view from, std::string to) {
    std::string name = path.string();
    const bool packed = ends_with(name, ".gz");
    if (packed) name.resize(name.size() - 3);
    if (!ends_with(name, from)) return std::nullopt;
    if (name[name.size() - 2] < 'a')  // capitals
        for (char& c : to) c = c == '.' ? c : static_cast<char>(c - 32);
    name.replace(name.size() - from.size(), from.size(), to);
    const fs::path same = packed ? name + ".gz" : name, other = packed ? name : name + ".gz";
    std::error_code ignored;
    return !fs::exists(same, ignored) && fs::exists(other, ignored) ? other : same;
}

// The first bytes of the file, unpacked where it is compressed.
std::vector<std::uint8_t> head_of(const InputFile& file, bool& packed) {
    std::vector<std::uint8_t> head = file.head(longest_nifti_header);
    packed = head.size() > 1 && head[0] == 0x1f && head[1] == 0x8b;
    return packed ? inflate_head(file, 0, longest_nifti_header) : head;
}

// Whether the head is that of a NIfTI file, of a pair or not. Throws for its relatives.
bool is_header(const InputFile& file, const NiftiFields& fields) {
    if (!fields.found()) return false;
    if (!fields.complete())
        throw unreadable(file.path(), "it is truncated inside its NIfTI header");
    if (fields.is_single() || fields.is_pair()) return true;
    if (fields.is_nifti2())
        throw unreadable(file.path(),
                         "the mark of its NIfTI-2 header is damaged, as by a transfer as text");
    throw unsupported(file.path(),
                      "it may be an Analyze 7.5 header, which does not say where left and right "
                      "are; convert it to NIfTI");
}

// The type of the numbers, the axes and what scales the values.
void parse_numbers(const InputFile& file, const NiftiFields& fields, VolumeHeader& header) {
    const int datatype = fields.datatype(), bitpix = fields.bitpix();
    const NumberOfType number = number_of(file, datatype);
    header.type = number.number;
    header.big_endian = fields.big_endian();
    header.has_alpha = datatype == type_rgba;
    const int bits = 8 * number_bytes(number.number) * number.channels;
    if (bitpix != bits)
        header.warnings.push_back("the NIfTI header gives " + std::to_string(bitpix) +
                                  " bits (bitpix) for data type " + std::to_string(datatype) +
                                  ", which has " + std::to_string(bits));
    parse_axes(file, fields, number.channels, header);
    if (number.channels > 1) return;
    header.scaling = scaling_of(file, fields);
    take_intent(fields, header.shape().channels, header);
}

// Four bytes behind the header tell whether it has extensions. Where it names no place behind
// itself, the length of the file tells whether those four are there.
std::int64_t place_behind_header(const InputFile& file, std::size_t header_end, bool packed,
                                 std::int64_t stated, VolumeHeader& header) {
    const std::size_t extension_end = header_end + 4;
    header.warnings.push_back("the NIfTI header does not say where its voxels begin (vox_offset " +
                              std::to_string(stated) + "); they are read from behind it");
    const std::int64_t most = static_cast<std::int64_t>(extension_end) + header.data_bytes();
    if ((packed ? Inflater(file, 0).skip(most) : file.size()) < most)
        return static_cast<std::int64_t>(header_end);
    const auto head = packed ? inflate_head(file, 0, extension_end) : file.head(extension_end);
    if (head[header_end] != 0)
        throw unsupported(file.path(),
                          "its NIfTI header has extensions but does not say where its "
                          "voxels begin (vox_offset)");
    return static_cast<std::int64_t>(extension_end);
}

void locate_data(const InputFile& file, const NiftiFields& fields, bool packed,
                 VolumeHeader& header) {
    const double offset = fields.vox_offset();
    const std::size_t header_bytes = fields.at().header_bytes;
    if (!(offset >= 0 && offset < 1e9))
        throw unreadable(file.path(), "its NIfTI header gives no valid place of the data");
    auto begin = static_cast<std::int64_t>(offset);
    header.data_file = nifti_data_file(file);
    if (header.data_file != file.path()) {
        open_data(file, header.data_file);
        packed = ends_with(header.data_file.string(), ".gz");
    } else if (begin < static_cast<std::int64_t>(header_bytes)) {
        begin = place_behind_header(file, header_bytes, packed, begin, header);
    }
    if (packed) header.encoding = DataEncoding::gzip;
    (packed ? header.skipped_bytes : header.data_offset) = begin;
}

}  // namespace

std::optional<fs::path> find_nifti_header(const InputFile& file) {
    bool packed = false;
    const std::vector<std::uint8_t> head = head_of(file, packed);
    const NiftiFields fields(head);
    const auto header = partner(file.path(), ".img", ".hdr");
    std::error_code ignored;
    const bool is_single = fields.found() && fields.complete() && fields.is_single();
    if (!header || !fs::is_regular_file(*header, ignored) || is_single)
        return is_header(file, fields) ? std::optional(file.path()) : std::nullopt;
    const InputFile other(*header);
    const std::vector<std::uint8_t> other_head = head_of(other, packed);
    return is_header(other, NiftiFields(other_head)) ? header : std::nullopt;
}

fs::path nifti_data_file(const InputFile& file) {
    bool packed = false;
    const std::vector<std::uint8_t> head = head_of(file, packed);
    if (!NiftiFields(head).is_pair()) return file.path();
    const auto data = partner(file.path(), ".hdr", ".img");
    return data ? *data : fs::path(file.path()).replace_extension(".img");
}

VolumeHeader parse_nifti(const InputFile& file) {
    VolumeHeader header;
    bool packed = false;
    const std::vector<std::uint8_t> head = head_of(file, packed);
    const NiftiFields fields(head);
    header.format = fields.is_nifti2() ? "NIfTI-2" : "NIfTI";
    parse_numbers(file, fields, header);
    parse_nifti_geometry(file, fields, header);
    locate_data(file, fields, packed, header);
    return header;
}

}  // namespace tesela::io
