// Speed of the primitives on each device, and what share of the device's copy rate they reach.
//
// Bytes are the compulsory ones of the whole primitive, not of its passes: a sort of 32-bit pairs
// counts 16 a pair although each of its passes moves that much. A sort spoils its input; copying
// the input back is timed alone and taken off.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "compute/portable_primitives.h"
#include "harness.h"
#include "tesela/compute/primitives.h"
#include "tesela/error.h"

namespace tesela::bench {
namespace {

using u32 = std::uint32_t;

std::vector<u32> noise(std::int64_t count) {
    std::vector<u32> values(static_cast<std::size_t>(count));
    std::uint64_t state = 88172645463325252u;
    for (u32& value : values) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        value = static_cast<u32>(state >> 16);
    }
    return values;
}

// `values` hold the low bits of the keys: a payload for the sort, keys for the large histogram.
struct Data {
    std::int64_t count;
    Buffer<u32> keys, values, sorted_keys, sorted_values, sums, one, coarse, bins;
    Buffer<float> floats, float_one;
    Buffer<std::uint8_t> flags;

    static constexpr std::int64_t few_bins = 256, many_bins = 1 << 20;

    Data(Queue& queue, std::int64_t n) : count(n) {
        const std::vector<u32> host = noise(n);
        const auto size = static_cast<std::size_t>(n);
        std::vector<float> as_float(size);
        std::vector<std::uint8_t> flag(size);
        std::vector<u32> coarse_key(size), fine_key(size);
        for (std::size_t i = 0; i < size; ++i) {
            as_float[i] = static_cast<float>(host[i] >> 8) / 16777216.0f;
            flag[i] = static_cast<std::uint8_t>(host[i] >> 31);
            coarse_key[i] = host[i] % few_bins;
            fine_key[i] = host[i] % many_bins;
        }
        keys = queue.upload<u32>(host, "keys");
        coarse = queue.upload<u32>(coarse_key, "coarse keys");
        floats = queue.upload<float>(as_float, "floats");
        flags = queue.upload<std::uint8_t>(flag, "flags");
        values = queue.upload<u32>(fine_key, "values");
        sorted_keys = queue.allocate<u32>(n, "sorted keys");
        sorted_values = queue.allocate<u32>(n, "sorted values");
        sums = queue.allocate<u32>(n + 1, "sums");
        one = queue.allocate<u32>(1, "result");
        float_one = queue.allocate<float>(1, "result");
        bins = queue.allocate<u32>(many_bins, "bins");
    }

