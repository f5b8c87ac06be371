// Measures of agreement between a segmentation and one or more truths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// Against one truth. Label numbers have no meaning of their own except 0, the background, in Dice
// and Jaccard.
struct LabelAgreement {
    double dice =
        0;  // of the foreground (labels above 0): 2|A and B| / (|A| + |B|); 1 if both empty
    double jaccard = 0;     // |A and B| / |A or B|; 1 if both empty
    double covering = 0;    // of the truth's regions by the segmentation's, weighted by their area
    double rand_index = 0;  // share of pixel pairs on which both agree
    double variation_of_information = 0;  // bits
    // Splits and merges as scikit-image's variation_of_information gives them: H(truth|seg),
    // H(seg|truth).
    double conditional_entropy_truth = 0;
    double conditional_entropy_segmentation = 0;
    // Region boundaries, matched one to one within 0.0075 of the image's diagonal.
    double boundary_precision = 0;
    double boundary_recall = 0;
    double boundary_f = 0;
};

struct LabelEvaluation {
    std::vector<LabelAgreement> by_truth;
    // Covering, Rand index (the probabilistic Rand index), variation of information, Dice and
    // Jaccard are means over the truths. Boundaries as in the Berkeley benchmark: a boundary pixel
    // of the segmentation is right where any truth matches it, recall is taken over all truths'
    // pixels.
    LabelAgreement mean;
};

// Throws InvalidArgument unless all images have one shape and there is at least one truth.
// Boundaries are measured on 2-D images; on volumes the three boundary figures are NaN.
LabelEvaluation evaluate_labels(const LabelImage& segmentation, std::span<const LabelImage> truths);

}  // namespace tesela
