// OME-Zarr as a source of bricks, beside .tvol, which holds the same volume.
#include <cmath>

#include "ome_zarr_files.h"
#include "tesela/volume_io.h"

namespace tesela::io::testing {
namespace {

class OmeZarrBricks : public OmeZarrFiles {
  protected:
    std::unique_ptr<BrickSource> opened(const std::string& name) const {
        std::vector<std::string> warnings;
        return open_bricks(file(name), warnings);
    }
    // In both formats; `distance` of slices says whether OME-Zarr halves them.
    template <class T>
    Image<T> written(const Shape& shape, double distance) const {
        Geometry geometry = micrometers();
        geometry.spacing = {1, 1, distance};
        Image<T> volume = pattern<T>(shape, geometry);
        write_image(volume, file("a.zarr"));
        write_volume_file(*volume_input(volume), file("a.tvol"));
        return volume;
    }
};

TEST_F(OmeZarrBricks, HoldTheVolume) {
    const auto volume = written<std::uint16_t>({150, 131, 70, 2, 2}, 1);
    const auto source = opened("a.zarr");
    ASSERT_TRUE(source);
    const BrickSourceFacts& facts = source->facts();
    EXPECT_EQ(facts.format, "OME-Zarr");
    EXPECT_TRUE(std::isinf(source->block_range({}).lowest));
    EXPECT_THROW(source->block_range({10, 0, 0}), InvalidArgument);
    EXPECT_EQ(facts.levels, opened("a.tvol")->facts().levels);
    EXPECT_EQ(facts.geometries.front(), volume.geometry);
    EXPECT_EQ(source->brick_count(), 3 * 3 * 2 * 2 * 2);
    const auto read = std::get<Image<std::uint16_t>>(source->read(0));
    EXPECT_TRUE(read.pixels() == volume.pixels());
    const auto brick = std::get<Image<std::uint16_t>>(source->brick(0, {2, 1, 1, 1, 1}));
    EXPECT_EQ(brick.shape(), (Shape{22, 64, 6}));
    EXPECT_EQ(brick(21, 63, 5), volume(149, 127, 69, 1, 1));
}

// Its own levels differ from those of the codec in how halves are rounded.
TEST_F(OmeZarrBricks, StoredLevelsAreMeans) {
    written<std::uint8_t>({150, 131, 70}, 1);
    const auto zarr = opened("a.zarr"), tvol = opened("a.tvol");
    for (int level = 1; level < BrickSource::level_count; ++level) {
        const auto a = std::get<Image<std::uint8_t>>(zarr->read(level));
        const auto b = std::get<Image<std::uint8_t>>(tvol->read(level));
        ASSERT_EQ(a.shape(), b.shape());
        for (std::size_t i = 0; i < a.pixels().size(); ++i)
            ASSERT_NEAR(a.pixels()[i], b.pixels()[i], level) << "level " << level;
    }
}

TEST_F(OmeZarrBricks, MissingLevelsAreMade) {
    written<std::uint16_t>({150, 131, 70}, 9);  // slices are not halved in the file
    const auto zarr = opened("a.zarr"), tvol = opened("a.tvol");
    for (int level = 0; level < BrickSource::level_count; ++level)
        EXPECT_TRUE(std::get<Image<std::uint16_t>>(zarr->read(level)).pixels() ==
                    std::get<Image<std::uint16_t>>(tvol->read(level)).pixels())
            << "level " << level;
}

TEST_F(OmeZarrBricks, RefusalsSayWhatAndWhere) {
    const auto volume = written<std::uint8_t>({70, 66, 65}, 1);
    const auto source = opened("a.zarr");
    EXPECT_THROW(source->brick(5, {}), InvalidArgument);
    EXPECT_THROW(source->brick(0, {2, 0, 0}), InvalidArgument);
    write_image(volume, file("a.nrrd"));
    EXPECT_FALSE(opened("a.nrrd"));
    for (const auto& entry : fs::recursive_directory_iterator(file("a.zarr") / "0"))
        if (entry.is_regular_file() && entry.path().filename() != ".zarray")
            write_bytes(entry.path(), Bytes(40, 7));
    try {
        opened("a.zarr")->brick(0, {});
        ADD_FAILURE() << "a damaged chunk was read";
    } catch (const UnreadableInput& error) {
        EXPECT_NE(std::string(error.what()).find("chunk '0/0/0/0'"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace tesela::io::testing
