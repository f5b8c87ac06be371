// The pipeline of sequences: every field, in order, the same whatever runs beside it; errors in the
// middle; an end to everything.
#include "tesela/flow_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "devices.h"
#include "tesela/horn_schunck.h"
#include "tesela/synthetic_flow.h"

namespace tesela {
namespace {

constexpr std::int64_t width = 40, height = 30;

// Frames of a synthetic scene; what happens at a frame can be chosen.
class Frames : public FrameReader {
  public:
    explicit Frames(std::int64_t count, std::int64_t broken = -1, std::int64_t small = -1)
        : count_(count), broken_(broken), small_(small) {
        facts_.frames = count;
    }
    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        return "frame " + std::to_string(index);
    }
    std::optional<AnyImage> next() override {
        if (index_ == count_ / 2) warnings_ = {"half of it is there"};
        if (index_ == broken_) throw UnreadableInput(frame_name(index_) + " is broken");
        if (index_ == count_) return {};
        SyntheticScene scene;
        scene.width = index_ == small_ ? width / 2 : width;
        scene.height = height;
        scene.motion = {0, 0, 1, 0.5};
        Image<float> frame = synthetic_frame(scene, static_cast<int>(index_++));
        for (float& value : frame.pixels()) value /= 255;
        return AnyImage(std::move(frame));
    }
    std::vector<std::string> warnings() const override { return warnings_; }
    std::int64_t given() const { return index_; }

  private:
    FrameStreamFacts facts_;
    std::int64_t count_, broken_, small_;
    std::atomic<std::int64_t> index_ = 0;
    std::vector<std::string> warnings_;
};

// The mean brightness of both frames in place of a motion: whose field it is can be read from it.
FlowResult means(std::span<const Image<float>> frames, Queue&, const Progress& progress) {
    FlowResult result;
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
        progress.throw_if_cancelled();
        result.fields.emplace_back(Shape{1, 1, 1, 1, 2});
        result.fields.back().pixels() = {frames[i].pixels()[0], frames[i + 1].pixels()[0]};
    }
    result.warnings = {"always the same"};
    return result;
}

Image<float> copy_of(const AnyImageView& frame) {
    const PixelView<float>& pixels = *frame.get_if<float>();
    Image<float> image(pixels.shape(), pixels.geometry);
    std::copy_n(pixels.data(), image.pixels().size(), image.data());
    return image;
}

// Frames are seen as they are.
FlowSequenceOptions as_they_are(int batch = 2, int threads = 0) {
    FlowSequenceOptions options{.batch = batch, .threads = threads};
    options.prepare = [](const AnyImageView& frame, const ValueRange&) { return copy_of(frame); };
    return options;
}

struct Written {
    std::vector<std::int64_t> order;
    std::vector<FlowField> fields;

    FlowSink sink() {
        return [this](FlowStep&& step) {
            auto field = std::make_shared<FlowField>(std::move(step.field));
            return [this, field, index = step.index] {
                order.push_back(index);
                fields.push_back(std::move(*field));
            };
        };
    }
};

std::vector<Queue> cpu_queues(int count) {
    std::vector<Queue> queues;
    for (int i = 0; i < count; ++i) queues.emplace_back(Device::parse("cpu"));
    return queues;
}

TEST(FlowSequence, EveryFieldInOrder) {
    for (const int queues : {1, 2, 3})
        for (const int batch : {2, 3, 7, 50})
            for (const int threads : {1, 4}) {
                SCOPED_TRACE(std::to_string(queues) + " queues, batches of " +
                             std::to_string(batch) + ", " + std::to_string(threads) + " threads");
                Frames frames(20);
                Written written;
                std::vector<Queue> on = cpu_queues(queues);
                const FlowSequenceReport report =
                    flow_sequence(frames, means, written.sink(), on, as_they_are(batch, threads));
                EXPECT_EQ(report.frames, 20);
                EXPECT_EQ(report.fields, 19);
                EXPECT_EQ((std::set(report.warnings.begin(), report.warnings.end())),
                          (std::set<std::string>{"always the same", "half of it is there"}));
                EXPECT_EQ(report.warnings.size(), 2u);
                ASSERT_EQ(report.stages.size(), 5u);
                EXPECT_EQ(report.stages[2].threads, queues);
                ASSERT_EQ(written.order.size(), 19u);
                Frames again(20);
                AnyImage before = *again.next();
                for (std::size_t i = 0; i < 19; ++i) {
                    EXPECT_EQ(written.order[i], static_cast<std::int64_t>(i));
                    AnyImage after = *again.next();
                    EXPECT_EQ(written.fields[i].pixels()[0],
                              std::get<Image<float>>(before).pixels()[0]);
                    EXPECT_EQ(written.fields[i].pixels()[1],
                              std::get<Image<float>>(after).pixels()[0]);
                    before = std::move(after);
                }
            }
}

