// Where the experiments of the thesis are run: devices, images, measured calls, and what was found.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chart.h"
#include "experiment_images.h"
#include "table.h"
#include "tesela/compute/queue.h"
#include "tesela/mean_shift.h"
#include "thesis_figures.h"

namespace tesela::cli {

struct BenchOptions {
    std::string experiment = "all";
    std::filesystem::path out, images, edison;
    std::string device = "auto";
    int threads = 0;
    int repetitions = 1;
    bool quick = false;
    bool force = false;
};

template <class V>
void describe(V&& v, BenchOptions& o) {
    v("experiment", o.experiment, "E1 to E11, several with commas between them, or all");
    v("out", o.out, "folder for tables, charts and pictures; it is made where it is missing");
    v("images", o.images,
      "folder with astronaut.png, ihc.png and ch2.nii.gz, which stand in for the thesis's images; "
      "without it TESELA_IMAGES, without that made-up images");
    v("edison", o.edison,
      "program that runs EDISON, called as PROGRAM IMAGE SPATIAL RANGE none|medium; it prints the "
      "seconds and the number of regions");
    v("device", o.device,
      "devices, with commas between them; auto: the CPU, and the GPU that --device auto takes");
    v("threads", o.threads, "threads of the CPU; 0 takes all",
      OptionRange{.lowest = 0, .highest = 4096});
    v("repetitions", o.repetitions, "runs of each case, of which the median is taken",
      OptionRange{.lowest = 1, .highest = 1000});
    v("quick", o.quick, "small images and short lists: whether it works, not how fast");
    v("force", o.force, "write into a folder that is not empty");
}

// One measured call.
struct Run {
    double seconds = 0;  // host image in, host images out; the median of the repetitions
    MeanShiftResult result;

    double stage_seconds(std::string_view name) const;
    double iterations_per_point() const;
};

// What an experiment showed about a claim of the thesis.
struct Finding {
    std::string row;  // of the specification, such as "F36"
    std::string claim, thesis, here;
    std::optional<bool> holds;  // nothing where it could not be tested
};

class Laboratory {
  public:
    // `own` images take the place of the stand-ins.
    Laboratory(const BenchOptions& options, const std::vector<std::filesystem::path>& own,
               const CancelToken& token);

    const BenchOptions& options() const { return options_; }
    std::vector<const TestImage*> pictures() const;  // 2-D, without the Mandrill's
    std::vector<const TestImage*> images_of(Role role) const;
    std::vector<const TestImage*> volumes() const;
    // The sections of table 6.2 that are run; the quick form leaves most out.
    std::vector<std::size_t> picture_settings() const;

    std::size_t device_count() const { return devices_.size(); }
    const Device& device(std::size_t index) const { return devices_[index]; }
    std::size_t main_device() const { return devices_.size() - 1; }  // the GPU where there is one
    Queue& queue(std::size_t device);

    // Options of the thesis's variant for an image.
    static MeanShiftOptions options_for(const TestImage& image, const Bandwidths& bandwidths);
    // Runs a call, or gives what it gave before.
    const Run& run(std::size_t device, const TestImage& image, const MeanShiftOptions& options,
                   MeanShiftOutput output = MeanShiftOutput::filtered_only);

    // Write `name` into the folder of results.
    void write(const std::string& name, const Table& table);
    void write(const std::string& name, const std::string& text);
    void write(const std::string& name, const AnyImage& image);
    void find(Finding finding);

    const std::vector<std::filesystem::path>& written() const { return written_; }
    const std::vector<Finding>& findings() const { return findings_; }
    void throw_if_cancelled() const { Progress({}, &token_).throw_if_cancelled(); }

  private:
    void warm_up(std::size_t device, const TestImage& image, const MeanShiftOptions& options);

    BenchOptions options_;
    const CancelToken& token_;
    std::vector<Device> devices_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::vector<TestImage> images_;
    std::map<std::string, Run> runs_;
    std::map<std::string, bool> warm_;
    std::vector<std::filesystem::path> written_;
    std::vector<Finding> findings_;
};

// "(8, 16)"
std::string text_of(const Bandwidths& bandwidths);

struct Experiment {
    std::string_view name, title;
    void (*run)(Laboratory& laboratory);
};
void run_filtering_pictures(Laboratory& laboratory);  // E1
void run_devices_compared(Laboratory& laboratory);    // E2
void run_phases(Laboratory& laboratory);              // E3
void run_rounds(Laboratory& laboratory);              // E4
void run_sorts(Laboratory& laboratory);               // E5
void run_against_edison(Laboratory& laboratory);      // E6, E6b
void run_volume(Laboratory& laboratory);              // E7
void run_label_counts(Laboratory& laboratory);        // E8
void run_edison_regions(Laboratory& laboratory);      // E9
void run_label_times(Laboratory& laboratory);         // E10
void run_volume_in_time(Laboratory& laboratory);      // E11

}  // namespace tesela::cli
