// Tridiagonal systems in float, data on the device: contiguous and interleaved ones, the lines of a
// volume, one long system, with and without pivoting, and 64 right-hand sides of one matrix. Beside
// them, on the same systems, cuSPARSE and LAPACK, each waited for after every call.
//
// Rows are a, c in [-1, 0] and b = 1 - a - c, so that solving again and again what was solved
// before tends to a constant, neither to 0 nor to infinity.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"
#include "tesela/tridiagonal_factors.h"
#include "tridiagonal_peers.h"

namespace tesela::bench {
namespace {

constexpr double bytes_of_row = 5 * sizeof(float);

struct Workload {
    std::string name, size;
    TridiagonalLines lines;
};

std::vector<Workload> workloads(const Device& device, bool smoke) {
    const bool gpu = device.properties().is_gpu;
    const std::int64_t rows = smoke ? 64 : 512, systems = smoke ? 32 : gpu ? 65536 : 8192;
    const std::int64_t side = smoke ? 16 : 256;
    const std::int64_t length = std::int64_t{1} << (smoke ? 12 : gpu ? 24 : 22);
    const std::string size = std::to_string(rows) + "x" + std::to_string(systems);
    std::vector<Workload> all{{"contiguous", size, contiguous_lines(rows, systems)},
                              {"interleaved", size, interleaved_lines(rows, systems)}};
    for (const int axis : {0, 1, 2})
        all.push_back({std::string("volume along ") + "xyz"[axis], std::to_string(side) + "^3",
                       volume_lines({side, side, side}, axis)});
    all.push_back({"one system", std::to_string(length), contiguous_lines(length, 1)});
    return all;
}

struct Systems {
    std::vector<float> a, b, c, d;

