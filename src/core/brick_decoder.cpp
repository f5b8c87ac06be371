#include "core/brick_model.h"

namespace tesela::detail {
namespace {

// The frequencies of a context from the bytes of its table; false where these make no sense.
bool read_table(std::span<const std::uint8_t> bytes, TokenTable& table) {
    std::array<std::uint32_t, detail_tokens> frequencies{};
    if (bytes.empty()) {
        frequencies[0] = probability_one;
        table.set(frequencies);
        return true;
    }
    std::uint32_t sum = 0;
    std::size_t token = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at, ++token) {
        std::uint32_t frequency = bytes[at];
        if (frequency >= 128) {
            if (++at == bytes.size()) return false;
            frequency = (frequency & 127) << 8 | bytes[at];
        }
        if (token == detail_tokens) return false;
        frequencies[token] = frequency;
        sum += frequency;
    }
    if (sum != probability_one) return false;
    table.set(frequencies);
    return true;
}

// The words of a lane. Behind their end come zeros, and the lane is not `complete`.
class LaneReader {
  public:
    explicit LaneReader(std::span<const std::uint8_t> bytes)
        : at_(bytes.data()), end_(bytes.data() + bytes.size()) {
        state_ = word() << 16;
        state_ |= word();
    }
    int token(const TokenTable& table) {
        const std::uint32_t place = state_ & (probability_one - 1);
        const int token = table.find(place);
        const std::uint32_t first = table.first[static_cast<std::size_t>(token)];
        const std::uint32_t frequency = table.first[static_cast<std::size_t>(token) + 1] - first;
        state_ = frequency * (state_ >> probability_bits) + place - first;
        refill();
        return token;
    }
    std::uint32_t bits(int count) {
        const std::uint32_t value = state_ & ((1u << count) - 1);
        state_ >>= count;
        refill();
        return value;
    }
    bool complete() const { return state_ == lowest_state && at_ == end_ && !beyond_; }

  private:
    void refill() {
        if (state_ < lowest_state) state_ = state_ << 16 | word();
    }
    std::uint32_t word() {
        if (end_ - at_ < 2) {
            beyond_ = true;
            return 0;
        }
        const std::uint32_t value = static_cast<std::uint32_t>(at_[0] | at_[1] << 8);
        at_ += 2;
        return value;
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
    std::uint32_t state_ = 0;
    bool beyond_ = false;
};

int read_residual(LaneReader& lane, const TokenTable& table) {
    constexpr int together = 12;
    const int token = lane.token(table);
    std::uint32_t number = token_base(token);
    if (const int extra = extra_bits(token); extra > 0) {
        number += lane.bits(std::min(extra, together));
        if (extra > together) number += lane.bits(extra - together) << together;
    }
    return static_cast<int>(number >> 1) ^ -static_cast<int>(number & 1);
}

// The voxels of a cell from its mean and its differences.
template <class T>
void write_cell(std::array<int, 8>& cell, int center, int level, T* fine, const BrickSize& size,
                int x, int y, int z) {
    cell[0] = 0;
    join_cell(cell);
    int sum = 0;
    for (const int value : cell) sum += value;
    const int low = center - ((sum + rounding_of(level)) >> 3);
    for (int k = 0; k < 8; ++k) {
        const int fx = 2 * x + (k & 1), fy = 2 * y + (k >> 1 & 1), fz = 2 * z + (k >> 2);
        if (fx < size[0] && fy < size[1] && fz < size[2])
            fine[(fz * size[1] + fy) * size[0] + fx] =
                static_cast<T>(low + cell[static_cast<std::size_t>(k)]);
    }
}

template <class T>
bool decode_lane(std::span<const std::uint8_t> bytes, const Rows& rows, int shift,
                 const std::array<TokenTable, detail_contexts>& tables, Cells<T>& cells,
                 const BrickSize& size, int level, T* fine) {
    LaneReader lane(bytes);
    const int nx = cells.size()[0], ny = cells.size()[1];
    for (int row = rows.first; row < rows.end; ++row) {
        cells.enter_row(row);
        for (int x = 0; x < nx; ++x) {
            cells.enter(x, shift);
            std::array<int, 8> cell{};
            for (const int detail : detail_order) {
                if (!cells.has(detail)) continue;
                const int residual = read_residual(lane, tables[cells.context()]);
                cells.take(residual);
                cell[static_cast<std::size_t>(detail)] = residual + cells.predicted(detail);
            }
            cells.leave();
            write_cell(cell, cells.center(), level, fine, size, x, row % ny, row / ny);
        }
    }
    return lane.complete();
}

}  // namespace

template <class T>
bool decode_details(std::span<const std::uint8_t> chunk, std::span<const T> coarse,
                    const BrickSize& size, int level, std::span<T> fine) {
    if (static_cast<std::int64_t>(fine.size()) != voxels_of(size) ||
        static_cast<std::int64_t>(coarse.size()) != voxels_of(halved(size)))
        return false;
    constexpr int most_shift = 31;
    if (chunk.size() < chunk_table_bytes_at + detail_contexts) return false;
    const int lanes = chunk[0], shift = chunk[1];
    if (lanes < 1 || lanes > most_lanes || shift > most_shift) return false;
    std::array<TokenTable, detail_contexts> tables;
    std::size_t at = chunk_table_bytes_at + detail_contexts;
    for (std::size_t context = 0; context < detail_contexts; ++context) {
        const std::size_t bytes = chunk[chunk_table_bytes_at + context];
        if (bytes > chunk.size() - at || !read_table(chunk.subspan(at, bytes), tables[context]))
            return false;
        at += bytes;
    }
    at = (at + 1) / 2 * 2;
    const auto lane_count = static_cast<std::size_t>(lanes);
    if (at + 2 * lane_count > chunk.size()) return false;
    const std::span<const std::uint8_t> lengths = chunk.subspan(at, 2 * lane_count);
    std::span<const std::uint8_t> words = chunk.subspan(at + 2 * lane_count);
    Cells<T> cells(coarse, size);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
        const std::size_t bytes = 2u * (lengths[2 * lane] | lengths[2 * lane + 1] << 8u);
        if (bytes > words.size()) return false;
        const Rows rows = rows_of_lane(cells.rows(), lanes, static_cast<int>(lane));
        if (!decode_lane(words.first(bytes), rows, shift, tables, cells, size, level, fine.data()))
            return false;
        words = words.subspan(bytes);
    }
    return words.empty();
}

template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                             const BrickSize&, int, std::span<std::uint8_t>);
template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             const BrickSize&, int, std::span<std::uint16_t>);

}  // namespace tesela::detail
