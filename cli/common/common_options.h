// Options that several verbs share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "option_types.h"
#include "tesela/compute/device_list.h"
#include "tesela/compute/queue.h"
#include "tesela/io.h"
#include "tesela/options.h"

namespace tesela::cli {

enum class ProgressStyle { automatic, bar, lines, json, none };
constexpr auto enum_names(ProgressStyle) {
    return std::array{EnumNames<ProgressStyle>{ProgressStyle::automatic, "auto"},
                      EnumNames<ProgressStyle>{ProgressStyle::bar, "bar"},
                      EnumNames<ProgressStyle>{ProgressStyle::lines, "lines"},
                      EnumNames<ProgressStyle>{ProgressStyle::json, "json"},
                      EnumNames<ProgressStyle>{ProgressStyle::none, "none"}};
}

// Of every verb.
struct MessageOptions {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
};

template <class V>
void describe(V&& v, MessageOptions& o) {
    v("json", o.json, "write one JSON object to standard output");
    v("quiet", o.quiet, "say nothing but errors");
    v("verbose", o.verbose, "say more");
}

// Of verbs that read images.
struct MemoryOptions {
    ByteSize max_memory;
};

template <class V>
void describe(V&& v, MemoryOptions& o) {
    v("max-memory", o.max_memory, "memory limit, for host and device each");
}

// Of verbs that read volumes.
struct RawOptions {
    std::string raw;
};

template <class V>
void describe(V&& v, RawOptions& o) {
    v("raw", o.raw,
      "the input has no header but this: WxHxD:TYPE[:OFFSET], such as 512x512x348:u16le");
}

// Of verbs that take a while.
struct WorkOptions {
    int threads = 0;
    ProgressStyle progress = ProgressStyle::automatic;
};

template <class V>
void describe(V&& v, WorkOptions& o) {
    v("threads", o.threads, "threads of the CPU; 0 takes all",
      OptionRange{.lowest = 0, .highest = 4096});
    v("progress", o.progress, "how to show progress on stderr");
}

// Of verbs that compute on a device.
struct DeviceOptions : WorkOptions {
    std::string device = "auto";
    bool force = false;
};

template <class V>
void describe(V&& v, DeviceOptions& o) {
    v("device", o.device, "where to compute: auto, or devices such as cpu or cuda:all");
    v("force", o.force, "replace outputs that exist");
    describe(v, static_cast<WorkOptions&>(o));
}

// Of operations.
struct JobOptions : DeviceOptions {
    bool dry_run = false;
    bool profile = false;
};

template <class V>
void describe(V&& v, JobOptions& o) {
    describe(v, static_cast<DeviceOptions&>(o));
    v("dry-run", o.dry_run, "print what would be done and the memory it needs");
    v("profile", o.profile, "time every kernel, count launches and transfers");
}

// Of verbs that take lengths.
struct SpacingOptions {
    Spacing spacing;
};

template <class V>
void describe(V&& v, SpacingOptions& o) {
    v("spacing", o.spacing, "pixel spacing: N, X,Y or X,Y,Z in mm, or with suffix um");
}

// -q and -v.
const std::map<std::string, std::string, std::less<>>& message_aliases();

// Whether --device names more than one word.
bool names_several(std::string_view list);
// The devices of --device, said aloud.
std::vector<Device::Choice> devices_of(const std::string& list);
// The first of them, where there is work for one alone.
Device::Choice first_device(const std::string& list);

// Two on a GPU, so that one transfers while the other computes.
inline int queues_on(const Device& device) { return device.properties().is_gpu ? 2 : 1; }
QueueOptions queue_options(const JobOptions& job, std::int64_t max_memory);
// Those of each device, which share what it may take.
std::vector<Queue> open_queues(const std::vector<Device::Choice>& devices,
                               const QueueOptions& options);
// For an image that is read while others take `taken` bytes.
io::ReadOptions read_options(const MemoryOptions& memory, std::int64_t taken = 0);
// For a volume. Throws InvalidArgument where --raw is malformed.
io::ReadOptions read_options(const MemoryOptions& memory, const RawOptions& raw);

// Throws InvalidArgument where a volume lacks the third number.
void apply_spacing(const Spacing& spacing, const Shape& shape, Geometry& geometry);
void apply_spacing(const Spacing& spacing, AnyImage& image);

}  // namespace tesela::cli
