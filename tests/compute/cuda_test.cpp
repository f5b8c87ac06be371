// What only the CUDA back end has: discovery without a driver, grids that end before the range
// does, staged transfers, times of primitives.
#ifdef TESELA_HAS_CUDA

    #include <gtest/gtest.h>

    #include <algorithm>
    #include <cstdint>
    #include <limits>
    #include <string>
    #include <vector>

    #include "compute/back_ends.h"
    #include "compute/cuda/capabilities.h"
    #include "devices.h"
    #include "kernels/dialect_test.kernel.h"
    #include "tesela/compute/primitives.h"
    #include "tesela/compute/queue.h"

namespace tesela {
namespace {

TEST(CudaDiscovery, MachineWithoutDevicesIsARejectionWithAdvice) {
    const detail::Discovery found = detail::discover_cuda();
    EXPECT_FALSE(found.devices.empty() && found.rejected.empty());
    for (const auto& rejected : found.rejected) {
        EXPECT_EQ(rejected.back_end, BackEnd::cuda);
        EXPECT_FALSE(rejected.what.empty());
        if (found.devices.empty()) {
            EXPECT_NE(rejected.why.find("driver"), std::string::npos) << rejected.why;
        }
    }
    EXPECT_EQ(detail::discover_cuda().devices.size(), found.devices.size()) << "second call";
}

std::vector<Device> cuda_devices() {
    std::vector<Device> devices = testing::test_devices();
    std::erase_if(devices, [](const Device& d) { return d.back_end() != BackEnd::cuda; });
    return devices;
}

class Cuda : public testing::OnDevice {
  protected:
    Queue queue{GetParam(), {.profile = true}};
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Cuda);
INSTANTIATE_TEST_SUITE_P(Devices, Cuda, ::testing::ValuesIn(cuda_devices()),
                         testing::device_test_name);

// Of the code for several capabilities a device runs one, which decides about early launches.
TEST_P(Cuda, RunsCodeThatWasCompiled) {
    const std::vector<int> compiled = detail::compiled_capabilities();
    EXPECT_TRUE(std::is_sorted(compiled.begin(), compiled.end()));
    const int running = detail::running_capability();
    EXPECT_TRUE(std::binary_search(compiled.begin(), compiled.end(), running)) << running;
}

// A grid has at most 65535 blocks along y and z; a block of a narrow image has 8 rows, one of a
// volume 4 rows and 2 planes.
TEST_P(Cuda, ItemsBeyondOneGrid) {
    const int rows = 8 * 65535 + 77, planes = 2 * 65535 + 3;
    auto tall = queue.allocate_filled<std::int32_t>(3 * rows, 0, "tall");
    queue.launch(kernels::test_index2, Range{3, rows}, tall, 3);
    const auto image = queue.download(tall);
    for (int i = 0; i < 3 * rows; ++i) ASSERT_EQ(image[std::size_t(i)], 1000 * (i / 3) + i % 3);

    auto deep = queue.allocate_filled<std::int32_t>(4 * planes, 0, "deep");
    queue.launch(kernels::test_index3, Range{2, 2, planes}, deep, 2, 2);
    const auto volume = queue.download(deep);
    for (int i = 0; i < 4 * planes; ++i)
        ASSERT_EQ(volume[std::size_t(i)], 10000 * (i / 4) + 100 * (i / 2 % 2) + i % 2);
}

TEST_P(Cuda, GroupsBeyondOneGrid) {
    constexpr int many = 65535 + 12;
    for (const Groups groups : {Groups{1, many, 1}, Groups{1, 1, many}}) {
        auto out = queue.allocate_filled<std::int32_t>(std::int64_t{many} * 64, -1, "out");
        auto facts = queue.allocate_filled<std::int32_t>(many, -1, "facts");
        queue.launch(kernels::test_group_ids, groups, out, facts);
        const auto expected = static_cast<std::int32_t>(groups.x * 10 + groups.y);
        EXPECT_EQ(queue.download(facts), std::vector<std::int32_t>(many, expected));
        const auto result = queue.download(out);
        EXPECT_EQ(std::count(result.begin(), result.end(), -1), 0);
    }
}

TEST_P(Cuda, StagedTransfersBringEveryByte) {
    constexpr std::int64_t direct = 64 << 10, chunk = 2 << 20, lane = 2 * chunk;
    for (const std::int64_t bytes : {direct, direct + 1, chunk - 1, chunk, chunk + 1, 2 * lane - 1,
                                     2 * lane, 3 * lane + 5, 5 * lane - 1, 9 * lane + chunk}) {
        std::vector<std::uint8_t> host(static_cast<std::size_t>(bytes));
        for (std::size_t i = 0; i < host.size(); ++i)
            host[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
        const auto buffer = queue.upload(std::span<const std::uint8_t>(host), "bytes");
        EXPECT_TRUE(queue.download(buffer) == host) << bytes;
    }
}

TEST_P(Cuda, AllocationBeyondTheDeviceIsRefused) {
    const std::int64_t bytes = 2 * GetParam().properties().global_memory;
    try {
        queue.allocate<std::uint8_t>(bytes, "too large");
        ADD_FAILURE() << "a buffer of twice the device's memory was made";
    } catch (const OutOfMemory& error) {
        EXPECT_GE(error.bytes_needed(), bytes);
        EXPECT_GT(error.bytes_free(), 0);
    }
    auto small = queue.allocate_filled<std::int32_t>(10, 4, "small");
    EXPECT_EQ(queue.download(small), std::vector<std::int32_t>(10, 4)) << "after the refusal";
}

TEST_P(Cuda, PrimitivesAreTimed) {
    const std::vector<std::uint32_t> host(100000, 3);
    const auto values = queue.upload(std::span<const std::uint32_t>(host), "values");
    auto sum = queue.allocate<std::uint32_t>(1, "sum");
    reduce(queue, ReduceOperation::sum, values, values.size(), sum);
    reduce(queue, ReduceOperation::sum, values, values.size(), sum);
    const auto times = queue.profile();
    const auto found = std::find_if(times.begin(), times.end(),
                                    [](const KernelTime& time) { return time.name == "reduce"; });
    ASSERT_NE(found, times.end());
    EXPECT_EQ(found->launches, 2);
    EXPECT_GT(found->lowest_ms, 0);
}

// As reduce.kernel.h: NaN is never taken.
TEST_P(Cuda, ReduceLeavesNanOut) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> host(5000, nan);
    auto result = queue.allocate<float>(1, "result");
    const auto reduced = [&](ReduceOperation operation) {
        const auto values = queue.upload(std::span<const float>(host), "values");
        reduce(queue, operation, values, values.size(), result);
        return queue.download(result)[0];
    };
    EXPECT_EQ(reduced(ReduceOperation::minimum), std::numeric_limits<float>::infinity());
    host[4321] = 2.0f;
    EXPECT_EQ(reduced(ReduceOperation::minimum), 2.0f);
    EXPECT_EQ(reduced(ReduceOperation::maximum), 2.0f);
}

}  // namespace
}  // namespace tesela

#endif
