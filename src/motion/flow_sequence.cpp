// Stages in threads of their own, with channels between them:
//
//   read -> prepare -> compute (one thread a queue) -> show -> write (the caller)
//
// Several threads prepare and show, so that neither holds up several devices.
//
// Only so many batches are under way: who reads takes a ticket for each, and who writes gives it
// back. Channels therefore need no bounds of their own, and fields may arrive in any order where
// they are written in theirs.
#include "tesela/flow_sequence.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/point_text.h"
#include "core/stages.h"

namespace tesela {
namespace {

using detail::Channel;
using detail::Clock;
using detail::seconds_since;
using detail::Shift;
using detail::Ticket;

int threads_of(const FlowSequenceOptions& options) {
    if (options.threads > 0) return options.threads;
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1, 8);
}

// A frame, what the method sees of it, its field and what the sink makes of that.
std::int64_t batch_bytes(const AnyImageView& frame, const FlowSequenceOptions& options) {
    constexpr std::int64_t real = sizeof(float);
    const Shape& shape = frame.shape();
    return options.batch * (shape.elements() * (pixel_type_bytes(frame.pixel_type()) + real) +
                            2 * shape.points() * real + options.sink_bytes);
}

int batches_under_way(const AnyImageView& frame, int queues, const FlowSequenceOptions& options) {
    // One that is read, one for each thread that prepares, two for each queue, and what is shown.
    const int fields = std::max(options.batch - 1, 1), threads = threads_of(options);
    const int most = 2 + threads + 2 * queues + (threads + fields - 1) / fields;
    if (options.max_bytes <= 0) return most;
    const std::int64_t fitting = options.max_bytes / batch_bytes(frame, options);
    return static_cast<int>(std::clamp<std::int64_t>(fitting, 1, most));
}

// What the method sees of a frame that two batches share: who needs it first leaves a copy.
class Handover {
  public:
    template <class Make>
    Image<float> take(const Make& make) {
        const std::lock_guard lock(mutex_);
        if (kept_) return std::move(*kept_);
        Image<float> made = make();
        kept_ = made;
        return made;
    }

  private:
    std::mutex mutex_;
    std::optional<Image<float>> kept_;
};

// Frames for one call of the method.
struct Batch {
    std::int64_t first = 0;  // index of the first frame, and of the first field
    std::vector<std::shared_ptr<const AnyImage>> frames;
    std::shared_ptr<Handover> from_before, to_next;  // of the first and the last frame
    std::vector<Image<float>> inputs;
};

// What can be written, why it cannot, or that there is nothing more.
struct Ready {
    std::int64_t index = 0;
    std::function<void()> write;
    std::exception_ptr error;
    bool end = false;
};

enum Stage { reading, preparing, computing, showing, writing, stage_count };

class Sequence {
  public:
    Sequence(FrameReader& reader, const FlowMethod& method, const FlowSink& sink,
             std::span<Queue> queues, const FlowSequenceOptions& options, const Progress& progress)
        : reader_(reader),
          method_(method),
          sink_(sink),
          queues_(queues),
          options_(options),
          progress_(progress),
          helpers_(threads_of(options)) {
        if (queues.empty()) throw InvalidArgument("flow of a sequence needs a queue");
        if (options.batch < 2)
            throw InvalidArgument("a batch has at least 2 frames, not " +
                                  std::to_string(options.batch));
        std::vector<std::string> ids;
        for (const Queue& queue : queues) ids.push_back(queue.device().id());
        report_.devices = detail::device_loads(ids);
        shared_ = report_.devices.size() > 1;
        const auto computers = static_cast<int>(queues.size());
        report_.stages = {{"read", 1},
                          {"prepare", helpers_},
                          {"compute", computers},
                          {"show", helpers_},
                          {"write", 1}};
        tickets_.push({});  // for the first frame, which says how many more there are
    }

    FlowSequenceReport run() {
        {
            detail::StageThreads threads([this] { stop(); });
            start(threads);
            write();
        }
        report_.seconds = seconds_since(begin_);
        detail::add_up(report_.devices, report_.stages[computing]);
        return std::move(report_);
    }

  private:
    void start(detail::StageThreads& threads) {
        threads.start([this] { read(); });
        for (Queue& queue : queues_) threads.start([this, &queue] { compute(queue); });
        const int preparers = threads.start_up_to(helpers_, [this] { prepare(); });
        const int showers = threads.start_up_to(helpers_, [this] { show(); });
        if (preparers == helpers_ && showers == helpers_) return;
        const std::lock_guard lock(report_mutex_);
        report_.stages[preparing].threads = preparers;
        report_.stages[showing].threads = showers;
        report_.warnings.push_back("the system allows only " + std::to_string(preparers + showers) +
                                   " of " + std::to_string(2 * helpers_) +
                                   " threads that prepare frames and show fields; " +
                                   detail::thread_advice);
    }

