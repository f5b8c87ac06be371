#include "io/jpeg2000_packets.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tesela::io {
namespace {

using Damaged = std::function<void(const char*)>;

std::int64_t ceil_shift(std::int64_t value, unsigned bits) {
    return (value + (std::int64_t{1} << bits) - 1) >> bits;
}

// Bits of a packet's header (B.10.1): behind a byte 0xff follows one of seven bits.
class HeaderBits {
  public:
    HeaderBits(const std::vector<std::uint8_t>& data, std::size_t at, const Damaged& damaged)
        : data_(data), at_(at), damaged_(damaged) {}

    unsigned bit() {
        if (left_ == 0) fill();
        return byte_ >> --left_ & 1;
    }
    unsigned bits(unsigned count) {
        unsigned value = 0;
        while (count-- > 0) value = value << 1 | bit();
        return value;
    }
    // Where the header ends.
    std::size_t end() {
        if (byte_ == 0xff) fill();
        return at_;
    }

  private:
    void fill() {
        if (at_ >= data_.size()) damaged_("a packet ends early");
        left_ = byte_ == 0xff ? 7 : 8;
        byte_ = data_[at_++];
    }

    const std::vector<std::uint8_t>& data_;
    std::size_t at_;
    const Damaged& damaged_;
    unsigned byte_ = 0, left_ = 0;
};

// B.10.2.
class TagTree {
  public:
    TagTree(std::int64_t width, std::int64_t height) {
        std::size_t begin = 0;
        for (;;) {
            levels_.push_back({begin, width});
            begin += static_cast<std::size_t>(width * height);
            if (width * height <= 1) break;
            width = (width + 1) / 2;
            height = (height + 1) / 2;
        }
        nodes_.resize(begin);
    }
    // Whether the leaf's value is below the threshold.
    bool below(std::int64_t x, std::int64_t y, unsigned threshold, HeaderBits& bits) {
        unsigned low = 0;
        bool known = false;
        for (std::size_t level = levels_.size(); level-- > 0;) {
            const auto [begin, width] = levels_[level];
            Node& node =
                nodes_[begin + static_cast<std::size_t>((y >> level) * width + (x >> level))];
            node.low = std::max(node.low, low);
            while (!node.known && node.low < threshold) {
                if (bits.bit())
                    node.known = true;
                else
                    ++node.low;
            }
            low = node.low;
            known = node.known;
        }
        return known && low < threshold;
    }

  private:
    struct Node {
        unsigned low = 0;
        bool known = false;
    };
    struct Level {
        std::size_t begin;
        std::int64_t width;
    };
    std::vector<Level> levels_;  // from the leaves up
    std::vector<Node> nodes_;
};

struct CodeBlock {
    bool included = false;
    unsigned length_bits = 3;
    // Of the segment under way: how many passes it may have, and how many it has so far.
    unsigned most_passes = 0, passes = 0;
};

// The code blocks of one band in one precinct.
class BlockGrid {
  public:
    BlockGrid(std::int64_t width, std::int64_t height)
        : width_(width),
          height_(height),
          blocks_(static_cast<std::size_t>(width * height)),
          inclusion_(width, height),
          empty_planes_(width, height) {}

    // Reads the band's part of a header; returns the bytes of its code blocks in the body.
    std::uint64_t read(HeaderBits& bits, unsigned layer, unsigned style) {
        std::uint64_t bytes = 0;
        for (std::int64_t y = 0; y < height_; ++y)
            for (std::int64_t x = 0; x < width_; ++x) {
                CodeBlock& block = blocks_[static_cast<std::size_t>(y * width_ + x)];
                const bool here =
                    block.included ? bits.bit() : inclusion_.below(x, y, layer + 1, bits);
                if (!here) continue;
                if (!block.included)
                    for (unsigned planes = 1; !empty_planes_.below(x, y, planes, bits);) ++planes;
                block.included = true;
                bytes += read_lengths(bits, block, style);
            }
        return bytes;
    }

  private:
    // B.10.6.
    static unsigned read_passes(HeaderBits& bits) {
        if (bits.bit() == 0) return 1;
        if (bits.bit() == 0) return 2;
        if (const unsigned more = bits.bits(2); more < 3) return 3 + more;
        if (const unsigned more = bits.bits(5); more < 31) return 6 + more;
        return 37 + bits.bits(7);
    }
    // Passes that share one segment of code words (D.4.2, D.6): all, or one, or, where some bypass
    // the arithmetic coder, ten at first, then two and one in turn.
    static unsigned next_segment(const CodeBlock& block, unsigned style) {
        constexpr unsigned bypass = 1, terminate_all = 4, unlimited = 200;
        if (style & terminate_all) return 1;
        if (!(style & bypass)) return unlimited;
        if (block.most_passes == 0) return 10;
        return block.most_passes == 2 ? 1 : 2;
    }
    // B.10.7.
    static std::uint64_t read_lengths(HeaderBits& bits, CodeBlock& block, unsigned style) {
        std::uint64_t bytes = 0;
        unsigned passes = read_passes(bits);
        while (bits.bit()) ++block.length_bits;
        while (passes > 0) {
            if (block.passes == block.most_passes) {
                block.most_passes = next_segment(block, style);
                block.passes = 0;
            }
            const unsigned here = std::min(passes, block.most_passes - block.passes);
            const unsigned width =
                block.length_bits + static_cast<unsigned>(std::bit_width(here)) - 1;
            constexpr unsigned widest = 32;
            if (width > widest) return std::uint64_t{1} << 40;  // beyond the end of any stream
            bytes += bits.bits(width);
            block.passes += here;
            passes -= here;
        }
        return bytes;
    }

