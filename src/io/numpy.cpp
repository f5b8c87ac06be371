#include "io/numpy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "io/zip_file.h"

namespace tesela::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t longest_header = 1 << 16;

struct NumpyArray {
    std::string type;  // as in "<f4", without the byte order
    bool big_endian = false, fortran = false;
    std::vector<std::int64_t> shape;
    std::size_t header_bytes = 0;
};

// The dictionary in an array's header, as Python writes it.
class HeaderParser {
  public:
    HeaderParser(const InputFile& file, std::string text) : file_(file), text_(std::move(text)) {}

    NumpyArray parse() const {
        NumpyArray array;
        const std::string_view type = value("descr");
        if (type[0] != '\'' && type[0] != '"')
            throw unsupported(file_.path(), "it is an array of records; save one field of it");
        const std::size_t end = type.find(type[0], 1);
        if (end == type.npos || end < 3) throw damaged("descr");
        array.type = type.substr(2, end - 2);
        const char order = type[1];
        if (std::string_view("<>|=").find(order) == std::string_view::npos) throw damaged("descr");
        array.big_endian =
            order == '>' || (order != '<' && std::endian::native == std::endian::big);
        array.fortran = flag("fortran_order");
        array.shape = lengths();
        return array;
    }

  private:
    UnreadableInput damaged(const std::string& name) const {
        return unreadable(file_.path(), "its NumPy header gives no valid '" + name + "'");
    }

    // What follows the name of a field.
    std::string_view value(const std::string& name) const {
        std::size_t at = text_.find("'" + name + "':");
        if (at == text_.npos) throw damaged(name);
        at = text_.find_first_not_of(' ', at + name.size() + 3);
        if (at == text_.npos) throw damaged(name);
        return std::string_view(text_).substr(at);
    }

    bool flag(const std::string& name) const {
        const std::string_view text = value(name);
        if (text.starts_with("True")) return true;
        if (text.starts_with("False")) return false;
        throw damaged(name);
    }

    std::vector<std::int64_t> lengths() const {
        const std::string_view text = value("shape");
        const std::size_t end = text.find(')');
        if (text[0] != '(' || end == text.npos) throw damaged("shape");
        std::vector<std::int64_t> lengths;
        std::int64_t elements = 1;
        for (std::size_t at = 1; at < end;) {
            if (text[at] == ' ' || text[at] == ',') {
                ++at;
                continue;
            }
            std::int64_t length = 0;
            const std::size_t first = at;
            for (; at < end && text[at] >= '0' && text[at] <= '9' && at - first < 18; ++at)
                length = 10 * length + (text[at] - '0');
            if (at == first || (at < end && text[at] != ',')) throw damaged("shape");
            if (length > std::int64_t{1} << 48 ||
                elements > (std::int64_t{1} << 48) / std::max<std::int64_t>(length, 1))
                throw unreadable(file_.path(), "its NumPy header claims an enormous array");
            elements *= length;
            lengths.push_back(length);
        }
        return lengths;
    }

    const InputFile& file_;
    const std::string text_;
};

// `bytes`: the first ones of the array's file, at most longest_header.
NumpyArray parse_array(const InputFile& file, const Bytes& bytes) {
    constexpr std::size_t magic_bytes = sizeof numpy_magic - 1;
    if (bytes.size() < magic_bytes + 6 || std::memcmp(bytes.data(), numpy_magic, magic_bytes) != 0)
        throw unreadable(file.path(), "it holds no NumPy array");
    const int version = bytes[magic_bytes];
    if (version < 1 || version > 3)
        throw unsupported(file.path(),
                          "its NumPy version " + std::to_string(version) + " is not known");
    const std::size_t front = magic_bytes + (version == 1 ? 4 : 6);
    std::size_t length = bytes[8] + (std::size_t{bytes[9]} << 8);
    if (version > 1) length += (std::size_t{bytes[10]} << 16) + (std::size_t{bytes[11]} << 24);
    if (front + length > bytes.size())
        throw unreadable(file.path(), "its NumPy header is truncated or too long");
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(front);
    NumpyArray array =
        HeaderParser(file, {first, first + static_cast<std::ptrdiff_t>(length)}).parse();
    array.header_bytes = front + length;
    return array;
}

