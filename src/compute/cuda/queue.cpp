#include "compute/cuda/queue.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "compute/cuda/capabilities.h"
#include "compute/cuda/fill.h"
#include "kernels/cuda_range.h"
#include "tesela/error.h"

namespace tesela::detail {
namespace {

constexpr std::int64_t longest_grid_axis = 65535;  // of y and z; x goes to 2^31 - 1
constexpr std::size_t most_names = 8;              // of kernels in an error
constexpr std::size_t most_pending_timings = 4096;
constexpr int waiting_capability = 900;  // from here on T_AFTER_LAST_LAUNCH waits

// Threads along x follow a row: 64 of them make two whole cache lines, and the four rows beneath
// one another share what a stencil reads. A narrow image takes a warp a row.
dim3 item_block(const std::array<std::int64_t, 3>& size) {
    static_assert(T_ITEM_BLOCK == 256);
    if (size[2] > 1) return {32, 4, 2};
    if (size[1] == 1) return {256, 1, 1};
    return size[0] > 32 ? dim3{64, 4, 1} : dim3{32, 8, 1};
}

int as_int(std::int64_t value) { return static_cast<int>(value); }

std::int64_t blocks_for(std::int64_t items, unsigned block) {
    return (items + block - 1) / static_cast<std::int64_t>(block);
}

// Calls `launch_part(first, blocks)` for the parts of an axis that one grid can have.
template <class LaunchPart>
cudaError_t for_grid_parts(std::int64_t items, unsigned block, const LaunchPart& launch_part) {
    const std::int64_t blocks = blocks_for(items, block);
    for (std::int64_t first = 0; first < blocks; first += longest_grid_axis) {
        const std::int64_t part = std::min(longest_grid_axis, blocks - first);
        const cudaError_t error = launch_part(first * block, static_cast<unsigned>(part));
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

}  // namespace

CudaQueue::CudaQueue(std::string device_name, int ordinal, const QueueOptions& options)
    : device_name_(std::move(device_name)),
      ordinal_(ordinal),
      profile_(options.profile),
      staging_(ordinal) {
    const DeviceScope scope(ordinal_);
    check(scope.error(), "be made current");
    // Of all the code in a package, what this device runs decides: code of 7.5 does not wait, even
    // where the driver translated it for a device of 9.0.
    begins_early_ = !profile_ && running_capability() >= waiting_capability;
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
}

bool CudaQueue::fft(const FftCall& call, const Scratch& scratch) {
    bool is_done = false;
    run("fft", [&] {
        is_done = fft_.transform(call, scratch, stream_);
        return cudaSuccess;
    });
    return is_done;
}

void CudaQueue::drop_fft_plans() noexcept {
    const DeviceScope scope(ordinal_);
    fft_.drop();
}

CudaQueue::~CudaQueue() {
    const DeviceScope scope(ordinal_);
    cudaStreamSynchronize(stream_);
    for (const Timing& timing : timings_) {
        cudaEventDestroy(timing.start);
        cudaEventDestroy(timing.stop);
    }
    for (const cudaEvent_t event : free_events_) cudaEventDestroy(event);
    staging_.release();
    if (graph_) cudaGraphExecDestroy(graph_);
    cudaStreamDestroy(stream_);
    cudaGetLastError();
}

void CudaQueue::fail(cudaError_t error, const std::string& doing) {
    std::string sentence = device_name_ + " failed to " + doing + ": " + describe(error);
    if (!launched_.empty()) {
        sentence += launched_.size() < most_names ? "; run since the last check: "
                                                  : "; run last since the last check: ";
        for (const char* name : launched_)
            sentence += (name == launched_.front() ? "" : ", ") + std::string(name);
    }
    if (error == cudaErrorMemoryAllocation) throw OutOfMemory(sentence, -1, -1);
    // An error of a kernel stays with the process; every later call returns it again.
    const cudaError_t after = stream_ ? cudaStreamQuery(stream_) : cudaSuccess;
    if (after != cudaSuccess && after != cudaErrorNotReady)
        sentence += "; the device does no more work for this process, start it again";
    cudaGetLastError();
    throw DeviceUnavailable(sentence);
}

// ---- Memory ------------------------------------------------------------------------------------

void* CudaQueue::allocate(std::int64_t bytes) {
    const DeviceScope scope(ordinal_);
    check(scope.error(), "be made current");
    void* pointer = nullptr;
    const cudaError_t error = cudaMalloc(&pointer, static_cast<std::size_t>(bytes));
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return nullptr;
    }
    check(error, "allocate memory");
    return pointer;
}

void CudaQueue::release(void* pointer) noexcept {
    const DeviceScope scope(ordinal_);
    if (cudaFree(pointer) != cudaSuccess) cudaGetLastError();
}

std::string CudaQueue::adopt(const ForeignMemory& memory) {
    constexpr std::uintptr_t alignment = 16;  // kernels load four floats at once
    const DeviceScope scope(ordinal_);
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, memory.pointer), "look at memory");
    if (attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeUnregistered)
        return "is the host's: copy it to " + device_name_;
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != ordinal_)
        return "is of device " + std::to_string(attributes.device) + ", the queue's is " +
               device_name_ + ": use a queue there, or copy it";
    if (reinterpret_cast<std::uintptr_t>(memory.pointer) % alignment != 0)
        return "begins at an address that is no multiple of 16: copy it";
    const std::int64_t room = bytes_behind(memory.pointer);
    if (room >= 0 && room < memory.bytes)
        return "has " + std::to_string(room) + " bytes; " + std::to_string(memory.bytes) +
               " are needed";
    return {};
}