    std::int64_t width_, height_;
    std::vector<CodeBlock> blocks_;
    TagTree inclusion_, empty_planes_;
};

struct Precinct {
    unsigned component = 0, resolution = 0;
    std::int64_t index = 0;     // among those of its resolution
    std::int64_t x = 0, y = 0;  // where it begins in the image
    std::vector<BlockGrid> bands;
};

struct Packet {
    std::array<std::int64_t, 5> order;
    std::size_t precinct;
    unsigned layer;
};

class PacketWalker {
  public:
    PacketWalker(const Jpeg2000Tile& tile, const Damaged& damaged)
        : tile_(tile), damaged_(damaged) {}

    void walk() {
        for (unsigned c = 0; c < tile_.components.size(); ++c)
            for (unsigned r = 0; r <= tile_.components[c].levels; ++r) add_resolution(c, r);
        require_bytes(precincts_.size() * tile_.layers);
        std::size_t at = 0;
        for (const Packet& packet : in_order()) at = follow(packet, at);
        if (at != tile_.data.size()) damaged_("data are left behind the last packet");
        if (tile_.packs_headers && header_at_ != headers().size())
            damaged_("headers are left behind that of the last packet");
    }

  private:
    const std::vector<std::uint8_t>& headers() const {
        return tile_.packs_headers ? tile_.headers : tile_.data;
    }
    // A packet's header takes a byte at least, which bounds the work for a damaged stream.
    void require_bytes(std::uint64_t packets) const {
        if (packets > headers().size()) damaged_("there are fewer bytes than packets");
    }

    // B.6: a resolution's part of the tile, cut along a grid that begins at zero.
    void add_resolution(unsigned c, unsigned r) {
        const Jpeg2000Coding& coding = tile_.components[c];
        const unsigned shift = coding.levels - r;
        const unsigned wide = coding.precincts[r] & 15, high = coding.precincts[r] >> 4;
        const std::int64_t x0 = ceil_shift(tile_.x0, shift), x1 = ceil_shift(tile_.x1, shift);
        const std::int64_t y0 = ceil_shift(tile_.y0, shift), y1 = ceil_shift(tile_.y1, shift);
        if (x0 >= x1 || y0 >= y1) return;
        if (r > 0 && (wide == 0 || high == 0)) damaged_("their precincts have no valid size");
        const std::int64_t first_x = x0 >> wide, end_x = ceil_shift(x1, wide);
        const std::int64_t first_y = y0 >> high, end_y = ceil_shift(y1, high);
        require_bytes(precincts_.size() +
                      static_cast<std::uint64_t>((end_x - first_x) * (end_y - first_y)));
        std::int64_t index = 0;
        for (std::int64_t y = first_y; y < end_y; ++y)
            for (std::int64_t x = first_x; x < end_x; ++x) {
                Precinct precinct{c,
                                  r,
                                  index++,
                                  std::max(tile_.x0, x << (wide + shift)),
                                  std::max(tile_.y0, y << (high + shift)),
                                  {}};
                for (unsigned band = r > 0 ? 1 : 0; band <= (r > 0 ? 3u : 0u); ++band)
                    add_band(precinct, coding, band, x, y);
                precincts_.push_back(std::move(precinct));
            }
    }

    // Bands 0 to 3 are LL, HL, LH and HH (B.5, B.7). A precinct has half the size in bands that a
    // resolution adds.
    void add_band(Precinct& precinct, const Jpeg2000Coding& coding, unsigned band, std::int64_t px,
                  std::int64_t py) const {
        const unsigned r = precinct.resolution, half = r > 0 ? 1 : 0;
        const unsigned level = coding.levels - r + half;
        const auto blocks = [&](std::int64_t begin, std::int64_t end, unsigned high_pass,
                                std::int64_t place, unsigned size, unsigned block) {
            const std::int64_t offset = high_pass ? std::int64_t{1} << (level - 1) : 0;
            const std::int64_t from = std::max(ceil_shift(begin - offset, level), place << size);
            const std::int64_t to = std::min(ceil_shift(end - offset, level), (place + 1) << size);
            const unsigned shift = std::min(block, size);
            return to > from ? ceil_shift(to, shift) - (from >> shift) : 0;
        };
        const std::int64_t across = blocks(tile_.x0, tile_.x1, band & 1, px,
                                           (coding.precincts[r] & 15) - half, coding.block_width);
        const std::int64_t down = blocks(tile_.y0, tile_.y1, band >> 1, py,
                                         (coding.precincts[r] >> 4) - half, coding.block_height);
        if (across > 0 && down > 0) precinct.bands.emplace_back(across, down);
    }