NumberType number_of(const InputFile& file, const std::string& type) {
    static constexpr std::pair<std::string_view, NumberType> types[] = {
        {"b1", NumberType::u8},  {"u1", NumberType::u8},  {"i1", NumberType::i8},
        {"u2", NumberType::u16}, {"i2", NumberType::i16}, {"u4", NumberType::u32},
        {"i4", NumberType::i32}, {"u8", NumberType::u64}, {"i8", NumberType::i64},
        {"f4", NumberType::f32}, {"f8", NumberType::f64}};
    for (const auto& [name, number] : types)
        if (name == type) return number;
    throw unsupported(file.path(), "its NumPy type '" + printable(type.substr(0, 100)) +
                                       "' is not supported; save it as integers or float32");
}

// Type and axes of the image.
void take_array(const InputFile& file, const NumpyArray& array, const std::string& axes,
                VolumeHeader& header) {
    header.type = number_of(file, array.type);
    header.big_endian = array.big_endian;
    if (axes.size() != array.shape.size() || axes.empty())
        throw unsupported(file.path(), "its array of " + std::to_string(array.shape.size()) +
                                           " axes is no image, which has one to five");
    static constexpr AxisRole roles[] = {AxisRole::time, AxisRole::z, AxisRole::y, AxisRole::x,
                                         AxisRole::channel};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t role = numpy_axes.find(axes[i]);
        if (role == numpy_axes.npos || axes.find(axes[i]) != i)
            throw unsupported(file.path(),
                              "its axes '" + printable(axes.substr(0, 20)) +
                                  "' are no image's, which are t, z, y, x and c, each once");
        if (array.shape[i] < 1) throw unreadable(file.path(), "its array is empty");
        if (roles[role] == AxisRole::channel && array.shape[i] > 0x7fff)
            throw unsupported(file.path(),
                              "it has " + std::to_string(array.shape[i]) + " channels");
        header.axes.push_back({array.shape[i], roles[role]});
    }
    if (!array.fortran) std::reverse(header.axes.begin(), header.axes.end());
    const bool may_be_color = header.type == NumberType::u8 || header.type == NumberType::u16;
    header.has_alpha = header.shape().channels == 4 && may_be_color;
}

class NpzParser {
  public:
    explicit NpzParser(const InputFile& file) : file_(file), members_(zip_members(file)) {
        header_.format = "NPZ";
    }

    VolumeHeader parse() {
        const ZipMember& member = image();
        const NumpyArray array = parse_array(file_, zip_head(file_, member, longest_header));
        const auto axes = text("axes");
        take_array(file_, array, axes.value_or(guessed_numpy_axes(array.shape)), header_);
        if (const auto alpha = numbers("alpha"); !alpha.empty()) {
            const int channels = header_.shape().channels;
            header_.has_alpha = alpha[0] != 0 && (channels == 2 || channels == 4);
        }
        parse_geometry();
        header_.data_file = file_.path();
        header_.data_offset = member.offset;
        header_.skipped_bytes = static_cast<std::int64_t>(array.header_bytes);
        header_.checksum = member.checksum;
        if (member.deflated) header_.encoding = DataEncoding::deflate;
        if (member.unpacked != header_.skipped_bytes + header_.data_bytes())
            throw unreadable(file_.path(), "its array does not have the size that it claims");
        return std::move(header_);
    }

  private:
    const ZipMember* find(std::string_view name) const {
        for (const ZipMember& member : members_)
            if (member.name == std::string(name) + ".npy") return &member;
        return nullptr;
    }

    // The array called image, or the only one that is no fact of it.
    const ZipMember& image() const {
        if (const ZipMember* named = find("image")) return *named;
        const ZipMember* only = nullptr;
        for (const ZipMember& member : members_) {
            if (!member.name.ends_with(".npy")) continue;
            const std::string name = member.name.substr(0, member.name.size() - 4);
            if (std::find(std::begin(numpy_facts), std::end(numpy_facts), name) !=
                std::end(numpy_facts))
                continue;
            if (only)
                throw unsupported(file_.path(),
                                  "it holds several arrays ('" + printable(only->name) + "', '" +
                                      printable(member.name) + "'); name the one to read 'image'");
            only = &member;
        }
        if (only) return *only;
        throw unsupported(file_.path(), "it is a zip archive without a NumPy array");
    }

    // The array of a fact, which is short.
    std::optional<std::pair<NumpyArray, Bytes>> fact(const std::string& name) const {
        const ZipMember* member = find(name);
        if (!member) return std::nullopt;
        constexpr std::int64_t most = 4096;
        if (member->unpacked > most) throw wrong(name);
        Bytes bytes = zip_head(file_, *member, most);
        return std::pair{parse_array(file_, bytes), std::move(bytes)};
    }

