#include <algorithm>
#include <cmath>

#include "io/json_file.h"
#include "io/text_file.h"
#include "tesela/stain_io.h"

namespace tesela::io {
namespace {

constexpr const char* format_name = "tesela-stains";
constexpr int format_version = 1;

template <std::size_t n>
std::array<double, n> numbers(const Json& json, const std::string& name, double least,
                              double most) {
    const auto list = json.get<std::vector<double>>();
    const auto fits = [&](double number) { return number >= least && number <= most; };
    if (list.size() != n || !std::all_of(list.begin(), list.end(), fits))
        throw InvalidArgument("'" + name + "' is not " + std::to_string(n) + " numbers from " +
                              detail::shown(least) + " to " + detail::shown(most));
    std::array<double, n> values{};
    std::copy(list.begin(), list.end(), values.begin());
    return values;
}

StainMatrix stains_of(const Json& json, const fs::path& path) {
    if (!json.is_object() || json.value("format", "") != format_name)
        throw unsupported(path, "it holds no stains of Tesela");
    if (json.at("version") != format_version)
        throw unsupported(path, "its version is not " + std::to_string(format_version));
    if (json.at("stains").size() != 2) throw InvalidArgument("it does not hold two stains");
    StainMatrix stains;
    for (std::size_t i = 0; i < 2; ++i) {
        stains.stains[i] = numbers<3>(json["stains"][i], "stains", -1, 1);
        const auto& [r, g, b] = stains.stains[i];
        if (std::abs(std::hypot(r, g, b) - 1) > 1e-3)
            throw InvalidArgument("a stain is no vector of length 1");
    }
    stains.white = numbers<3>(json.at("white"), "white", 0.01, 1);
    stains.strength = numbers<2>(json.at("strength"), "strength", 1e-3, 100);
    return stains;
}

}  // namespace

StainMatrix read_stains(const fs::path& path, const ReadOptions& options) {
    StainMatrix stains;
    with_memory_guard(path, [&] {
        stains = from_json(path, read_json(path, options.max_bytes),
                           [&](const Json& json) { return stains_of(json, path); });
    });
    return stains;
}

void write_stains(const StainMatrix& stains, const fs::path& path, const WriteOptions& options) {
    const Json json{{"format", format_name},
                    {"version", format_version},
                    {"stains", stains.stains},
                    {"white", stains.white},
                    {"strength", stains.strength}};
    with_memory_guard(path, [&] { write_text(json.dump(1) + "\n", path, options.overwrite); });
}

}  // namespace tesela::io
