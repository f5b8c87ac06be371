// Queues, buffers, the pool and its limits, on every device.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compute/back_ends.h"
#include "devices.h"
#include "kernels/dialect_test.kernel.h"
#include "tesela/compute/device_list.h"
#include "tesela/compute/primitives.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

class QueueTest : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(QueueTest);

std::vector<std::int32_t> counting(std::int64_t n) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

TEST_P(QueueTest, UploadAndDownloadAgree) {
    Queue queue(GetParam());
    for (const std::int64_t n : {0L, 1L, 17L, 65536L, 3000001L}) {
        const auto values = counting(n);
        EXPECT_EQ(queue.download(queue.upload(std::span<const std::int32_t>(values), "numbers")),
                  values);
    }
}

TEST_P(QueueTest, VectorsAreAdded) {
    Queue queue(GetParam());
    const auto values = counting(2048);
    const auto a = queue.upload(std::span<const std::int32_t>(values), "a");
    const auto b = queue.upload(std::span<const std::int32_t>(values), "b");
    auto sum = queue.allocate<std::int32_t>(2048, "sum");
    queue.launch(kernels::test_add, Range{2048}, a, b, sum);
    const std::vector<std::int32_t> found = queue.download(sum);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], 2 * values[i]);
}

TEST_P(QueueTest, LentMemoryIsReadByKernels) {
    Queue queue(GetParam());
    const auto values = counting(1000);
    const auto lent = queue.lend(std::span<const std::int32_t>(values), "lent");
    auto out = queue.allocate<std::int32_t>(1000, "out");
    queue.launch(kernels::test_helpers, Range{1000}, lent, out);
    EXPECT_EQ(queue.download(out)[7], 14 + 13);
}

TEST_P(QueueTest, MemoryForHostMemoryIsReadIntoItAndElsewhere) {
    Queue queue(GetParam());
    const auto values = counting(1000);
    const auto in = queue.upload(std::span<const std::int32_t>(values), "in");
    std::vector<std::int32_t> host(1000, -1);
    auto out = queue.allocate_for(std::span<std::int32_t>(host), "out");
    EXPECT_EQ(out.size(), 1000);
    queue.launch(kernels::test_helpers, Range{1000}, in, out);
    queue.read(out, std::span<std::int32_t>(host));
    EXPECT_EQ(host[7], 14 + 13);
    EXPECT_EQ(queue.download(out), host);
}

TEST_P(QueueTest, FillTakesEveryWidth) {
    Queue queue(GetParam());
    const auto check = [&](auto value) {
        using T = decltype(value);
        for (const std::int64_t n : {1, 1000, 4097}) {
            auto buffer = queue.allocate_filled<T>(n, value, "filled");
            ASSERT_EQ(queue.download(buffer), std::vector<T>(static_cast<std::size_t>(n), value));
        }
    };
    check(std::uint8_t{0xa5});
    check(std::uint16_t{0xa55a});
    check(std::uint32_t{0xdeadbeef});
    check(std::uint64_t{0x0123456789abcdef});
    check(1.25f);
    check(-2.5);
}

TEST_P(QueueTest, CopyBetweenBuffers) {
    Queue queue(GetParam());
    const auto values = counting(70001);
    const auto source = queue.upload(std::span<const std::int32_t>(values), "source");
    auto target = queue.allocate<std::int32_t>(70001, "target");
    queue.copy(source, target);
    EXPECT_EQ(queue.download(target), values);
    auto small = queue.allocate<std::int32_t>(5, "small");
    EXPECT_THROW(queue.copy(source, small), InvalidArgument);
}

TEST_P(QueueTest, FreedMemoryIsReused) {
    Queue queue(GetParam());
    { auto first = queue.allocate<float>(100000, "first"); }
    const std::int64_t allocations = queue.counters().allocations;
    { auto second = queue.allocate<float>(100000, "second"); }
    EXPECT_EQ(queue.counters().allocations, allocations);
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
    EXPECT_GT(queue.counters().bytes_allocated, 0);
    queue.trim();
    EXPECT_EQ(queue.counters().bytes_allocated, 0);
}

TEST_P(QueueTest, BuffersOutliveTheirQueue) {
    Buffer<float> buffer;
    {
        Queue queue(GetParam());
        buffer = queue.allocate<float>(1000, "survivor");
    }
    EXPECT_EQ(buffer.size(), 1000);
}