    void stop() {
        stop_.cancel();
        tickets_.abandon();
        read_.abandon();
        first_shown_.abandon();
        prepared_.abandon();
        computed_.abandon();
        ready_.abandon();
    }

    // The first batch, from which the sink takes the scale, goes through by itself.
    void read() {
        Shift shift(report_.stages[reading], report_mutex_);
        std::shared_ptr<const AnyImage> last;
        std::shared_ptr<Handover> handover;
        std::int64_t count = 0;
        for (bool more = true; more;) {
            if (!shift.take(tickets_)) break;
            Batch batch;
            batch.first = std::max<std::int64_t>(count - 1, 0);
            if (last) batch.frames.push_back(last);
            while (more && batch.frames.size() < static_cast<std::size_t>(options_.batch)) {
                last = next_frame(count, last.get());
                more = last != nullptr;
                if (more) batch.frames.push_back(last);
                count += more;
            }
            batch.from_before = std::exchange(handover, std::make_shared<Handover>());
            batch.to_next = handover;
            const bool first = batch.first == 0;
            if (batch.frames.size() < 2) continue;
            read_.push(std::move(batch));
            if (first && !shift.take(first_shown_)) break;
        }
        note(reader_.warnings());
        ready_.push({std::max<std::int64_t>(count - 1, 0), {}, failure_, true});
    }

    // Frame `index`; nothing after the last one, and where `failure_` says why there is none.
    std::shared_ptr<const AnyImage> next_frame(std::int64_t index, const AnyImage* before) try {
        std::optional<AnyImage> frame = reader_.next();
        if (!frame) {
            if (index < 2)
                throw InvalidArgument(
                    "flow needs two frames at least; there " +
                    (index == 0 ? "is none" : "is only " + reader_.frame_name(0)));
            return nullptr;
        }
        if (before && (shape_of(*frame) != shape_of(*before) ||
                       pixel_type_of(*frame) != pixel_type_of(*before)))
            throw InvalidArgument(reader_.frame_name(index) + " has " + text_of(*frame) +
                                  ", the frames before it " + text_of(*before) +
                                  "; all frames of a sequence need one size and type");
        if (index == 0) {
            report_.range = used_range(*frame);
            const int computers = static_cast<int>(queues_.size());
            for (int i = batches_under_way(*frame, computers, options_); i > 1; --i)
                tickets_.push({});
        }
        report_.frames = index + 1;
        return std::make_shared<const AnyImage>(std::move(*frame));
    } catch (...) {
        failure_ = std::current_exception();
        return nullptr;
    }

    static std::string text_of(const AnyImageView& image) {
        const Shape& shape = image.shape();
        return size_text(shape) + " pixels of " + std::to_string(shape.channels) +
               (shape.channels == 1 ? " channel of " : " channels of ") +
               std::string(pixel_type_name(image.pixel_type()));
    }

    void prepare() {
        Shift shift(report_.stages[preparing], report_mutex_);
        while (std::optional<Batch> batch = shift.take(read_)) {
            prepare_inputs(*batch);
            if (batch->inputs.size() < 2) continue;
            batch->frames.resize(batch->inputs.size());
            prepared_.push(std::move(*batch));
        }
    }

    // The last frame first, for which the next batch waits. An error stands in place of the field
    // that needs the frame first; those before it are made.
    void prepare_inputs(Batch& batch) {
        batch.inputs.resize(batch.frames.size());
        for (std::size_t i = batch.frames.size(); i-- > 0;) {
            const auto index = batch.first + static_cast<std::int64_t>(i);
            try {
                batch.inputs[i] = prepared(batch, i);
                continue;
            } catch (const Error& error) {
                fail(index - 1,
                     std::make_exception_ptr(
                         Error(error.code(), reader_.frame_name(index) + ": " + error.what())));
            } catch (...) {
                fail(index - 1, std::current_exception());
            }
            batch.inputs.resize(i);
        }
    }
    Image<float> prepared(const Batch& batch, std::size_t i) const {
        const auto make = [&] { return options_.prepare(*batch.frames[i], report_.range); };
        if (i == 0 && batch.from_before) return batch.from_before->take(make);
        return i + 1 < batch.frames.size() ? make() : batch.to_next->take(make);
    }
    void fail(std::int64_t field, std::exception_ptr error) {
        tickets_.abandon();
        ready_.push({std::max<std::int64_t>(field, 0), {}, std::move(error), false});
    }

