// The header of NRRD (teem.sourceforge.net/nrrd/format.html): fields, numbers and where they lie.
// nrrd_geometry.cpp has what they say of axes and space.
#include <algorithm>

#include "io/gzip.h"
#include "io/nrrd.h"

namespace tesela::io {
namespace {

constexpr std::string_view known_fields[] = {"content",
                                             "number",
                                             "type",
                                             "block size",
                                             "dimension",
                                             "space",
                                             "sizes",
                                             "spacings",
                                             "thicknesses",
                                             "axis mins",
                                             "axis maxs",
                                             "space directions",
                                             "centers",
                                             "kinds",
                                             "labels",
                                             "units",
                                             "min",
                                             "max",
                                             "old min",
                                             "old max",
                                             "data file",
                                             "endian",
                                             "encoding",
                                             "line skip",
                                             "byte skip",
                                             "sample units",
                                             "space units",
                                             "space origin",
                                             "measurement frame",
                                             "space dimension"};

std::string without_blanks(std::string_view text) {
    std::string name(text);
    std::erase(name, ' ');
    return name;
}

bool is_known(const std::string& name) {
    return std::find(std::begin(known_fields), std::end(known_fields), name) !=
           std::end(known_fields);
}

// Names are written with and without blanks, in any case.
std::string field_name(const std::string& text) {
    const std::string name = lower(text), joined = without_blanks(name);
    if (joined == "centerings") return "centers";
    for (const std::string_view known : known_fields)
        if (without_blanks(known) == joined) return std::string(known);
    return name;
}

// Fills the fields; returns the place behind the header.
std::int64_t read_fields(const InputFile& file, HeaderFields& f) {
    HeaderLines lines(file);
    const std::string magic = trimmed(lines.next());
    if (magic.size() != 8 || magic[7] < '1' || magic[7] > '5')
        throw unsupported(file.path(), "its NRRD version is not known");
    while (!lines.at_end()) {
        const std::string line = trimmed(lines.next());
        if (line.empty()) return lines.offset();
        if (line[0] == '#') continue;
        const std::size_t key = line.find(":="), colon = line.find(": ");
        if (key != line.npos && key < colon) {
            f.add(line.substr(0, key) + ":=", line.substr(key + 2));
            continue;
        }
        if (colon == line.npos && line.back() == ':') continue;  // a field without a value
        if (colon == line.npos)
            throw unreadable(file.path(), "its NRRD header is damaged: a line without ': '");
        const std::string name = field_name(line.substr(0, colon));
        f.add(name, trimmed(line.substr(colon + 2)));
        // What follows are names of files.
        if (name == "data file" && words(f.get(name))[0] == "LIST") return file.size();
    }
    return file.size();
}

std::optional<NumberType> number_type(const std::string& name) {
    struct Names {
        NumberType type;
        std::string_view names;
    };
    static constexpr Names types[] = {
        {NumberType::i8, "|signed char|int8|int8_t|"},
        {NumberType::u8, "|uchar|unsigned char|uint8|uint8_t|"},
        {NumberType::i16, "|short|short int|signed short|signed short int|int16|int16_t|"},
        {NumberType::u16, "|ushort|unsigned short|unsigned short int|uint16|uint16_t|"},
        {NumberType::i32, "|int|signed int|int32|int32_t|"},
        {NumberType::u32, "|uint|unsigned int|uint32|uint32_t|"},
        {NumberType::i64,
         "|longlong|long long|long long int|signed long long|signed long long int|int64|int64_t|"},
        {NumberType::u64, "|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|"},
        {NumberType::f32, "|float|"},
        {NumberType::f64, "|double|"}};
    for (const Names& type : types)
        if (type.names.find("|" + name + "|") != std::string_view::npos) return type.type;
    return std::nullopt;
}

DataEncoding encoding_of(const InputFile& file, const HeaderFields& f) {
    const std::string name = lower(f.get("encoding"));
    if (name == "raw") return DataEncoding::raw;
    if (name == "gzip" || name == "gz") return DataEncoding::gzip;
    if (name == "text" || name == "txt" || name == "ascii") return DataEncoding::text;
    if (name == "hex") return DataEncoding::hex;
    throw unsupported(file.path(), "its NRRD encoding '" + printable(name.substr(0, 100)) +
                                       "' is not supported; use raw or gzip");
}

bool is_big_endian(const HeaderFields& f, const VolumeHeader& header) {
    if (header.encoding == DataEncoding::text || number_bytes(header.type) == 1) return false;
    const std::string name = lower(f.get("endian"));
    if (name != "little" && name != "big") throw f.damaged("endian");
    return name == "big";
}

std::optional<fs::path> other_data_file(const InputFile& file, const HeaderFields& f) {
    if (!f.find("data file")) return std::nullopt;
    return named_data_file(file, f.get("data file"));
}

// The place behind `lines` lines.
std::int64_t behind_lines(const InputFile& header, const InputFile& data, std::int64_t offset,
                          std::int64_t lines) {
    std::vector<std::uint8_t> piece(1 << 16);
    while (lines > 0) {
        const std::size_t got = data.read_some(offset, piece);
        if (got == 0)
            throw unreadable(header.path(), "its line skip goes beyond the end of the data");
        const auto end = piece.begin() + static_cast<std::ptrdiff_t>(got);
        auto at = piece.begin();
        for (; at != end && lines > 0; ++at) lines -= *at == '\n';
        offset += at - piece.begin();
    }
    return offset;
}

// Bytes before the numbers that end the compressed stream.
std::int64_t bytes_before_the_end(const InputFile& header, const InputFile& data,
                                  std::int64_t offset, std::int64_t needed) {
    Inflater inflater(data, offset);
    constexpr std::int64_t longest = 1 << 24;
    const std::int64_t total = inflater.skip(needed + longest);
    if (!inflater.finished())
        throw unsupported(header.path(), "its byte skip of -1 passes over more than " +
                                             std::to_string(longest) + " compressed bytes");
    if (total < needed)
        throw unreadable(header.path(), "the header claims " + std::to_string(needed) +
                                            " bytes, but its compressed data hold only " +
                                            std::to_string(total));
    return total - needed;
}

// Lines are skipped in the file, then bytes of what it unpacks to; -1: the numbers end the data.
void locate_data(const InputFile& file, const HeaderFields& f, std::int64_t behind_header,
                 VolumeHeader& header) {
    const auto other = other_data_file(file, f);
    header.data_file = other.value_or(file.path());
    header.data_offset = other ? 0 : behind_header;
    const std::int64_t lines = f.whole_number_or("line skip", 0);
    const std::int64_t bytes = f.whole_number_or("byte skip", 0);
    if (lines == 0 && bytes == 0) return;
    const InputFile data = open_data(file, header.data_file);
    const bool packed = header.encoding == DataEncoding::gzip;
    const bool from_end = bytes == -1 && (packed || header.encoding == DataEncoding::raw);
    if (lines < 0) throw f.damaged("line skip");
    if ((bytes < 0 && !from_end) || bytes > (packed ? std::int64_t{1} << 50 : data.size()))
        throw f.damaged("byte skip");
    const std::int64_t begin = behind_lines(file, data, header.data_offset, lines);
    header.data_offset = begin;
    if (packed) {
        header.skipped_bytes =
            from_end ? bytes_before_the_end(file, data, begin, header.data_bytes()) : bytes;
        return;
    }
    header.data_offset = from_end ? data.size() - header.data_bytes() : begin + bytes;
    if (header.data_offset < begin)
        throw unreadable(file.path(), "the header claims " + std::to_string(header.data_bytes()) +
                                          " bytes of pixels, but the file has only " +
                                          std::to_string(data.size() - begin));
}

void warn_of_unused(const HeaderFields& f, VolumeHeader& header) {
    for (const auto& [name, value] : f.all())
        if (!name.ends_with(":=") && !is_known(name))
            header.warnings.push_back("the NRRD field '" + printable(name.substr(0, 100)) +
                                      "' is not known and not used");
    if (f.find("old min") || f.find("old max"))
        header.warnings.push_back(
            "the NRRD header gives the range before its numbers were quantized (old min, old "
            "max); values are the stored numbers");
}

}  // namespace

fs::path nrrd_data_file(const InputFile& file) {
    HeaderFields f(file, "NRRD");
    read_fields(file, f);
    return other_data_file(file, f).value_or(file.path());
}

VolumeHeader parse_nrrd(const InputFile& file) {
    HeaderFields f(file, "NRRD");
    VolumeHeader header;
    header.format = "NRRD";
    const std::int64_t behind_header = read_fields(file, f);
    const std::string type = lower(f.get("type"));
    const auto known = number_type(type);
    if (!known)
        throw unsupported(
            file.path(), "its NRRD type '" + printable(type.substr(0, 100)) + "' is not supported");
    header.type = *known;
    header.encoding = encoding_of(file, f);
    header.big_endian = is_big_endian(f, header);
    parse_nrrd_axes(file, f, header);
    parse_segments(file, f, header);
    warn_of_unused(f, header);
    locate_data(file, f, behind_header, header);
    return header;
}

}  // namespace tesela::io
