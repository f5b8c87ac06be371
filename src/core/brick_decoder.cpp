#include <cstring>

#include "core/brick_model.h"

namespace tesela::detail {
namespace {

// Reads the table of a context; false where it is damaged.
bool read_table(std::span<const std::uint8_t> bytes, SymbolTable& table) {
    std::array<std::uint32_t, detail_symbols> frequencies{};
    if (bytes.empty()) {
        frequencies[0] = probability_one;
        table.set(frequencies);
        return true;
    }
    std::uint32_t sum = 0;
    std::size_t symbol = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at, ++symbol) {
        std::uint32_t frequency = bytes[at];
        if (frequency >= 128) {
            if (++at == bytes.size()) return false;
            frequency = (frequency & 127) << 8 | bytes[at];
        }
        if (symbol == detail_symbols) return false;
        frequencies[symbol] = frequency;
        sum += frequency;
    }
    if (sum != probability_one) return false;
    table.set(frequencies);
    return true;
}

// Decodes a rANS stream. One word behind its end can be read without harm; the stream is `complete`
// if exactly its own words were read.
class RansReader {
  public:
    RansReader() = default;
    RansReader(const std::uint16_t* words, std::size_t count) : words_(words), count_(count) {
        state_ = word() << 16;
        state_ |= word();
    }
    int symbol(const SymbolTable& table) {
        const std::uint32_t slot = state_ & (probability_one - 1);
        const int symbol = table.find(slot);
        const std::uint16_t* start = &table.cumulative[static_cast<std::size_t>(symbol)];
        const auto frequency = static_cast<std::uint32_t>(start[1] - start[0]);
        state_ = frequency * (state_ >> probability_bits) + slot - start[0];
        refill();
        return symbol;
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

int read_residual(RansReader& stream, const SymbolTable& table) {
    const int symbol = stream.symbol(table);
    std::uint32_t number = symbol_base(symbol);
    if (const int extra = extra_bits(symbol); extra > 0) {
        const int low = std::min(extra, probability_bits);
        number += stream.bits(low);
        if (extra > low) number += stream.bits(extra - low) << low;
    }
    return static_cast<int>(number >> 1) ^ -static_cast<int>(number & 1);
}

using SymbolTables = std::array<SymbolTable, detail_contexts>;

template <class T>
int read_detail(int detail, int shift, const SymbolTables& tables, Cells<T>& cells,
                RansReader& stream) {
    const auto activity = static_cast<std::uint32_t>(cells.activity());
    const int residual = read_residual(stream, tables[context_of(activity, shift)]);
    cells.take(residual);
    return residual + cells.predicted(detail);
}

// Writes the voxels of a cell from its mean and its details, overwriting these; `first` is the
// index of the cell's first voxel in `rows`. Skips voxels beyond the border.
template <class T>
void write_cell(std::array<int, 8>& cell, const Cells<T>& cells, int level, int first,
                const std::array<T*, 4>& rows) {
    inverse_s_transform(cell);
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
struct Stream {
    RansReader reader;
    Cells<T> cells;
    Rows rows;
};

// The state that the streams of a chunk share.
template <class T>
struct Decoding {
    int shift = 0, level = 0;
    SymbolTables tables;
    BrickSize size{};
    T* fine = nullptr;

    // The four rows of voxels of a row of cells.
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

    // Decodes rows of N streams side by side, from the `first`th of each up to `end` (interleaved
    // rANS: F. Giesen, arXiv:1402.3392, 2014). Each step of a stream depends on its previous one;
    // meanwhile the processor works on the other stream. Changing state is kept in local arrays,
    // which the compiler can hold in registers.
    template <std::size_t N>
    void rows(Stream<T>* streams, int first, int end) const {
        std::array<RansReader, N> readers;
        std::array<Cells<T>, N> cells;
        for (std::size_t i = 0; i < N; ++i)
            readers[i] = streams[i].reader, cells[i] = streams[i].cells;
        const int nx = halved(size)[0], bits = shift, rounding_level = level;
        for (int row = first; row < end; ++row) {
            std::array<std::array<T*, 4>, N> to{};
            for (std::size_t i = 0; i < N; ++i) {
                cells[i].enter_row(streams[i].rows.first + row);
                to[i] = rows_of_cells(streams[i].rows.first + row);
            }
            for (int x = 0; x < nx; ++x) {
                std::array<std::array<int, 8>, N> cell{};
                bool complete = true;
#pragma GCC unroll 2
                for (std::size_t i = 0; i < N; ++i) {
                    cells[i].enter(x);
                    complete &= cells[i].complete();
                }
                if (complete) {  // no tests inside, so that the loop can be unrolled
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
        for (std::size_t i = 0; i < N; ++i) streams[i].reader = readers[i];
    }

    // Decodes N streams, none of which has fewer rows than the last. False where words are missing
    // or left over.
    template <std::size_t N>
    bool streams(Stream<T>* streams) const {
        const int together = streams[N - 1].rows.count();
        rows<N>(streams, 0, together);
        bool complete = true;
        for (std::size_t i = 0; i < N; ++i) {
            rows<1>(&streams[i], together, streams[i].rows.count());
            complete = complete && streams[i].reader.complete();
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
    constexpr int max_shift = 31;
    if (chunk.size() < chunk_table_bytes_at + detail_contexts) return false;
    const int streams = chunk[0], shift = chunk[1];
    if (streams < 1 || streams > max_streams || shift > max_shift) return false;
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
    // All residuals are 0, which needs no words.
    const bool is_flat = at == chunk_table_bytes_at + detail_contexts;
    at = (at + 1) / 2 * 2;
    if (at > chunk.size() || chunk.size() % 2 != 0) return false;
    // The lengths of the streams, their words, and one behind them.
    std::vector<std::uint16_t> words((chunk.size() - at) / 2 + 1);
    std::memcpy(words.data(), chunk.data() + at, chunk.size() - at);
    std::size_t next = static_cast<std::size_t>(streams);
    const Cells<T> cells(coarse, size);
    std::vector<Stream<T>> all;
    for (int i = 0; i < streams; ++i) {
        const std::size_t length =
            static_cast<std::size_t>(i) < words.size() ? words[static_cast<std::size_t>(i)] : 0;
        if (next + length >= words.size()) return false;
        all.push_back(
            {RansReader(&words[next], length), cells, rows_of_stream(cells.rows(), streams, i)});
        next += length;
        if (is_flat && !all.back().reader.complete()) return false;
    }
    if (next + 1 != words.size()) return false;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        if (!decoding.template streams<2>(&all[i])) return false;
    return all.size() % 2 == 0 || decoding.template streams<1>(&all.back());
}

template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                             const BrickSize&, int, std::span<std::uint8_t>);
template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             const BrickSize&, int, std::span<std::uint16_t>);

}  // namespace tesela::detail
