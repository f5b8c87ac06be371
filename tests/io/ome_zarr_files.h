// Hierarchies of Zarr that are written by hand.
#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "io/support.h"

namespace tesela::io::testing {

using Json = nlohmann::ordered_json;

class OmeZarrFiles : public FileTest {
  protected:
    static Geometry micrometers() {
        Geometry g;
        g.unit = Unit::micrometer;
        g.spacing = {0.47, 1.25, 3.3};
        g.origin = {-91.123456, 126.5, -72.25};
        return g;
    }
    void put(const std::string& name, const Bytes& bytes) {
        fs::create_directories(file(name).parent_path());
        write_bytes(file(name), bytes);
    }
    void put(const std::string& name, const Json& json) {
        const std::string text = json.dump();
        put(name, Bytes(text.begin(), text.end()));
    }
    Json json_at(const std::string& name) const {
        const Bytes bytes = read_bytes(file(name));
        return Json::parse(bytes.begin(), bytes.end());
    }
    // An array of format 2: 3 rows of 4 columns in chunks of 2 x 3, without compression.
    static Json array(const std::string& type) {
        return {{"zarr_format", 2},   {"shape", {3, 4}},   {"chunks", {2, 3}},
                {"dtype", type},      {"order", "C"},      {"compressor", nullptr},
                {"filters", nullptr}, {"fill_value", 200}, {"dimension_separator", "/"}};
    }
    static Json image(const Json& axes, const Json& transforms) {
        const Json dataset{{"path", "0"}, {"coordinateTransformations", transforms}};
        const Json multiscale{
            {"version", "0.4"}, {"axes", axes}, {"datasets", Json::array({dataset})}};
        return {{"multiscales", Json::array({multiscale})}};
    }
    static Json axis(const std::string& name, const std::string& type,
                     const std::string& unit = "") {
        Json made{{"name", name}, {"type", type}};
        if (!unit.empty()) made["unit"] = unit;
        return made;
    }
    static Json rows_and_columns() {
        return {axis("y", "space", "millimeter"), axis("x", "space", "micrometer")};
    }
    static Json scale(const Json& numbers) { return {{"type", "scale"}, {"scale", numbers}}; }

    // Of a folder each of these files is changed in many ways. They have no checksums.
    void expect_mutants_read_or_refused(const std::string& name,
                                        const std::vector<std::string>& parts) {
        const QuietScope quiet;
        std::mt19937 random(11);
        const char* asked = std::getenv("TESELA_MUTATION_ROUNDS");
        const int rounds = asked ? std::atoi(asked) : 500;
        for (const std::string& part : parts) {
            const fs::path path = file(name) / part;
            const Bytes bytes = read_bytes(path);
            for (int round = 0; round < rounds; ++round) {
                Bytes mutant = bytes;
                for (unsigned i = 0; i < 1 + random() % 3; ++i)
                    mutant[random() % std::min<std::size_t>(mutant.size(), 4000)] =
                        static_cast<std::uint8_t>(random() % 4 == 0 ? '0' + random() % 10
                                                                    : random());
                if (random() % 8 == 0) mutant.resize(1 + random() % mutant.size());
                write_bytes(path, mutant);
                try {
                    read_image(file(name), {.max_bytes = 1 << 26});
                    open_slide(file(name))->read(0, {0, 0, 20, 20});
                } catch (const Error& error) {
                    const std::string text = error.what();
                    EXPECT_NE(text.find(name), std::string::npos) << text;
                    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
                }
            }
            write_bytes(path, bytes);
        }
    }
};

}  // namespace tesela::io::testing
