// Where the experiments of the thesis on registration are run: sections whose places are known
// stand in for its own, which are private.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/slides/laboratory.h"
#include "experiments/slides/register_figures.h"
#include "tesela/register_thesis.h"
#include "tesela/synthetic_sections.h"
#include "tesela/tile_source.h"

namespace tesela::experiments {

struct RegisterBenchOptions {
    double scale = 0.125;
    int sections = 3;
};
template <class V>
void describe(V&& v, RegisterBenchOptions& o) {
    v("scale", o.scale, "sides of the sections, and of slides; 1: as in the thesis",
      OptionRange{.lowest = 0.05, .highest = 1});
    v("sections", o.sections, "sections of each organ", OptionRange{.lowest = 2, .highest = 100});
}

// A section, and the way of its points.
struct TestSection {
    StackedSection made;
    std::unique_ptr<TileSource> source;
};
std::vector<TestSection> made_sections(const SyntheticSectionsOptions& options);

// Places on the tissue of the first section that two others show, in each of them.
struct KnownPlaces {
    std::vector<SpacePoint> fixed, moving;
};
KnownPlaces known_places(const TestSection& fixed, const TestSection& moving);
// The median distance that a transform leaves, in pixels.
double median_error(const Transform& transform, const KnownPlaces& places);

// Who registers: one device, or several that share the windows.
struct Workers {
    std::string name;
    std::vector<Queue*> queues;
    bool is_cpu() const;
    bool is_gpu() const;
};

class RegisterLaboratory : public SlideLaboratory {
  public:
    RegisterLaboratory(const LaboratoryOptions& options, const RegisterBenchOptions& more,
                       const CancelToken& token);

    // Each device, and where several are no CPU, these together.
    std::vector<Workers> workers();
    // The devices that are no CPU, or two queues on the only one.
    Workers two_workers();

    // The sections that stand in for an organ's, the same for all experiments.
    const std::vector<TestSection>& sections(std::size_t organ);
    int section_count() const { return quick() ? 2 : more_.sections; }
    // All six, quick: the smallest windows of both organs.
    std::vector<PrintedSetting> settings() const;

    // A registration, and its seconds: the median of the repetitions.
    struct Measured {
        ThesisRegistration found;
        double seconds = 0;
    };
    Measured measured(const TestSection& fixed, const TestSection& moving,
                      const ThesisRegisterOptions& options, const Workers& workers);

  private:
    RegisterBenchOptions more_;
    std::array<std::vector<TestSection>, printed_organs.size()> sections_;
    std::unique_ptr<Queue> second_;
};

void run_window_settings(RegisterLaboratory& laboratory);  // E11
void run_rigid_and_bent(RegisterLaboratory& laboratory);   // E12

}  // namespace tesela::experiments