TEST_P(QueueTest, LimitOfMemoryIsKept) {
    Queue queue(GetParam(), {.max_memory = 1 << 20});
    auto small = queue.allocate<std::uint8_t>(1 << 19, "small");
    try {
        auto large = queue.allocate<std::uint8_t>(1 << 20, "large buffer");
        FAIL() << "no OutOfMemory";
    } catch (const OutOfMemory& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
        EXPECT_EQ(error.bytes_needed(), 1 << 20);
        EXPECT_LE(error.bytes_free(), 1 << 19);
        EXPECT_NE(std::string(error.what()).find("large buffer"), std::string::npos);
    }
    EXPECT_NO_THROW(queue.allocate<std::uint8_t>(1 << 18, "fits"));
}

TEST_P(QueueTest, PoolIsGivenBackBeforeMemoryRunsOut) {
    Queue queue(GetParam(), {.max_memory = 1 << 20});
    { auto first = queue.allocate<std::uint8_t>(700000, "first"); }
    EXPECT_NO_THROW(queue.allocate<std::uint8_t>(900000, "second"));
}

TEST_P(QueueTest, FailingAllocatorIsReported) {
    Queue queue(GetParam(), {.allow_allocation = [](std::int64_t bytes) { return bytes < 5000; }});
    EXPECT_NO_THROW(queue.allocate<std::uint8_t>(1000, "small"));
    try {
        auto large = queue.allocate<std::uint8_t>(100000, "large");
        FAIL() << "no OutOfMemory";
    } catch (const OutOfMemory& error) {
        // Far more is free, so the sentence must not give the free bytes as the reason.
        const std::string sentence = error.what();
        EXPECT_EQ(sentence.find("are free"), sentence.npos) << sentence;
        const bool knows_free = error.bytes_free() >= 0;
        EXPECT_EQ(sentence.find("the system refused") != sentence.npos, knows_free) << sentence;
    }
}

TEST_P(QueueTest, AbsurdSizesAreRefused) {
    Queue queue(GetParam());
    EXPECT_THROW(queue.allocate<double>(-1, "negative"), InvalidArgument);
    EXPECT_THROW(queue.allocate<double>(std::int64_t{1} << 62, "overflowing"), InvalidArgument);
    EXPECT_THROW(queue.allocate<std::uint8_t>(std::numeric_limits<std::int64_t>::max(), "largest"),
                 InvalidArgument);
    EXPECT_THROW(queue.allocate<double>(std::int64_t{1} << 50, "petabytes"), OutOfMemory);
}

TEST_P(QueueTest, WorkOfACallIsCounted) {
    Queue queue(GetParam());
    auto values = queue.upload(std::span<const std::int32_t>(counting(100)), "values");
    auto other = queue.allocate<std::int32_t>(100, "other");
    auto sum = queue.allocate<std::int32_t>(1, "sum");
    const QueueCounters before = queue.counters();
    for (int i = 0; i < 3; ++i) queue.launch(kernels::test_index1, Range{100}, other);
    queue.launch(kernels::test_index1, Range{0}, other);  // nothing to do is no launch
    queue.fill(other, 1);
    queue.copy(values, other);
    QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.launches, 3);
    EXPECT_EQ(work.tuned_primitives, 0);
    EXPECT_EQ(work.fills, 1);
    EXPECT_EQ(work.copies, 1);
    EXPECT_EQ(work.uploads + work.downloads + work.small_transfers, 0);
    reduce(queue, ReduceOperation::sum, values, 100, sum);
    work = queue.counters() - before;
    EXPECT_EQ(work.tuned_primitives > 0, work.launches == 3) << "either of the two does it";
}

TEST_P(QueueTest, CountersTellTransfersApart) {
    Queue queue(GetParam());
    auto large = queue.upload(std::span<const std::int32_t>(counting(100)), "large");
    auto small = queue.upload(std::span<const std::int32_t>(counting(4)), "small");
    (void)queue.download(large);
    queue.launch(kernels::test_index1, Range{4}, small);
    const QueueCounters counters = queue.counters();
    EXPECT_EQ(counters.uploads, 1);
    EXPECT_EQ(counters.downloads, 1);
    EXPECT_EQ(counters.small_transfers, 1);
    EXPECT_EQ(counters.bytes_uploaded, 416);
    EXPECT_EQ(counters.launches, 1);
}

