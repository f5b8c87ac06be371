// Where the experiments of the thesis on volumes are run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "experiments/laboratory.h"

namespace tesela::experiments {

struct VolumeBenchOptions {
    std::filesystem::path brainweb = {};
};
template <class V>
void describe(V&& v, VolumeBenchOptions& o) {
    v("brainweb", o.brainweb, "folder of BrainWeb's raw files, else a made head stands in");
}

class VolumeLaboratory : public Laboratory {
  public:
    // Makes no folder where BrainWeb's is missing.
    VolumeLaboratory(const LaboratoryOptions& options, const VolumeBenchOptions& more,
                     const CancelToken& token);

    const std::filesystem::path& brainweb() const { return brainweb_; }
    // Of systems and signals: 2^10, 2^12, ..., 2^(2 count + 8); quick: the first two.
    std::vector<std::int64_t> lengths(int count) const;

  private:
    std::filesystem::path brainweb_;
};

// Throws where a folder lacks one of BrainWeb's two files that brain_volume reads.
void require_brainweb(const std::filesystem::path& folder);

void run_solver_times(VolumeLaboratory& laboratory);      // E1
void run_solver_transfers(VolumeLaboratory& laboratory);  // E2
void run_solver_errors(VolumeLaboratory& laboratory);     // E3
void run_solver_counts(VolumeLaboratory& laboratory);     // E5
void run_wavelet_times(VolumeLaboratory& laboratory);     // E6
void run_wavelet_tuning(VolumeLaboratory& laboratory);    // E7
void run_wavelet_widening(VolumeLaboratory& laboratory);  // E8
void run_cubes(VolumeLaboratory& laboratory);             // E11
void run_ftc_suite(VolumeLaboratory& laboratory);         // E13, E14
void run_region_traces(VolumeLaboratory& laboratory);     // E15
void run_ftc_scales(VolumeLaboratory& laboratory);        // E16

}  // namespace tesela::experiments
