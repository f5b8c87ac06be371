#include "tesela/wavelet_io.h"

#include "core/fingerprint.h"
#include "io/json_file.h"
#include "io/side_file.h"
#include "io/text_file.h"
#include "tesela/wavelet_packet.h"

namespace tesela::io {
namespace {

constexpr const char* format_name = "tesela-wavelet";

// Of the coefficients, and of all that the side file tells of them.
std::string fingerprint(const AnyImage& image, Json side) {
    side.erase("fingerprint");
    detail::Fingerprint sum;
    std::visit(
        [&](const auto& pixels) {
            const std::size_t bytes = pixels.pixels().size() *
                                      sizeof(typename std::decay_t<decltype(pixels)>::value_type);
            sum.add({reinterpret_cast<const unsigned char*>(pixels.data()), bytes});
        },
        image);
    sum.add(side.dump());
    return sum.text();
}

Shape shape_from(const Json& json) {
    const auto lengths = whole_numbers<std::int64_t>(json, "shape");
    if (lengths.size() != 5) throw InvalidArgument("its shape has not five numbers");
    const Shape shape{lengths[0], lengths[1], lengths[2], lengths[3],
                      whole_number<int>(json[4], "shape")};
    validate(shape);
    return shape;
}

WaveletCoefficients described(const Json& json) {
    if (!json.is_object() || json.value("format", "") != format_name)
        throw InvalidArgument(
            "it is of an earlier version, or of another program, and nothing tells whether its "
            "numbers were changed");
    WaveletCoefficients found;
    found.options.wavelet = parse_wavelet(json.at("wavelet").get<std::string>());
    found.options.levels = whole_number<int>(json.at("levels"), "levels");
    found.options.border =
        parse_enum<WaveletBorder>("border", json.at("border").get<std::string>());
    found.shape = shape_from(json.at("shape"));
    found.pixel_type = tesela::parse_pixel_type(json.at("pixel_type").get<std::string>());
    found.has_alpha = json.at("has_alpha").get<bool>();
    if (json.contains("tree"))
        found.leaves =
            packet_leaves(json.at("tree").get<std::string>(), found.shape, found.options.levels);
    return found;
}

}  // namespace

fs::path wavelet_side_file(const fs::path& coefficients) {
    // "a.labels.json" without its two suffixes
    const fs::path stem = labels_side_file(coefficients).stem().stem();
    return coefficients.parent_path() / (stem.string() + ".wavelet.json");
}

std::vector<std::string> write_coefficients(const WaveletCoefficients& given, const fs::path& path,
                                            const WriteOptions& options) {
    std::vector<std::string> warnings = write_image(given.values, path, options);
    const Shape& shape = given.shape;
    Json json{{"format", format_name},
              {"version", 1},
              {"image", name_in_side_file(path)},
              {"wavelet", enum_name(given.options.wavelet)},
              {"levels", given.options.levels},
              {"border", enum_name(given.options.border)},
              {"shape", {shape.x, shape.y, shape.z, shape.t, shape.channels}},
              {"pixel_type", pixel_type_name(given.pixel_type)},
              {"has_alpha", given.has_alpha}};
    if (!given.leaves.empty()) json["tree"] = packet_tree(given);
    json["fingerprint"] = fingerprint(given.values, json);
    write_text(json.dump(2) + "\n", wavelet_side_file(path), true);
    return warnings;
}

WaveletCoefficients coefficients_of(AnyImage image, const fs::path& path) {
    const fs::path side = wavelet_side_file(path);
    std::error_code ignored;
    if (!fs::exists(side, ignored))
        throw unreadable(side,
                         "it is missing, and 'tesela wavelet forward' writes it beside "
                         "coefficients; without it there is no inverse");
    if (!is_side_file_of(side, path))
        throw unreadable(side, "it was written for another image than " + quoted(path));
    constexpr std::int64_t longest = 1 << 20;
    WaveletCoefficients found;
    try {
        const Json json = read_json(side, longest);
        found = from_json(side, json, described);
        if (json.value("fingerprint", "") != fingerprint(image, json))
            throw unreadable(
                side, "it was changed, or written for other coefficients than " + quoted(path));
    } catch (const UnreadableInput& error) {
        throw UnreadableInput(error.what() + std::string("; make the coefficients again"));
    }
    found.values = std::move(image);
    return found;
}

}  // namespace tesela::io