class FlowSequenceOn : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(FlowSequenceOn);

TEST_P(FlowSequenceOn, TheSameBitsAsAlone) {
    const HornSchunckOptions options{.levels = 2, .sweeps = 4};
    const FlowMethod method = [&](auto inputs, Queue& queue, const Progress& progress) {
        return horn_schunck(inputs, options, queue, progress);
    };
    std::vector<Queue> queues;
    queues.emplace_back(GetParam());
    queues.emplace_back(GetParam());
    std::vector<FlowField> alone;
    Frames source(6);
    std::vector<Image<float>> pair{std::get<Image<float>>(*source.next())};
    while (auto next = source.next()) {
        pair.push_back(std::get<Image<float>>(*next));
        alone.push_back(horn_schunck(pair, options, queues[0]).fields.front());
        pair.erase(pair.begin());
    }
    for (const int batch : {2, 4}) {
        Frames frames(6);
        Written written;
        flow_sequence(frames, method, written.sink(), queues, as_they_are(batch));
        ASSERT_EQ(written.fields.size(), alone.size());
        for (std::size_t i = 0; i < alone.size(); ++i)
            EXPECT_EQ(written.fields[i].pixels(), alone[i].pixels()) << i;
    }
}

TEST(FlowSequence, TheFirstFieldIsTakenBeforeAnyOther) {
    Frames frames(30);
    std::atomic<bool> first_taken = false;
    std::atomic<int> early = 0;
    std::vector<Queue> queues = cpu_queues(2);
    flow_sequence(frames, means,
                  [&](FlowStep&& step) {
                      if (step.index == 0) {
                          std::this_thread::sleep_for(std::chrono::milliseconds(20));
                          first_taken = true;
                      } else if (!first_taken) {
                          ++early;
                      }
                      return std::function<void()>();
                  },
                  queues, {.batch = 4, .threads = 4});
    EXPECT_TRUE(first_taken);
    EXPECT_EQ(early, 0);
}

// All devices of this machine, two queues each; the shares are those of all fields.
TEST(FlowSequence, DevicesShareTheFields) {
    std::vector<Queue> queues;
    for (const Device& device : testing::test_devices())
        for (int i = 0; i < 2; ++i) queues.emplace_back(device);
    for (const std::int64_t count : {2, 3, 20}) {  // also fewer fields than queues
        Frames frames(count);
        Written written;
        const FlowSequenceReport report = flow_sequence(frames, means, written.sink(), queues);
        std::int64_t done = 0;
        double busy = 0, waited = 0;
        for (const DeviceLoad& device : report.devices) {
            EXPECT_EQ(device.threads, 2);
            done += device.done;
            busy += device.busy_seconds;
            waited += device.waited_seconds;
        }
        EXPECT_EQ(report.devices.size(), testing::test_devices().size());
        EXPECT_EQ(done, count - 1);
        EXPECT_DOUBLE_EQ(report.stages[2].busy_seconds, busy);
        EXPECT_DOUBLE_EQ(report.stages[2].waited_seconds, waited);
        EXPECT_GE(imbalance(report.devices), 1);
        ASSERT_EQ(written.order.size(), static_cast<std::size_t>(count - 1));
        EXPECT_TRUE(std::is_sorted(written.order.begin(), written.order.end()));
    }
}