    // B.12.
    std::vector<Packet> in_order() const {
        constexpr unsigned all = 1 << 16, most_orders = 32;  // that decoders take
        if (tile_.orders.size() > most_orders) damaged_("they have too many orders of packets");
        std::vector<unsigned> layers(precincts_.size());  // of each that came so far
        std::vector<Packet> packets;
        for (const Jpeg2000Order& order : tile_.orders) add_packets(order, layers, packets);
        if (tile_.orders.empty())
            add_packets({0, 0, all, all, all, tile_.progression}, layers, packets);
        if (packets.size() != precincts_.size() * tile_.layers)
            damaged_("their orders leave packets out");
        return packets;
    }
    void add_packets(const Jpeg2000Order& order, std::vector<unsigned>& layers,
                     std::vector<Packet>& packets) const {
        const auto begin = static_cast<std::ptrdiff_t>(packets.size());
        for (std::size_t i = 0; i < precincts_.size(); ++i) {
            const Precinct& p = precincts_[i];
            if (p.resolution < order.first_resolution || p.resolution >= order.end_resolution ||
                p.component < order.first_component || p.component >= order.end_component)
                continue;
            for (; layers[i] < std::min(order.end_layer, tile_.layers); ++layers[i])
                packets.push_back({place(p, layers[i], order.progression), i, layers[i]});
        }
        std::sort(packets.begin() + begin, packets.end(),
                  [](const Packet& a, const Packet& b) { return a.order < b.order; });
    }
    // B.12.1.
    static std::array<std::int64_t, 5> place(const Precinct& p, std::int64_t l,
                                             unsigned progression) {
        const std::int64_t r = p.resolution, c = p.component;
        const std::array<std::int64_t, 5> orders[] = {{l, r, c, p.index, 0},
                                                      {r, l, c, p.index, 0},
                                                      {r, p.y, p.x, c, l},
                                                      {p.y, p.x, c, r, l},
                                                      {c, p.y, p.x, r, l}};
        return orders[progression];
    }

    static bool marker(const std::vector<std::uint8_t>& bytes, std::size_t at, unsigned low) {
        return at + 1 < bytes.size() && bytes[at] == 0xff && bytes[at + 1] == low;
    }

    // Reads a packet's header (B.9, B.10) and returns where the next packet begins.
    std::size_t follow(const Packet& packet, std::size_t at) {
        constexpr unsigned start_of_packet = 0x91, end_of_header = 0x92;
        if (tile_.packet_marks && marker(tile_.data, at, start_of_packet)) at += 6;
        Precinct& precinct = precincts_[packet.precinct];
        HeaderBits bits(headers(), tile_.packs_headers ? header_at_ : at, damaged_);
        std::uint64_t body = 0;
        if (bits.bit())
            for (BlockGrid& band : precinct.bands)
                body += band.read(bits, packet.layer, tile_.components[precinct.component].style);
        std::size_t header_end = bits.end();
        if (tile_.header_ends) {
            if (!marker(headers(), header_end, end_of_header))
                damaged_("a packet's header has no end");
            header_end += 2;
        }
        (tile_.packs_headers ? header_at_ : at) = header_end;
        if (at > tile_.data.size() || body > tile_.data.size() - at)
            damaged_("a packet ends early");
        check_body(at, at + body, tile_.components[precinct.component].style);
        return at + body;
    }

    // Code words never make a marker (B.10.1, C.2). Zeros in such a number come from no encoder,
    // but from a file with a hole, where no coder is bypassed.
    void check_body(std::size_t begin, std::size_t end, unsigned style) const {
        constexpr unsigned bypass = 1, largest_behind_ff = 0x8f, hole = 48;
        unsigned zeros = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const unsigned byte = tile_.data[i];
            if (byte > largest_behind_ff && i > begin && tile_.data[i - 1] == 0xff)
                damaged_("a marker stands in a packet");
            zeros = byte == 0 ? zeros + 1 : 0;
            if (zeros == hole && !(style & bypass)) damaged_("a part of them is zeros");
        }
    }

    const Jpeg2000Tile& tile_;
    const Damaged& damaged_;
    std::vector<Precinct> precincts_;
    std::size_t header_at_ = 0;  // in `headers`, where they are packed
};

}  // namespace

void follow_packets(const Jpeg2000Tile& tile, const std::function<void(const char*)>& damaged) {
    PacketWalker(tile, damaged).walk();
}

}  // namespace tesela::io