// Sizes within one staged chunk, over its end and over several; kernels write the parts before.
TEST_P(QueueTest, NeighborsComeInOneTransfer) {
    Queue queue(GetParam());
    for (const std::int64_t n : {1, 4097, 1 << 20, 3000001}) {
        const std::int64_t m = n / 3;
        auto [first, second] =
            queue.allocate_together<std::int32_t, std::int32_t>({n, m}, "neighbors");
        queue.launch(kernels::test_index1, Range{n}, first);
        queue.launch(kernels::test_index1, Range{m}, second);
        std::vector<std::int32_t> a(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(m));
        const QueueCounters before = queue.counters();
        queue.read(first, std::span<std::int32_t>(a), second, std::span<std::int32_t>(b));
        const QueueCounters after = queue.counters();
        EXPECT_EQ(after.downloads + after.small_transfers,
                  before.downloads + before.small_transfers + 1);
        EXPECT_GE(after.bytes_downloaded - before.bytes_downloaded, 4 * (n + m));
        for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a[i], 3 * i + 1) << n;
        for (std::int64_t i = 0; i < m; ++i) ASSERT_EQ(b[i], 3 * i + 1) << n;
        EXPECT_EQ(queue.download(second), b) << "a part is a buffer as any other";
    }
}

// The bytes are those of before; the device goes on with what comes after.
TEST_P(QueueTest, ReadsWhileItGoesOn) {
    Queue queue(GetParam());
    auto buffer = queue.allocate<std::int32_t>(64, "counters");
    queue.launch(kernels::test_index1, Range{64}, buffer);
    std::vector<std::int32_t> before(64);
    const QueueCounters start = queue.counters();
    bool called = false;
    queue.read_while(buffer, std::span<std::int32_t>(before), [&] {
        queue.fill(buffer, -7);
        called = true;
    });
    EXPECT_TRUE(called);
    EXPECT_EQ(queue.counters().small_transfers, start.small_transfers + 1);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(before[static_cast<std::size_t>(i)], 3 * i + 1);
    EXPECT_EQ(queue.download(buffer), std::vector<std::int32_t>(64, -7));
    auto large = queue.allocate_filled<std::int32_t>(65, 1, "too large");
    before.resize(65);
    EXPECT_THROW(queue.read_while(large, std::span<std::int32_t>(before), [] {}), InvalidArgument);
}

// Transfers of several staged chunks go on as before a read that was given up.
TEST_P(QueueTest, ReadsAfterAReadThatFailed) {
    Queue queue(GetParam());
    const std::vector<std::int32_t> host = counting(3 << 20);
    auto buffer = queue.upload(std::span<const std::int32_t>(host), "counted");
    auto few = queue.allocate_filled<std::int32_t>(4, 1, "few");
    std::vector<std::int32_t> read(4);
    const std::span<std::int32_t> into(read);
    EXPECT_THROW(queue.read_while(few, into, [] { throw std::runtime_error("no"); }),
                 std::runtime_error);
    EXPECT_THROW(queue.read_while(few, into, [&] { queue.download(buffer); }), InvalidArgument);
    EXPECT_THROW(queue.read_while(few, into, [&] { queue.finish(); }), InvalidArgument);
    auto again = queue.upload(std::span<const std::int32_t>(host), "counted again");
    EXPECT_EQ(queue.download(again), host);
    queue.read_while(few, into, [] {});
    EXPECT_EQ(read, std::vector<std::int32_t>(4, 1));
}

TEST_P(QueueTest, BuffersThatAreNoNeighborsAreReadToo) {
    Queue queue(GetParam());
    auto [first, second] = queue.allocate_together<std::int32_t, float>({100, 100}, "neighbors");
    auto third = queue.upload(std::span<const std::int32_t>(counting(70)), "third");
    queue.fill(first, 5);
    queue.fill(second, 2.5f);
    std::vector<std::int32_t> integers(100), others(70);
    std::vector<float> reals(100);
    const std::int64_t downloads = queue.counters().downloads;
    queue.read(second, std::span<float>(reals), first, std::span<std::int32_t>(integers));
    queue.read(first, std::span<std::int32_t>(integers), third, std::span<std::int32_t>(others));
    EXPECT_EQ(queue.counters().downloads, downloads + 4);
    EXPECT_EQ(integers, std::vector<std::int32_t>(100, 5));
    EXPECT_EQ(reals, std::vector<float>(100, 2.5f));
    EXPECT_EQ(others, counting(70));
    EXPECT_THROW(queue.read(first, std::span<std::int32_t>(integers), third,
                            std::span<std::int32_t>(integers)),
                 InvalidArgument);
}

