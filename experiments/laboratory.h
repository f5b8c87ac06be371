// What the experiments of a thesis are run with: devices, a folder of results, and what was found.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/chart.h"
#include "experiments/table.h"
#include "messages.h"
#include "report.h"
#include "tesela/compute/queue.h"
#include "tesela/error.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela::experiments {

using cli::Json;
using cli::say;

struct LaboratoryOptions {
    std::string experiment = "all";
    std::filesystem::path out = {};
    std::string device = "auto";
    int threads = 0;
    int repetitions = 1;
    bool quick = false;
    bool force = false;
    std::vector<std::filesystem::path> inputs = {};  // no option: files and folders that are read
};

template <class V>
void describe(V&& v, LaboratoryOptions& o) {
    v("experiment", o.experiment, "names of experiments, comma-separated, or all");
    v("out", o.out, "folder for tables, charts and pictures");
    v("device", o.device,
      "devices, with commas between them; auto: the CPU, and the GPU that --device auto takes");
    v("threads", o.threads, "CPU threads; 0 uses all", OptionRange{.lowest = 0, .highest = 4096});
    v("repetitions", o.repetitions, "runs of each case; the median counts",
      OptionRange{.lowest = 1, .highest = 1000});
    v("quick", o.quick, "small images and short lists, to try it out");
    v("force", o.force, "write into a folder that is not empty");
}

// What an experiment showed about a claim of the thesis.
struct Finding {
    std::string row;  // of the specification, such as "F36"
    std::string claim, thesis, here;
    std::optional<bool> holds;  // nothing where it could not be tested
};

double median(std::vector<double> values);

class Laboratory {
  public:
    // Makes the folder of results. Throws InvalidArgument for options that are wrong,
    // DeviceUnavailable, UnwritableOutput.
    Laboratory(const LaboratoryOptions& options, const CancelToken& token);

    bool quick() const { return options_.quick; }
    int repetitions() const { return options_.repetitions; }
    std::size_t device_count() const { return devices_.size(); }
    const Device& device(std::size_t index) const { return devices_[index]; }
    std::size_t main_device() const { return devices_.size() - 1; }  // the GPU where there is one
    Queue& queue(std::size_t device) { return *queues_[device]; }
    // What an experiment about devices looks at: those that were named, else all of this machine.
    std::vector<Device> examined_devices() const {
        return options_.device == "auto" ? Device::all() : devices_;
    }

    std::filesystem::path path_of(const std::string& name) const { return options_.out / name; }
    // Write `name` into the folder of results.
    void write(const std::string& name, const Table& table);
    void write(const std::string& name, const std::string& text);
    void write(const std::string& name, const AnyImage& image);
    void find(Finding finding) { findings_.push_back(std::move(finding)); }

    // What was found, as a table and in the report of the verb with what was written.
    Table findings_table() const;
    Json report(const std::string& verb, const Json& parameters) const;

    Progress progress() const { return Progress({}, &token_); }

    // The median of the repetitions, after a call that is not counted. `prepare` comes before each
    // call, outside of its time.
    template <class Prepare, class Call>
    double milliseconds_of(const Prepare& prepare, const Call& call) {
        std::vector<double> taken;
        for (int i = 0; i <= repetitions(); ++i) {
            progress().throw_if_cancelled();
            prepare();
            const auto started = std::chrono::steady_clock::now();
            call();
            const std::chrono::duration<double, std::milli> time =
                std::chrono::steady_clock::now() - started;
            if (i > 0) taken.push_back(time.count());
        }
        return median(std::move(taken));
    }
    template <class Call>
    double milliseconds_of(const Call& call) {
        return milliseconds_of([] {}, call);
    }

  protected:
    int threads() const { return options_.threads; }

  private:
    LaboratoryOptions options_;
    const CancelToken& token_;
    std::vector<Device> devices_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::vector<std::filesystem::path> written_;
    std::vector<Finding> findings_;
};

}  // namespace tesela::experiments