    void compute(Queue& queue) {
        const std::string device = queue.device().id();
        DeviceLoad& load = detail::load_of(report_.devices, device);
        Shift shift(load, report_mutex_);
        while (std::optional<Batch> batch = shift.take(prepared_)) {
            std::int64_t index = batch->first;
            try {
                FlowResult result = detail::naming(device, shared_, [&] {
                    return method_(batch->inputs, queue, Progress({}, &stop_));
                });
                batch->inputs.clear();
                note(result, load);
                for (std::size_t i = 0; i < result.fields.size(); ++i, ++index) {
                    FlowStep step{index, batch->frames[i], batch->frames[i + 1],
                                  std::move(result.fields[i])};
                    if (index > 0) {
                        computed_.push(std::move(step));
                    } else {
                        show_one(std::move(step));
                        first_shown_.push({});
                    }
                }
            } catch (...) {
                ready_.push({index, {}, std::current_exception(), false});
            }
        }
    }

    void note(const FlowResult& result, DeviceLoad& load) {
        note(result.warnings);
        const std::lock_guard lock(report_mutex_);
        report_.levels = result.levels;
        load.done += static_cast<std::int64_t>(result.fields.size());
    }

    void note(const std::vector<std::string>& warnings) {
        const std::lock_guard lock(report_mutex_);
        for (const std::string& warning : warnings)
            if (std::find(report_.warnings.begin(), report_.warnings.end(), warning) ==
                report_.warnings.end())
                report_.warnings.push_back(warning);
    }

    void show() {
        Shift shift(report_.stages[showing], report_mutex_);
        while (std::optional<FlowStep> step = shift.take(computed_)) show_one(std::move(*step));
    }

    void show_one(FlowStep step) {
        const std::int64_t index = step.index;
        try {
            ready_.push({index, sink_(std::move(step)), {}, false});
        } catch (...) {
            ready_.push({index, {}, std::current_exception(), false});
        }
    }

    void write() {
        Shift shift(report_.stages[writing], report_mutex_);
        std::map<std::int64_t, Ready> early;
        for (std::int64_t index = 0;; ++index) {
            while (!early.contains(index)) {
                std::optional<Ready> ready = shift.take_soon(ready_);
                progress_.throw_if_cancelled();
                if (ready) early.emplace(ready->index, std::move(*ready));
            }
            const Ready ready = std::move(early.extract(index).mapped());
            if (ready.error) std::rethrow_exception(ready.error);
            if (ready.end) return;
            if (ready.write) ready.write();
            report_.fields = index + 1;
            if ((index + 1) % (options_.batch - 1) == 0) tickets_.push({});
            report_progress();
        }
    }

    // Not more often than people can read.
    void report_progress() {
        constexpr double pause = 0.1;
        const std::int64_t done = report_.fields;
        const FrameStreamFacts& facts = reader_.facts();
        const std::int64_t all = facts.frames.value_or(facts.likely_frames.value_or(0)) - 1;
        if (done > 1 && done != all && seconds_since(reported_) < pause) return;
        reported_ = Clock::now();
        const double rate = static_cast<double>(done) / seconds_since(begin_);
        const double tenths = std::round(10 * rate) / 10;
        std::string text = std::to_string(tenths);
        text.resize(text.find('.') + 2);
        progress_.report(
            all > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(all)) : 0,
            "field " + std::to_string(done) + (all > 0 ? " of " + std::to_string(all) : "") + ", " +
                text + " frames per second");
    }

    FrameReader& reader_;
    const FlowMethod& method_;
    const FlowSink& sink_;
    std::span<Queue> queues_;
    const FlowSequenceOptions& options_;
    const Progress& progress_;
    const int helpers_;    // threads that prepare, and as many that show
    bool shared_ = false;  // by several devices
    const Clock::time_point begin_ = Clock::now();
    Clock::time_point reported_ = begin_;

    CancelToken stop_;
    Channel<Ticket> tickets_, first_shown_;
    Channel<Batch> read_, prepared_;
    Channel<FlowStep> computed_;
    Channel<Ready> ready_;
    std::exception_ptr failure_;  // of reading

    std::mutex report_mutex_;  // guards stages, devices, levels and warnings
    FlowSequenceReport report_;
};

}  // namespace

std::int64_t flow_sequence_host_bytes(const AnyImageView& frame, int queues,
                                      const FlowSequenceOptions& options) {
    return batches_under_way(frame, queues, options) * batch_bytes(frame, options);
}

FlowSequenceReport flow_sequence(FrameReader& reader, const FlowMethod& method,
                                 const FlowSink& sink, std::span<Queue> queues,
                                 const FlowSequenceOptions& options, const Progress& progress) {
    return Sequence(reader, method, sink, queues, options, progress).run();
}

}  // namespace tesela
