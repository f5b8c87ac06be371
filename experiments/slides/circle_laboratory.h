// Where the experiments of the thesis on circles are run: its nine scenes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/laboratory.h"
#include "experiments/slides/thesis_figures.h"
#include "tesela/circles_thesis.h"
#include "tesela/synthetic_circles.h"

namespace tesela::experiments {

struct CircleBenchOptions {};
template <class V>
void describe(V&&, CircleBenchOptions&) {}

class CircleLaboratory : public Laboratory {
  public:
    using Laboratory::Laboratory;

    // All nine scenes; quick: the first and the fourth.
    std::vector<PrintedScene> scenes() const;
    // Milliseconds of a call, image in, votes and centers out: the median of the repetitions.
    double milliseconds(std::size_t device, const SyntheticCircles& scene,
                        const ThesisCircleOptions& options, int threads = 0);
};

SyntheticCircles drawn(const PrintedScene& scene);

void run_polygon_errors(CircleLaboratory& laboratory);  // E1
void run_threads(CircleLaboratory& laboratory);         // E2
void run_modes(CircleLaboratory& laboratory);           // E3
void run_vote_spaces(CircleLaboratory& laboratory);     // E4

}  // namespace tesela::experiments
