#include <cmath>
#include <memory>
#include <type_traits>

#include "core/brick_model.h"

namespace tesela::detail {
namespace {

struct Coded {
    std::uint32_t number;  // the residual, folded: 0, -1, 1, -2 to 0, 1, 2, 3
    std::uint8_t token, context;
};
using TokenCounts = std::array<std::uint32_t, detail_tokens>;
using Histogram = std::array<TokenCounts, detail_contexts>;

int token_of(std::uint32_t number) {
    if (number < first_long_token) return static_cast<int>(number);
    int bit = 31;
    while (number >> bit == 0) --bit;
    return first_long_token + 2 * (bit - 4) + static_cast<int>(number >> (bit - 1) & 1);
}

template <class T>
std::array<int, 8> cell_of(std::span<const T> fine, const BrickSize& size, int x, int y, int z) {
    std::array<int, 8> cell;
    for (int k = 0; k < 8; ++k) {
        const int fx = std::min(2 * x + (k & 1), size[0] - 1);
        const int fy = std::min(2 * y + (k >> 1 & 1), size[1] - 1);
        const int fz = std::min(2 * z + (k >> 2), size[2] - 1);
        cell[static_cast<std::size_t>(k)] =
            fine[(static_cast<std::size_t>(fz) * static_cast<std::size_t>(size[1]) +
                  static_cast<std::size_t>(fy)) *
                     static_cast<std::size_t>(size[0]) +
                 static_cast<std::size_t>(fx)];
    }
    return cell;
}

// Goes through all cells in the order of coding; `visit` gets each residual with the model.
template <class T, class Visit>
void visit_residuals(std::span<const T> fine, std::span<const T> coarse, const BrickSize& size,
                     Rows rows, int shift, const Visit& visit) {
    Cells<T> cells(coarse, size);
    const auto [nx, ny, nz] = cells.size();
    for (int row = rows.first; row < rows.end; ++row) {
        cells.enter_row(row);
        for (int x = 0; x < nx; ++x) {
            cells.enter(x, shift);
            std::array<int, 8> cell = cell_of(fine, size, x, row % ny, row / ny);
            split_cell(cell);
            for (const int detail : detail_order) {
                if (!cells.has(detail)) continue;
                const int residual =
                    cell[static_cast<std::size_t>(detail)] - cells.predicted(detail);
                visit(residual, cells);
                cells.take(residual);
            }
            cells.leave();
        }
    }
}

// So many bits of activities are left out that their mean is among the contexts.
template <class T>
int activity_shift(std::span<const T> fine, std::span<const T> coarse, const BrickSize& size) {
    std::int64_t sum = 0, count = 0;
    visit_residuals(fine, coarse, size, {0, halved(size)[1] * halved(size)[2]}, 0,
                    [&](int, const Cells<T>& cells) {
                        sum += cells.activity();
                        ++count;
                    });
    constexpr std::int64_t wanted_mean = 16;
    int shift = 0;
    while (count > 0 && (sum / count) >> shift > wanted_mean) ++shift;
    return shift;
}

TokenCounts frequencies_of(const TokenCounts& counts) {
    TokenCounts frequencies{};
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts) total += count;
    if (total == 0) {
        frequencies[0] = probability_one;
        return frequencies;
    }
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < detail_tokens; ++t) {
        if (counts[t] == 0) continue;
        const std::uint64_t share =
            (counts[t] * std::uint64_t{probability_one} + total / 2) / total;
        frequencies[t] = std::max(1u, static_cast<std::uint32_t>(share));
        sum += frequencies[t];
    }
    // What rounding leaves goes to, or comes from, the most frequent, one by one.
    while (sum != probability_one) {
        auto& most = *std::max_element(frequencies.begin(), frequencies.end());
        const std::uint32_t wanted = most + probability_one - sum;
        const std::uint32_t changed = sum > probability_one ? std::max(wanted, most / 2) : wanted;
        sum += changed - most;
        most = changed;
    }
    return frequencies;
}

double bits_of(const Histogram& histogram) {
    double bits = 0;
    for (const auto& counts : histogram) {
        double total = 0;
        for (const std::uint32_t count : counts) total += count;
        for (std::size_t t = 0; t < detail_tokens; ++t)
            if (counts[t] > 0)
                bits +=
                    counts[t] * (std::log2(total / counts[t]) + extra_bits(static_cast<int>(t)));
    }
    return bits;
}

// Fewer where there is little to share: each costs six bytes.
int lanes_for(const Histogram& histogram, int rows) {
    constexpr double bytes_each = 192;
    const int wanted = static_cast<int>(bits_of(histogram) / 8 / bytes_each);
    const int lanes = std::clamp(wanted, 1, std::min(most_lanes, rows));
    // With so many, none is without rows.
    const int each = (rows + lanes - 1) / lanes;
    return (rows + each - 1) / each;
}

