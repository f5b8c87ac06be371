#include <cstring>

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

// The words of a lane, behind which one more can be read. It is `complete` if all were read and
// none behind them.
class LaneReader {
  public:
    LaneReader() = default;
    LaneReader(const std::uint16_t* words, std::size_t count) : words_(words), count_(count) {
        state_ = word() << 16;
        state_ |= word();
    }
    int token(const TokenTable& table) {
        const std::uint32_t place = state_ & (probability_one - 1);
        const int token = table.find(place);
        const std::uint16_t* first = &table.first[static_cast<std::size_t>(token)];
        const auto frequency = static_cast<std::uint32_t>(first[1] - first[0]);
        state_ = frequency * (state_ >> probability_bits) + place - first[0];
        refill();
        return token;
    }
    std::uint32_t bits(int count) {
        const std::uint32_t value = state_ & ((1u << count) - 1);
        state_ >>= count;
        refill();
        return value;
    }
    bool complete() const { return state_ == lowest_state && next_ == count_; }

  private:
    std::uint32_t word() { return words_[std::min(next_++, count_)]; }
    void refill() {
        const std::uint32_t word = words_[std::min(next_, count_)];
        const bool needed = state_ < lowest_state;
        state_ = needed ? state_ << 16 | word : state_;
        next_ += needed ? 1 : 0;
    }

    const std::uint16_t* words_ = nullptr;
    std::size_t count_ = 0, next_ = 0;
    std::uint32_t state_ = 0;
};

int read_residual(LaneReader& lane, const TokenTable& table) {
    const int token = lane.token(table);
    std::uint32_t number = token_base(token);
    if (const int extra = extra_bits(token); extra > 0) {
        const int low = std::min(extra, probability_bits);
        number += lane.bits(low);
        if (extra > low) number += lane.bits(extra - low) << low;
    }
    return static_cast<int>(number >> 1) ^ -static_cast<int>(number & 1);
}

using TokenTables = std::array<TokenTable, detail_contexts>;

template <class T>
int read_detail(int detail, int shift, const TokenTables& tables, Cells<T>& cells,
                LaneReader& lane) {
    const auto activity = static_cast<std::uint32_t>(cells.activity());
    const int residual = read_residual(lane, tables[context_of(activity, shift)]);
    cells.take(residual);
    return residual + cells.predicted(detail);
}

// The voxels of a cell from its mean and its details, which are used up; `first` is the first of
// them in `rows`, the rows of the brick that the cell is part of. Voxels beyond the border are left
// out.
template <class T>
void write_cell(std::array<int, 8>& cell, const Cells<T>& cells, int level, int first,
                const std::array<T*, 4>& rows) {
    join_cell(cell);
    int sum = 0;
    for (const int value : cell) sum += value;
    const int low = cells.center() - ((sum + rounding_of(level)) >> 3);
    for (int k = 0; k < 4; ++k) {
        if (!cells.has(2 * k)) continue;
        T* voxels = rows[static_cast<std::size_t>(k)] + first;
        const auto i = static_cast<std::size_t>(2 * k);
        voxels[0] = static_cast<T>(low + cell[i]);
        if (cells.has(1)) voxels[1] = static_cast<T>(low + cell[i + 1]);
    }
}

template <class T>
struct Lane {
    LaneReader reader;
    Cells<T> cells;
    Rows rows;
};

// What the lanes of a chunk have in common.
template <class T>
struct Decoding {
    int shift = 0, level = 0;
    TokenTables tables;
    BrickSize size{};
    T* fine = nullptr;

    // Of rows of voxels, four for each row of cells.
    std::array<T*, 4> rows_of_cells(int row) const {
        const int ny = halved(size)[1];
        std::array<T*, 4> rows{};
        for (int k = 0; k < 4; ++k) {
            const int y = std::min(2 * (row % ny) + (k & 1), size[1] - 1);
            const int z = std::min(2 * (row / ny) + (k >> 1), size[2] - 1);
            rows[static_cast<std::size_t>(k)] = fine + (std::int64_t{z} * size[1] + y) * size[0];
        }
        return rows;
    }

