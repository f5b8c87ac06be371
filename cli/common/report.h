// What a verb reports: as JSON on stdout, for people on stderr.
#pragma once

#include <string>
#include <vector>

#include "common_options.h"
#include "memory_plan.h"
#include "operations/operation.h"
#include "outputs.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/stage_load.h"
#include "tesela/stage_times.h"

namespace tesela::cli {

Json json_of(const operations::Figures& figures);
Json json_of(const Geometry& geometry);
// Size, channels, type and geometry.
Json json_of(const AnyImageView& image);
Json json_of(const DeviceProperties& properties);
// Which device was taken, and why.
Json json_of(const Device::Choice& choice);
Json json_of(const std::vector<StageTime>& stages);
Json json_of(const std::vector<KernelTime>& kernels);
Json json_of(const QueueCounters& counters);

// What moved between the host and devices.
struct Transfers {
    std::int64_t count = 0, bytes = 0;

    void add(const QueueCounters& counters);
};
Json json_of(const Transfers& transfers);
Json json_of(const std::vector<WrittenFile>& files);
Json json_of(const std::vector<StageLoad>& stages);
// What each device did of the work that they share, and how evenly.
Json json_of(const std::vector<DeviceLoad>& devices);

// Figures of geometry as people expect them: 0 instead of -0.
template <class Numbers>
Numbers without_negative_zeros(Numbers numbers) {
    for (auto& number : numbers) number += 0.0;
    return numbers;
}

// "512 x 512, 3 channels of uint8"
std::string image_text(const AnyImage& image);
// "labels.png (12.3 KiB)", or of a folder "tiles (6 files, 1.2 MiB)"
std::string written_text(const WrittenFile& file);
// "1 x 1 x 2.5 mm", or "unknown"; with the `source` of a picture's "0.5 x 0.5 um (OME)"
std::string spacing_text(const Geometry& geometry, int dimensions, const std::string& source = {});
// "181 x 217 x 181 mm": pixels times their spacing.
std::string extent_text(const Geometry& geometry, const Shape& shape);
// "read 12 ms, modes 1.34 s"
std::string stages_text(const std::vector<StageTime>& stages);
// "cuda:0 52.1 % (4404 tiles, 3.2 s at work, 0.1 s waiting), ...; imbalance 1.02"
std::string devices_text(const std::vector<DeviceLoad>& devices, const std::string& thing);
// Two tables: the times of the kernels, and the counters.
std::string profile_text(const std::vector<KernelTime>& kernels, const QueueCounters& counters);

// The most memory the process has held so far.
std::int64_t peak_host_bytes();

// The text of JSON, with names of files fit to show; an indent of -1 puts it on one line.
std::string json_text(Json json, int indent = 2);
// {"version": ..., "verb": ...}: how every object on stdout begins.
Json begin_report(const std::string& verb);

// Prints the report of a job, or adds it to the ReportList that there is.
void print_report(Json report);
// Takes the reports of the jobs that run in this thread while it lives. There is one at most.
class ReportList {
  public:
    ReportList();
    ~ReportList();
    ReportList(const ReportList&) = delete;
    ReportList& operator=(const ReportList&) = delete;

    void add(Json report) { reports_.push_back(std::move(report)); }
    Json take() { return std::move(reports_); }

  private:
    Json reports_ = Json::array();
};

// Says on stdout what a dry run found, in `report` or in words. Gives the exit code that the job
// itself would end with for want of memory.
int report_plan(const MemoryPlan& plan, const std::vector<Output>& outputs, Json report,
                bool as_json);

}  // namespace tesela::cli
