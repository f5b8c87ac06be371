// The text headers of NRRD (teem.sourceforge.net/nrrd/format.html) and MetaImage.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "io/volume.h"

namespace tesela::io {
namespace {

using Fields = std::map<std::string, std::string>;

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == text.npos) return "";
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}
std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

// The lines of a text header, with the place behind the last one given.
class HeaderLines {
  public:
    explicit HeaderLines(const InputFile& file) : file_(file), text_(file.head(longest_header)) {}

    std::int64_t offset() const { return static_cast<std::int64_t>(at_); }
    bool at_end() const { return at_ >= text_.size(); }

    // Throws UnreadableInput where the line is not text or is longer than the libraries take.
    std::string next() {
        const auto end =
            std::find(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), '\n');
        const std::string line(text_.begin() + static_cast<std::ptrdiff_t>(at_), end);
        const bool is_text = std::all_of(line.begin(), line.end(), [](char c) {
            return c == '\t' || c == '\r' || (static_cast<unsigned char>(c) >= 32 && c != 127);
        });
        if (!is_text || line.size() > longest_line)
            throw unreadable(file_.path(), "its header is damaged");
        at_ += line.size() + 1;
        return line;
    }

  private:
    static constexpr std::size_t longest_header = 1 << 18, longest_line = 1000;

    const InputFile& file_;
    std::vector<std::uint8_t> text_;
    std::size_t at_ = 0;
};

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> result;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \t", at)) != text.npos) {
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        result.push_back(text.substr(at, end - at));
        at = end;
    }
    return result;
}

std::optional<std::int64_t> integer(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// A header's fields, with errors that name the file.
class FieldReader {
  public:
    FieldReader(const InputFile& file, std::string format)
        : file_(file), format_(std::move(format)) {}

    Fields fields;

    UnreadableInput damaged(const std::string& name) const {
        return unreadable(file_.path(), "its " + format_ + " header has no valid '" + name + "'");
    }
    const std::string* find(const std::string& name) const {
        const auto at = fields.find(name);
        return at == fields.end() ? nullptr : &at->second;
    }
    const std::string& get(const std::string& name) const {
        const std::string* value = find(name);
        if (!value || value->empty()) throw damaged(name);
        return *value;
    }
    std::int64_t number(const std::string& name) const {
        const auto value = integer(get(name));
        if (!value) throw damaged(name);
        return *value;
    }
    std::int64_t number_or(const std::string& name, std::int64_t otherwise) const {
        return find(name) ? number(name) : otherwise;
    }
    // The product of `count` lengths.
    std::int64_t points(const std::string& name, std::int64_t count) const {
        const std::vector<std::string> lengths = words(get(name));
        if (static_cast<std::int64_t>(lengths.size()) != count) throw damaged(name);
        std::int64_t product = 1;
        for (const std::string& word : lengths) {
            const auto length = integer(word);
            if (!length || *length < 1 || *length > 0x7fffffff) throw damaged(name);
            if (product > (std::int64_t{1} << 50) / *length)
                throw unreadable(file_.path(), "its header claims an enormous image");
            product *= *length;
        }
        return product;
    }
    // Exactly `count` finite numbers, where the field is there.
    void check_numbers(const std::string& name, std::int64_t count) const {
        const std::string* value = find(name);
        if (!value) return;
        const std::vector<std::string> list = words(*value);
        if (static_cast<std::int64_t>(list.size()) != count) throw damaged(name);
        for (const std::string& word : list) {
            double number = 0;
            const char* end = word.data() + word.size();
            const auto result = std::from_chars(word.data(), end, number);
            if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(number))
                throw damaged(name);
        }
    }

  private:
    const InputFile& file_;
    std::string format_;
};

