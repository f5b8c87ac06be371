#include "tesela/evaluate_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/point_text.h"
#include "evaluation/boundaries.h"
#include "evaluation/contingency.h"

namespace tesela {

namespace {

using evaluation::BoundarySet;
using evaluation::Contingency;

// Of the image's diagonal, as in the Berkeley benchmark.
constexpr double boundary_tolerance = 0.0075;
// Boundary pixels are counted in 32 bits.
constexpr std::int64_t largest_picture = std::numeric_limits<std::uint32_t>::max();

// The pixel pairs of a large volume do not fit 64 bits.
__extension__ using PairCount = unsigned __int128;

PairCount pairs_among(std::int64_t pixels) {
    const auto n = static_cast<PairCount>(pixels);
    return n < 2 ? 0 : n * (n - 1) / 2;
}

template <class Areas>
PairCount pairs_within(const Areas& areas) {
    PairCount pairs = 0;
    for (const std::int64_t area : areas) pairs += pairs_among(area);
    return pairs;
}

double share(double part, double whole) { return part / whole; }
double share(std::int64_t part, std::int64_t whole) {
    return share(static_cast<double>(part), static_cast<double>(whole));
}

double rand_index(const Contingency& table) {
    const PairCount all = pairs_among(table.pixels);
    if (all == 0) return 1;
    PairCount together = 0;
    for (const Contingency::Cell& cell : table.cells) together += pairs_among(cell.pixels);
    const PairCount apart =
        all + together - pairs_within(table.segment_areas) - pairs_within(table.region_areas);
    return share(static_cast<double>(together + apart), static_cast<double>(all));
}

double covering(const Contingency& table) {
    double sum = 0, best = 0;
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
        const Contingency::Cell& cell = table.cells[i];
        const std::int64_t in_either = cell.segment_pixels + cell.region_pixels - cell.pixels;
        best = std::max(best, share(cell.pixels, in_either));
        const bool last_of_region =
            i + 1 == table.cells.size() || table.cells[i + 1].region != cell.region;
        if (!last_of_region) continue;
        sum += static_cast<double>(cell.region_pixels) * best;
        best = 0;
    }
    return share(sum, static_cast<double>(table.pixels));
}

void set_overlap(const Contingency& table, LabelAgreement& agreement) {
    std::int64_t in_both = 0, in_segmentation = 0, in_truth = 0;
    for (const Contingency::Cell& cell : table.cells) {
        if (cell.segment > 0) in_segmentation += cell.pixels;
        if (cell.region > 0) in_truth += cell.pixels;
        if (cell.segment > 0 && cell.region > 0) in_both += cell.pixels;
    }
    const std::int64_t in_either = in_segmentation + in_truth - in_both;
    agreement.dice = in_either ? share(2 * in_both, in_segmentation + in_truth) : 1;
    agreement.jaccard = in_either ? share(in_both, in_either) : 1;
}

void set_entropies(const Contingency& table, LabelAgreement& agreement) {
    double of_truth = 0, of_segmentation = 0;
    for (const Contingency::Cell& cell : table.cells) {
        const double probability = share(cell.pixels, table.pixels);
        of_truth -= probability * std::log2(share(cell.pixels, cell.segment_pixels));
        of_segmentation -= probability * std::log2(share(cell.pixels, cell.region_pixels));
    }
    agreement.conditional_entropy_truth = of_truth;
    agreement.conditional_entropy_segmentation = of_segmentation;
    agreement.variation_of_information = of_truth + of_segmentation;
}

LabelAgreement region_agreement(const LabelView& segmentation, const LabelView& truth) {
    const Contingency table = evaluation::contingency(segmentation, truth);
    LabelAgreement agreement;
    set_overlap(table, agreement);
    set_entropies(table, agreement);
    agreement.covering = covering(table);
    agreement.rand_index = rand_index(table);
    return agreement;
}

// Boundary pixels of a segmentation and of one or several truths, and how many found a partner.
struct BoundaryCounts {
    std::int64_t segmentation = 0, segmentation_matched = 0, truth = 0, truth_matched = 0;
};

void set_boundaries(const BoundaryCounts& counts, LabelAgreement& agreement) {
    if (counts.segmentation == 0 && counts.truth == 0) {
        agreement.boundary_precision = agreement.boundary_recall = agreement.boundary_f = 1;
    } else if (counts.segmentation > 0 && counts.truth > 0) {
        const double precision = share(counts.segmentation_matched, counts.segmentation);
        const double recall = share(counts.truth_matched, counts.truth);
        agreement.boundary_precision = precision;
        agreement.boundary_recall = recall;
        agreement.boundary_f =
            precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
    }
}

void evaluate_boundaries(const LabelView& segmentation, std::span<const LabelView> truths,
                         LabelEvaluation& evaluation) {
    const Shape& shape = segmentation.shape();
    const double radius =
        boundary_tolerance * std::hypot(static_cast<double>(shape.x), static_cast<double>(shape.y));
    const BoundarySet of_segmentation(segmentation);
    const auto size = static_cast<std::int64_t>(of_segmentation.pixels().size());
    std::vector<bool> matched_by_any(of_segmentation.pixels().size(), false);
    BoundaryCounts all{.segmentation = size};
    for (std::size_t k = 0; k < truths.size(); ++k) {
        const BoundarySet of_truth(truths[k]);
        const std::vector<std::int64_t> partners =
            evaluation::assign_boundaries(of_segmentation, of_truth, radius);
        BoundaryCounts one{.segmentation = size,
                           .truth = static_cast<std::int64_t>(of_truth.pixels().size())};
        for (std::size_t i = 0; i < partners.size(); ++i) {
            if (partners[i] < 0) continue;
            matched_by_any[i] = true;
            ++one.truth_matched;
        }
        one.segmentation_matched = one.truth_matched;
        set_boundaries(one, evaluation.by_truth[k]);
        all.truth += one.truth;
        all.truth_matched += one.truth_matched;
    }
    all.segmentation_matched = std::count(matched_by_any.begin(), matched_by_any.end(), true);
    set_boundaries(all, evaluation.mean);
}

void check_image(const std::string& name, const LabelView& image) {
    if (image.shape().elements() == 0) throw InvalidArgument(name + " has no pixels");
    if (image.shape().channels != 1)
        throw InvalidArgument(name + " has " + std::to_string(image.shape().channels) +
                              " channels: a label image has one");
    if (image.shape().dimensions() == 2 && image.shape().points() > largest_picture)
        throw InvalidArgument(name + " has more than 2^32-1 pixels: evaluate parts of it");
}

void check_images(const LabelView& segmentation, std::span<const LabelView> truths) {
    if (truths.empty())
        throw InvalidArgument("a segmentation is evaluated against truths: give one");
    check_image("the segmentation", segmentation);
    for (std::size_t k = 0; k < truths.size(); ++k) {
        const std::string name = "truth " + std::to_string(k + 1);
        check_image(name, truths[k]);
        if (truths[k].shape() != segmentation.shape())
            throw InvalidArgument(name + " is " + size_text(truths[k].shape()) +
                                  " and the segmentation " + size_text(segmentation.shape()) +
                                  ": they must have one size");
    }
}

}  // namespace

