// Where the experiments of the thesis behind mean shift are run: images and measured calls.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/laboratory.h"
#include "experiments/mean_shift/images.h"
#include "experiments/mean_shift/thesis_figures.h"
#include "tesela/mean_shift.h"

namespace tesela::experiments {

struct MeanShiftBenchOptions {
    std::filesystem::path images, edison;
};

template <class V>
void describe(V&& v, MeanShiftBenchOptions& o) {
    v("images", o.images,
      "folder with astronaut.png, ihc.png and ch2.nii.gz, which stand in for the thesis's images; "
      "without it TESELA_IMAGES, without that made-up images");
    v("edison", o.edison,
      "program that runs EDISON, called as PROGRAM IMAGE SPATIAL RANGE none|medium; it prints the "
      "seconds and the number of regions");
}

// One measured call.
struct Run {
    double seconds = 0;  // host image in, host images out; the median of the repetitions
    MeanShiftResult result;

    double stage_seconds(std::string_view name) const;
    double iterations_per_point() const;
};

// That of --images, or else of TESELA_IMAGES; empty where there is neither. Throws InvalidArgument
// for one that is not there.
std::filesystem::path folder_of_images(const MeanShiftBenchOptions& options);

// The images of the experiments; `own` ones take the place of the stand-ins. Throws InvalidArgument
// for a folder that is not there, and what reading throws.
std::vector<TestImage> experiment_images(const MeanShiftBenchOptions& options,
                                         const std::vector<std::filesystem::path>& own, bool quick);

class MeanShiftLaboratory : public Laboratory {
  public:
    MeanShiftLaboratory(const LaboratoryOptions& options, std::filesystem::path edison,
                        std::vector<TestImage> images, const CancelToken& token);

    const std::filesystem::path& edison() const { return edison_; }
    std::vector<const TestImage*> pictures() const;  // 2-D, without the Mandrill's
    std::vector<const TestImage*> images_of(Role role) const;
    std::vector<const TestImage*> volumes() const;
    // The sections of table 6.2 that are run; the quick form leaves most out.
    std::vector<std::size_t> picture_settings() const;

    // Options of the thesis's variant for an image.
    static MeanShiftOptions options_for(const TestImage& image, const Bandwidths& bandwidths);
    // Runs a call, or gives what it gave before.
    const Run& run(std::size_t device, const TestImage& image, const MeanShiftOptions& options,
                   MeanShiftOutput output = MeanShiftOutput::filtered_only);

  private:
    void warm_up(std::size_t device, const TestImage& image, const MeanShiftOptions& options);

    std::filesystem::path edison_;
    std::vector<TestImage> images_;
    std::map<std::string, Run> runs_;
    std::map<std::string, bool> warm_;
};

// "(8, 16)"
std::string text_of(const Bandwidths& bandwidths);

void run_filtering_pictures(MeanShiftLaboratory& laboratory);  // E1
void run_devices_compared(MeanShiftLaboratory& laboratory);    // E2
void run_phases(MeanShiftLaboratory& laboratory);              // E3
void run_rounds(MeanShiftLaboratory& laboratory);              // E4
void run_sorts(MeanShiftLaboratory& laboratory);               // E5
void run_against_edison(MeanShiftLaboratory& laboratory);      // E6, E6b
void run_volume(MeanShiftLaboratory& laboratory);              // E7
void run_label_counts(MeanShiftLaboratory& laboratory);        // E8
void run_edison_regions(MeanShiftLaboratory& laboratory);      // E9
void run_label_times(MeanShiftLaboratory& laboratory);         // E10
void run_volume_in_time(MeanShiftLaboratory& laboratory);      // E11

}  // namespace tesela::experiments