void CudaQueue::copy_in(void* target, const void* host, std::int64_t bytes) {
    const DeviceScope scope(ordinal_);
    check(staging_.copy_in(target, host, bytes, stream_), "copy from host memory");
}

void CudaQueue::copy_out(const void* source, std::span<const HostPiece> pieces) {
    const DeviceScope scope(ordinal_);
    check(staging_.copy_out(source, pieces, stream_), "copy to host memory");
    launched_.clear();
}

bool CudaQueue::begin_read(const void* source, std::int64_t bytes) {
    const DeviceScope scope(ordinal_);
    bool begun = false;
    check(staging_.begin_read(source, bytes, begins_early_, stream_, begun), "copy to host memory");
    return begun;
}

void CudaQueue::end_read(void* host, std::int64_t bytes) {
    const DeviceScope scope(ordinal_);
    check(staging_.end_read(host, bytes), "copy to host memory");
}

void CudaQueue::copy(void* target, const void* source, std::int64_t bytes) {
    const DeviceScope scope(ordinal_);
    check(cudaMemcpyAsync(target, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice,
                          stream_),
          "copy a buffer");
}

void CudaQueue::fill(void* target, std::int64_t bytes, const void* value, std::size_t value_bytes) {
    const DeviceScope scope(ordinal_);
    check(fill_async(target, bytes, value, value_bytes, stream_), "fill a buffer");
}

// ---- Kernels -----------------------------------------------------------------------------------

void CudaQueue::launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                       std::span<const Argument> arguments, bool early) {
    T_Range range{as_int(size[0]), as_int(size[1]), as_int(size[2]), 0, 0};
    void* values[64] = {&range};
    if (arguments.size() >= std::size(values))
        throw InvalidArgument(std::string("kernel ") + code.name + " has too many arguments");
    std::transform(arguments.begin(), arguments.end(), values + 1,
                   [](const Argument& argument) { return const_cast<void*>(argument.value); });

    const void* function = code.cuda();
    if (!function)
        throw DeviceUnavailable(std::string("kernel '") + code.name +
                                "' was built without CUDA's compiler: build its project where nvcc "
                                "is found, or take another device");
    const bool is_group_kernel = code.group[0] > 0;
    const auto threads = [&](int axis) { return static_cast<unsigned>(code.group[axis]); };
    const dim3 block =
        is_group_kernel ? dim3{threads(0), threads(1), threads(2)} : item_block(size);
    const dim3 span = is_group_kernel ? dim3{1, 1, 1} : block;  // of the range, for one block
    const auto x = static_cast<unsigned>(blocks_for(size[0], span.x));
    cudaLaunchAttribute overlaps{};
    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.blockDim = block;
    config.stream = stream_;
    config.attrs = &overlaps;
    config.numAttrs = early ? 1 : 0;

    run(code.name, [&] {
        return for_grid_parts(size[2], span.z, [&](std::int64_t first_z, unsigned z) {
            return for_grid_parts(size[1], span.y, [&](std::int64_t first_y, unsigned y) {
                range.first_y = as_int(first_y);
                range.first_z = as_int(first_z);
                config.gridDim = {x, y, z};
                return cudaLaunchKernelExC(&config, function, values);
            });
        });
    });
}

void CudaQueue::remember(const char* name) {
    const auto same = std::find(launched_.begin(), launched_.end(), name);
    if (same != launched_.end()) launched_.erase(same);
    launched_.push_back(name);
    if (launched_.size() > most_names) launched_.pop_front();
}

void CudaQueue::finish() {
    const DeviceScope scope(ordinal_);
    check(cudaStreamSynchronize(stream_), "finish its work");
    launched_.clear();
}

// ---- Order among streams -----------------------------------------------------------------------

namespace {

class CudaEvent final : public BackendEvent {
  public:
    CudaEvent(int ordinal, cudaEvent_t event) : ordinal_(ordinal), event_(event) {}
    ~CudaEvent() override {
        const DeviceScope scope(ordinal_);
        if (cudaEventDestroy(event_) != cudaSuccess) cudaGetLastError();
    }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    bool has_passed() const override {
        const DeviceScope scope(ordinal_);
        const cudaError_t error = cudaEventQuery(event_);
        if (error != cudaSuccess) cudaGetLastError();
        return error != cudaErrorNotReady;
    }
    void wait() const override {
        const DeviceScope scope(ordinal_);
        const cudaError_t error = cudaEventSynchronize(event_);
        if (error != cudaSuccess)
            throw DeviceUnavailable("CUDA failed to wait for an event: " + describe(error));
    }
    void* native() const override { return event_; }