void evaluation::check_images(const LabelView& segmentation, std::span<const LabelView> truths) {
    tesela::check_images(segmentation, truths);
}

namespace {

constexpr std::array region_figures{&LabelAgreement::dice,
                                    &LabelAgreement::jaccard,
                                    &LabelAgreement::covering,
                                    &LabelAgreement::rand_index,
                                    &LabelAgreement::variation_of_information,
                                    &LabelAgreement::conditional_entropy_truth,
                                    &LabelAgreement::conditional_entropy_segmentation};

constexpr std::array boundary_figures{&LabelAgreement::boundary_precision,
                                      &LabelAgreement::boundary_recall,
                                      &LabelAgreement::boundary_f};

}  // namespace

std::int64_t evaluate_labels_bytes(const LabelView& segmentation,
                                   std::span<const LabelView> truths) {
    check_images(segmentation, truths);
    const bool has_boundaries = segmentation.shape().dimensions() == 2;
    std::int64_t most = 0;
    for (const LabelView& truth : truths) {
        most = std::max(most, evaluation::contingency_bytes(segmentation, truth));
        if (has_boundaries) most = std::max(most, evaluation::boundary_bytes(segmentation, truth));
    }
    return most;
}

LabelEvaluation evaluate_labels(const LabelView& segmentation, std::span<const LabelView> truths) {
    check_images(segmentation, truths);
    LabelEvaluation evaluation;
    for (const LabelView& truth : truths)
        evaluation.by_truth.push_back(region_agreement(segmentation, truth));
    for (const auto figure : region_figures) {
        for (const LabelAgreement& agreement : evaluation.by_truth)
            evaluation.mean.*figure += agreement.*figure;
        evaluation.mean.*figure /= static_cast<double>(truths.size());
    }
    if (segmentation.shape().dimensions() == 2) {
        evaluate_boundaries(segmentation, truths, evaluation);
    } else {
        for (const auto figure : boundary_figures) {
            for (LabelAgreement& agreement : evaluation.by_truth)
                agreement.*figure = std::numeric_limits<double>::quiet_NaN();
            evaluation.mean.*figure = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return evaluation;
}

}  // namespace tesela
