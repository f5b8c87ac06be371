#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "evaluation/contingency.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

// Thresholds are multiples of 1/20, so that they are compared without rounding.
constexpr std::int64_t steps = 20, first_step = 10, last_step = 19;

struct Pair {
    std::int64_t both, either;  // pixels

    double iou() const { return static_cast<double>(both) / static_cast<double>(either); }
    bool reaches(std::int64_t step) const { return steps * both >= step * either; }
};

struct Objects {
    std::int64_t of_segmentation = 0, of_truth = 0;
    std::vector<Pair> pairs = {};  // one to one
};

// Above 0.5 no object has two partners. At 0.5 it has two where these are its halves, which have no
// other partner: whichever is taken first, there are as many pairs.
Objects paired(const evaluation::Contingency& table) {
    Objects objects;
    std::set<std::uint32_t> segments, regions, taken_segments, taken_regions;
    for (const auto& cell : table.cells) {
        if (cell.segment > 0) segments.insert(cell.segment);
        if (cell.region > 0) regions.insert(cell.region);
        if (cell.segment == 0 || cell.region == 0) continue;
        const Pair pair{cell.pixels, cell.segment_pixels + cell.region_pixels - cell.pixels};
        if (!pair.reaches(first_step) || taken_segments.contains(cell.segment) ||
            taken_regions.contains(cell.region))
            continue;
        taken_segments.insert(cell.segment);
        taken_regions.insert(cell.region);
        objects.pairs.push_back(pair);
    }
    objects.of_segmentation = std::ssize(segments);
    objects.of_truth = std::ssize(regions);
    return objects;
}

InstanceAgreement agreement_at(const Objects& objects, std::int64_t step) {
    InstanceAgreement a{.iou = static_cast<double>(step) / steps};
    double sum = 0;
    for (const Pair& pair : objects.pairs) {
        if (!pair.reaches(step)) continue;
        ++a.matched;
        sum += pair.iou();
    }
    a.not_in_truth = objects.of_segmentation - a.matched;
    a.not_found = objects.of_truth - a.matched;
    const bool are_empty = objects.of_segmentation + objects.of_truth == 0;
    const auto share = [&](std::int64_t part, std::int64_t whole) {
        if (are_empty) return 1.0;
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    a.precision = share(a.matched, objects.of_segmentation);
    a.recall = share(a.matched, objects.of_truth);
    a.f1 = share(2 * a.matched, objects.of_segmentation + objects.of_truth);
    a.average_precision = share(a.matched, a.matched + a.not_in_truth + a.not_found);
    if (are_empty) a.segmentation_quality = 1;
    if (a.matched > 0) a.segmentation_quality = sum / static_cast<double>(a.matched);
    a.panoptic_quality = a.f1 * a.segmentation_quality;
    return a;
}

constexpr std::array shares{&InstanceAgreement::precision,
                            &InstanceAgreement::recall,
                            &InstanceAgreement::f1,
                            &InstanceAgreement::average_precision,
                            &InstanceAgreement::segmentation_quality,
                            &InstanceAgreement::panoptic_quality};

}  // namespace

InstanceEvaluation match_instances(const LabelView& segmentation, const LabelView& truth) {
    evaluation::check_images(segmentation, {&truth, 1});
    const Objects objects = paired(evaluation::contingency(segmentation, truth));
    InstanceEvaluation found{.objects = objects.of_segmentation,
                             .truth_objects = objects.of_truth,
                             .by_iou = {},
                             .mean = {}};
    for (std::int64_t step = first_step; step <= last_step; ++step)
        found.by_iou.push_back(agreement_at(objects, step));
    for (const auto share : shares) {
        for (const InstanceAgreement& at : found.by_iou) found.mean.*share += at.*share;
        found.mean.*share /= static_cast<double>(found.by_iou.size());
    }
    return found;
}

}  // namespace tesela
