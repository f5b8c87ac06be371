// Streams of JPEG 2000 (ITU-T T.800, annex A), also in the boxes of a file (annex I).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "io/dicom_streams.h"
#include "io/jpeg2000_packets.h"

namespace tesela::io {
namespace {

constexpr unsigned start_of_stream = 0xff4f, size_marker = 0xff51, coding_marker = 0xff52,
                   component_coding = 0xff53, order_changes = 0xff5f, packed_headers = 0xff60,
                   packed_tile_headers = 0xff61, extensions = 0xff50, start_of_tile_part = 0xff90,
                   start_of_data = 0xff93, end_of_stream = 0xffd9;

// DICOM wants the stream alone, but some writers keep the boxes of a .jp2 file around it.
void unwrap(StreamBytes& s) {
    constexpr std::uint32_t signature = 0x6a502020, stream_box = 0x6a703263;
    if (s.size() < 8 || s.u32(4) != signature) return;
    for (std::size_t at = 0;;) {
        std::uint64_t length = s.u32(at), head = 8;
        if (length == 1) {
            length = std::uint64_t{s.u32(at + 8)} << 32 | s.u32(at + 12);
            head = 16;
        }
        if (length == 0) length = s.size() - at;
        if (length < head || length > s.size() - at) s.damaged("a box has no valid length");
        if (s.u32(at + 4) == stream_box) return s.cut(at + head, at + length);
        at += length;
    }
}

using Bytes = std::vector<std::uint8_t>;

// What a header says: coding styles of all components, or of one; other orders of packets, and the
// headers of packets in pieces by their numbers.
struct Styles {
    std::optional<Jpeg2000Coding> all;
    std::map<unsigned, Jpeg2000Coding> one;
    unsigned progression = 0, layers = 1, marks = 0;
    std::vector<Jpeg2000Order> orders = {};
    std::map<unsigned, Bytes> packed = {};
};

class Jpeg2000Walker {
  public:
    Jpeg2000Walker(StreamBytes& stream, DicomHeader& header) : s_(stream), h_(header) {}

    void walk() {
        if (s_.u16(0) != start_of_stream || s_.u16(2) != size_marker)
            s_.damaged("they do not begin as JPEG 2000 does");
        at_ = 4;
        take_size();
        Styles styles = take_header(Styles{}, start_of_tile_part);
        if (!styles.all) s_.damaged("they lack a coding style");
        packs_all_ = !styles.packed.empty();
        headers_ = joined(std::exchange(styles.packed, {}));
        const std::vector<Jpeg2000Order> orders = std::exchange(styles.orders, {});
        while (s_.u16(at_) != end_of_stream) take_tile_part(styles);
        if (header_at_ != headers_.size()) s_.damaged("headers of packets are left");
        s_.require_padding(at_ + 2);
        s_.cut(0, at_ + 2);
        if (static_cast<std::int64_t>(tiles_.size()) != tiles_across_ * tiles_down_)
            s_.damaged("they lack tiles");
        for (auto& [number, tile] : tiles_) {
            if (tile.orders.empty()) tile.orders = orders;
            if (can_follow_) follow_packets(tile, [this](const char* why) { s_.damaged(why); });
        }
    }

  private:
    // A.5.1. The corner of the image need not lie at zero.
    void take_size() {
        const std::size_t length = s_.u16(at_);
        for (std::size_t i = 0; i < 8; ++i) {
            grid_[i] = s_.u32(at_ + 4 + 4 * i);
            if (grid_[i] > 0x7fffffff) s_.damaged("their size is not valid");
        }
        const auto [x1, y1, x0, y0, tile_w, tile_h, tile_x, tile_y] = grid_;
        const unsigned count = s_.u16(at_ + 36), first = s_.u8(at_ + 38);
        if (length != 38 + 3 * count || count == 0)
            s_.damaged("their size header has no valid length");
        const int bits = static_cast<int>(first & 0x7f) + 1;
        require_image(s_, h_, x1 - x0, y1 - y0, count, bits);
        h_.is_signed = static_cast<int>(first >> 7);
        for (unsigned i = 0; i < count; ++i)
            if (s_.u8(at_ + 38 + 3 * i) != first || s_.u16(at_ + 39 + 3 * i) != 0x0101)
                s_.damaged("their components differ in size or precision");
        if (tile_x > x0 || tile_y > y0 || tile_w == 0 || tile_h == 0 || tile_x + tile_w <= x0 ||
            tile_y + tile_h <= y0)
            s_.damaged("their tiles have no valid place");
        tiles_across_ = (x1 - tile_x + tile_w - 1) / tile_w;
        tiles_down_ = (y1 - tile_y + tile_h - 1) / tile_h;
        at_ += length;
    }

