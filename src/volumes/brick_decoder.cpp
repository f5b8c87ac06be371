#include <cstring>

#include "volumes/brick_cells.h"

namespace tesela::detail {
namespace {

using SymbolTables = std::array<kernels::brick_table, kernels::brick_contexts>;

// Writes the voxels of a cell; `first` is the index of the cell's first voxel in `rows`. Skips
// voxels beyond the border.
template <class T>
void write_cell(const std::array<int, 8>& voxels, const Cells<T>& cells, int first,
                const std::array<T*, 4>& rows) {
    for (int k = 0; k < 4; ++k) {
        if (!cells.has(2 * k)) continue;
        T* to = rows[static_cast<std::size_t>(k)] + first;
        const auto i = static_cast<std::size_t>(2 * k);
        to[0] = static_cast<T>(voxels[i]);
        if (cells.has(1)) to[1] = static_cast<T>(voxels[i + 1]);
    }
}

template <class T>
struct Stream {
    kernels::brick_stream rans;
    Cells<T> cells;
    Rows rows;
};

// The state that the streams of a chunk share.
template <class T>
struct Decoding {
    const std::uint16_t* chunk = nullptr;
    kernels::brick_head head{};
    SymbolTables tables;
    int level = 0;
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
        std::array<kernels::brick_stream, N> rans;
        std::array<Cells<T>, N> cells;
        for (std::size_t i = 0; i < N; ++i) rans[i] = streams[i].rans, cells[i] = streams[i].cells;
        const int nx = halved(size)[0], shift = head.shift;
        const int rounding = kernels::brick_rounding(level);
        const auto read_detail = [&](std::size_t i, int detail) {
            return kernels::brick_decode_detail(chunk, tables.data(), shift, &rans[i],
                                                cells[i].cell(), detail);
        };
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
                    for (const int detail : kernels::brick_order)
#pragma GCC unroll 2
                        for (std::size_t i = 0; i < N; ++i)
                            cell[i][static_cast<std::size_t>(detail)] = read_detail(i, detail);
                } else {
                    for (const int detail : kernels::brick_order)
                        for (std::size_t i = 0; i < N; ++i)
                            if (cells[i].has(detail))
                                cell[i][static_cast<std::size_t>(detail)] = read_detail(i, detail);
                }
#pragma GCC unroll 2
                for (std::size_t i = 0; i < N; ++i) {
                    cells[i].leave();
                    kernels::brick_restore_voxels(cell[i].data(), cells[i].mean(), rounding);
                    write_cell(cell[i], cells[i], 2 * x, to[i]);
                }
            }
        }
        for (std::size_t i = 0; i < N; ++i) streams[i].rans = rans[i];
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
            complete = complete && !kernels::brick_stream_is_incomplete(&streams[i].rans);
        }
        return complete;
    }
};

// Reads the head and the tables of a chunk of `length` words; false where they are damaged.
template <class T>
bool read_tables(Decoding<T>& decoding, int length) {
    if (!kernels::brick_read_head(decoding.chunk, length, &decoding.head)) return false;
    const int* start = decoding.head.table_starts;
    for (kernels::brick_table& table : decoding.tables) {
        if (!kernels::brick_read_table(decoding.chunk, start[0], start[1], &table)) return false;
        for (int part = 0; part < kernels::brick_lookup_parts; ++part)
            kernels::brick_fill_lookup(&table, part);
        ++start;
    }
    return true;
}

}  // namespace

template <class T>
bool decode_details(std::span<const std::uint8_t> chunk, std::span<const T> coarse,
                    const BrickSize& size, int level, std::span<T> fine) {
    if (static_cast<std::int64_t>(fine.size()) != voxels_of(size) ||
        static_cast<std::int64_t>(coarse.size()) != voxels_of(halved(size)) ||
        chunk.size() % 2 != 0)
        return false;
    std::vector<std::uint16_t> words(chunk.size() / 2);
    std::memcpy(words.data(), chunk.data(), chunk.size());
    Decoding<T> decoding;
    decoding.chunk = words.data();
    decoding.level = level;
    decoding.size = size;
    decoding.fine = fine.data();
    if (!read_tables(decoding, static_cast<int>(words.size()))) return false;
    const kernels::brick_head& head = decoding.head;
    const Cells<T> cells(coarse, size);
    std::vector<Stream<T>> all;
    for (int i = 0; i < head.streams; ++i) {
        const int* start = &head.stream_starts[i];
        all.push_back({kernels::brick_begin_stream(words.data(), start[0], start[1]), cells,
                       rows_of_stream(cells.rows(), head.streams, i)});
        if (kernels::brick_is_flat(&head) && kernels::brick_stream_is_incomplete(&all.back().rans))
            return false;
    }
    for (std::size_t i = 0; i + 1 < all.size(); i += 2)
        if (!decoding.template streams<2>(&all[i])) return false;
    return all.size() % 2 == 0 || decoding.template streams<1>(&all.back());
}

template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint8_t>,
                             const BrickSize&, int, std::span<std::uint8_t>);
template bool decode_details(std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                             const BrickSize&, int, std::span<std::uint16_t>);

}  // namespace tesela::detail