int nrrd_type_bytes(const std::string& type) {
    static const std::map<std::string, int> bytes = {{"signed char", 1},
                                                     {"int8", 1},
                                                     {"int8_t", 1},
                                                     {"uchar", 1},
                                                     {"unsigned char", 1},
                                                     {"uint8", 1},
                                                     {"uint8_t", 1},
                                                     {"short", 2},
                                                     {"short int", 2},
                                                     {"signed short", 2},
                                                     {"signed short int", 2},
                                                     {"int16", 2},
                                                     {"int16_t", 2},
                                                     {"ushort", 2},
                                                     {"unsigned short", 2},
                                                     {"unsigned short int", 2},
                                                     {"uint16", 2},
                                                     {"uint16_t", 2},
                                                     {"int", 4},
                                                     {"signed int", 4},
                                                     {"int32", 4},
                                                     {"int32_t", 4},
                                                     {"uint", 4},
                                                     {"unsigned int", 4},
                                                     {"uint32", 4},
                                                     {"uint32_t", 4},
                                                     {"longlong", 8},
                                                     {"long long", 8},
                                                     {"long long int", 8},
                                                     {"signed long long", 8},
                                                     {"signed long long int", 8},
                                                     {"int64", 8},
                                                     {"int64_t", 8},
                                                     {"ulonglong", 8},
                                                     {"unsigned long long", 8},
                                                     {"unsigned long long int", 8},
                                                     {"uint64", 8},
                                                     {"uint64_t", 8},
                                                     {"float", 4},
                                                     {"double", 8}};
    const auto at = bytes.find(type);
    return at == bytes.end() ? 0 : at->second;
}

// Checks the numeric fields whose damage the library below ITK does not survive or notice.
void check_nrrd_numbers(const FieldReader& f, std::int64_t dimension) {
    for (const char* name : {"spacings", "thicknesses", "axis mins", "axis maxs"}) {
        if (!f.find(name)) continue;
        // "nan" stands for an axis without the quantity.
        if (static_cast<std::int64_t>(words(*f.find(name)).size()) != dimension)
            throw f.damaged(name);
    }
    for (const char* name : {"kinds", "centers", "centerings"})
        if (f.find(name) && static_cast<std::int64_t>(words(*f.find(name)).size()) != dimension)
            throw f.damaged(name);
}

// Whether the numbers of a pixel lie apart. ITK brings them together in a copy.
bool has_planes(const FieldReader& f) {
    if (!f.find("kinds")) return false;
    const std::vector<std::string> kinds = words(lower(*f.find("kinds")));
    return std::any_of(kinds.begin() + 1, kinds.end(), [](const std::string& kind) {
        return kind != "domain" && kind != "space" && kind != "time" && kind != "none" &&
               kind != "???";
    });
}

Unit nrrd_unit(const FieldReader& f) {
    const std::string* marked = f.find(std::string(no_spacing_key) + ":=");
    if (marked && *marked == no_spacing_value) return Unit::unknown;
    if (!f.find("spacings") && !f.find("space directions")) return Unit::unknown;
    for (const char* name : {"space units", "units"}) {
        if (!f.find(name)) continue;
        const std::string units = lower(*f.find(name));
        for (const char* micro :
             {"\"um\"", "\"microns\"", "\"micron\"", "\"micrometers\"", "\"µm\""})
            if (units.find(micro) != units.npos) return Unit::micrometer;
    }
    return Unit::millimeter;
}

fs::path data_path(const InputFile& file, const std::string& name, const std::string& format) {
    if (name.find('%') != name.npos || name.rfind("LIST", 0) == 0)
        throw unsupported(file.path(),
                          "its pixels lie in several files, which is not supported for " + format);
    const fs::path path(name);
    return path.is_absolute() ? path : file.path().parent_path() / path;
}