// One token alone says nothing: its table is left out.
std::vector<std::uint8_t> packed_table(const TokenCounts& frequencies) {
    std::vector<std::uint8_t> bytes;
    std::size_t count = detail_tokens;
    while (count > 0 && frequencies[count - 1] == 0) --count;
    if (frequencies[0] == probability_one) count = 0;
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

class LaneWriter {
  public:
    void put(std::uint32_t first, std::uint32_t frequency) {
        if (state_ >= std::uint64_t{frequency} << 20) emit();
        state_ = (state_ / frequency << probability_bits) + state_ % frequency + first;
    }
    void put_bits(std::uint32_t value, int count) {
        if (state_ >= std::uint64_t{1} << (32 - count)) emit();
        state_ = state_ << count | value;
    }
    // The words as the decoder reads them: the state, then what was put last first.
    std::vector<std::uint16_t> finish() {
        emit();
        emit();
        return {words_.rbegin(), words_.rend()};
    }

  private:
    void emit() {
        words_.push_back(static_cast<std::uint16_t>(state_));
        state_ >>= 16;
    }

    std::uint64_t state_ = lowest_state;
    std::vector<std::uint16_t> words_;
};

std::vector<std::uint16_t> lane_words(std::span<const Coded> coded, const Histogram& frequencies,
                                      const std::array<TokenTable, detail_contexts>& tables) {
    LaneWriter lane;
    for (std::size_t i = coded.size(); i-- > 0;) {
        const Coded& c = coded[i];
        constexpr int together = 12;
        const int extra = extra_bits(c.token);
        const std::uint32_t rest = c.number - token_base(c.token);
        if (extra > together) lane.put_bits(rest >> together, extra - together);
        if (extra > 0)
            lane.put_bits(rest & ((1u << std::min(extra, together)) - 1),
                          std::min(extra, together));
        lane.put(tables[c.context].first[c.token], frequencies[c.context][c.token]);
    }
    return lane.finish();
}

}  // namespace

template <class T>
std::vector<T> halve(std::span<const T> fine, const BrickSize& size, int level) {
    const auto [nx, ny, nz] = halved(size);
    std::vector<T> coarse;
    coarse.reserve(static_cast<std::size_t>(voxels_of(halved(size))));
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
                Sum sum = 0;
                for (int k = 0; k < 8; ++k) {
                    const int fx = std::min(2 * x + (k & 1), size[0] - 1);
                    const int fy = std::min(2 * y + (k >> 1 & 1), size[1] - 1);
                    const int fz = std::min(2 * z + (k >> 2), size[2] - 1);
                    sum += static_cast<Sum>(
                        fine[static_cast<std::size_t>((fz * size[1] + fy) * size[0] + fx)]);
                }
                if constexpr (std::is_floating_point_v<T>)
                    coarse.push_back(static_cast<T>(sum / 8));
                else
                    coarse.push_back(static_cast<T>((sum + rounding_of(level)) >> 3));
            }
    return coarse;
}

template <class T>
std::vector<std::uint8_t> encode_details(std::span<const T> fine, std::span<const T> coarse,
                                         const BrickSize& size) {
    const int rows = halved(size)[1] * halved(size)[2];
    const int shift = activity_shift(fine, coarse, size);
    auto histogram = std::make_unique<Histogram>();
    std::vector<Coded> coded;
    coded.reserve(fine.size());
    std::vector<std::size_t> row_starts;
    for (int row = 0; row < rows; ++row) {
        row_starts.push_back(coded.size());
        visit_residuals(
            fine, coarse, size, {row, row + 1}, shift, [&](int residual, const Cells<T>& cells) {
                const auto folded =
                    static_cast<std::uint32_t>(residual >= 0 ? 2 * residual : -2 * residual - 1);
                const int token = token_of(folded);
                const std::size_t context = cells.context();
                coded.push_back(
                    {folded, static_cast<std::uint8_t>(token), static_cast<std::uint8_t>(context)});
                ++(*histogram)[context][static_cast<std::size_t>(token)];
            });
    }
    row_starts.push_back(coded.size());

    const int lanes = lanes_for(*histogram, rows);
    std::vector<std::uint8_t> chunk{static_cast<std::uint8_t>(lanes),
                                    static_cast<std::uint8_t>(shift)};
    chunk.resize(chunk_table_bytes_at + detail_contexts);
    Histogram frequencies{};
    std::array<TokenTable, detail_contexts> tables;
    for (std::size_t context = 0; context < detail_contexts; ++context) {
        frequencies[context] = frequencies_of((*histogram)[context]);
        tables[context].set(frequencies[context]);
        const std::vector<std::uint8_t> packed = packed_table(frequencies[context]);
        chunk[chunk_table_bytes_at + context] = static_cast<std::uint8_t>(packed.size());
        chunk.insert(chunk.end(), packed.begin(), packed.end());
    }
    chunk.resize((chunk.size() + 1) / 2 * 2);
    std::vector<std::uint16_t> words;
    for (int lane = 0; lane < lanes; ++lane) {
        const Rows part = rows_of_lane(rows, lanes, lane);
        const std::size_t first = row_starts[static_cast<std::size_t>(part.first)];
        const std::size_t end = row_starts[static_cast<std::size_t>(part.end)];
        const std::vector<std::uint16_t> of_lane =
            lane_words(std::span(coded).subspan(first, end - first), frequencies, tables);
        append_word(chunk, of_lane.size());
        words.insert(words.end(), of_lane.begin(), of_lane.end());
    }
    for (const std::uint16_t word : words) append_word(chunk, word);
    return chunk;
}

template <class T>
BrickChunks encode_brick(std::vector<T> fine, BrickSize size) {
    BrickChunks chunks;
    for (int level = 0; level < brick_levels - 1; ++level) {
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