// A device that fails in the middle is named where there are others; the fields before are kept.
TEST(FlowSequence, ADeviceFailsInTheMiddle) {
    const std::vector<Device> devices = testing::test_devices();
    std::vector<Queue> queues;
    for (const Device& device : devices) queues.emplace_back(device);
    std::atomic<int> calls = 0;
    const Device& last = devices.back();
    const FlowMethod failing = [&](auto inputs, Queue& queue, const Progress& progress) {
        if (++calls > 4 && queue.device() == last) throw DeviceUnavailable("it fell off the bus");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that all get a share
        return means(inputs, queue, progress);
    };
    Frames frames(200);
    Written written;
    try {
        flow_sequence(frames, failing, written.sink(), queues);
        ADD_FAILURE() << "no error was thrown";
    } catch (const DeviceUnavailable& error) {
        const std::string name = devices.size() > 1 ? last.id() + ": " : "";
        EXPECT_EQ(error.what(), name + "it fell off the bus");
    }
    EXPECT_LT(written.order.size(), 199u);
    for (std::size_t i = 0; i < written.order.size(); ++i)
        EXPECT_EQ(written.order[i], static_cast<std::int64_t>(i));
}

// All fields before the error are written, none after it, and the error says where it was.
void expect_end(Frames& frames, std::size_t fields, ErrorCode code, const std::string& words,
                const FlowSequenceOptions& options) {
    Written written;
    std::vector<Queue> queues = cpu_queues(2);
    try {
        flow_sequence(frames, means, written.sink(), queues, options);
        ADD_FAILURE() << "no error was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(written.order.size(), fields);
}

TEST(FlowSequence, ErrorsKeepWhatWasDone) {
    for (const int batch : {2, 5}) {
        SCOPED_TRACE(batch);
        const FlowSequenceOptions options{.batch = batch, .threads = 2};
        for (const std::int64_t at : {2, 3, 8, 9}) {
            SCOPED_TRACE(at);
            Frames broken(20, at), small(20, -1, at);
            const auto before = static_cast<std::size_t>(at - 1);
            const std::string name = "frame " + std::to_string(at);
            expect_end(broken, before, ErrorCode::unreadable_input, name + " is broken", options);
            expect_end(
                small, before, ErrorCode::invalid_argument,
                name + " has 20 x 30 pixels of 1 channel of float32, the frames before it 40 x 30",
                options);
        }
        Frames none(0), one(1), broken_second(20, 1), broken_first(20, 0);
        expect_end(none, 0, ErrorCode::invalid_argument, "there is none", options);
        expect_end(one, 0, ErrorCode::invalid_argument, "only frame 0", options);
        expect_end(broken_second, 0, ErrorCode::unreadable_input, "frame 1", options);
        expect_end(broken_first, 0, ErrorCode::unreadable_input, "frame 0", options);
    }
}

// Of a frame among 20.
float first_pixel(std::int64_t index) {
    Frames frames(20);
    for (std::int64_t i = 0; i < index; ++i) frames.next();
    return std::get<Image<float>>(*frames.next()).pixels()[0];
}

TEST(FlowSequence, ErrorsOfLaterStages) {
    std::vector<Queue> queues = cpu_queues(2);
    for (const int batch : {2, 4}) {
        FlowSequenceOptions options{.batch = batch, .threads = 3};
        options.prepare = [](const AnyImageView& frame, const ValueRange&) {
            static const float bad = first_pixel(7);
            if (frame.get_if<float>()->data()[0] == bad) throw InvalidArgument("not a good frame");
            return copy_of(frame);
        };
        Frames unprepared(20);
        expect_end(unprepared, 6, ErrorCode::invalid_argument, "frame 7: not a good frame",
                   options);
    }
    for (const std::int64_t at : {0, 5}) {
        Written written;
        Frames frames(20);
        const FlowMethod failing = [&](auto inputs, Queue& queue, const Progress& progress) {
            if (inputs[0].pixels()[0] == first_pixel(at)) throw OutOfMemory("too large", 2, 1);
            return means(inputs, queue, progress);
        };
        EXPECT_THROW(flow_sequence(frames, failing, written.sink(), queues, as_they_are()),
                     OutOfMemory);
        EXPECT_EQ(written.order.size(), static_cast<std::size_t>(at));

        Frames others(20);
        std::int64_t done = 0;
        const FlowSink sink = [&](FlowStep&& step) {
            if (step.index == at) throw TooNarrow("does not fit");
            return [&] { ++done; };
        };
        EXPECT_THROW(flow_sequence(others, means, sink, queues), TooNarrow);
        EXPECT_EQ(done, at);

        Frames unwritten(20);
        const FlowSink full = [&](FlowStep&& step) {
            return [at, index = step.index] {
                if (index == at) throw UnwritableOutput("disk full");
            };
        };
        EXPECT_THROW(flow_sequence(unwritten, means, full, queues), UnwritableOutput);
    }
    Frames frames(20);
    EXPECT_THROW(flow_sequence(frames, means, {}, {}), InvalidArgument);
    EXPECT_THROW(flow_sequence(frames, means, {}, queues, {.batch = 1}), InvalidArgument);
}

// A slow writer holds the reader back: only so many frames are under way.
TEST(FlowSequence, FramesUnderWayAreBounded) {
    for (const int batch : {2, 4}) {
        Frames frames(200);
        std::int64_t most = 0;
        std::vector<Queue> queues = cpu_queues(2);
        const FlowSink slow = [&](FlowStep&& step) {
            return [&, index = step.index] {
                if (index < 10) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                most = std::max(most, frames.given() - index);
            };
        };
        flow_sequence(frames, means, slow, queues, {.batch = batch, .threads = 2});
        EXPECT_LE(most, (2 + 2 + 4 + 2) * (batch - 1) + batch);
        EXPECT_GT(most, 2);
    }
}

// Less memory holds fewer batches, one at least; the fields are the same.
TEST(FlowSequence, MemoryBoundsTheBatchesUnderWay) {
    const AnyImage frame = Image<float>({width, height});
    constexpr std::int64_t one = 2 * width * height * (4 + 4 + 8);
    EXPECT_EQ(flow_sequence_host_bytes(frame, 2, {.threads = 2}), (2 + 2 + 4 + 2) * one);
    EXPECT_EQ(flow_sequence_host_bytes(frame, 2, {.threads = 2, .max_bytes = 5 * one + 1}),
              5 * one);
    EXPECT_EQ(flow_sequence_host_bytes(frame, 2, {.sink_bytes = 10, .max_bytes = 1}), one + 20);
    for (const int batch : {2, 3, 7, 50}) {
        Frames frames(20);
        std::int64_t most = 0, fields = 0;
        std::vector<Queue> queues = cpu_queues(2);
        const FlowSink sink = [&](FlowStep&& step) {
            return [&, index = step.index] {
                EXPECT_EQ(index, fields++);
                most = std::max(most, frames.given() - index);
            };
        };
        flow_sequence(frames, means, sink, queues, {.batch = batch, .max_bytes = 1});
        EXPECT_EQ(fields, 19);
        EXPECT_LE(most, batch);
    }
}

TEST(FlowSequence, ProgressAndCancelling) {
    std::vector<Queue> queues = cpu_queues(2);
    std::vector<double> fractions;
    std::string last;
    Frames frames(20);
    Written written;
    flow_sequence(frames, means, written.sink(), queues, {},
                  Progress([&](double fraction, std::string_view stage) {
                      fractions.push_back(fraction);
                      last = stage;
                  }));
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1);
    EXPECT_NE(last.find("field 19 of 19, "), std::string::npos) << last;

    // The method that runs when somebody cancels ends as well.
    CancelToken token;
    Frames many(1000);
    std::int64_t done = 0;
    const FlowMethod slow = [](auto inputs, Queue& queue, const Progress& progress) {
        for (int i = 0; i < 10; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            progress.throw_if_cancelled();
        }
        return means(inputs, queue, progress);
    };
    const FlowSink sink = [&](FlowStep&&) {
        return [&] {
            if (++done == 5) token.cancel();
        };
    };
    EXPECT_THROW(flow_sequence(many, slow, sink, queues, {}, Progress({}, &token)), Cancelled);
    EXPECT_GE(done, 5);
    EXPECT_LT(done, 100);
}

}  // namespace
}  // namespace tesela
