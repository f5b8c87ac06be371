// Writes TIFF files of every kind that Tesela writes into a folder, for other programs to read:
//   tesela_write_tiffs FOLDER
// Beside NAME.tif lies NAME.values: its values as float64, columns fastest, then rows, channels,
// slices and frames. Each line of files.tsv is of one file: name, type, columns, rows, channels,
// slices, frames, whether the last channel is opacity, and form (plain, ome or tiled).
#include <algorithm>
#include <fstream>
#include <iostream>
#include <type_traits>

#include "io/support.h"
#include "tesela/slide_io.h"

namespace {

namespace fs = std::filesystem;
using tesela::Geometry;
using tesela::Image;
using tesela::Shape;

enum class Form { plain, ome, tiled };

Geometry geometry() {
    Geometry geometry = tesela::micrometers_per_pixel(0.325, 0.65);
    geometry.spacing[2] = 2.5;
    geometry.time_step = 0.5;
    return geometry;
}

class Matrix {
  public:
    explicit Matrix(const fs::path& folder) : folder_(folder), list_(folder / "files.tsv") {}

    template <class T>
    void add(const Shape& shape, bool has_alpha, Form form) {
        Image<T> image = tesela::io::testing::pattern<T>(shape, geometry());
        image.has_alpha = has_alpha;
        const std::string type(tesela::pixel_type_name(tesela::pixel_type_of<T>()));
        const std::string name =
            type + "-" + std::to_string(number_++) + (form == Form::plain ? ".tif" : ".ome.tif");
        if (form == Form::tiled)
            write_tiles(image, folder_ / name);
        else
            tesela::io::write_image(image, folder_ / name);
        write_values(image, folder_ / (name + ".values"));
        static constexpr const char* forms[] = {"plain", "ome", "tiled"};
        list_ << name << '\t' << type << '\t' << shape.x << '\t' << shape.y << '\t'
              << shape.channels << '\t' << shape.z << '\t' << shape.t << '\t' << has_alpha << '\t'
              << forms[static_cast<int>(form)] << '\n';
    }

    template <class T>
    void add_type() {
        for (const Form form : {Form::plain, Form::ome}) {
            for (const int channels : {1, 2, 3, 4, 5})
                add<T>({37, 23, 1, 1, channels}, false, form);
            // ImageJ takes colors for unsigned.
            if constexpr (!std::is_signed_v<T> || std::is_floating_point_v<T>) {
                add<T>({37, 23, 1, 1, 2}, true, form);
                add<T>({37, 23, 1, 1, 4}, true, form);
            }
            for (const int channels : {1, 2, 3}) {
                add<T>({37, 23, 4, 1, channels}, false, form);
                add<T>({37, 23, 3, 2, channels}, false, form);
            }
            add<T>({37, 23, 1, 3, 1}, false, form);
            add<T>({1, 1}, false, form);
            add<T>({700, 500, 1, 1, 2}, false, form);  // several strips
        }
        for (const int channels : {1, 2, 3, 5})
            add<T>({137, 75, 1, 1, channels}, false, Form::tiled);
        add<T>({137, 75, 1, 1, 4}, true, Form::tiled);
    }

  private:
    template <class T>
    static void write_tiles(const Image<T>& image, const fs::path& path) {
        constexpr std::int64_t tile = 64;
        const Shape& shape = image.shape();
        const auto writer = tesela::io::create_ome_tiff(
            path, {tesela::pixel_type_of<T>(), shape, image.geometry, image.has_alpha},
            {.tile = tile, .compression = tesela::TileCompression::deflate});
        for (std::int64_t y = 0; y < shape.y; y += tile)
            for (std::int64_t x = 0; x < shape.x; x += tile)
                writer->write(x / tile, y / tile,
                              part_of(image, {x, y, std::min(tile, shape.x - x),
                                              std::min(tile, shape.y - y)}));
        writer->finish();
    }

    template <class T>
    static void write_values(const Image<T>& image, const fs::path& path) {
        const Shape& shape = image.shape();
        std::ofstream out(path, std::ios::binary);
        for (std::int64_t t = 0; t < shape.t; ++t)
            for (std::int64_t z = 0; z < shape.z; ++z)
                for (int c = 0; c < shape.channels; ++c)
                    for (std::int64_t y = 0; y < shape.y; ++y)
                        for (std::int64_t x = 0; x < shape.x; ++x) {
                            const auto value = static_cast<double>(image(x, y, z, t, c));
                            out.write(reinterpret_cast<const char*>(&value), sizeof value);
                        }
    }

    fs::path folder_;
    std::ofstream list_;
    int number_ = 0;
};

}  // namespace

int main(int count, char** arguments) try {
    if (count != 2) {
        std::cerr << "usage: tesela_write_tiffs FOLDER\n";
        return 2;
    }
    Matrix matrix(arguments[1]);
    matrix.add_type<std::uint8_t>();
    matrix.add_type<std::int8_t>();
    matrix.add_type<std::uint16_t>();
    matrix.add_type<std::int16_t>();
    matrix.add_type<std::uint32_t>();
    matrix.add_type<std::int32_t>();
    matrix.add_type<float>();
    matrix.add_type<double>();
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