TEST_P(QueueTest, NeighborsLiveAsLongAsOneOfThem) {
    Queue queue(GetParam());
    Buffer<std::int32_t> kept;
    {
        auto [first, second] =
            queue.allocate_together<std::int32_t, std::uint8_t>({1000, 500}, "neighbors");
        queue.fill(first, 7);
        kept = std::move(first);
    }
    EXPECT_GT(queue.counters().bytes_in_use, 0);
    auto other = queue.allocate_filled<std::int32_t>(1000, 9, "other");
    EXPECT_EQ(queue.download(kept), std::vector<std::int32_t>(1000, 7));
    other = {};
    kept = {};
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
    constexpr std::int64_t most = std::int64_t{1} << 58;  // refused alone
    EXPECT_THROW((queue.allocate_together<double, std::uint8_t>({most, 5}, "overflowing")),
                 InvalidArgument);
    EXPECT_THROW((queue.allocate_together<double, double>({most - 1, most - 1}, "overflowing")),
                 InvalidArgument);
    EXPECT_THROW((queue.allocate_together<double, double>({most >> 8, 5}, "petabytes")),
                 OutOfMemory);
    auto [nothing, something] = queue.allocate_together<float, float>({0, 3}, "with an empty one");
    std::vector<float> values(3);
    queue.fill(something, 1.5f);
    queue.read(nothing, std::span<float>(), something, std::span<float>(values));
    EXPECT_EQ(values, std::vector<float>(3, 1.5f));
}

TEST_P(QueueTest, ProfileNamesTheKernels) {
    Queue queue(GetParam(), {.profile = true});
    auto out = queue.allocate<std::int32_t>(100000, "out");
    for (int i = 0; i < 3; ++i) queue.launch(kernels::test_index1, Range{100000}, out);
    const auto times = queue.profile();
    ASSERT_EQ(times.size(), 1u);
    EXPECT_EQ(times[0].name, "test_index1");
    EXPECT_EQ(times[0].launches, 3);
    EXPECT_GT(times[0].total_ms, 0);
    EXPECT_LE(times[0].lowest_ms, times[0].highest_ms);
    Queue plain(GetParam());
    auto other = plain.allocate<std::int32_t>(10, "out");
    plain.launch(kernels::test_index1, Range{10}, other);
    EXPECT_TRUE(plain.profile().empty());
}

TEST_P(QueueTest, MisuseIsNamed) {
    Queue queue(GetParam()), other(GetParam());
    auto foreign = other.allocate<std::int32_t>(10, "foreign buffer");
    try {
        queue.launch(kernels::test_index1, Range{10}, foreign);
        FAIL() << "no error";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("foreign buffer"), std::string::npos);
    }
    Buffer<std::int32_t> unmade;
    EXPECT_THROW(queue.launch(kernels::test_index1, Range{10}, unmade), InvalidArgument);
    auto both = queue.allocate<std::int32_t>(10, "both");
    EXPECT_THROW(queue.launch(kernels::test_helpers, Range{10}, both, both), InvalidArgument);
    EXPECT_THROW(queue.launch(kernels::test_index1, Range{-1}, both), InvalidArgument);
    EXPECT_THROW(queue.launch(kernels::test_index1, Range{std::int64_t{1} << 31}, both),
                 InvalidArgument);
    std::vector<std::int32_t> longer(11);
    EXPECT_THROW(queue.write(both, std::span<const std::int32_t>(longer)), InvalidArgument);
    EXPECT_THROW(queue.read(both, std::span<std::int32_t>(longer)), InvalidArgument);
}

// Each sequence has its own arguments, and one that fails leaves nothing behind.
TEST_P(QueueTest, SequencesRunAsWritten) {
    Queue queue(GetParam());
    auto out = queue.allocate_filled<std::int32_t>(1000, 0, "out");
    auto copy = queue.allocate<std::int32_t>(1000, "copy");
    for (const int items : {1000, 10, 500}) {
        const QueueCounters before = queue.counters();
        queue.sequence([&] {
            queue.fill(out, -1);
            queue.sequence([&] { queue.launch(kernels::test_index1, Range{items}, out); });
            auto kept = queue.allocate<std::int32_t>(2000 * items, "made meanwhile");
            queue.copy(out, copy);
        });
        const QueueWork work = queue.counters() - before;
        const bool is_graph = work.graphs == 1;
        EXPECT_EQ(is_graph, GetParam().properties().has_graphs);
        EXPECT_EQ(work.launches + work.fills + work.copies, is_graph ? 0 : 3);
        const auto found = queue.download(copy);
        EXPECT_NE(found[items - 1], -1);
        EXPECT_EQ(std::count(found.begin() + items, found.end(), -1), 1000 - items);
    }
    EXPECT_THROW(queue.sequence([&] {
        queue.fill(out, -1);
        throw InvalidArgument("on purpose");
    }),
                 InvalidArgument);
    queue.fill(out, 7);
    EXPECT_EQ(queue.download(out)[3], 7);
}

