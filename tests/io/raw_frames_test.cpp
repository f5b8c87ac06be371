// Raw 8-bit frames and gray Sun rasterfiles.
#include "io/support.h"

namespace tesela::io::testing {
namespace {

using RawFrames = FileTest;

TEST_F(RawFrames, OneBehindTheOther) {
    write_bytes(file("movie"), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const auto frames = read_raw_frames(file("movie"), {3, 2});
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].shape(), (Shape{3, 2}));
    EXPECT_EQ(frames[0].pixels(), (Bytes{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(frames[1].pixels(), (Bytes{7, 8, 9, 10, 11, 12}));
    EXPECT_EQ(frames[1](2, 0), 9);
}

TEST_F(RawFrames, RasterfilesBringTheirSize) {
    const Bytes pixels{1, 2, 3, 4, 5, 6}, padded{1, 2, 3, 0, 4, 5, 6, 0};
    Bytes swapped = raster_bytes({}, pixels);
    for (std::ptrdiff_t i = 0; i < 32; i += 4)
        std::reverse(swapped.begin() + i, swapped.begin() + i + 4);
    for (const Bytes& bytes : {raster_bytes({}, pixels), raster_bytes({}, padded),
                               raster_bytes({.length = 0, .type = 0}, pixels), swapped}) {
        write_bytes(file("frame.9"), bytes);
        for (const RawFrameSize& size : {RawFrameSize{}, RawFrameSize{3, 2}}) {
            const auto frames = read_raw_frames(file("frame.9"), size);
            ASSERT_EQ(frames.size(), 1u);
            EXPECT_EQ(frames[0].shape(), (Shape{3, 2}));
            EXPECT_EQ(frames[0].pixels(), pixels);
        }
    }
    expect_error(ErrorCode::invalid_argument, {"frame.9", "3 x 2", "not of 2 x 3"}, [&] {
        read_raw_frames(file("frame.9"), {2, 3});
    });
}

TEST_F(RawFrames, RasterfilesThatAreNotTaken) {
    for (const Raster& raster :
         {Raster{.depth = 1}, Raster{.depth = 24}, Raster{.type = 2}, Raster{.map_length = 6}}) {
        write_bytes(file("a.ras"), raster_bytes(raster, {1, 2, 3, 4, 5, 6}));
        expect_error(ErrorCode::unsupported_format, {"a.ras", "8 bits"},
                     [&] { read_raw_frames(file("a.ras")); });
    }
}

TEST_F(RawFrames, SizesThatLie) {
    const auto expect_refused = [&](const Raster& raster, const Bytes& pixels) {
        write_bytes(file("a.ras"), raster_bytes(raster, pixels));
        expect_error(ErrorCode::unreadable_input, {"a.ras", "header claims"},
                     [&] { read_raw_frames(file("a.ras")); });
    };
    expect_refused({}, {1, 2, 3, 4, 5});
    expect_refused({}, {1, 2, 3, 4, 5, 6, 7});
    expect_refused({}, {});
    expect_refused({.width = 0}, {});
    expect_refused({.height = 0}, {});
    expect_refused({.width = 0xffffffff, .height = 0xffffffff}, {1, 2, 3});
    write_bytes(file("raw"), Bytes(13));
    expect_error(ErrorCode::unreadable_input, {"raw", "13 bytes", "3 x 2"}, [&] {
        read_raw_frames(file("raw"), {3, 2});
    });
    expect_error(ErrorCode::unreadable_input, {"raw", "13 bytes"}, [&] {
        read_raw_frames(file("raw"), {2147483647, 2147483647});
    });
}

TEST_F(RawFrames, BadInput) {
    expect_error(ErrorCode::unreadable_input, {"none", "No such file"}, [&] {
        read_raw_frames(file("none"), {3, 2});
    });
    write_bytes(file("raw"), {});
    expect_error(ErrorCode::unreadable_input, {"raw", "empty"}, [&] {
        read_raw_frames(file("raw"), {3, 2});
    });
    write_bytes(file("raw"), Bytes(60));
    expect_error(ErrorCode::invalid_argument, {"raw", "width and height"},
                 [&] { read_raw_frames(file("raw")); });
    for (const RawFrameSize& size : {RawFrameSize{3, 0}, RawFrameSize{0, 2}, RawFrameSize{-3, -2}})
        EXPECT_THROW(read_raw_frames(file("raw"), size), InvalidArgument);
    expect_error(ErrorCode::out_of_memory, {"raw", "59 bytes"}, [&] {
        read_raw_frames(file("raw"), {6, 10}, {.max_bytes = 59});
    });
}

}  // namespace
}  // namespace tesela::io::testing