// Fills the fields; returns the place behind the header.
std::int64_t read_nrrd_fields(const InputFile& file, FieldReader& f) {
    HeaderLines lines(file);
    const std::string magic = trimmed(lines.next());
    if (magic.size() != 8 || magic[7] < '1' || magic[7] > '5')
        throw unsupported(file.path(), "its NRRD version is not known");
    while (!lines.at_end()) {
        const std::string line = trimmed(lines.next());
        if (line.empty()) return lines.offset();
        if (line[0] == '#') continue;
        const std::size_t key = line.find(":="), field = line.find(": ");
        if (key != line.npos && key < field) {
            f.fields[line.substr(0, key) + ":="] = line.substr(key + 2);
            continue;
        }
        if (field == line.npos) throw unreadable(file.path(), "its NRRD header is damaged");
        const std::string name = lower(line.substr(0, field));
        if (!f.fields.emplace(name, trimmed(line.substr(field + 2))).second) throw f.damaged(name);
    }
    return file.size();
}

std::optional<fs::path> nrrd_data_file(const InputFile& file, const FieldReader& f) {
    for (const char* name : {"datafile", "data file"})
        if (f.find(name)) return data_path(file, f.get(name), "NRRD");
    return std::nullopt;
}

}  // namespace

fs::path nrrd_data_file(const InputFile& file) {
    FieldReader f(file, "NRRD");
    read_nrrd_fields(file, f);
    return nrrd_data_file(file, f).value_or(file.path());
}

VolumeHeader parse_nrrd(const InputFile& file) {
    FieldReader f(file, "NRRD");
    VolumeHeader header;
    header.format = "NRRD";
    header.data_file = file.path();
    header.data_offset = read_nrrd_fields(file, f);
    if (const auto other = nrrd_data_file(file, f)) {
        header.data_file = *other;
        header.data_offset = 0;
    }
    const std::int64_t dimension = f.number("dimension");
    if (dimension < 2 || dimension > 5)
        throw unsupported(file.path(), "NRRD images of " + std::to_string(dimension) +
                                           " dimensions are not supported");
    const std::string type = lower(f.get("type"));
    const int bytes = nrrd_type_bytes(type);
    if (bytes == 0)
        throw unsupported(file.path(), "its NRRD type '" + printable(type) + "' is not supported");
    header.data_bytes = f.points("sizes", dimension) * bytes;
    check_nrrd_numbers(f, dimension);
    if (has_planes(f)) header.work_bytes = header.data_bytes;
    const std::string endian = f.find("endian") ? lower(f.get("endian")) : "";
    if (endian != "little" && endian != "big" && !(endian.empty() && bytes == 1))
        throw f.damaged("endian");
    for (const char* name : {"lineskip", "line skip", "byteskip", "byte skip"})
        if (f.find(name) && f.number(name) != 0)
            throw unsupported(file.path(), "NRRD data behind another header are not supported");
    const std::string encoding = lower(f.get("encoding"));
    if (encoding == "gzip" || encoding == "gz")
        header.stream_offset = header.data_offset;
    else if (encoding != "raw")
        throw unsupported(file.path(), "its NRRD encoding '" + printable(encoding) +
                                           "' is not supported; use raw or gzip");
    header.unit = nrrd_unit(f);
    return header;
}