// Memory that is given back meanwhile is freed for what comes, but not before it was used.
TEST_P(QueueTest, SequencesRunWhereMemoryIsShort) {
    constexpr std::int64_t items = 5 << 20;
    Queue queue(GetParam(), {.max_memory = 64 << 20});
    auto kept = queue.allocate<std::int32_t>(items, "kept");
    Buffer<std::int32_t> large;
    const QueueCounters before = queue.counters();
    queue.sequence([&] {
        {
            auto given_up = queue.allocate<std::int32_t>(items, "given up");
            queue.launch(kernels::test_index1, Range{items}, given_up);
            queue.copy(given_up, kept);
        }
        large = queue.allocate<std::int32_t>(2 * items, "does not fit beside it");
        queue.fill(large, -1);
    });
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.allocations, 2);
    EXPECT_EQ(work.graphs, GetParam().properties().has_graphs ? 2 : 0);
    const auto found = queue.download(kept);
    for (std::int64_t i = 0; i < items; ++i)
        ASSERT_EQ(found[static_cast<std::size_t>(i)], 3 * i + 1);
    EXPECT_EQ(queue.download(large)[2 * items - 1], -1);
}

TEST_P(QueueTest, SequencesRefuseTransfersAndWaiting) {
    Queue queue(GetParam());
    auto one = queue.allocate_filled<std::int32_t>(1, 1, "one");
    EXPECT_THROW(queue.sequence([&] { queue.download(one); }), InvalidArgument);
    EXPECT_THROW(
        queue.sequence([&] { queue.write(one, std::span<const std::int32_t>(counting(1))); }),
        InvalidArgument);
    EXPECT_THROW(queue.sequence([&] { queue.finish(); }), InvalidArgument);
    EXPECT_THROW(queue.sequence([&] { queue.trim(); }), InvalidArgument);
    EXPECT_EQ(queue.download(one)[0], 1);
}

TEST_P(QueueTest, ThreadCountDoesNotChangeResults) {
    std::vector<std::int32_t> first;
    for (const int threads : {1, 2, 5}) {
        Queue queue(GetParam(), {.threads = threads});
        auto out = queue.allocate<std::int32_t>(100003, "out");
        queue.launch(kernels::test_index1, Range{100003}, out);
        if (first.empty()) first = queue.download(out);
        EXPECT_EQ(queue.download(out), first);
    }
}

TEST(Devices, CpuIsAlwaysThere) {
    const Device cpu = Device::parse("cpu");
    EXPECT_EQ(cpu.id(), "cpu");
    EXPECT_GT(cpu.properties().compute_units, 0);
    EXPECT_GT(cpu.properties().global_memory, 0);
    EXPECT_GT(cpu.free_memory(), 0);
    EXPECT_FALSE(cpu.properties().name.empty());
}

TEST(DeviceLists, InTheirOrder) {
    const auto ids = [](std::string_view list) {
        std::string text;
        for (const Device::Choice& choice : choose_devices(list))
            text += (text.empty() ? "" : ",") + choice.device.id();
        return text;
    };
    EXPECT_EQ(ids("cpu"), "cpu");
    EXPECT_EQ(ids("cpu:all"), "cpu");
    EXPECT_EQ(ids("auto"), Device::best().id());
    std::string all, backwards, opencl;
    for (const Device& device : Device::all()) {
        all += (all.empty() ? "" : ",") + device.id();
        backwards = device.id() + (backwards.empty() ? "" : ",") + backwards;
        if (device.back_end() == BackEnd::opencl)
            opencl += (opencl.empty() ? "" : ",") + device.id();
    }
    EXPECT_EQ(ids(all), all);
    EXPECT_EQ(ids(backwards), backwards);
    if (!opencl.empty()) {
        EXPECT_EQ(ids("opencl:all"), opencl);
    }
}