    // The rows of N lanes side by side, from the `first`th of each up to `end`. A lane waits for
    // its last number before it can read the next; meanwhile the processor works for the other.
    // What changes is in arrays of its own, which the compiler can keep in registers.
    template <std::size_t N>
    void rows(Lane<T>* lanes, int first, int end) const {
        std::array<LaneReader, N> readers;
        std::array<Cells<T>, N> cells;
        for (std::size_t i = 0; i < N; ++i) readers[i] = lanes[i].reader, cells[i] = lanes[i].cells;
        const int nx = halved(size)[0], bits = shift, rounding_level = level;
        for (int row = first; row < end; ++row) {
            std::array<std::array<T*, 4>, N> to{};
            for (std::size_t i = 0; i < N; ++i) {
                cells[i].enter_row(lanes[i].rows.first + row);
                to[i] = rows_of_cells(lanes[i].rows.first + row);
            }
            for (int x = 0; x < nx; ++x) {
                std::array<std::array<int, 8>, N> cell{};
                bool complete = true;
#pragma GCC unroll 2
                for (std::size_t i = 0; i < N; ++i) {
                    cells[i].enter(x);
                    complete &= cells[i].complete();
                }
                if (complete) {  // without a test the details can be laid out one by one
#pragma GCC unroll 7
                    for (const int detail : detail_order)
#pragma GCC unroll 2
                        for (std::size_t i = 0; i < N; ++i)
                            cell[i][static_cast<std::size_t>(detail)] =
                                read_detail(detail, bits, tables, cells[i], readers[i]);
                } else {
                    for (const int detail : detail_order)
                        for (std::size_t i = 0; i < N; ++i)
                            if (cells[i].has(detail))
                                cell[i][static_cast<std::size_t>(detail)] =
                                    read_detail(detail, bits, tables, cells[i], readers[i]);
                }
#pragma GCC unroll 2
                for (std::size_t i = 0; i < N; ++i) {
                    cells[i].leave();
                    write_cell(cell[i], cells[i], rounding_level, 2 * x, to[i]);
                }
            }
        }
        for (std::size_t i = 0; i < N; ++i) lanes[i].reader = readers[i];
    }

    // All of N lanes, none of which has fewer rows than the last. False where words are missing or
    // left.
    template <std::size_t N>
    bool lanes(Lane<T>* lanes) const {
        const int together = lanes[N - 1].rows.count();
        rows<N>(lanes, 0, together);
        bool complete = true;
        for (std::size_t i = 0; i < N; ++i) {
            rows<1>(&lanes[i], together, lanes[i].rows.count());
            complete = complete && lanes[i].reader.complete();
        }
        return complete;
    }
};

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
    Decoding<T> decoding;
    decoding.shift = shift;
    decoding.level = level;
    decoding.size = size;
    decoding.fine = fine.data();
    std::size_t at = chunk_table_bytes_at + detail_contexts;
    for (std::size_t context = 0; context < detail_contexts; ++context) {
        const std::size_t bytes = chunk[chunk_table_bytes_at + context];
        if (bytes > chunk.size() - at ||
            !read_table(chunk.subspan(at, bytes), decoding.tables[context]))
            return false;
        at += bytes;
    }
    // All residuals are 0, which takes no words.
    const bool is_flat = at == chunk_table_bytes_at + detail_contexts;
    at = (at + 1) / 2 * 2;
    if (at > chunk.size() || chunk.size() % 2 != 0) return false;
    // The lengths of the lanes, their words, and one behind them.
    std::vector<std::uint16_t> words((chunk.size() - at) / 2 + 1);
    std::memcpy(words.data(), chunk.data() + at, chunk.size() - at);
    std::size_t next = static_cast<std::size_t>(lanes);
    const Cells<T> cells(coarse, size);
    std::vector<Lane<T>> all;
    for (int i = 0; i < lanes; ++i) {
        const std::size_t length =
            static_cast<std::size_t>(i) < words.size() ? words[static_cast<std::size_t>(i)] : 0;
        if (next + length >= words.size()) return false;
        all.push_back(
            {LaneReader(&words[next], length), cells, rows_of_lane(cells.rows(), lanes, i)});
        next += length;
        if (is_flat && !all.back().reader.complete()) return false;
    }
    if (next + 1 != words.size()) return false;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        if (!decoding.template lanes<2>(&all[i])) return false;
    return all.size() % 2 == 0 || decoding.template lanes<1>(&all.back());
}

template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                             const BrickSize&, int, std::span<std::uint8_t>);
template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             const BrickSize&, int, std::span<std::uint16_t>);

}  // namespace tesela::detail
