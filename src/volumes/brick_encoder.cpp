#include <cmath>
#include <memory>
#include <type_traits>

#include "volumes/brick_cells.h"

namespace tesela::detail {
namespace {

// A residual before the frequencies of symbols are known.
struct Residual {
    std::uint32_t number;  // its zigzag code
    int activity;          // of its surroundings
    int symbol() const { return kernels::brick_symbol_of(number); }
};
using SymbolCounts = std::array<std::uint32_t, kernels::brick_symbols>;
using Histogram = std::array<SymbolCounts, kernels::brick_contexts>;
// How a symbol is coded: how many slots lie below its own, their number, and what a state is
// multiplied by to divide it by that number.
struct Slots {
    std::uint32_t start = 0, frequency = 0;
    std::uint64_t reciprocal = 0;
};
using SlotTable = std::array<Slots, kernels::brick_symbols>;

// The four rows along x of a row of cells; beyond the border the last one is repeated.
template <class T>
std::array<const T*, 4> rows_of_cells(std::span<const T> fine, const BrickSize& size, int y,
                                      int z) {
    std::array<const T*, 4> rows{};
    for (int k = 0; k < 4; ++k) {
        const int fy = std::min(2 * y + (k & 1), size[1] - 1);
        const int fz = std::min(2 * z + (k >> 1), size[2] - 1);
        rows[static_cast<std::size_t>(k)] =
            fine.data() + (std::int64_t{fz} * size[1] + fy) * size[0];
    }
    return rows;
}

// All residuals in coding order, and where each row of cells begins among them.
struct Residuals {
    std::unique_ptr<Residual[]> room;
    std::vector<std::size_t> row_starts;  // the last one is that behind all

    std::span<const Residual> values() const { return {room.get(), row_starts.back()}; }
};
template <class T>
Residuals residuals_of(std::span<const T> fine, std::span<const T> coarse, const BrickSize& size) {
    Residuals all{std::make_unique_for_overwrite<Residual[]>(fine.size()), {}};
    Residual* next = all.room.get();
    Cells<T> cells(coarse, size);
    const auto [nx, ny, nz] = cells.size();
    for (int row = 0; row < ny * nz; ++row) {
        all.row_starts.push_back(static_cast<std::size_t>(next - all.room.get()));
        cells.enter_row(row);
        const std::array<const T*, 4> rows = rows_of_cells(fine, size, row % ny, row / ny);
        for (int x = 0; x < nx; ++x) {
            cells.enter(x);
            const int first = 2 * x, second = std::min(2 * x + 1, size[0] - 1);
            std::array<int, 8> cell;
            for (std::size_t k = 0; k < 4; ++k) {
                cell[2 * k] = rows[k][first];
                cell[2 * k + 1] = rows[k][second];
            }
            kernels::brick_s_transform(cell.data());
            for (const int detail : kernels::brick_order) {
                if (!cells.has(detail)) continue;
                const int residual = cell[static_cast<std::size_t>(detail)] -
                                     kernels::brick_predicted(cells.cell(), detail);
                *next++ = {kernels::brick_number_of(residual),
                           kernels::brick_activity(cells.cell())};
                kernels::brick_take(cells.cell(), residual);
            }
            cells.leave();
        }
    }
    all.row_starts.push_back(static_cast<std::size_t>(next - all.room.get()));
    return all;
}

std::size_t context_of(const Residual& residual, int shift) {
    return static_cast<std::size_t>(kernels::brick_context(residual.activity, shift));
}

// Shift that brings the mean activity into the range of contexts.
int activity_shift(std::span<const Residual> residuals) {
    std::uint64_t sum = 0;
    for (const Residual& c : residuals) sum += static_cast<std::uint64_t>(c.activity);
    constexpr std::uint64_t wanted_mean = 16;
    int shift = 0;
    while (!residuals.empty() && (sum / residuals.size()) >> shift > wanted_mean) ++shift;
    return shift;
}

SymbolCounts frequencies_of(const SymbolCounts& counts) {
    SymbolCounts frequencies{};
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) total += count;
    if (total == 0) {
        frequencies[0] = kernels::brick_probability_one;
        return frequencies;
    }
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < kernels::brick_symbols; ++t) {
        if (counts[t] == 0) continue;
        const std::uint64_t share =
            (counts[t] * std::uint64_t{kernels::brick_probability_one} + total / 2) / total;
        frequencies[t] = std::max(1u, static_cast<std::uint32_t>(share));
        sum += frequencies[t];
    }
    // Rounding errors are added to, or taken from, the most frequent symbols.
    while (sum != kernels::brick_probability_one) {
        auto& most = *std::max_element(frequencies.begin(), frequencies.end());
        const std::uint32_t wanted = most + kernels::brick_probability_one - sum;
        const std::uint32_t changed =
            sum > kernels::brick_probability_one ? std::max(wanted, most / 2) : wanted;
        sum += changed - most;
        most = changed;
    }
    return frequencies;
}

