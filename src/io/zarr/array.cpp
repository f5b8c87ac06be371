// What describes an array: .zarray of format 2, zarr.json of format 3.
#include "io/zarr/array.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/numpy.h"
#include "io/zarr/metadata.h"

namespace tesela::io::zarr {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<std::int64_t>;

// A sentence about an array is one about a file.
UnsupportedFormat not_taken(const Store& store, const Array& array, const std::string& reason) {
    return unsupported(store.path(), "its array '" + printable(array.name) + "' " + reason);
}

UnsupportedFormat unknown_type(const Store& store, const Array& array, const Json& type) {
    return not_taken(
        store, array,
        "has numbers of the type " + printable(type.dump()) + ", which is not supported");
}

std::string name_of(const Json& json, const char* key) {
    return json.is_object() && json.contains(key) ? json.at(key).get<std::string>() : json.dump();
}

Packing packing_of(const Store& store, const Array& array, const std::string& name) {
    constexpr std::pair<std::string_view, Packing> known[] = {{"zlib", Packing::zlib},
                                                              {"gzip", Packing::gzip},
                                                              {"zstd", Packing::zstd},
                                                              {"blosc", Packing::blosc}};
    for (const auto& [word, packing] : known)
        if (name == word) return packing;
    throw not_taken(store, array,
                    "is packed by '" + printable(name) +
                        "', which is not supported; write it with blosc, zstd, zlib or gzip");
}

std::optional<NumberType> number_type(std::string_view name) {
    constexpr std::pair<std::string_view, NumberType> known[] = {
        {"u1", NumberType::u8},      {"i1", NumberType::i8},       {"u2", NumberType::u16},
        {"i2", NumberType::i16},     {"u4", NumberType::u32},      {"i4", NumberType::i32},
        {"u8", NumberType::u64},     {"i8", NumberType::i64},      {"f4", NumberType::f32},
        {"f8", NumberType::f64},     {"b1", NumberType::u8},       {"uint8", NumberType::u8},
        {"int8", NumberType::i8},    {"uint16", NumberType::u16},  {"int16", NumberType::i16},
        {"uint32", NumberType::u32}, {"int32", NumberType::i32},   {"uint64", NumberType::u64},
        {"int64", NumberType::i64},  {"float32", NumberType::f32}, {"float64", NumberType::f64},
        {"bool", NumberType::u8}};
    for (const auto& [word, type] : known)
        if (name == word) return type;
    return {};
}

template <class T>
T fill_value(const Json& json) {
    if (json.is_null()) return T{};
    if (json.is_boolean()) return static_cast<T>(json.get<bool>());
    if constexpr (std::is_floating_point_v<T>) {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        if (json == "NaN") return std::numeric_limits<T>::quiet_NaN();
        if (json == "Infinity") return infinity;
        if (json == "-Infinity") return -infinity;
        if (json.is_number()) return json.get<T>();
    } else if (json.is_number()) {
        if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>()))
            return static_cast<T>(json.get<std::uint64_t>());
        if (json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>()))
            return static_cast<T>(json.get<std::int64_t>());
        // Some write 0.0 for whole numbers.
        if (json.is_number_float() && json.get<double>() == 0) return T{};
    }
    throw InvalidArgument("its fill value " + printable(json.dump()) + " is none of its type");
}

Bytes fill_bytes(NumberType type, const Json& json) {
    return with_type(type, [&]<class T>(T) {
        const auto raw = std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(fill_value<T>(json));
        return Bytes(raw.begin(), raw.end());
    });
}

// Lengths of the file's axes, and how the numbers of a chunk follow each other: `order` has the
// axes of the array, the slowest first.
void set_lengths(const Store& store, const Numbers& shape, const Numbers& chunk,
                 const std::vector<std::size_t>& order, Array& array) {
    if (array.axes.empty()) array.axes = guessed_numpy_axes(shape);
    if (array.axes.empty())
        throw not_taken(store, array, "has " + std::to_string(shape.size()) + " axes");
    if (shape.size() != array.axes.size() || chunk.size() != shape.size())
        throw InvalidArgument("it has " + std::to_string(shape.size()) + " axes, chunks of " +
                              std::to_string(chunk.size()) + " and " +
                              std::to_string(array.axes.size()) + " names of axes");
    constexpr std::int64_t longest = 0x7fffffff;
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::size_t from = order[i], to = axis_letters.find(array.axes[from]);
        if (shape[from] < 1 || shape[from] > longest || chunk[from] < 1 ||
            chunk[from] > longest / (stride * number_bytes(array.type)))
            throw InvalidArgument("it claims " + std::to_string(shape[from]) +
                                  " points along an axis and chunks of " +
                                  std::to_string(chunk[from]));
        array.shape[to] = shape[from];
        array.chunk[to] = chunk[from];
        array.strides[to] = stride;
        stride *= chunk[from];
    }
}