namespace {

int metaimage_type_bytes(const std::string& type) {
    static const std::map<std::string, int> bytes = {
        {"MET_CHAR", 1},  {"MET_UCHAR", 1}, {"MET_SHORT", 2},     {"MET_USHORT", 2},
        {"MET_INT", 4},   {"MET_UINT", 4},  {"MET_LONG_LONG", 8}, {"MET_ULONG_LONG", 8},
        {"MET_FLOAT", 4}, {"MET_DOUBLE", 8}};
    const auto at = bytes.find(type);
    return at == bytes.end() ? 0 : at->second;
}

bool is_true(const FieldReader& f, const std::string& name) {
    const std::string* value = f.find(name);
    return value && !value->empty() &&
           ((*value)[0] == 'T' || (*value)[0] == 't' || (*value)[0] == '1');
}

// Fills the fields; returns the place behind the header.
std::int64_t read_metaimage_fields(const InputFile& file, FieldReader& f) {
    HeaderLines lines(file);
    while (!lines.at_end()) {
        const std::string line = lines.next();
        const std::size_t equals = line.find('=');
        if (equals == line.npos) {
            if (trimmed(line).empty()) continue;
            throw unreadable(file.path(), "its MetaImage header is damaged");
        }
        const std::string name = trimmed(line.substr(0, equals));
        if (!f.fields.emplace(name, trimmed(line.substr(equals + 1))).second) throw f.damaged(name);
        if (name == "ElementDataFile") return lines.offset();
    }
    throw unreadable(file.path(), "its MetaImage header ends early");
}

void check_metaimage_numbers(const FieldReader& f, std::int64_t dimensions) {
    for (const char* name :
         {"ElementSpacing", "ElementSize", "Offset", "Position", "Origin", "CenterOfRotation"})
        f.check_numbers(name, dimensions);
    for (const char* name : {"TransformMatrix", "Rotation", "Orientation"})
        f.check_numbers(name, dimensions * dimensions);
    for (const char* name : {"ElementMin", "ElementMax", "ElementToIntensityFunctionSlope",
                             "ElementToIntensityFunctionOffset"})
        f.check_numbers(name, 1);
}

std::optional<fs::path> metaimage_data_file(const InputFile& file, const FieldReader& f) {
    const std::string& data = f.get("ElementDataFile");
    if (data == "LOCAL" || data == "Local" || data == "local") return std::nullopt;
    return data_path(file, data, "MetaImage");
}

}  // namespace

fs::path metaimage_data_file(const InputFile& file) {
    FieldReader f(file, "MetaImage");
    read_metaimage_fields(file, f);
    return metaimage_data_file(file, f).value_or(file.path());
}

VolumeHeader parse_metaimage(const InputFile& file) {
    FieldReader f(file, "MetaImage");
    VolumeHeader header;
    header.format = "MetaImage";
    const std::int64_t behind_header = read_metaimage_fields(file, f);
    if (f.find("ObjectType") && f.get("ObjectType") != "Image")
        throw unsupported(file.path(), "it is a MetaIO object but no image");
    const std::int64_t dimensions = f.number("NDims");
    if (dimensions < 2 || dimensions > 4)
        throw unsupported(file.path(), "MetaImages of " + std::to_string(dimensions) +
                                           " dimensions are not supported");
    const int bytes = metaimage_type_bytes(f.get("ElementType"));
    if (bytes == 0)
        throw unsupported(file.path(), "its MetaImage type '" + printable(f.get("ElementType")) +
                                           "' is not supported");
    const std::int64_t channels = f.number_or("ElementNumberOfChannels", 1);
    if (channels < 1 || channels > 0x7fff) throw f.damaged("ElementNumberOfChannels");
    header.data_bytes = f.points("DimSize", dimensions) * channels * bytes;
    check_metaimage_numbers(f, dimensions);
    if (f.find("BinaryData") && !is_true(f, "BinaryData"))
        throw unsupported(file.path(), "MetaImages with pixels as text are not supported");
    if (f.number_or("HeaderSize", 0) != 0)
        throw unsupported(file.path(), "MetaImage data behind another header are not supported");
    const auto other = metaimage_data_file(file, f);
    header.data_file = other.value_or(file.path());
    header.data_offset = other ? 0 : behind_header;
    if (is_true(f, "CompressedData")) {
        header.stream_offset = header.data_offset;
        const std::int64_t packed = f.number_or("CompressedDataSize", 0);
        const InputFile data_file = open_data(file, header.data_file);
        if (packed < 0 || packed > data_file.size() - header.data_offset)
            throw unreadable(file.path(), "the header claims " + std::to_string(packed) +
                                              " compressed bytes, but the data are shorter");
        // MetaIO holds the compressed data as a whole.
        header.work_bytes = packed > 0 ? packed : data_file.size() - header.data_offset;
    }
    const std::string* marked = f.find(no_spacing_key);
    if ((marked && *marked == no_spacing_value) ||
        (!f.find("ElementSpacing") && !f.find("ElementSize")))
        header.unit = Unit::unknown;
    return header;
}

}  // namespace tesela::io
