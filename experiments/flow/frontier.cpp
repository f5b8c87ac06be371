// X8, which the thesis does not have: error against time of the methods here, for comparison with
// other programs (bench/peers/flow_frontier.py).
#include "experiments/flow/laboratory.h"
#include "messages.h"
#include "tesela/tv_l1.h"

namespace tesela::experiments {
namespace {

using Frames = std::span<const Image<float>>;

struct Method {
    std::string_view name;
    FlowResult (*flow)(Frames frames, Queue& queue, const Progress& progress);
};

template <int warps, int sweeps, int medians>
FlowResult fast_horn_schunck(Frames frames, Queue& queue, const Progress& progress) {
    HornSchunckOptions options{.warps = warps, .sweeps = sweeps, .scale = 0.5};
    options.medians = medians;
    return horn_schunck(frames, options, queue, progress);
}

// A fixed amount of work that docs/performance/optical-flow.md has figures of.
FlowResult fixed_horn_schunck(Frames frames, Queue& queue, const Progress& progress) {
    return horn_schunck(frames,
                        {.levels = 5,
                         .warps = 10,
                         .sweeps = 60,
                         .alpha = 60.0 / (255 * 255),
                         .scale = 0.5,
                         .solver = FlowSolver::jacobi,
                         .medians = 1},
                        queue, progress);
}

constexpr std::array methods{
    Method{"horn-schunck",
           [](Frames f, Queue& q, const Progress& p) { return horn_schunck(f, {}, q, p); }},
    Method{"horn-schunck --scale 0.5 --warps 1 --sweeps 2 --medians 1", fast_horn_schunck<1, 2, 1>},
    Method{"horn-schunck --scale 0.5 --warps 1 --sweeps 4", fast_horn_schunck<1, 4, 2>},
    Method{"horn-schunck --scale 0.5 --warps 3 --sweeps 6", fast_horn_schunck<3, 6, 2>},
    Method{"horn-schunck S1", fixed_horn_schunck},
    Method{"horn-schunck --variant thesis",
           [](Frames f, Queue& q, const Progress& p) {
               return horn_schunck(f, {.variant = HornSchunckVariant::thesis}, q, p);
           }},
    Method{"lucas-kanade",
           [](Frames f, Queue& q, const Progress& p) { return lucas_kanade(f, {}, q, p); }},
    Method{"lucas-kanade --warps 1 --medians 1",
           [](Frames f, Queue& q, const Progress& p) {
               return lucas_kanade(f, {.warps = 1, .medians = 1}, q, p);
           }},
    Method{"lucas-kanade --variant thesis",
           [](Frames f, Queue& q, const Progress& p) {
               return lucas_kanade(f, lucas_kanade_options({15, 5}), q, p);
           }},
    Method{"tv-l1", [](Frames f, Queue& q, const Progress& p) { return tv_l1(f, {}, q, p); }},
    Method{"tv-l1 --warps 1",
           [](Frames f, Queue& q, const Progress& p) { return tv_l1(f, {.warps = 1}, q, p); }},
};

// Those of the user's folder, or all where there is none.
std::vector<const FlowSequence*> compared_sequences(const FlowLaboratory& laboratory) {
    std::vector<const FlowSequence*> real, all;
    for (const FlowSequence& sequence : laboratory.sequences()) {
        all.push_back(&sequence);
        if (!sequence.synthetic) real.push_back(&sequence);
    }
    return real.empty() ? all : real;
}

}  // namespace

void run_error_against_time(FlowLaboratory& laboratory) {
    Table table({"device", "method", "milliseconds", "endpoint_pixels", "angular_degrees"});
    Table each(
        {"device", "method", "sequence", "milliseconds", "endpoint_pixels", "angular_degrees"});
    std::vector<Curve> curves;
    const std::vector<const FlowSequence*> sequences = compared_sequences(laboratory);
    const auto count = static_cast<double>(sequences.size());
    for (std::size_t d = 0; d < laboratory.device_count(); ++d) {
        Queue& queue = laboratory.queue(d);
        const std::string device = laboratory.device(d).id();
        for (const Method& method : methods) {
            curves.push_back({fmt::format("{}, {}", device, method.name), {}, {}});
            double milliseconds = 0, endpoint = 0, angular = 0;
            for (const FlowSequence* sequence : sequences) {
                FlowResult result;
                const double taken = 1000 * laboratory.median_seconds([&] {
                    result = method.flow(sequence->frames, queue, laboratory.progress());
                });
                const FlowEvaluation found = evaluate_flow(result.fields.front(), sequence->truth);
                each.add({device, std::string(method.name), sequence->name, cell(taken),
                          cell(found.endpoint.mean), cell(found.angular_degrees.mean)});
                milliseconds += taken / count;
                endpoint += found.endpoint.mean / count;
                angular += found.angular_degrees.mean / count;
            }
            table.add({device, std::string(method.name), cell(milliseconds), cell(endpoint),
                       cell(angular)});
            curves.back().x.push_back(milliseconds);
            curves.back().y.push_back(endpoint);
            say("{}, {}: {:.2f} ms, {:.3f} pixels", device, method.name, milliseconds, endpoint);
        }
    }
    laboratory.write("X8.csv", table);
    laboratory.write("X8-sequences.csv", each);
    laboratory.write("X8.svg", curve_chart("Error against time", {"milliseconds", true},
                                           {"mean end-point error, pixels"}, curves));
}

}  // namespace tesela::experiments