  private:
    int ordinal_;
    cudaEvent_t event_;
};

}  // namespace

// Held, together with others, while a queue records a graph. An event behind all work of a device
// would end the recording of whoever is at it.
std::shared_mutex& CudaQueue::graph_recording() {
    static std::shared_mutex recording;
    return recording;
}

namespace {

InvalidArgument records_a_graph() {
    return InvalidArgument("a stream that records a graph takes no event: end the graph first");
}

}  // namespace

// An event in a graph passes with each of its launches, which nobody here hears of.
void CudaQueue::refuse_capture(void* stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_event(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status),
                "look at a stream");
    if (status != cudaStreamCaptureStatusNone) throw records_a_graph();
}

// The default stream, and an event behind all work, follow streams that may record a graph.
void CudaQueue::check_event(cudaError_t error, const char* doing) {
    if (error == cudaErrorStreamCaptureImplicit || error == cudaErrorStreamCaptureUnsupported) {
        cudaGetLastError();
        throw records_a_graph();
    }
    check(error, doing);
}

std::shared_ptr<const BackendEvent> CudaQueue::record_foreign(void* stream) {
    const DeviceScope scope(ordinal_);
    check(scope.error(), "be made current");
    refuse_capture(stream ? stream : cudaStreamLegacy);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make an event");
    const auto made = std::make_shared<const CudaEvent>(ordinal_, event);
    if (stream) {
        check(cudaEventRecord(event, static_cast<cudaStream_t>(stream)), "record an event");
    } else {
        const std::lock_guard none_records_a_graph(graph_recording());
        check_event(record_after_all(event), "record an event");
    }
    return made;
}

bool CudaQueue::make_foreign_wait(void* stream, const BackendEvent& event) {
    if (!dynamic_cast<const CudaEvent*>(&event)) return false;
    const DeviceScope scope(ordinal_);
    refuse_capture(stream);
    check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream),
                              static_cast<cudaEvent_t>(event.native()), 0),
          "wait for an event");
    return true;
}

// ---- Sequences ---------------------------------------------------------------------------------

bool CudaQueue::begin_sequence() {
    if (profile_) return false;  // kernels of a graph have no times of their own
    const DeviceScope scope(ordinal_);
    check(scope.error(), "be made current");
    std::shared_lock recording(graph_recording());
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin a graph");
    recording_ = std::move(recording);
    return true;
}

void CudaQueue::end_sequence() {
    const DeviceScope scope(ordinal_);
    cudaGraph_t made = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &made);
    recording_.unlock();
    check(ended, "end a graph");
    const auto destroy = [](cudaGraph_t graph) { cudaGraphDestroy(graph); };
    const std::unique_ptr<CUgraph_st, decltype(destroy)> graph(made, destroy);
    cudaGraphExecUpdateResultInfo result{};
    if (graph_ && cudaGraphExecUpdate(graph_, made, &result) != cudaSuccess) {
        cudaGetLastError();
        check(cudaGraphExecDestroy(graph_), "give up a graph");
        graph_ = nullptr;
    }
    if (!graph_) check(cudaGraphInstantiate(&graph_, made, 0), "make a graph");
    check(cudaGraphLaunch(graph_, stream_), "launch a graph");
}

void CudaQueue::drop_sequence() noexcept {
    const DeviceScope scope(ordinal_);
    cudaGraph_t graph = nullptr;
    if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    if (recording_) recording_.unlock();
    cudaGetLastError();
}

// ---- Times -------------------------------------------------------------------------------------

cudaEvent_t CudaQueue::take_event() {
    cudaEvent_t event = nullptr;
    if (free_events_.empty()) {
        check(cudaEventCreate(&event), "make an event");
    } else {
        event = free_events_.back();
        free_events_.pop_back();
    }
    return event;
}

CudaQueue::Timing CudaQueue::start_timing(const char* name) {
    if (!profile_) return {};
    // Events come back early from what has ended long ago, so that a long run needs few of them.
    while (timings_.size() > most_pending_timings &&
           cudaEventQuery(timings_.front().stop) == cudaSuccess) {
        collect(timings_.front());
        timings_.pop_front();
    }
    const Timing timing{name, take_event(), take_event()};
    check(cudaEventRecord(timing.start, stream_), "take the time");
    return timing;
}

void CudaQueue::stop_timing(const Timing& timing) {
    if (!profile_) return;
    timings_.push_back(timing);
    check(cudaEventRecord(timing.stop, stream_), "take the time");
}

void CudaQueue::collect(const Timing& timing) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, timing.start, timing.stop), "take the time");
    times_.push_back({timing.name, static_cast<double>(milliseconds)});
    free_events_.insert(free_events_.end(), {timing.start, timing.stop});
}

std::vector<BackendQueue::Time> CudaQueue::take_times() {
    finish();
    const DeviceScope scope(ordinal_);
    for (const Timing& timing : timings_) collect(timing);
    timings_.clear();
    return std::exchange(times_, {});
}

}  // namespace tesela::detail