    // Segments up to a marker, behind which this stands then.
    Styles take_header(Styles styles, unsigned until) {
        for (;;) {
            const unsigned marker = s_.u16(at_);
            if (marker == until) return styles;
            const std::size_t length = s_.u16(at_ + 2);
            if (marker < 0xff00 || length < 2 || length > s_.size() - at_ - 2)
                s_.damaged("a segment has no valid length");
            const std::size_t value = at_ + 4;
            if (marker == coding_marker) take_coding(styles, value, length);
            if (marker == coding_marker && until == start_of_data) styles.one.clear();
            if (marker == component_coding) take_component(styles, value, length);
            if (marker == order_changes) take_orders(styles, value, length);
            if (marker == packed_headers || marker == packed_tile_headers)
                take_packed(styles, value, length);
            if (marker == extensions) can_follow_ = false;  // rare
            at_ += 2 + length;
        }
    }

    void take_coding(Styles& styles, std::size_t value, std::size_t length) {
        styles.marks = s_.u8(value);
        styles.progression = s_.u8(value + 1);
        styles.layers = s_.u16(value + 2);
        if (styles.progression > 4 || styles.layers == 0)
            s_.damaged("their order of packets is not valid");
        styles.all = coding(value + 5, styles.marks & 1, length - 7);
    }
    void take_component(Styles& styles, std::size_t value, std::size_t length) {
        const std::size_t wide = h_.samples < 257 ? 1 : 2;
        styles.one[s_.u8(value)] =
            coding(value + wide + 1, s_.u8(value + wide) & 1, length - 3 - wide);
    }
    // A.6.6.
    void take_orders(Styles& styles, std::size_t at, std::size_t length) const {
        const std::size_t wide = h_.samples < 257 ? 1 : 2, entry = 5 + 2 * wide;
        if (length < 2 + entry || (length - 2) % entry != 0)
            s_.damaged("their orders of packets have no valid length");
        const auto component = [&](std::size_t from) {
            return wide == 1 ? s_.u8(from) : s_.u16(from);
        };
        for (const std::size_t end = at + length - 2; at < end; at += entry) {
            const std::size_t layers = at + 1 + wide;
            Jpeg2000Order order{s_.u8(at),         component(at + 1),     s_.u16(layers),
                                s_.u8(layers + 2), component(layers + 3), s_.u8(layers + 3 + wide)};
            if (order.end_component == 0) order.end_component = 256;
            if (order.progression > 4) s_.damaged("their order of packets is not valid");
            styles.orders.push_back(order);
        }
    }
    // A.7.4, A.7.5: pieces with a number each.
    void take_packed(Styles& styles, std::size_t at, std::size_t length) const {
        if (length < 3) s_.damaged("packed headers have no valid length");
        const auto from = s_.all().begin() + static_cast<std::ptrdiff_t>(at);
        const Bytes piece(from + 1, from + static_cast<std::ptrdiff_t>(length - 2));
        if (!styles.packed.emplace(s_.u8(at), piece).second)
            s_.damaged("packed headers have the same number");
    }
    static Bytes joined(const std::map<unsigned, Bytes>& pieces) {
        Bytes all;
        for (const auto& [number, piece] : pieces)
            all.insert(all.end(), piece.begin(), piece.end());
        return all;
    }
    // Those of the main header for the next tile part, behind their length.
    Bytes next_headers() {
        constexpr std::size_t head = 4;
        std::size_t length = 0;
        if (headers_.size() - header_at_ < head) s_.damaged("a tile part lacks packed headers");
        for (std::size_t i = 0; i < head; ++i) length = length << 8 | headers_[header_at_ + i];
        header_at_ += head;
        if (length > headers_.size() - header_at_) s_.damaged("a tile part lacks packed headers");
        const auto from = headers_.begin() + static_cast<std::ptrdiff_t>(header_at_);
        header_at_ += length;
        return {from, from + static_cast<std::ptrdiff_t>(length)};
    }