std::vector<std::size_t> plain_order(std::size_t axes) {
    std::vector<std::size_t> order(axes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

// ---- format 2 -----------------------------------------------------------------------------------

void parse_format_2(const Store& store, const Json& json, Array& array) {
    if (json.at("zarr_format") != 2) throw InvalidArgument("'zarr_format' is not 2");
    const Json& dtype = json.at("dtype");
    const std::string type = dtype.is_string() ? dtype.get<std::string>() : std::string();
    const auto number = type.size() > 1 ? number_type(std::string_view(type).substr(1))
                                        : std::optional<NumberType>();
    if (!number || std::string_view("<>|").find(type[0]) == std::string_view::npos)
        throw unknown_type(store, array, dtype);
    array.type = *number;
    array.big_endian = type[0] == '>';
    const Json& filters = json.at("filters");
    if (!filters.is_null() && !filters.empty())
        throw not_taken(store, array,
                        "has the filter '" + printable(name_of(filters.front(), "id")) +
                            "', which is not supported");
    const Json& compressor = json.at("compressor");
    if (!compressor.is_null())
        array.codec.packing = packing_of(store, array, name_of(compressor, "id"));
    const auto shape = whole_numbers<std::int64_t>(json.at("shape"), "shape");
    std::vector<std::size_t> order = plain_order(shape.size());
    if (json.at("order") == "F") std::reverse(order.begin(), order.end());
    set_lengths(store, shape, whole_numbers<std::int64_t>(json.at("chunks"), "chunks"), order,
                array);
    array.fill = fill_bytes(array.type, json.at("fill_value"));
    const std::string separator = json.value("dimension_separator", ".");
    if (separator != "." && separator != "/")
        throw InvalidArgument("'dimension_separator' is neither '.' nor '/'");
    array.separator = separator[0];
    array.key_prefix = key_in(array.name, "");
}

// ---- format 3 -----------------------------------------------------------------------------------

// An object of configuration, which may be left out.
Json configuration_of(const Json& json) { return json.value("configuration", Json::object()); }

// Of all codecs, which stand in the order of packing. Gives the order of the axes in a chunk.
std::vector<std::size_t> parse_codecs(const Store& store, const Json& codecs, std::size_t axes,
                                      Array& array) {
    std::vector<std::size_t> order = plain_order(axes);
    bool has_bytes = false;
    for (const Json& codec : codecs) {
        const std::string name = (codec.is_string() ? codec : codec.at("name")).get<std::string>();
        const Json configuration = codec.is_string() ? Json::object() : configuration_of(codec);
        ChunkCodec& chosen = array.codec;
        if (name == "transpose" && !has_bytes) {
            const auto numbers = whole_numbers<std::uint32_t>(configuration.at("order"), "order");
            order.assign(numbers.begin(), numbers.end());
            std::vector<std::size_t> sorted = order;
            std::sort(sorted.begin(), sorted.end());
            if (sorted != plain_order(axes)) throw InvalidArgument("'order' is none of its axes");
        } else if (name == "bytes" && !has_bytes) {
            has_bytes = true;
            array.big_endian = configuration.value("endian", "little") == "big";
        } else if (name == "crc32c" && has_bytes && !chosen.packed_checksum) {
            if (chosen.packing == Packing::none && !chosen.unpacked_checksum)
                chosen.unpacked_checksum = true;
            else
                chosen.packed_checksum = true;
        } else if (has_bytes && chosen.packing == Packing::none && !chosen.packed_checksum) {
            chosen.packing = packing_of(store, array, name);
        } else {
            throw not_taken(store, array,
                            "has the codec '" + printable(name) + "' where it is not supported");
        }
    }
    if (!has_bytes) throw InvalidArgument("its codecs make no bytes");
    return order;
}

// The configuration of shards where they are the one codec, else nothing.
Json sharding_of(const Json& codecs) {
    if (codecs.size() != 1 || !codecs.front().is_object() ||
        codecs.front().at("name") != "sharding_indexed")
        return {};
    return codecs.front().at("configuration");
}

// The lengths along the axes of the array, whose axes are known.
Lengths along_axes(const Numbers& numbers, const Array& array) {
    Lengths lengths{1, 1, 1, 1, 1};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        lengths[axis_letters.find(array.axes[i])] = numbers[i];
    return lengths;
}

// Of shards as long as `outer` along the axes, in which chunks lie in the order of these.
void set_shards(const Store& store, const Json& configuration, const Numbers& outer, Array& array) {
    ShardForm form;
    const std::string place = configuration.value("index_location", "end");
    form.index_first = place == "start";
    if (!form.index_first && place != "end")
        throw InvalidArgument("'index_location' is neither 'start' nor 'end'");
    for (const Json& codec : configuration.at("index_codecs")) {
        const std::string name = (codec.is_string() ? codec : codec.at("name")).get<std::string>();
        const bool is_little =
            codec.is_string() || configuration_of(codec).value("endian", "little") == "little";
        const bool is_plain = name == "bytes" && is_little && !form.index_checksum;
        if (!is_plain && (name != "crc32c" || form.index_checksum))
            throw not_taken(store, array,
                            "has shards with the codec '" + printable(name) +
                                "' in their index, which is not supported there");
        form.index_checksum |= name == "crc32c";
    }
    if (outer.size() != array.axes.size())
        throw InvalidArgument("its shards have " + std::to_string(outer.size()) + " axes");
    const Lengths lengths = along_axes(outer, array);
    for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
        array.in_shard[axis] = lengths[axis] / array.chunk[axis];
        if (lengths[axis] < 1 || lengths[axis] % array.chunk[axis] != 0 ||
            array.in_shard[axis] > most_in_shard / form.chunks)
            throw InvalidArgument("its shards of " + std::to_string(lengths[axis]) +
                                  " points along an axis are none of whole chunks, or too many");
        form.chunks *= array.in_shard[axis];
    }
    array.shards = std::make_shared<Shards>(form);
}

void parse_format_3(const Store& store, const Json& json, Array& array) {
    if (json.at("zarr_format") != 3 || json.at("node_type") != "array")
        throw InvalidArgument("it is no array of 'zarr_format' 3");
    const Json& type = json.at("data_type");
    const auto number =
        type.is_string() ? number_type(type.get<std::string>()) : std::optional<NumberType>();
    if (!number) throw unknown_type(store, array, type);
    array.type = *number;
    const Json& grid = json.at("chunk_grid");
    if (grid.at("name") != "regular")
        throw not_taken(store, array, "has chunks of several sizes, which are not supported");
    const auto shape = whole_numbers<std::int64_t>(json.at("shape"), "shape");
    const auto chunk_shape = [](const Json& configuration) {
        return whole_numbers<std::int64_t>(configuration.at("chunk_shape"), "chunk_shape");
    };
    const Numbers outer = chunk_shape(configuration_of(grid));
    const Json sharding = sharding_of(json.at("codecs"));
    const Json& codecs = sharding.is_null() ? json.at("codecs") : sharding.at("codecs");
    const auto order = parse_codecs(store, codecs, shape.size(), array);
    set_lengths(store, shape, sharding.is_null() ? outer : chunk_shape(sharding), order, array);
    if (!sharding.is_null()) set_shards(store, sharding, outer, array);
    array.fill = fill_bytes(array.type, json.at("fill_value"));
    const Json& keys = json.at("chunk_key_encoding");
    const bool plain = keys.at("name") == "v2";
    if (!plain && keys.at("name") != "default")
        throw not_taken(store, array, "names its chunks in a way that is not supported");
    const std::string separator = configuration_of(keys).value("separator", plain ? "." : "/");
    if (separator != "." && separator != "/")
        throw InvalidArgument("'separator' is neither '.' nor '/'");
    array.separator = separator[0];
    array.key_prefix = key_in(array.name, plain ? "" : "c" + separator);
}

}  // namespace