SlotTable slots_of(const SymbolCounts& frequencies) {
    SlotTable slots{};
    std::uint32_t start = 0;
    for (std::size_t t = 0; t < kernels::brick_symbols; ++t) {
        const std::uint32_t frequency = frequencies[t];
        slots[t] = {start, frequency, frequency == 0 ? 0 : kernels::brick_reciprocal_of(frequency)};
        start += frequency;
    }
    return slots;
}

double bits_of(const Histogram& histogram) {
    double bits = 0;
    for (const auto& counts : histogram) {
        double total = 0;
        for (const std::uint32_t count : counts) total += count;
        for (std::size_t t = 0; t < kernels::brick_symbols; ++t)
            if (counts[t] > 0)
                bits += counts[t] * (std::log2(total / counts[t]) +
                                     kernels::brick_extra_bits(static_cast<int>(t)));
    }
    return bits;
}

// Fewer streams for little data: each costs six bytes. But a device decodes as long as its longest
// stream takes, so that none has more than some rows; all items share that of a flat chunk.
int streams_for(const Histogram& histogram, int rows) {
    constexpr double bytes_each = 48;
    constexpr int most_rows = 16;
    const double bits = bits_of(histogram);
    const int least = bits > 0 ? (rows + most_rows - 1) / most_rows : 1;
    const int wanted = std::max(static_cast<int>(bits / 8 / bytes_each), least);
    const int streams = std::clamp(wanted, 1, std::min<int>(kernels::brick_max_streams, rows));
    // Rounded so that no stream is empty.
    const int each = (rows + streams - 1) / streams;
    return (rows + each - 1) / each;
}

// The table of a context is omitted if all of its symbols are 0.
std::vector<std::uint8_t> packed_table(const SymbolCounts& frequencies) {
    std::vector<std::uint8_t> bytes;
    std::size_t count = kernels::brick_symbols;
    while (count > 0 && frequencies[count - 1] == 0) --count;
    if (frequencies[0] == kernels::brick_probability_one) count = 0;
    for (std::size_t t = 0; t < count; ++t) {
        constexpr std::uint32_t one_byte = 128;
        if (frequencies[t] >= one_byte)
            bytes.push_back(static_cast<std::uint8_t>(one_byte | frequencies[t] >> 8));
        bytes.push_back(static_cast<std::uint8_t>(frequencies[t]));
    }
    return bytes;
}

void append_word(std::vector<std::uint8_t>& chunk, std::size_t word) {
    chunk.push_back(static_cast<std::uint8_t>(word));
    chunk.push_back(static_cast<std::uint8_t>(word >> 8));
}

// Encodes a rANS stream from its last symbol to its first, because the decoder runs in reverse.
class RansWriter {
  public:
    explicit RansWriter(std::span<std::uint16_t> buffer) : at_(buffer.data() + buffer.size()) {}

    void put(const Slots& slots) {
        if (state_ >> (32 - kernels::brick_probability_bits) >= slots.frequency) emit();
        state_ = kernels::brick_encoded(state_, slots.start, slots.frequency, slots.reciprocal);
    }
    void put_bits(std::uint32_t value, int count) {
        if (state_ >> (32 - count) != 0) emit();
        state_ = state_ << count | value;
    }
    // The first word.
    const std::uint16_t* finish() {
        emit();
        emit();
        return at_;
    }

  private:
    void emit() {
        *--at_ = static_cast<std::uint16_t>(state_);
        state_ >>= 16;
    }

    std::uint32_t state_ = kernels::brick_lowest_state;
    std::uint16_t* at_;
};

// A symbol and the two parts of its extra bits may emit a word each.
constexpr std::size_t max_words_each = 3, words_of_state = 2;

const std::uint16_t* write_stream(std::span<const Residual> residuals, int shift,
                                  const std::array<SlotTable, kernels::brick_contexts>& tables,
                                  std::span<std::uint16_t> buffer) {
    RansWriter stream(buffer);
    for (std::size_t i = residuals.size(); i-- > 0;) {
        const Residual& c = residuals[i];
        const int symbol = c.symbol();
        if (const int extra = kernels::brick_extra_bits(symbol); extra > 0) {
            const int low = std::min<int>(extra, kernels::brick_probability_bits);
            const std::uint32_t rest = c.number - kernels::brick_lowest_number(symbol);
            if (extra > low) stream.put_bits(rest >> low, extra - low);
            stream.put_bits(rest & ((1u << low) - 1), low);
        }
        stream.put(tables[context_of(c, shift)][static_cast<std::size_t>(symbol)]);
    }
    return stream.finish();
}

}  // namespace

