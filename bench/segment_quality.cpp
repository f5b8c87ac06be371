// tesela_segment_quality FOLDER [--each]: how well the regions of `tesela segment` agree with
// people, and what they cost. FOLDER holds photographs NAME.jpg with label pictures
// NAME.humanK.png, one a person. A line of the table gives the means of the measures of `tesela
// evaluate labels` for one setting; `mean shift` is the setting that its manual recommends. With
// --each, a line for each photograph at the usual detail. Time is the mean of a call after the
// first, of processor time all cores together.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>

#include "photographs.h"
#include "quality_program.h"
#include "tesela/evaluate_labels.h"
#include "tesela/mean_shift.h"
#include "tesela/segment.h"

namespace tesela::bench {
namespace {

using Regions = std::function<LabelImage(const AnyImage&)>;

struct Row {
    LabelAgreement agreement;
    double regions = 0, milliseconds = 0, processor_milliseconds = 0;
};

void add(Row& sum, const Row& one, double weight) {
    sum.agreement.covering += weight * one.agreement.covering;
    sum.agreement.rand_index += weight * one.agreement.rand_index;
    sum.agreement.variation_of_information += weight * one.agreement.variation_of_information;
    sum.agreement.boundary_f += weight * one.agreement.boundary_f;
    sum.regions += weight * one.regions;
    sum.milliseconds += weight * one.milliseconds;
    sum.processor_milliseconds += weight * one.processor_milliseconds;
}

Row measure(const AnyImage& image, const Photograph& photograph, const Regions& regions) {
    regions(image);  // fills the pool of the queue
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor_start = std::clock();
    const LabelImage labels = regions(image);
    Row row;
    row.processor_milliseconds =
        1000.0 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
    row.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    row.agreement = evaluate_labels(labels, photograph.people).mean;
    row.regions = *std::max_element(labels.pixels().begin(), labels.pixels().end());
    return row;
}

void print(const std::string& name, const Row& row) {
    std::printf("| %s | %.0f | %.4f | %.4f | %.4f | %.4f | %.0f | %.0f |\n", name.c_str(),
                row.regions, row.agreement.covering, row.agreement.rand_index,
                row.agreement.variation_of_information, row.agreement.boundary_f, row.milliseconds,
                row.processor_milliseconds);
    std::fflush(stdout);
}

void print_mean(const std::string& name, const std::vector<Photograph>& photographs,
                const Regions& regions, bool gray, bool each) {
    Row mean;
    for (const Photograph& one : photographs) {
        AnyImage image = one.image;
        if (gray) {
            Image<std::uint8_t> lightness(Shape{one.image.shape().x, one.image.shape().y});
            for (std::size_t i = 0; i < lightness.pixels().size(); ++i) {
                const std::uint8_t* rgb = one.image.data() + 3 * i;  // as in ITU-R BT.709
                lightness.pixels()[i] = static_cast<std::uint8_t>(
                    0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2] + 0.5);
            }
            image = std::move(lightness);
        }
        const Row row = measure(image, one, regions);
        if (each) print(one.name, row);
        add(mean, row, 1.0 / static_cast<double>(photographs.size()));
    }
    print(name, mean);
}

int run(const std::vector<std::string>& arguments) {
    std::string folder;
    bool each = false;
    for (const std::string& argument : arguments)
        if (argument == "--each")
            each = true;
        else
            folder = argument;
    if (folder.empty()) throw InvalidArgument("usage: tesela_segment_quality FOLDER [--each]");
    const std::vector<Photograph> photographs = read_photographs(folder);
    Queue queue(Device::best());
    std::printf(
        "%zu photographs, %s\n\n| Setting | Regions | Covering | PRI | VoI | Boundary F | "
        "ms | CPU ms |\n|---|---|---|---|---|---|---|---|\n",
        photographs.size(), queue.device().properties().name.c_str());
    for (const SegmentDetail detail :
         {SegmentDetail::medium, SegmentDetail::coarse, SegmentDetail::fine}) {
        const auto regions = [&](const AnyImage& image) {
            return segment(image, {.detail = detail}, queue).labels;
        };
        const std::string name(enum_name(detail));
        print_mean(name, photographs, regions, false, each && detail == SegmentDetail::medium);
        if (detail == SegmentDetail::medium)
            print_mean(name + ", gray", photographs, regions, true, false);
    }
    print_mean(
        "10 regions", photographs,
        [&](const AnyImage& image) { return segment(image, {.regions = 10}, queue).labels; }, false,
        false);
    MeanShiftOptions recommended{.spatial_bandwidth = 7, .range_bandwidth = 10.5};
    recommended.gamma = Gamma::none;
    recommended.fusion_range = 0;
    recommended.region_scale = 3000;
    recommended.min_region = 100;
    print_mean(
        "mean shift", photographs,
        [&](const AnyImage& image) { return mean_shift(image, recommended, queue).labels; }, false,
        false);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_quality_program(argc, argv, "tesela_segment_quality", run);
}
