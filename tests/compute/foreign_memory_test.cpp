// Memory of others as buffers, buffers as memory for others, and the order among their streams.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "devices.h"
#include "kernels/dialect_test.kernel.h"
#include "refusal.h"
#include "tesela/compute/find_device.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

using testing::refusal;

class ForeignMemory : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(ForeignMemory);

using Numbers = std::vector<std::int32_t>;

SharedMemory shared(Queue& queue, const Numbers& numbers) {
    return share(queue.upload(std::span<const std::int32_t>(numbers), "somebody's"));
}

// Sets a flag when it is let go of.
std::shared_ptr<const void> told(std::atomic<int>& released) {
    return {&released, [&released](const void*) { ++released; }};
}

TEST_P(ForeignMemory, IsReadAndWrittenWhereItLies) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory in = shared(theirs, Numbers(1000, 20)), out = shared(theirs, Numbers(1000));
    queue.wait(theirs.record());
    const auto before = queue.counters();
    const auto a = queue.adopt<const std::int32_t>(in.memory, 1000, in.owner, "a");
    const auto b = queue.adopt<const std::int32_t>(in.memory, 1000, in.owner, "b");
    auto sum = queue.adopt<std::int32_t>(out.memory, 1000, out.owner, "sum");
    queue.launch(kernels::test_add, Range{1000}, a, b, sum);
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.allocations, 0);
    EXPECT_EQ(work.bytes_uploaded + work.copies, 0);
    theirs.wait(queue.record());
    const auto seen = theirs.adopt<const std::int32_t>(out.memory, 1000, out.owner, "seen");
    EXPECT_EQ(theirs.download(seen), Numbers(1000, 40));
}

TEST_P(ForeignMemory, OfNoElementsMayBeNowhere) {
    Queue queue(GetParam());
    EXPECT_EQ(queue.adopt<std::int32_t>(nullptr, 0, {}, "none").size(), 0);
}

TEST_P(ForeignMemory, TellsItsDevice) {
    Queue queue(GetParam());
    const auto buffer = queue.allocate<std::int32_t>(1000, "numbers");
    const auto found = find_device(buffer.block()->pointer());
    EXPECT_EQ(found.has_value(), GetParam().back_end() == BackEnd::cuda);
    if (found) {
        EXPECT_EQ(found->id(), GetParam().id());
    }
    EXPECT_FALSE(find_device(&queue)) << "memory of the host";
}

// A stream that takes some time to write `value` last.
void write_late(Queue& queue, Buffer<std::int32_t>& buffer, std::int32_t value) {
    for (std::int32_t i = 0; i < 200; ++i) queue.fill(buffer, -1 - i);
    queue.fill(buffer, value);
}

std::int64_t late_elements(const Device& device) {
    return device.properties().is_gpu ? std::int64_t{1} << 26 : std::int64_t{1} << 16;
}

TEST_P(ForeignMemory, IsInOrderByEvents) {
    const Device& device = GetParam();
    const std::int64_t n = late_elements(device);
    Queue theirs(device), queue(device);
    auto written = theirs.allocate_filled<std::int32_t>(n, 0, "written");
    theirs.finish();
    void* memory = written.block()->pointer();
    const auto read_one = [&] {
        const auto seen = queue.adopt<const std::int32_t>(memory, 1, {}, "seen");
        return queue.download(seen).front();
    };
    write_late(theirs, written, 7);
    queue.wait(theirs.record());
    EXPECT_EQ(read_one(), 7);
    // By their stream alone, as a library of others hands it over.
    write_late(theirs, written, 8);
    queue.wait(queue.record_foreign(theirs.native_stream()));
    EXPECT_EQ(read_one(), 8);
    // And back: their stream goes on when this queue has read.
    auto copy = queue.allocate<std::int32_t>(n, "copy");
    const auto all = queue.adopt<const std::int32_t>(memory, n, {}, "all");
    for (int i = 0; i < 20; ++i) queue.copy(all, copy);
    queue.make_foreign_wait(theirs.native_stream(), queue.record());
    theirs.fill(written, 9);
    theirs.finish();
    const auto last = queue.download(copy);
    EXPECT_EQ(last.front(), 8);
    EXPECT_EQ(last.back(), 8);
}

// Without an event streams of a GPU do run side by side: what the test above proves is needed.
TEST_P(ForeignMemory, IsInNoOrderWithoutEvents) {
    if (!GetParam().properties().is_gpu) return;  // work of a CPU may end when it is given
    const std::int64_t n = late_elements(GetParam());
    Queue theirs(GetParam()), queue(GetParam());
    auto written = theirs.allocate_filled<std::int32_t>(n, 0, "written");
    theirs.finish();
    const auto seen = queue.adopt<const std::int32_t>(written.block()->pointer(), 1, {}, "seen");
    (void)queue.download(seen);  // what a first transfer makes, is there
    write_late(theirs, written, 7);
    EXPECT_NE(queue.download(seen).front(), 7);
}

