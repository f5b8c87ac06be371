// `tesela components` and `tesela measure` on slides, compressed volumes and OME-Zarr, part by
// part: the same files as of whole images.
#include <algorithm>
#include <fstream>
#include <random>

#include "program.h"
#include "tesela/slide_io.h"
#include "tesela/volume_io.h"

namespace tesela::cli::testing {
namespace {

using Words = std::vector<std::string>;

// Blobs that reach over the borders of parts.
Image<std::uint8_t> blobs(const Shape& shape, int count, double radius) {
    Image<std::uint8_t> mask(shape);
    std::mt19937 generator(7);
    const auto below = [&](std::int64_t length) {
        return static_cast<std::int64_t>(generator() % static_cast<std::uint32_t>(length));
    };
    const auto reach = static_cast<std::int64_t>(radius);
    for (int k = 0; k < count; ++k) {
        const std::int64_t cx = below(shape.x), cy = below(shape.y), cz = below(shape.z);
        for (std::int64_t z = std::max<std::int64_t>(cz - reach, 0);
             z <= std::min(cz + reach, shape.z - 1); ++z)
            for (std::int64_t y = std::max<std::int64_t>(cy - reach, 0);
                 y <= std::min(cy + reach, shape.y - 1); ++y)
                for (std::int64_t x = std::max<std::int64_t>(cx - reach, 0);
                     x <= std::min(cx + reach, shape.x - 1); ++x)
                    if (std::hypot(x - cx, y - cy, z - cz) <= radius) mask(x, y, z) = 255;
    }
    mask.geometry.spacing = {0.5, 0.5, 0.5};
    mask.geometry.unit = Unit::micrometer;
    return mask;
}

class ImageParts : public ProgramTest {
  protected:
    void done(const Words& arguments) const {
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    void write_slide(const std::string& name, const AnyImage& image) const {
        write("plain.tif", image);
        done({"slide", "convert", "plain.tif", "-o", name, "--labels", "--force"});
        fs::remove(file("plain.tif"));
    }
    LabelImage labels(const std::string& name) const { return io::read_labels(file(name)); }
    Json side_file(const std::string& name) const {
        Json json = Json::parse(read_text(name));
        json.erase("image");
        return json;
    }
};

TEST_F(ImageParts, ComponentsOfASlideAreThoseOfThePicture) {
    write_slide("mask.ome.tif", blobs({2300, 2100}, 900, 12));
    write("mask.tif", io::read_image(file("mask.ome.tif")).image);
    for (const std::string size : {"0", "300", "80um2"}) {
        done({"components", "mask.tif", "-o", "whole.tif", "--table", "whole.csv", "--min-size",
              size, "--force"});
        for (const std::string name : {"parts.ome.tif", "parts.ome.zarr"}) {
            const Outcome outcome = run({"components", "mask.ome.tif", "-o", name, "--table",
                                         "parts.csv", "--min-size", size, "--force", "--json"});
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_FALSE(outcome.json().contains("input"));  // not read as a whole
            EXPECT_EQ(read_text("parts.csv"), read_text("whole.csv"));
            EXPECT_TRUE(labels(name).pixels() == labels("whole.tif").pixels());
            EXPECT_EQ(side_file("parts.ome.labels.json"), side_file("whole.labels.json"));
        }
    }
    EXPECT_EQ(io::open_slide(file("parts.ome.tif"))->facts().levels.size(), 5u);
}

TEST_F(ImageParts, ComponentsOfCompressedVolumesAndOmeZarr) {
    write("mask.nii", blobs({210, 180, 150}, 300, 9));
    write("mask.zarr", io::read_image(file("mask.nii")).image);
    done({"compress", "mask.nii", "-o", "mask.tvol"});
    for (const std::string connectivity : {"6", "18", "26"}) {
        done({"components", "mask.nii", "-o", "whole.nii", "--table", "whole.csv", "--connectivity",
              connectivity, "--force"});
        for (const std::string input : {"mask.tvol", "mask.zarr"}) {
            done({"components", input, "-o", "parts.tvol", "--table", "parts.csv", "--connectivity",
                  connectivity, "--force"});
            EXPECT_EQ(read_text("parts.csv"), read_text("whole.csv"));
            EXPECT_TRUE(labels("parts.tvol").pixels() == labels("whole.nii").pixels());
            EXPECT_EQ(side_file("parts.labels.json"), side_file("whole.labels.json"));
        }
    }
    EXPECT_TRUE(io::open_volume_file(file("parts.tvol"))->facts().is_labels);
}

TEST_F(ImageParts, MeasuresAreThoseOfTheWhole) {
    write("mask.nii", blobs({150, 140, 90}, 60, 11));
    done({"components", "mask.nii", "-o", "labels.nii"});
    Image<std::int16_t> values({150, 140, 90}, geometry_of(io::read_image(file("mask.nii")).image));
    for (std::size_t i = 0; i < values.pixels().size(); ++i)
        values.pixels()[i] = static_cast<std::int16_t>(i * i % 5003);
    write("values.nii", values);
    for (const std::string name : {"labels", "values"})
        done({"compress", name + ".nii", "-o", name + ".tvol"});
    fs::remove(file("labels.labels.json"));
    const Words options{"--properties", "all", "--parents"};
    Words whole{"measure", "labels.nii", "--on", "values.nii", "-o", "whole.csv"};
    Words parts{"measure", "labels.tvol", "--on", "values.tvol", "-o", "parts.csv"};
    for (Words* words : {&whole, &parts})
        words->insert(words->end(), options.begin(), options.end());
    whole.emplace_back("mask.nii");
    parts.emplace_back("mask.tvol");
    done({"compress", "mask.nii", "-o", "mask.tvol"});
    done(whole);
    done(parts);
    EXPECT_EQ(read_text("parts.csv"), read_text("whole.csv"));
}

TEST_F(ImageParts, MeasuresOfASlideAreThoseOfThePicture) {
    write("mask.tif", blobs({2300, 2100}, 700, 14));
    done({"components", "mask.tif", "-o", "labels.tif"});
    write_slide("labels.ome.tif", io::read_image(file("labels.tif")).image);
    const AnyImage color = color_picture(2300, 2100);
    write("color.tif", color);
    write_slide("color.ome.tif", color);
    done({"measure", "labels.tif", "--on", "color.tif", "--properties", "all", "-o", "whole.csv",
          "--ignore-geometry"});
    done({"measure", "labels.ome.tif", "--on", "color.ome.tif", "--properties", "all", "-o",
          "parts.csv"});
    EXPECT_EQ(read_text("parts.csv"), read_text("whole.csv"));
    // Without a file it is printed, and pictures need the whole.
    EXPECT_NE(run({"measure", "labels.ome.tif"}).out.find("area"), std::string::npos);
    done({"measure", "labels.ome.tif", "-o", "t.csv", "--overlay", "o.png"});
    EXPECT_TRUE(fs::exists(file("o.png")));
}

TEST_F(ImageParts, StopAtADamagedBrick) {
    write("mask.nii", blobs({210, 180, 150}, 300, 9));
    done({"compress", "mask.nii", "-o", "mask.tvol"});
    const auto size = fs::file_size(file("mask.tvol"));
    {
        std::fstream out(file("mask.tvol"), std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(static_cast<std::streamoff>(size * 9 / 10));
        out << "damaged";
    }
    expect_failure(3, {"mask.tvol", "brick"}, {"components", "mask.tvol", "--table", "t.csv"});
    expect_failure(3, {"mask.tvol", "brick"}, {"measure", "mask.tvol", "-o", "t.csv"});
}

TEST_F(ImageParts, RefuseWhatDoesNotFit) {
    Image<std::uint8_t> noise({2300, 2100});
    std::mt19937 generator(3);
    for (std::uint8_t& pixel : noise.pixels()) pixel = generator() % 3 == 0 ? 255 : 0;
    write_slide("noise.ome.tif", noise);
    expect_failure(5, {"components", "--max-memory"},
                   {"components", "noise.ome.tif", "--connectivity", "4", "--table", "t.csv",
                    "--max-memory", "300M", "--threads", "1"});
    expect_failure(2, {"not one of"},
                   {"components", "noise.ome.tif", "--connectivity", "26", "--table", "t.csv"});
}

}  // namespace
}  // namespace tesela::cli::testing
