// Options that several verbs share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"
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
constexpr auto enum_help(ProgressStyle) {
    return std::array<std::string_view, 5>{"a bar on terminals, else lines after 2 s", "a bar",
                                           "a line every 10 %", "a JSON object for each step",
                                           "no progress"};
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
    v("quiet", o.quiet, "print warnings and errors only");
    v("verbose", o.verbose, "print device, input, times and memory too");
}

// Of verbs that read images.
struct MemoryOptions {
    ByteSize max_memory;
};

template <class V>
void describe(V&& v, MemoryOptions& o) {
    v("max-memory", o.max_memory, "memory limit, for the host and for the device");
}

// Of verbs that read images.
struct RawOptions {
    std::string raw;
};

template <class V>
void describe(V&& v, RawOptions& o) {
    v("raw", o.raw, "raw layout: WxH[xD]:TYPE[:OFFSET], as 512x512x348:u16le");
}

// Of verbs that read images.
struct PlaneOptions {
    std::string channel;
    std::optional<std::int64_t> slice, time;
    std::string series;

    io::PlaneChoice choice() const {
        return {.channel = channel, .slice = slice, .time = time, .series = series};
    }
};

template <class V>
void describe(V&& v, PlaneOptions& o) {
    v("channel", o.channel, "channel to read: a number from 0, or a name");
    v("slice", o.slice, "slice to read: a number from 0", OptionRange{.lowest = 0});
    v("time", o.time, "time point to read: a number from 0", OptionRange{.lowest = 0});
    v("series", o.series, "DICOM series of a folder to read: its number or UID");
}

// Of verbs that take a while.
struct WorkOptions {
    int threads = 0;
    ProgressStyle progress = ProgressStyle::automatic;
};

template <class V>
void describe(V&& v, WorkOptions& o) {
    v("threads", o.threads, "CPU threads; 0 uses all", OptionRange{.lowest = 0, .highest = 4096});
    v("progress", o.progress, "how to show progress on stderr");
}

// Of verbs that write files.
struct ForceOption {
    bool force = false;
};

template <class V>
void describe(V&& v, ForceOption& o) {
    v("force", o.force, "overwrite existing outputs");
}

// Of verbs that write images.
struct WritingOptions {
    io::Compression compression = io::Compression::automatic;
    std::string dicom_source;
    ZarrVersion zarr = ZarrVersion::v0_4;

    io::WriteOptions how() const {
        return {.compression = compression, .origin = {.source = dicom_source}, .zarr = zarr};
    }
};

template <class V>
void describe(V&& v, WritingOptions& o) {
    v("compression", o.compression, "time and bytes of image files; .jpg and .bmp have one form");
    v("dicom-source", o.dicom_source, "DICOM series that outputs are of, else the first input");
    v("zarr", o.zarr, "version of OME-Zarr");
}

// Of verbs that compute on a device.
struct DeviceOptions : WorkOptions, ForceOption {
    std::string device = "auto";
};

template <class V>
void describe(V&& v, DeviceOptions& o) {
    v("device", o.device, "where to compute, such as cpu, cuda or cuda:all");
    describe(v, static_cast<ForceOption&>(o));
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
    v("dry-run", o.dry_run, "print the plan and its memory, compute nothing");
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
// The devices of --device, which --verbose lists.
std::vector<Device::Choice> devices_of(const std::string& list);
// The first of them, where there is work for one alone.
Device::Choice first_device(const std::string& list);

// How many share the work on a device.
inline int queues_on(const Device& device) {
    return operations::queues_for(operations::Queues::of_devices, device, 0);
}
QueueOptions queue_options(const JobOptions& job, std::int64_t max_memory);
// Those of each device, which share what it may take.
std::vector<Queue> open_queues(const std::vector<Device::Choice>& devices, operations::Queues use,
                               const QueueOptions& options);
// For an image that is read while others take `taken` bytes.
io::ReadOptions read_options(const MemoryOptions& memory, std::int64_t taken = 0);
// Throws InvalidArgument where --raw is malformed.
io::ReadOptions read_options(const MemoryOptions& memory, const RawOptions& raw);

// Throws InvalidArgument where a volume lacks the third number.
void apply_spacing(const Spacing& spacing, const Shape& shape, Geometry& geometry);
void apply_spacing(const Spacing& spacing, AnyImage& image);

}  // namespace tesela::cli
