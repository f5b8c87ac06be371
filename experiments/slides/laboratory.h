// Where the experiments of the thesis on slides are run: its nine scenes of circles, tiles of
// synthetic sections, and noise in its sizes of Zernike moments.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/laboratory.h"
#include "experiments/slides/thesis_figures.h"
#include "tesela/circles_thesis.h"
#include "tesela/synthetic_circles.h"
#include "tesela/texture_thesis.h"
#include "tesela/tile_features.h"
#include "tesela/zernike_thesis.h"

namespace tesela::experiments {

// Milliseconds of the stages of texture_thesis.
struct TextureTimes {
    double prepare = 0, upload = 0, color = 0, matrices = 0, patterns = 0, histogram = 0,
           features = 0;

    double total() const {
        return prepare + upload + color + matrices + patterns + histogram + features;
    }
};

// All times are as of milliseconds_of.
class SlideLaboratory : public Laboratory {
  public:
    // `scale`: sides of sections and slides, by those of the thesis.
    SlideLaboratory(const LaboratoryOptions& options, const CancelToken& token, double scale)
        : Laboratory(options, token), scale_(quick() ? std::min(scale, 1.0 / 24) : scale) {}

    using Laboratory::threads;
    double scale() const { return scale_; }

    // All nine scenes; quick: the first and the fourth.
    std::vector<PrintedScene> scenes() const;
    int tile_side() const { return quick() ? 256 : 1024; }
    std::vector<int> orders() const;  // of moments: 4, 8, ..., 32 and 34; quick: three of them
    std::vector<int> sides() const;   // of their pictures: 64, 128, ..., 2048; quick: two of them

    // Of circles, image in, votes and centers out.
    double milliseconds(std::size_t device, const SyntheticCircles& scene,
                        const ThesisCircleOptions& options, int threads = 0);
    // Of the five stages of Zernike moments, the picture on the device.
    double milliseconds(std::size_t device, const Image<float>& image,
                        const ThesisZernikeOptions& options);
    // Of texture, a tile on the host to features on the host: in the thesis's ways, and as
    // tile_features has the thesis's vector.
    TextureTimes times(std::size_t device, const AnyImageView& tile,
                       const ThesisTextureOptions& options);
    double milliseconds_of_features(Queue& queue, const AnyImageView& tile, int levels);

  private:
    double scale_;
};

SyntheticCircles drawn(const PrintedScene& scene);
// A section of a slide.
AnyImage section_picture(int side);
Image<float> noise_picture(int side);

void run_polygon_errors(SlideLaboratory& laboratory);  // E1
void run_threads(SlideLaboratory& laboratory);         // E2
void run_modes(SlideLaboratory& laboratory);           // E3
void run_vote_spaces(SlideLaboratory& laboratory);     // E4
void run_accuracy(SlideLaboratory& laboratory);        // E5
void run_sizes(SlideLaboratory& laboratory);           // E6
void run_agreement(SlideLaboratory& laboratory);       // E7
void run_ways(SlideLaboratory& laboratory);            // E8
void run_blocks(SlideLaboratory& laboratory);          // E9
void run_slides(SlideLaboratory& laboratory);          // E10
void run_methods(SlideLaboratory& laboratory);         // E13
void run_group_sizes(SlideLaboratory& laboratory);     // E14
void run_launches(SlideLaboratory& laboratory);        // E15

}  // namespace tesela::experiments