TEST_P(ForeignMemory, EventsPass) {
    Queue queue(GetParam());
    EXPECT_TRUE(Event().has_passed());
    auto buffer = queue.allocate<std::int32_t>(late_elements(GetParam()), "buffer");
    write_late(queue, buffer, 1);
    const Event event = queue.record();
    event.wait();
    EXPECT_TRUE(event.has_passed());
    EXPECT_EQ(event.native() != nullptr, GetParam().back_end() != BackEnd::cpu);
    EXPECT_EQ(queue.native_stream() != nullptr, GetParam().back_end() != BackEnd::cpu);
}

TEST_P(ForeignMemory, OwnerStaysUntilTheWorkHasEnded) {
    Queue theirs(GetParam()), queue(GetParam());
    const std::int64_t n = late_elements(GetParam());
    const SharedMemory memory = share(theirs.allocate<std::int32_t>(n, "somebody's"));
    std::atomic<int> released{0};
    {
        auto lent = queue.adopt<std::int32_t>(memory.memory, n, told(released), "lent");
        write_late(queue, lent, 1);
        EXPECT_EQ(released, 0);
    }
    if (GetParam().properties().is_gpu) {
        const auto other = queue.allocate<std::int32_t>(1, "other");  // takes up what has ended
        EXPECT_EQ(released, 0);
    }
    queue.finish();
    EXPECT_EQ(released, 1);
}

TEST_P(ForeignMemory, OwnerIsReleasedWithTheQueue) {
    Queue theirs(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(16, 1));
    std::atomic<int> released{0};
    {
        Queue queue(GetParam());
        const auto lent = queue.adopt<std::int32_t>(memory.memory, 16, told(released), "lent");
    }
    EXPECT_EQ(released, 1);
}

TEST_P(ForeignMemory, ManyCallsLeaveNothingBehind) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(4096, 1));
    std::atomic<int> released{0};
    auto sum = queue.allocate<std::int32_t>(4096, "sum");
    const std::int64_t allocated = queue.counters().bytes_allocated;
    int made = 0, most = 0;
    for (; made < 10000; ++made) {
        const auto a = queue.adopt<const std::int32_t>(memory.memory, 4096, told(released), "a");
        if (made % 50 == 0) queue.launch(kernels::test_add, Range{4096}, a, a, sum);
        most = std::max(most, made - released);
    }
    EXPECT_LE(most, 1100);  // a device may be behind, but not by all
    queue.finish();
    EXPECT_EQ(released, made);
    EXPECT_EQ(queue.counters().bytes_allocated, allocated);
}

TEST_P(ForeignMemory, BuffersEndInAnyThread) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(64, 1));
    std::atomic<int> released{0};
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([own = queue.allocate<std::int32_t>(1000, "own")] {});
            threads.emplace_back(
                [lent = queue.adopt<std::int32_t>(memory.memory, 64, told(released), "lent")] {});
        }
        const auto meanwhile = queue.allocate<std::int32_t>(1000, "meanwhile");
        for (std::thread& thread : threads) thread.join();
    }
    queue.finish();
    EXPECT_EQ(released, 80);
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
}

TEST_P(ForeignMemory, SharedMemoryOutlivesItsQueue) {
    SharedMemory memory;
    {
        Queue theirs(GetParam());
        memory = shared(theirs, Numbers(100, 5));
        theirs.finish();
    }
    Queue queue(GetParam());
    const auto lent = queue.adopt<const std::int32_t>(memory.memory, 100, memory.owner, "lent");
    EXPECT_EQ(queue.download(lent), Numbers(100, 5));
    queue.finish();
    std::thread([last = std::move(memory)] {}).join();
}

TEST_P(ForeignMemory, ThatDoesNotServeIsRefused) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(1024, 1));
    const auto refused = [&](void* address, std::int64_t elements) {
        return refusal([&] { queue.adopt<std::int32_t>(address, elements, {}, "image"); });
    };
    EXPECT_EQ(refused(nullptr, 4), "the memory for buffer 'image' is a null pointer");
    if (GetParam().back_end() != BackEnd::opencl) {
        void* inside = static_cast<char*>(memory.memory) + 2;
        EXPECT_NE(refused(inside, 4).find("no multiple of"), std::string::npos);
    }
    if (GetParam().back_end() == BackEnd::cpu) return;  // which cannot know how long memory is
    EXPECT_NE(refused(memory.memory, std::int64_t{1} << 30).find(" are needed"), std::string::npos);
    if (GetParam().back_end() != BackEnd::cuda) return;
    Numbers host(64);
    EXPECT_NE(refused(host.data(), 64).find("is the host's"), std::string::npos);
}