    void restore(Queue& queue) {
        queue.copy(keys, sorted_keys);
        queue.copy(values, sorted_values);
    }
};

void require(bool right, const Queue& queue, const char* what) {
    if (!right)
        throw Error(ErrorCode::device_unavailable,
                    std::string(what) + " on " + queue.device().id() + " is wrong");
}

// A wrong primitive may be fast; the tests look closer.
void check(Queue& queue, Data& data) {
    const std::vector<u32> host = queue.download(data.keys);
    data.restore(queue);
    sort_pairs(queue, data.sorted_keys, data.sorted_values, data.count);
    std::vector<u32> expected = host;
    std::sort(expected.begin(), expected.end());
    require(queue.download(data.sorted_keys) == expected, queue, "sort");
    for (u32& key : expected) key %= Data::many_bins;
    require(queue.download(data.sorted_values) == expected, queue, "sort (values)");
    exclusive_scan(queue, data.keys, data.count, data.sums);
    require(queue.download(data.sums).back() == std::accumulate(host.begin(), host.end(), u32{0}),
            queue, "scan");
    histogram(queue, data.coarse, data.count, Data::few_bins, data.bins);
    const std::vector<u32> bins = queue.download(data.bins);
    require(std::accumulate(bins.begin(), bins.begin() + Data::few_bins, u32{0}) == data.count,
            queue, "histogram");
}

void measure(Table& table, Queue& queue, std::int64_t count) {
    Data data(queue, count);
    if (count <= 1 << 20) check(queue, data);
    const auto n = static_cast<double>(count);
    const std::string size = std::to_string(count);
    std::vector<Case> cases;
    cases.push_back({"copy, driver", size, 8 * n, [&] { queue.copy(data.keys, data.sorted_keys); },
                     nullptr, true});
    const auto sort = [&](const char* name, int bits) {
        return Case{
            name, size, 16 * n,
            [&, bits] { sort_pairs(queue, data.sorted_keys, data.sorted_values, count, bits); },
            [&] { data.restore(queue); }};
    };
    cases.push_back(sort("sort pairs, 32 bits", 32));
    cases.push_back(sort("sort pairs, 24 bits", 24));
    // The kernels of the other devices, where this one has a sort and a scan of its own.
    if (queue.device().back_end() == BackEnd::cuda) {
        cases.push_back({"sort pairs, portable", size, 16 * n,
                         [&] {
                             detail::portable::sort_pairs(queue, data.sorted_keys,
                                                          data.sorted_values, count, 32);
                         },
                         [&] { data.restore(queue); }});
        cases.push_back({"scan, portable", size, 8 * n, [&] {
                             detail::portable::exclusive_scan(queue, data.keys, count, data.sums);
                         }});
    }
    cases.push_back({"exclusive scan", size, 8 * n,
                     [&] { exclusive_scan(queue, data.keys, count, data.sums); }});
    cases.push_back({"reduce, sum of u32", size, 4 * n,
                     [&] { reduce(queue, ReduceOperation::sum, data.keys, count, data.one); }});
    cases.push_back({"reduce, sum of f32", size, 4 * n, [&] {
                         reduce(queue, ReduceOperation::sum, data.floats, count, data.float_one);
                     }});
    // Half of the flags are set: 4 + 1 bytes in, 2 out.
    cases.push_back({"compact, half kept", size, 7 * n, [&] {
                         compact(queue, data.keys, data.flags, count, data.sorted_keys, data.one);
                     }});
    cases.push_back({"histogram, 256 bins", size, 4 * n,
                     [&] { histogram(queue, data.coarse, count, Data::few_bins, data.bins); }});
    cases.push_back({"histogram, 2^20 bins", size, 4 * n,
                     [&] { histogram(queue, data.values, count, Data::many_bins, data.bins); }});
    table.measure(queue, cases);
}

// 2^18 points in 2^20 cells, as the grid of the thesis's mean shift has them.
void measure_bins(Table& table, Queue& queue, bool smoke) {
    const std::int64_t count = smoke ? 1 << 10 : 1 << 18, cells = smoke ? 1 << 12 : 1 << 20;
    std::vector<u32> host(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < host.size(); ++i)
        host[i] = static_cast<u32>((i * 2654435761u >> 7) % static_cast<std::size_t>(cells));
    const auto keys = queue.upload<u32>(host, "cells of points");
    auto order = queue.allocate<u32>(count, "order");
    auto starts = queue.allocate<u32>(cells + 1, "starts");
    const auto bytes = static_cast<double>(4 * (2 * count + cells));
    table.measure(queue, {{"bin points", std::to_string(count) + "/" + std::to_string(cells), bytes,
                           [&] { bin_points(queue, keys, count, cells, order, starts); }}});
}

std::vector<std::int64_t> sizes_for(const Device& device, bool smoke) {
    if (smoke) return {1 << 12};
    std::vector<std::int64_t> sizes{1 << 18, 1 << 20, 1 << 24};
    if (device.properties().is_gpu) sizes.push_back(1 << 28);
    return sizes;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_program(argc, argv, "tesela_bench_primitives",
                       [](Table& table, const Options& options) {
                           for (const tesela::Device& device : options.devices) {
                               tesela::Queue queue(device);
                               for (const std::int64_t count : sizes_for(device, options.smoke))
                                   measure(table, queue, count);
                               measure_bins(table, queue, options.smoke);
                           }
                           table.print_ratios();
                       });
}