    UnreadableInput wrong(const std::string& name) const {
        return unreadable(file_.path(), "its array '" + name + "' is not what it should be");
    }

    // Of any numbers; empty where there are none.
    std::vector<double> numbers(const std::string& name) const {
        const auto found = fact(name);
        if (!found) return {};
        const auto& array = found->first;
        const auto& bytes = found->second;
        std::int64_t count = 1;
        for (const std::int64_t length : array.shape) count *= length;
        const NumberType type = number_of(file_, array.type);
        const auto there = static_cast<std::int64_t>(bytes.size() - array.header_bytes);
        const std::int64_t size = number_bytes(type);
        if (count < 1 || there % size != 0 || count != there / size) throw wrong(name);
        std::vector<double> values;
        for (std::size_t at = array.header_bytes; at < bytes.size();
             at += static_cast<std::size_t>(size))
            values.push_back(with_type(type, [&]<class T>(T) {
                std::array<std::uint8_t, sizeof(T)> raw;
                std::memcpy(raw.data(), &bytes[at], sizeof(T));
                if (array.big_endian == (std::endian::native == std::endian::little))
                    std::reverse(raw.begin(), raw.end());
                return static_cast<double>(std::bit_cast<T>(raw));
            }));
        return values;
    }

    // A text of ASCII, which NumPy stores as four bytes a character (U) or one (S).
    std::optional<std::string> text(const std::string& name) const {
        const auto found = fact(name);
        if (!found) return std::nullopt;
        const auto& [array, bytes] = *found;
        const bool wide = array.type.starts_with('U');
        if (!wide && !array.type.starts_with('S')) throw wrong(name);
        std::string text;
        for (std::size_t at = array.header_bytes; at < bytes.size(); ++at)
            if (bytes[at] != 0) text += static_cast<char>(bytes[at]);
        return text;
    }

    void parse_geometry() {
        if (const auto step = numbers("time_step"); !step.empty()) {
            if (!(step[0] > 0) || !std::isfinite(step[0])) throw wrong("time_step");
            header_.geometry.time_step = step[0];
        }
        const auto spacing = numbers("spacing");
        if (spacing.empty()) return;
        const std::string unit = text("unit").value_or("mm");
        if (unit != "mm" && unit != "um") throw wrong("unit");
        header_.geometry.unit = unit == "mm" ? Unit::millimeter : Unit::micrometer;
        if (spacing.size() > 3) throw wrong("spacing");
        VolumeAxes axes;
        for (std::size_t i = 0; i < spacing.size(); ++i) {
            if (!(spacing[i] > 0)) throw wrong("spacing");
            axes.spacing[spacing.size() - 1 - i] = spacing[i];
        }
        const auto origin = numbers("origin"), direction = numbers("direction");
        if (!origin.empty() && origin.size() != 3) throw wrong("origin");
        if (!direction.empty() && direction.size() != 9) throw wrong("direction");
        std::copy(origin.begin(), origin.end(), axes.origin.begin());
        for (std::size_t i = 0; i < direction.size(); ++i)
            axes.directions[i % 3][i / 3] = direction[i];
        set_geometry(file_, axes, header_);
    }

    const InputFile& file_;
    const std::vector<ZipMember> members_;
    VolumeHeader header_;
};

}  // namespace

std::string guessed_numpy_axes(const std::vector<std::int64_t>& lengths) {
    constexpr std::int64_t most_channels = 4;
    const bool has_channels = lengths.size() >= 3 && lengths.back() <= most_channels;
    switch (lengths.size()) {
        case 1:
            return "x";
        case 2:
            return "yx";
        case 3:
            return has_channels ? "yxc" : "zyx";
        case 4:
            return has_channels ? "zyxc" : "tzyx";
        case 5:
            return "tzyxc";
        default:
            return "";
    }
}

VolumeHeader parse_npy(const InputFile& file) {
    VolumeHeader header;
    header.format = "NPY";
    const NumpyArray array = parse_array(file, file.head(longest_header));
    take_array(file, array, guessed_numpy_axes(array.shape), header);
    header.data_file = file.path();
    header.data_offset = static_cast<std::int64_t>(array.header_bytes);
    return header;
}

VolumeHeader parse_npz(const InputFile& file) { return NpzParser(file).parse(); }

}  // namespace tesela::io
