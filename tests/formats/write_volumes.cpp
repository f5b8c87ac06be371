// Writes volumes and PNG pictures of every kind of compression into a folder, for other programs to
// read:
//   tesela_write_volumes FOLDER
// Beside NAME lies NAME.values: its values as float64, channels fastest, then x, y and z. Each line
// of volumes.tsv is of one file: name, type, channels, columns, rows and slices.
#include <fstream>
#include <iostream>

#include "io/support.h"
#include "tesela/io.h"

namespace {

namespace fs = std::filesystem;
using namespace tesela;

class Volumes {
  public:
    explicit Volumes(const fs::path& folder) : folder_(folder), list_(folder / "volumes.tsv") {}

    template <class T>
    void add(const Shape& shape, const std::string& suffix, io::Compression compression) {
        Geometry geometry;
        geometry.unit = Unit::millimeter;
        geometry.spacing = {0.5, 0.75, 2};
        geometry.origin = {10, -20, 30};
        Image<T> image = io::testing::pattern<T>(shape, geometry);
        // Half of it shrinks.
        std::fill_n(image.pixels().begin(), image.pixels().size() / 2, T{3});
        const std::string type(pixel_type_name(pixel_type_of<T>()));
        const std::string name = type + "-" + std::to_string(number_++) + suffix;
        io::write_image(image, folder_ / name, {.compression = compression});
        std::ofstream values(folder_ / (name + ".values"), std::ios::binary);
        for (const T pixel : image.pixels()) {
            const auto value = static_cast<double>(pixel);
            values.write(reinterpret_cast<const char*>(&value), sizeof value);
        }
        list_ << name << '\t' << type << '\t' << shape.channels << '\t' << shape.x << '\t'
              << shape.y << '\t' << shape.z << '\n';
    }

    template <class T>
    void add_type() {
        using io::Compression;
        for (const Shape& shape : {Shape{5, 4, 3}, Shape{97, 83, 141}, Shape{61, 53, 47, 1, 3}})
            for (const Compression compression : {Compression::fast, Compression::small})
                for (const char* suffix : {".nii.gz", ".nrrd", ".mha"})
                    add<T>(shape, suffix, compression);
    }

    // What other programs than nibabel read less of.
    template <class T>
    void add_mgh_and_nifti2() {
        using io::Compression;
        add<T>({5, 4, 3}, ".mgh", Compression::none);
        for (const Shape& shape : {Shape{5, 4, 3}, Shape{97, 83, 141}})
            for (const Compression compression : {Compression::fast, Compression::small})
                add<T>(shape, ".mgz", compression);
        add<T>({40000, 3, 2}, ".nii", Compression::none);
        add<T>({2, 3, 40000}, ".nii.gz", Compression::fast);
    }

    template <class T>
    void add_pictures() {
        using io::Compression;
        for (const Shape& shape : {Shape{5, 4}, Shape{1200, 900}, Shape{500, 600, 1, 1, 3}})
            for (const Compression compression :
                 {Compression::automatic, Compression::none, Compression::fast, Compression::small})
                add<T>(shape, ".png", compression);
    }

  private:
    fs::path folder_;
    std::ofstream list_;
    int number_ = 0;
};

}  // namespace

int main(int count, char** arguments) try {
    if (count != 2) {
        std::cerr << "usage: tesela_write_volumes FOLDER\n";
        return 2;
    }
    Volumes volumes(arguments[1]);
    volumes.add_type<std::uint8_t>();
    volumes.add_type<std::int16_t>();
    volumes.add_type<float>();
    volumes.add_mgh_and_nifti2<std::uint8_t>();
    volumes.add_mgh_and_nifti2<std::int16_t>();
    volumes.add_mgh_and_nifti2<std::uint16_t>();
    volumes.add_mgh_and_nifti2<std::int32_t>();
    volumes.add_mgh_and_nifti2<float>();
    volumes.add_pictures<std::uint8_t>();
    volumes.add_pictures<std::uint16_t>();
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