// A buffer over the queue's own memory, and two over each other's: no circle keeps them.
TEST_P(ForeignMemory, OfTheQueueItselfIsReleased) {
    std::atomic<int> released{0};
    {
        Queue queue(GetParam()), other(GetParam());
        const SharedMemory own = shared(queue, Numbers(16, 1)), theirs = shared(other, Numbers(16));
        const auto owner_of = [&](const SharedMemory& memory) {
            return std::shared_ptr<const void>(
                &released, [&released, kept = memory.owner](const void*) { ++released; });
        };
        const auto a = queue.adopt<std::int32_t>(own.memory, 16, owner_of(own), "a");
        const auto b = queue.adopt<std::int32_t>(theirs.memory, 16, owner_of(theirs), "b");
        const auto c = other.adopt<std::int32_t>(own.memory, 16, owner_of(own), "c");
    }
    EXPECT_EQ(released, 3);
}

TEST_P(ForeignMemory, ThatEndsAfterItsQueueIsReleasedAtOnce) {
    Queue theirs(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(16, 1));
    std::atomic<int> released{0};
    Buffer<std::int32_t> lent;
    {
        Queue queue(GetParam());
        lent = queue.adopt<std::int32_t>(memory.memory, 16, told(released), "lent");
    }
    EXPECT_EQ(released, 0);
    std::thread([last = std::move(lent)] {}).join();
    EXPECT_EQ(released, 1);
}

TEST_P(ForeignMemory, OwnersMayCallTheQueue) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(16, 1));
    int called = 0;
    std::shared_ptr<const void> owner(&called, [&](const void*) {
        const auto more = queue.allocate<std::int32_t>(100, "more");
        ++called;
    });
    { const auto lent = queue.adopt<std::int32_t>(memory.memory, 16, std::move(owner), "lent"); }
    queue.finish();
    EXPECT_EQ(called, 1);
}

TEST_P(ForeignMemory, MayEndWhileTheQueueReads) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(16, 4));
    queue.wait(theirs.record());
    std::atomic<int> released{0};
    auto sum = queue.allocate_filled<std::int32_t>(16, 1, "sum");
    Numbers before(16);
    queue.read_while(sum, std::span<std::int32_t>(before), [&] {
        const auto a = queue.adopt<const std::int32_t>(memory.memory, 16, told(released), "a");
        queue.launch(kernels::test_add, Range{16}, a, a, sum);
    });
    EXPECT_EQ(before, Numbers(16, 1));
    EXPECT_EQ(queue.download(sum), Numbers(16, 8));
    queue.finish();
    EXPECT_EQ(released, 1);
}

TEST_P(ForeignMemory, LentBuffersAreNotShared) {
    Queue queue(GetParam());
    const Numbers host(16, 1);
    auto lent = queue.lend(std::span<const std::int32_t>(host), "lent");
    if (GetParam().back_end() != BackEnd::cpu) return;  // a copy of its own
    EXPECT_THROW(share(std::move(lent)), InvalidArgument);
}

TEST_P(ForeignMemory, SequencesRefuseEvents) {
    Queue queue(GetParam());
    EXPECT_THROW(queue.sequence([&] { queue.record(); }), InvalidArgument);
    const Event event = queue.record();
    EXPECT_THROW(queue.sequence([&] { queue.wait(event); }), InvalidArgument);
    EXPECT_THROW(queue.sequence([&] { queue.record_foreign(queue.native_stream()); }),
                 InvalidArgument);
}

// Memory that ends in a sequence is let go of after it.
TEST_P(ForeignMemory, EndsInASequence) {
    Queue theirs(GetParam()), queue(GetParam());
    const SharedMemory memory = shared(theirs, Numbers(4096, 3));
    queue.wait(theirs.record());
    std::atomic<int> released{0};
    auto sum = queue.allocate<std::int32_t>(4096, "sum");
    queue.sequence([&] {
        const auto a = queue.adopt<const std::int32_t>(memory.memory, 4096, told(released), "a");
        queue.launch(kernels::test_add, Range{4096}, a, a, sum);
        const auto more = queue.allocate<std::int32_t>(10, "more");
    });
    EXPECT_EQ(queue.download(sum), Numbers(4096, 6));
    queue.finish();
    EXPECT_EQ(released, 1);
    EXPECT_THROW(queue.sequence([&] {
        const auto a = queue.adopt<const std::int32_t>(memory.memory, 4096, told(released), "a");
        throw InvalidArgument("in the middle");
    }),
                 InvalidArgument);
    queue.finish();
    EXPECT_EQ(released, 2);
}

}  // namespace
}  // namespace tesela