    explicit Systems(const TridiagonalLines& lines) {
        const auto count = static_cast<std::size_t>(lines.elements());
        std::mt19937 generator(7);
        std::uniform_real_distribution<float> any(-1, 0);
        for (std::size_t i = 0; i < count; ++i) {
            a.push_back(any(generator));
            c.push_back(any(generator));
            d.push_back(1 - any(generator));
        }
        for (std::int64_t j = 0; j < lines.counts[1]; ++j)
            for (std::int64_t i = 0; i < lines.counts[0]; ++i) {
                const std::int64_t first = i * lines.strides[0] + j * lines.strides[1];
                a[static_cast<std::size_t>(first)] = 0;
                c[static_cast<std::size_t>(first + (lines.rows - 1) * lines.stride)] = 0;
            }
        for (std::size_t i = 0; i < count; ++i) b.push_back(1 - a[i] - c[i]);
    }
};

void measure_ours(Table& table, const Device& device, const Workload& work, const Systems& host) {
    Queue queue(device);
    const auto buffer = [&](const std::vector<float>& values) {
        return queue.lend(std::span<const float>(values), "diagonal");
    };
    const auto a = buffer(host.a), b = buffer(host.b), c = buffer(host.c);
    auto d = queue.upload(std::span<const float>(host.d), "right-hand sides");
    auto status = queue.allocate<std::uint32_t>(1, "status");
    const double rows = static_cast<double>(work.lines.rows * work.lines.systems());
    table.measure(queue, {{work.name, work.size, bytes_of_row * rows,
                           [&] { solve_tridiagonal(queue, work.lines, a, b, c, d, status); }},
                          {work.name + ", pivoted", work.size, bytes_of_row * rows, [&] {
                               solve_tridiagonal_pivoted(queue, work.lines, false, a, b, c, d,
                                                         status);
                           }}});
}

// The default on 64 systems, and the factors of the first one's matrix on the same right-hand
// sides.
void measure_sides(Table& table, const Device& device, bool smoke) {
    Queue queue(device);
    constexpr std::int64_t sides = 64;
    const std::int64_t rows = std::int64_t{1} << (smoke ? 8 : device.properties().is_gpu ? 18 : 16);
    const std::string size = std::to_string(rows) + "x64";
    const double bytes = bytes_of_row * static_cast<double>(rows * sides);
    auto status = queue.allocate<std::uint32_t>(1, "status");
    for (const bool is_contiguous : {true, false}) {
        const std::string name = is_contiguous ? "sides, contiguous" : "sides, interleaved";
        const auto lines =
            is_contiguous ? contiguous_lines(rows, sides) : interleaved_lines(rows, sides);
        const Systems host(lines), first(contiguous_lines(rows, 1));
        const auto buffer = [&](const std::vector<float>& values) {
            return queue.lend(std::span<const float>(values), "diagonal");
        };
        const auto a = buffer(host.a), b = buffer(host.b), c = buffer(host.c);
        const TridiagonalFactors<float> factors(queue, rows, false, buffer(first.a),
                                                buffer(first.b), buffer(first.c));
        auto d = queue.upload(std::span<const float>(host.d), "right-hand sides");
        table.measure(queue,
                      {{name + ", default", size, bytes,
                        [&] { solve_tridiagonal(queue, lines, a, b, c, d, status); }},
                       {name + ", factors", size, bytes, [&] { factors.solve(queue, lines, d); }}});
    }
}

void measure_cusparse(Table& table, const Device& device, const Workload& work,
                      const Systems& host) {
    Queue queue(device);
    queue.finish();
    const std::unique_ptr<Cusparse> peer = Cusparse::open();
    if (!peer) return;
    const int rows = static_cast<int>(work.lines.rows);
    const int systems = static_cast<int>(work.lines.systems());
    peer->upload(host.a, host.b, host.c, host.d);
    const auto solve = [&] {
        if (systems == 1) return peer->solve_one(rows, false);
        if (work.lines.stride == 1) return peer->solve_contiguous(rows, systems);
        peer->solve_interleaved(rows, systems);
    };
    table.measure(queue, {{work.name + ", cuSPARSE", work.size,
                           bytes_of_row * double(rows) * double(systems), solve}});
    if (systems == 1)
        table.measure(queue, {{work.name + ", pivoted, cuSPARSE", work.size,
                               bytes_of_row * double(rows), [&] { peer->solve_one(rows, true); }}});
}

// The systems one behind the other, on one core.
void measure_lapack(Table& table, const Device& device, const Workload& work, const Systems& host) {
    const Sgtsv solve = lapack_sgtsv();
    if (!solve) return;
    Queue queue(device);
    Systems spoilt = host;
    const std::int64_t rows = work.lines.rows;
    const auto restore = [&] { spoilt = host; };
    const auto enqueue = [&] {
        for (std::int64_t first = 0; first < work.lines.elements(); first += rows)
            solve(static_cast<int>(rows), &spoilt.a[static_cast<std::size_t>(first)],
                  &spoilt.b[static_cast<std::size_t>(first)],
                  &spoilt.c[static_cast<std::size_t>(first)],
                  &spoilt.d[static_cast<std::size_t>(first)]);
    };
    table.measure(queue,
                  {{work.name + ", LAPACK", work.size,
                    bytes_of_row * static_cast<double>(work.lines.elements()), enqueue, restore}});
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_tridiagonal",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               if (std::string("sides").find(options.filter) != std::string::npos)
                                   measure_sides(table, device, options.smoke);
                               for (const Workload& work : workloads(device, options.smoke)) {
                                   if (work.name.find(options.filter) == std::string::npos)
                                       continue;
                                   const Systems host(work.lines);
                                   measure_ours(table, device, work, host);
                                   const bool is_volume = work.lines.counts[1] > 1;
                                   if (device.back_end() == tesela::BackEnd::cuda && !is_volume)
                                       measure_cusparse(table, device, work, host);
                                   if (device.back_end() == tesela::BackEnd::cpu &&
                                       work.lines.stride == 1 && !is_volume)
                                       measure_lapack(table, device, work, host);
                               }
                           }
                           table.print_ratios();
                       });
}