    // Of a segment of which `bytes` bytes are left.
    Jpeg2000Coding coding(std::size_t at, bool precincts, std::size_t bytes) const {
        Jpeg2000Coding c{s_.u8(at), s_.u8(at + 1) + 2, s_.u8(at + 2) + 2, s_.u8(at + 3), {}};
        constexpr unsigned most_levels = 32, widest = 10, largest = 12;
        if (c.levels > most_levels || c.block_width > widest || c.block_height > widest ||
            c.block_width + c.block_height > largest || bytes != 5 + (precincts ? c.levels + 1 : 0))
            s_.damaged("their coding style is not valid");
        constexpr std::uint8_t whole = 0xff;
        for (unsigned r = 0; r <= c.levels; ++r)
            c.precincts.push_back(precincts ? static_cast<std::uint8_t>(s_.u8(at + 5 + r)) : whole);
        return c;
    }

    // A.4.2. A length of zero reaches to the end of the stream.
    void take_tile_part(const Styles& main) {
        if (s_.u16(at_) != start_of_tile_part || s_.u16(at_ + 2) != 10)
            s_.damaged("a tile part is missing");
        const std::size_t begin = at_;
        const unsigned number = s_.u16(at_ + 4), part = s_.u8(at_ + 10);
        std::size_t length = s_.u32(at_ + 6);
        if (length == 0) length = last_marker() - begin;
        if (length > s_.size() - begin || number >= tiles_across_ * tiles_down_)
            s_.damaged("a tile part has no valid length or number");
        at_ += 12;
        const bool first = tiles_.count(number) == 0;
        if (first != (part == 0)) s_.damaged("tile parts are in no order");
        const Styles styles = take_header(main, start_of_data);
        at_ += 2;
        if (at_ > begin + length) s_.damaged("a tile part has no valid length or number");
        Jpeg2000Tile& tile = tiles_[number];
        if (first) tile = make_tile(number, styles);
        tile.orders.insert(tile.orders.end(), styles.orders.begin(), styles.orders.end());
        tile.packs_headers |= packs_all_ || !styles.packed.empty();
        const Bytes headers = packs_all_ ? next_headers() : joined(styles.packed);
        tile.headers.insert(tile.headers.end(), headers.begin(), headers.end());
        const auto all = s_.all().begin();
        tile.data.insert(tile.data.end(), all + static_cast<std::ptrdiff_t>(at_),
                         all + static_cast<std::ptrdiff_t>(begin + length));
        at_ = begin + length;
    }
    std::size_t last_marker() const {
        std::size_t at = s_.size() - 2;
        while (at > at_ && s_.u16(at) != end_of_stream) --at;
        return at;
    }

    // B.3.
    Jpeg2000Tile make_tile(unsigned number, const Styles& styles) const {
        const auto [x1, y1, x0, y0, tile_w, tile_h, tile_x, tile_y] = grid_;
        const std::int64_t x = tile_x + number % tiles_across_ * tile_w;
        const std::int64_t y = tile_y + number / tiles_across_ * tile_h;
        Jpeg2000Tile tile;
        tile.x0 = std::max(x, x0), tile.x1 = std::min(x + tile_w, x1);
        tile.y0 = std::max(y, y0), tile.y1 = std::min(y + tile_h, y1);
        tile.progression = styles.progression;
        tile.layers = styles.layers;
        tile.packet_marks = styles.marks & 2;
        tile.header_ends = styles.marks & 4;
        for (unsigned c = 0; c < static_cast<unsigned>(h_.samples); ++c) {
            const auto own = styles.one.find(c);
            tile.components.push_back(own == styles.one.end() ? *styles.all : own->second);
        }
        return tile;
    }

    StreamBytes& s_;
    DicomHeader& h_;
    std::size_t at_ = 0;
    std::array<std::int64_t, 8> grid_{};  // end and corner of the image, size and corner of a tile
    std::int64_t tiles_across_ = 0, tiles_down_ = 0;
    std::map<unsigned, Jpeg2000Tile> tiles_;
    bool can_follow_ = true;
    bool packs_all_ = false;  // headers of packets, in the main header
    Bytes headers_;
    std::size_t header_at_ = 0;
};

}  // namespace

void check_jpeg2000(StreamBytes& stream, DicomHeader& header) {
    unwrap(stream);
    Jpeg2000Walker(stream, header).walk();
}

}  // namespace tesela::io
