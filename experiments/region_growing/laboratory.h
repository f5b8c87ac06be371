// Where the experiments of the thesis behind region growing are run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/laboratory.h"
#include "experiments/region_growing/thesis_figures.h"
#include "segmentation/growth/thesis/shapes.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::experiments {

struct RegionBenchOptions {
    std::filesystem::path image;
};

template <class V>
void describe(V&& v, RegionBenchOptions& o) {
    v("image", o.image,
      "photograph of 24 bits a pixel for EXP-2, EXP-4 and EXP-6, or a folder of such; files "
      "NAME.human*.png beside NAME are its true regions. Without it made-up pictures alone");
}

struct RegionPicture {
    std::string name, source;
    Image<std::uint8_t> image;
    std::vector<LabelImage> truths;
};

// The disc with noise first, then the photographs by name. Throws InvalidArgument where there is
// none in the folder, UnsupportedFormat for other images, and what reading throws.
std::vector<RegionPicture> region_pictures(const RegionBenchOptions& options);

class RegionLaboratory : public Laboratory {
  public:
    RegionLaboratory(const LaboratoryOptions& options, std::vector<RegionPicture> pictures,
                     const CancelToken& token);

    const std::vector<RegionPicture>& pictures() const { return pictures_; }
    // The disc of the thesis's measurements, without noise.
    const Image<std::uint8_t>& disc() const { return disc_; }

    // On the main device.
    ThesisGrowResult grow(const Image<std::uint8_t>& image, const ThesisGrowOptions& options = {});
    // Milliseconds of a whole call, image in, labels out: the median of the repetitions.
    double milliseconds(std::size_t device, const Image<std::uint8_t>& image,
                        const ThesisGrowOptions& options);
    // Times of the kernels of as many calls; one more was made before.
    std::vector<KernelTime> kernel_times(std::size_t device, const Image<std::uint8_t>& image,
                                         const ThesisGrowOptions& options);
    // The same of what `enqueue` does.
    template <class Enqueue>
    std::vector<KernelTime> kernel_times(std::size_t on, const Enqueue& enqueue) {
        enqueue(queue(on));
        Queue profiled(device(on), {.threads = threads(), .profile = true});
        for (int i = 0; i < repetitions(); ++i) {
            progress().throw_if_cancelled();
            enqueue(profiled);
        }
        return profiled.profile();
    }

  private:
    Image<std::uint8_t> disc_;
    std::vector<RegionPicture> pictures_;
};

// The kernel whose name begins so, or null.
const KernelTime* kernel_named(const std::vector<KernelTime>& times, std::string_view beginning);
double mean_us(const KernelTime& time);

void run_brightness(RegionLaboratory& laboratory);          // EXP-1
void run_disjoint_tiles(RegionLaboratory& laboratory);      // EXP-2
void run_quadrants(RegionLaboratory& laboratory);           // EXP-3
void run_initial_labels(RegionLaboratory& laboratory);      // EXP-4
void run_merge_directions(RegionLaboratory& laboratory);    // EXP-5
void run_whole_segmentation(RegionLaboratory& laboratory);  // EXP-6
void run_means(RegionLaboratory& laboratory);               // EXP-7
void run_blocks(RegionLaboratory& laboratory);              // EXP-8
void run_diagnosis(RegionLaboratory& laboratory);           // EXP-9

}  // namespace tesela::experiments
