// Measures of agreement between a segmentation and one or more truths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/geometry.h"
#include "tesela/image_view.h"

namespace tesela {

// Against one truth. Every figure lies in [0, 1], 1 is perfect, but for the three that are in bits,
// where 0 is. Label numbers have no meaning of their own; only Dice and Jaccard take 0 for the
// background, for all other figures it is a region like the rest.
struct LabelAgreement {
    // Of the foreground (labels above 0): 2|A and B| / (|A| + |B|) and |A and B| / |A or B|; 1 if
    // both images have none.
    double dice = 0;
    double jaccard = 0;
    // Mean over the truth's pixels of the best overlap |R and S| / |R or S| that their region R has
    // with any region S of the segmentation.
    double covering = 0;
    double rand_index = 0;  // share of pixel pairs on which both agree; 1 for a single pixel
    double variation_of_information = 0;          // bits: the sum of the next two
    double conditional_entropy_truth = 0;         // bits, H(truth | segmentation): false merges
    double conditional_entropy_segmentation = 0;  // bits, H(segmentation | truth): false splits
    // Share of the segmentation's and of the truth's boundary pixels that are matched one to one
    // within 0.0075 of the image's diagonal, and their harmonic mean. Where only one of the images
    // has boundaries all three are 0, where none has, 1. NaN on volumes.
    double boundary_precision = 0;
    double boundary_recall = 0;
    double boundary_f = 0;
};

struct LabelEvaluation {
    std::vector<LabelAgreement> by_truth;
    // Means over the truths: the mean Rand index is the probabilistic Rand index. Boundaries as in
    // the Berkeley benchmark: a boundary pixel of the segmentation is right where any truth's
    // matching holds it, recall is taken over all truths' boundary pixels together.
    LabelAgreement mean;
};

// A boundary pixel is one whose neighbor to the right, below or diagonally below has another label.
//
// P. Arbelaez et al., "Contour detection and hierarchical image segmentation", IEEE TPAMI 33(5),
// 2011 (covering, probabilistic Rand index, boundaries); M. Meila, "Comparing clusterings", Journal
// of Multivariate Analysis 98, 2007 (variation of information).
//
// Images have one channel and one shape of up to four axes; geometry is not looked at (that is for
// tesela/align.h). Throws InvalidArgument where this does not hold, where an image has no pixels,
// or where there is no truth. Takes time and memory that grow with the number of pixels, on the
// calling thread.
LabelEvaluation evaluate_labels(const LabelView& segmentation, std::span<const LabelView> truths);
inline LabelEvaluation evaluate_labels(const LabelView& segmentation,
                                       std::span<const LabelImage> truths) {
    return evaluate_labels(segmentation, std::vector<LabelView>(truths.begin(), truths.end()));
}

// Memory that evaluate_labels takes at most beside its images, in bytes. It looks at the pixels for
// how many pairs of labels and how long boundaries there can be. Throws as evaluate_labels does.
std::int64_t evaluate_labels_bytes(const LabelView& segmentation,
                                   std::span<const LabelView> truths);

// Objects of a label map matched with those of the truth: two whose intersection over union (IoU)
// reaches a threshold, one to one.
struct InstanceAgreement {
    double iou = 0;                                // least of a match
    std::int64_t matched = 0;                      // true positives
    std::int64_t not_in_truth = 0, not_found = 0;  // false positives, false negatives
    // Shares in [0, 1]; 1 where neither map has an object, 0 where one has none.
    double precision = 0, recall = 0, f1 = 0;
    double average_precision = 0;     // matched / (matched + not_in_truth + not_found)
    double segmentation_quality = 0;  // mean IoU of the matches; 0 without any
    double panoptic_quality = 0;      // f1 * segmentation_quality
};

struct InstanceEvaluation {
    std::int64_t objects = 0, truth_objects = 0;
    std::vector<InstanceAgreement> by_iou;  // at 0.5, 0.55, ... 0.95
    InstanceAgreement mean;                 // shares over these thresholds; its other members are 0
};

// An object is a label but 0, wherever its pixels lie.
//
// M. Weigert et al., "Star-convex polyhedra for 3D object detection and segmentation in
// microscopy", WACV 2020 (average precision); A. Kirillov et al., "Panoptic segmentation", CVPR
// 2019, which matches above 0.5 and not at it. Throws as evaluate_labels does, and takes the memory
// of its tables.
InstanceEvaluation match_instances(const LabelView& segmentation, const LabelView& truth);

// Agreement of the pixels of one label, where labels have a meaning.
struct LabelComparison {
    std::uint32_t label = 0;
    double dice = 0, jaccard = 0;
    // Shares of the truth's points that are found, and of the points found that are the truth's;
    // NaN where there are none.
    double sensitivity = 0, precision = 0;
    std::int64_t points = 0, truth_points = 0;
    // Of points where the spacing is unknown; otherwise mm^3, or mm^2 of a picture.
    double volume = 0, truth_volume = 0;
    // Between the surfaces, points that have a neighbor outside: the mean over the points of both,
    // the higher of both 95th percentiles, and the largest (Hausdorff). In millimeters, or in
    // pixels; NaN where one of them is empty.
    double mean_distance = 0, hausdorff_95 = 0, hausdorff = 0;
    // Share of the points of both surfaces that are within the tolerance of the other one, 0 where
    // one of them is empty. NaN without a tolerance.
    double surface_dice = 0;
};

// Every label of the two but 0, in their order. Images have one shape of up to three axes and the
// segmentation's geometry. Throws as evaluate_labels does, and InvalidArgument for a tolerance in
// mm where the spacing is unknown, and one below 0.
//
// Surface Dice: S. Nikolov et al., "Clinically applicable segmentation of head and neck anatomy for
// radiotherapy", Journal of Medical Internet Research 23(7), 2021 (arXiv 1809.04430), eq. 6, of the
// points of surfaces, each of which counts the same, as in MONAI. DeepMind's program weighs
// elements of surfaces between the points by their areas.
std::vector<LabelComparison> compare_labels(const LabelView& segmentation, const LabelView& truth,
                                            Queue& queue,
                                            const std::optional<Length>& tolerance = {});

}  // namespace tesela