template <class T>
std::vector<T> halve(std::span<const T> fine, const BrickSize& size, int level) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double,
                                   std::conditional_t<sizeof(T) <= 2, int, std::int64_t>>;
    const auto [nx, ny, nz] = halved(size);
    std::vector<T> coarse(static_cast<std::size_t>(voxels_of(halved(size))));
    T* next = coarse.data();
    for (int row = 0; row < ny * nz; ++row) {
        const std::array<const T*, 4> rows = rows_of_cells(fine, size, row % ny, row / ny);
        for (int x = 0; x < nx; ++x) {
            Sum sum = 0;
            for (const T* voxels : rows) {
                sum += static_cast<Sum>(voxels[2 * x]);
                sum += static_cast<Sum>(voxels[std::min(2 * x + 1, size[0] - 1)]);
            }
            if constexpr (std::is_floating_point_v<T>)
                *next++ = static_cast<T>(sum / 8);
            else
                *next++ = static_cast<T>((sum + kernels::brick_rounding(level)) >> 3);
        }
    }
    return coarse;
}

template <class T>
std::vector<std::uint8_t> encode_details(std::span<const T> fine, std::span<const T> coarse,
                                         const BrickSize& size) {
    const Residuals all = residuals_of(fine, coarse, size);
    const int shift = activity_shift(all.values());
    const auto histogram = std::make_unique<Histogram>();
    for (const Residual& c : all.values())
        ++(*histogram)[context_of(c, shift)][static_cast<std::size_t>(c.symbol())];

    const int rows = halved(size)[1] * halved(size)[2];
    const int streams = streams_for(*histogram, rows);
    std::vector<std::uint8_t> chunk{static_cast<std::uint8_t>(streams),
                                    static_cast<std::uint8_t>(shift)};
    chunk.resize(kernels::brick_tables_at);
    std::array<SlotTable, kernels::brick_contexts> tables;
    for (std::size_t context = 0; context < kernels::brick_contexts; ++context) {
        const SymbolCounts frequencies = frequencies_of((*histogram)[context]);
        tables[context] = slots_of(frequencies);
        const std::vector<std::uint8_t> packed = packed_table(frequencies);
        chunk[kernels::brick_table_bytes_at + context] = static_cast<std::uint8_t>(packed.size());
        chunk.insert(chunk.end(), packed.begin(), packed.end());
    }
    chunk.resize((chunk.size() + 1) / 2 * 2);
    std::vector<std::uint16_t> words;
    std::vector<std::uint16_t> buffer;
    for (int stream = 0; stream < streams; ++stream) {
        const Rows part = rows_of_stream(rows, streams, stream);
        const std::size_t first = all.row_starts[static_cast<std::size_t>(part.first)];
        const std::size_t count = all.row_starts[static_cast<std::size_t>(part.end)] - first;
        buffer.resize(max_words_each * count + words_of_state);
        const std::uint16_t* begin =
            write_stream(all.values().subspan(first, count), shift, tables, buffer);
        const std::uint16_t* end = buffer.data() + buffer.size();
        append_word(chunk, static_cast<std::size_t>(end - begin));
        words.insert(words.end(), begin, end);
    }
    const std::size_t head = chunk.size();
    chunk.resize(head + 2 * words.size());
    std::memcpy(chunk.data() + head, words.data(), 2 * words.size());
    return chunk;
}

template <class T>
BrickChunks encode_brick(std::vector<T> fine, BrickSize size) {
    BrickChunks chunks;
    for (int level = 0; level < BrickSource::level_count - 1; ++level) {
        std::vector<T> coarse = halve<T>(fine, size, level);
        chunks[static_cast<std::size_t>(level)] = encode_details<T>(fine, coarse, size);
        fine = std::move(coarse);
        size = halved(size);
    }
    chunks.back().resize(fine.size() * sizeof(T));
    std::memcpy(chunks.back().data(), fine.data(), chunks.back().size());
    return chunks;
}

template std::vector<std::uint8_t> halve(std::span<const std::uint8_t>, const BrickSize&, int);
template std::vector<std::int8_t> halve(std::span<const std::int8_t>, const BrickSize&, int);
template std::vector<std::uint16_t> halve(std::span<const std::uint16_t>, const BrickSize&, int);
template std::vector<std::int16_t> halve(std::span<const std::int16_t>, const BrickSize&, int);
template std::vector<std::uint32_t> halve(std::span<const std::uint32_t>, const BrickSize&, int);
template std::vector<std::int32_t> halve(std::span<const std::int32_t>, const BrickSize&, int);
template std::vector<float> halve(std::span<const float>, const BrickSize&, int);
template std::vector<double> halve(std::span<const double>, const BrickSize&, int);
template std::vector<std::uint8_t> encode_details(std::span<const std::uint8_t>,
                                                  std::span<const std::uint8_t>, const BrickSize&);
template std::vector<std::uint8_t> encode_details(std::span<const std::uint16_t>,
                                                  std::span<const std::uint16_t>, const BrickSize&);
template BrickChunks encode_brick(std::vector<std::uint8_t>, BrickSize);
template BrickChunks encode_brick(std::vector<std::uint16_t>, BrickSize);

}  // namespace tesela::detail
