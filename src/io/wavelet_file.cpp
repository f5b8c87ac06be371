#include <fstream>
#include <nlohmann/json.hpp>

#include "tesela/error.h"
#include "tesela/wavelet_io.h"

namespace tesela::io {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // as people read it

// FNV-1a of the pixels, which tells coefficients from others of the same size.
std::string fingerprint(const AnyImage& image) {
    std::uint64_t hash = 0xcbf29ce484222325;
    std::visit(
        [&](const auto& pixels) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(pixels.data());
            const std::size_t count = pixels.pixels().size() *
                                      sizeof(typename std::decay_t<decltype(pixels)>::value_type);
            for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
        },
        image);
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; hash >>= 4)
        digits[i] = "0123456789abcdef"[hash & 15];
    return digits;
}

Shape shape_from(const Json& json) {
    return {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>(),
            json.at(2).get<std::int64_t>(), json.at(3).get<std::int64_t>(), json.at(4).get<int>()};
}

}  // namespace

fs::path wavelet_side_file(const fs::path& coefficients) {
    // "a.labels.json" without its two suffixes
    const fs::path stem = labels_side_file(coefficients).stem().stem();
    return coefficients.parent_path() / (stem.string() + ".wavelet.json");
}

std::vector<std::string> write_coefficients(const WaveletCoefficients& given,
                                            const fs::path& path) {
    std::vector<std::string> warnings = write_image(given.values, path);
    const Shape& shape = given.shape;
    const Json json{{"wavelet", enum_name(given.options.wavelet)},
                    {"levels", given.options.levels},
                    {"border", enum_name(given.options.border)},
                    {"shape", {shape.x, shape.y, shape.z, shape.t, shape.channels}},
                    {"pixel_type", pixel_type_name(given.pixel_type)},
                    {"has_alpha", given.has_alpha},
                    {"fingerprint", fingerprint(given.values)}};
    const fs::path side = wavelet_side_file(path);
    std::ofstream out(side);
    out << json.dump(2) << "\n";
    out.close();
    if (!out) throw UnwritableOutput(side.string() + " cannot be written");
    return warnings;
}

WaveletCoefficients coefficients_of(AnyImage image, const fs::path& path) {
    const fs::path side = wavelet_side_file(path);
    std::ifstream in(side);
    if (!in)
        throw UnreadableInput(side.string() +
                              " is missing, which 'tesela wavelet forward' writes beside "
                              "coefficients; without it there is no inverse");
    WaveletCoefficients found;
    std::string written_for;
    try {
        const Json json = Json::parse(in);
        found.options.wavelet = parse_wavelet(json.at("wavelet").get<std::string>());
        found.options.levels = json.at("levels").get<int>();
        found.options.border =
            parse_enum<WaveletBorder>("border", json.at("border").get<std::string>());
        found.shape = shape_from(json.at("shape"));
        validate(found.shape);
        found.pixel_type = tesela::parse_pixel_type(json.at("pixel_type").get<std::string>());
        found.has_alpha = json.at("has_alpha").get<bool>();
        written_for = json.at("fingerprint").get<std::string>();
    } catch (const std::exception& error) {
        throw UnreadableInput(side.string() + " is damaged (" + error.what() +
                              "); make the coefficients again");
    }
    if (written_for != fingerprint(image))
        throw UnreadableInput(side.string() + " was written for other coefficients than " +
                              path.string());
    found.values = std::move(image);
    return found;
}

}  // namespace tesela::io
