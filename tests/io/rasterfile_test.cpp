// Gray Sun rasterfiles.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using Rasterfiles = FileTest;

// In either order of bytes, with rows as Sun has them, or Barron's programs.
TEST_F(Rasterfiles, BringTheirSize) {
    const Bytes pixels{1, 2, 3, 4, 5, 6}, padded{1, 2, 3, 0, 4, 5, 6, 0};
    Bytes swapped = raster_bytes({}, pixels);
    for (std::ptrdiff_t i = 0; i < 32; i += 4)
        std::reverse(swapped.begin() + i, swapped.begin() + i + 4);
    for (const Bytes& bytes : {raster_bytes({}, pixels), raster_bytes({}, padded),
                               raster_bytes({.length = 0, .type = 0}, pixels), swapped}) {
        write_bytes(file("frame.9"), bytes);
        const ReadResult read = read_image(file("frame.9"));
        EXPECT_EQ(read.format, "Sun raster");
        const auto& image = std::get<Image<std::uint8_t>>(read.image);
        EXPECT_EQ(image.shape(), (Shape{3, 2}));
        EXPECT_EQ(image.pixels(), pixels);
    }
}

TEST_F(Rasterfiles, ThatAreNotTaken) {
    for (const Raster& raster :
         {Raster{.depth = 1}, Raster{.depth = 24}, Raster{.type = 2}, Raster{.map_length = 6}}) {
        write_bytes(file("a.ras"), raster_bytes(raster, {1, 2, 3, 4, 5, 6}));
        expect_error(ErrorCode::unsupported_format, {"a.ras", "8 bits"},
                     [&] { read_image(file("a.ras")); });
    }
}

TEST_F(Rasterfiles, SizesThatLie) {
    const auto expect_refused = [&](const Raster& raster, const Bytes& pixels) {
        write_bytes(file("a.ras"), raster_bytes(raster, pixels));
        expect_unreadable({"a.ras", "header claims"}, [&] { read_image(file("a.ras")); });
    };
    expect_refused({}, {1, 2, 3, 4, 5});
    expect_refused({}, {1, 2, 3, 4, 5, 6, 7});
    expect_refused({}, {});
    expect_refused({.width = 0}, {});
    expect_refused({.height = 0}, {});
    expect_refused({.width = 0xffffffff, .height = 0xffffffff}, {1, 2, 3});
    write_bytes(file("a.ras"), raster_bytes({.width = 6, .height = 10}, Bytes(60)));
    expect_error(ErrorCode::out_of_memory, {"a.ras", "59 bytes"},
                 [&] { read_image(file("a.ras"), {.max_bytes = 59}); });
}

}  // namespace
}  // namespace tesela::io::testing
