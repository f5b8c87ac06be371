// The packets of a JPEG 2000 tile (ITU-T T.800, annex B), followed without decoding a pixel. The
// decoder takes a packet that a damaged byte made empty for a plain part of the image, and does not
// look whether data are left over at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tesela::io {

// How a component of a tile was coded (A.6.1, A.6.2).
struct Jpeg2000Coding {
    unsigned levels = 0;                         // of decomposition
    unsigned block_width = 0, block_height = 0;  // of code blocks, as exponents of two
    unsigned style = 0;                          // of code blocks
    std::vector<std::uint8_t> precincts;  // of each level: exponents, height in the high half
};

// Packets that come next, in an order of their own (A.6.6): those of these resolutions and
// components, of layers below `end_layer`, that did not come before.
struct Jpeg2000Order {
    unsigned first_resolution = 0, first_component = 0;
    unsigned end_layer = 0, end_resolution = 0, end_component = 0;
    unsigned progression = 0;
};

struct Jpeg2000Tile {
    std::int64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    unsigned progression = 0, layers = 1;
    bool packet_marks = false, header_ends = false;  // SOP may, EPH must stand around headers
    bool packs_headers = false;                      // in `headers`, apart from the bodies
    std::vector<Jpeg2000Coding> components;
    std::vector<Jpeg2000Order> orders = {};   // in turn; none: all in `progression`
    std::vector<std::uint8_t> data, headers;  // of all its parts
};

// Calls `damaged`, which throws, with a reason unless the packets use up the tile's data.
void follow_packets(const Jpeg2000Tile& tile, const std::function<void(const char*)>& damaged);

}  // namespace tesela::io