std::int64_t Array::chunk_bytes() const {
    std::int64_t bytes = number_bytes(type);
    for (const std::int64_t length : chunk) bytes *= length;
    return bytes;
}

Shape Array::image_shape() const {
    return {shape[4], shape[3], shape[2], shape[0], static_cast<int>(shape[1])};
}

PixelType Array::pixel_type() const {
    return with_type(type, []<class T>(T) {
        if constexpr (std::is_same_v<T, std::uint64_t>)
            return PixelType::u32;
        else if constexpr (std::is_same_v<T, std::int64_t>)
            return PixelType::i32;
        else
            return pixel_type_of<T>();
    });
}

Array read_array(const Store& store, const std::string& group, const std::string& axes) {
    Array array;
    array.name = group;
    array.axes = axes;
    std::string key = key_in(group, ".zarray");
    auto json = find_json(store, key);
    const bool is_format_2 = json.has_value();
    if (!json) json = find_json(store, key = key_in(group, "zarr.json"));
    if (!json) throw unreadable(store.path(), "it has no array '" + printable(group) + "'");
    return from_json(store.path() / key, *json, [&](const Json& description) {
        if (is_format_2)
            parse_format_2(store, description, array);
        else
            parse_format_3(store, description, array);
        return array;
    });
}

}  // namespace tesela::io::zarr