// The sentence names the word.
TEST(DeviceLists, BadOnesAreRefused) {
    const auto refusal = [](std::string_view list) -> std::string {
        try {
            choose_devices(list);
        } catch (const InvalidArgument& error) {
            return error.what();
        } catch (const DeviceUnavailable& error) {
            return std::string("none: ") + error.what();
        }
        return "taken";
    };
    for (const char* list : {"", ",", "cpu,", ",cpu", "cpu,,cpu"})
        EXPECT_TRUE(refusal(list).starts_with("'' is not a device")) << refusal(list);
    EXPECT_TRUE(refusal("cpu,gpu").starts_with("'gpu' is not a device"));
    EXPECT_TRUE(refusal("all").starts_with("'all' is not a device"));
    EXPECT_TRUE(refusal("cpu,cuda:every").starts_with("'cuda:every' is not a device"));
    EXPECT_TRUE(refusal("cpu,opencl:99").starts_with("none: device 'opencl:99' is not there"));
    EXPECT_NE(refusal("cpu,cpu").find("has cpu twice"), std::string::npos);
    EXPECT_NE(refusal("cpu:all,cpu").find("has cpu twice"), std::string::npos);
    for (const BackEnd back_end : {BackEnd::cuda, BackEnd::opencl}) {
        const auto devices = Device::all();
        const std::string name(back_end_name(back_end));
        if (std::any_of(devices.begin(), devices.end(),
                        [&](const Device& device) { return device.back_end() == back_end; }))
            EXPECT_NE(refusal(name + "," + name + ":0").find(name + ":0 twice"), std::string::npos);
        else
            EXPECT_TRUE(refusal(name + ":all").starts_with("none: device"));
    }
}

class NamedDevice : public detail::BackendDevice {
  public:
    NamedDevice(std::string name, bool is_gpu, int units, int clock) {
        properties_.name = std::move(name);
        properties_.is_gpu = is_gpu;
        properties_.compute_units = units;
        properties_.clock_mhz = clock;
    }
    BackEnd back_end() const override { return BackEnd::cuda; }
    int index() const override { return 0; }
    const DeviceProperties& properties() const override { return properties_; }
    std::int64_t free_memory() const override { return -1; }
    std::unique_ptr<detail::BackendQueue> make_queue(const QueueOptions&) const override {
        return nullptr;
    }

  private:
    DeviceProperties properties_;
};

TEST(Devices, TheFastestIsTheFirst) {
    std::vector<std::shared_ptr<const detail::BackendDevice>> devices;
    const auto add = [&](const std::string& name, bool is_gpu, int units, int clock) {
        devices.push_back(std::make_shared<NamedDevice>(name, is_gpu, units, clock));
    };
    add("many slow units", true, 20, 1000);
    add("processor", false, 1000, 5000);
    add("few fast units", true, 12, 2000);
    add("unknown clock", true, 64, 0);
    add("the same again", true, 24, 1000);
    detail::sort_by_speed(devices);
    std::vector<std::string> names;
    for (const auto& device : devices) names.push_back(device->properties().name);
    EXPECT_EQ(names, (std::vector<std::string>{"few fast units", "the same again",
                                               "many slow units", "unknown clock", "processor"}));
}

TEST(Devices, GpusPreferGroups) {
    for (const bool is_gpu : {false, true})
        EXPECT_EQ(prefers_groups(Device(std::make_shared<NamedDevice>("any", is_gpu, 1, 1))),
                  is_gpu);
    for (const Device& device : Device::all()) {
        const bool is_told =
            device.back_end() == BackEnd::opencl && std::getenv("TESELA_PREFERS_GROUPS");
        EXPECT_EQ(prefers_groups(device), device.properties().is_gpu || is_told);
    }
}

TEST(Devices, AutoNeverTakesACpuThroughOpenCl) {
    const Device::Choice choice = Device::choose("auto");
    EXPECT_TRUE(choice.device.back_end() != BackEnd::opencl || choice.device.properties().is_gpu);
    EXPECT_FALSE(choice.reason.empty());
}

TEST(Devices, TextIsChecked) {
    for (const char* text :
         {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "opencl:1x", "CPU", "cpu cuda"})
        EXPECT_THROW(Device::parse(text), InvalidArgument) << text;
    for (const char* text : {"cuda:99", "opencl:99", "cpu:3"})
        EXPECT_THROW(Device::parse(text), DeviceUnavailable) << text;
}

TEST(Devices, IdsParseBack) {
    for (const Device& device : Device::all()) EXPECT_EQ(Device::parse(device.id()), device);
    for (const auto& rejected : Device::rejected()) {
        EXPECT_FALSE(rejected.what.empty());
        EXPECT_FALSE(rejected.why.empty());
    }
}

}  // namespace
}  // namespace tesela
