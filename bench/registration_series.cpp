// tesela_registration_series [COUNT [SIDE]]: a series of synthetic sections in two stains, turned
// and bent, section 12 torn and 25 missing: how far what the planes of the volume show of the
// tissue is from one affine map of the canvas, where neighbors are chained, where all pairs are
// solved together, and with splines. Lines are those of the table in docs/registration.md; seconds
// are those of the processor.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>

#include "quality_program.h"
#include "reference/section_graph_reference.h"
#include "tesela/section_stack.h"
#include "tesela/synthetic_sections.h"

namespace tesela::bench {
namespace {

constexpr int torn = 12, absent = 25;

using Way = std::function<SpacePoint(const SpacePoint&)>;  // from the tissue to the canvas

// Of all sections that are whole.
double residual(const std::vector<StackedSection>& truth, const SectionStack& stack,
                const std::vector<Way>& ways) {
    std::vector<std::pair<SpacePoint, SpacePoint>> shown;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const auto number = static_cast<std::size_t>(stack.sections[i].number);
        if (number == torn || !ways[i]) continue;
        const Image<std::uint8_t>& left = truth[number].remaining;
        const std::int64_t step = left.shape().x / 24;
        for (std::int64_t y = step; y < left.shape().y; y += step)
            for (std::int64_t x = step; x < left.shape().x; x += step) {
                const SpacePoint tissue{static_cast<double>(x), static_cast<double>(y), 0};
                if (left(x, y)) shown.emplace_back(ways[i](tissue), tissue);
            }
    }
    return reference::residual_after_affine(shown);
}

std::vector<Way> aligned(const std::vector<StackedSection>& truth, const SectionStack& stack) {
    std::vector<Way> ways(stack.sections.size());
    for (std::size_t i = 0; i < ways.size(); ++i)
        if (const auto& map = stack.sections[i].transform)
            ways[i] =
                [&map = *map, &section = truth[static_cast<std::size_t>(stack.sections[i].number)]](
                    const SpacePoint& tissue) { return map.inverse_of(section.transform(tissue)); };
    return ways;
}

// From each section back to the first, pair by pair.
std::vector<Way> chained(const std::vector<StackedSection>& truth, const SectionStack& stack) {
    std::vector<Way> ways(stack.sections.size());
    ways[0] = [](const SpacePoint& tissue) { return tissue; };
    for (std::size_t i = 1; i < ways.size(); ++i)
        ways[i] = [&, i](const SpacePoint& tissue) {
            SpacePoint at =
                truth[static_cast<std::size_t>(stack.sections[i].number)].transform(tissue);
            for (std::size_t to = i; to > 0; --to)
                for (const PairOfStack& pair : stack.pairs)
                    if (pair.moving == to && pair.fixed + 1 == to)
                        at = pair.found.transform.inverse_of(at);
            return at;
        };
    return ways;
}

int run(const std::vector<std::string>& arguments) {
    const auto number = [&](std::size_t which, int usual) {
        return arguments.size() > which ? std::max(64, std::atoi(arguments[which].c_str())) : usual;
    };
    const int count = arguments.empty() ? 40 : std::max(4, std::atoi(arguments[0].c_str()));
    const std::int64_t side = number(1, 512);
    const SyntheticSectionsOptions options{.width = side,
                                           .height = side,
                                           .count = count,
                                           .scale = 0.02,
                                           .tear = 0.03,
                                           .damaged = torn};
    std::vector<StackedSection> truth;
    SectionSeries series;
    for (int i = 0; i < count; ++i) truth.push_back(synthetic_stack_section(options, i));
    for (int i = 0; i < count; ++i)
        if (i != absent)
            series.push_back({"section " + std::to_string(i), i, [&truth, i] {
                                  return AnyImage(truth[static_cast<std::size_t>(i)].picture);
                              }});
    Queue queue(Device::choose("auto").device);
    for (const RegistrationModel model : {RegistrationModel::rigid, RegistrationModel::spline}) {
        const std::clock_t start = std::clock();
        const SectionStack stack = stack_sections(series, {.model = model}, queue);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        int placed = 0, rejected = 0;
        for (const SectionOfStack& one : stack.sections)
            placed += one.state == SectionState::aligned;
        for (const PairOfStack& pair : stack.pairs) rejected += pair.is_rejected;
        std::printf(
            "| %s | aligned %d of %zu | pairs rejected %d of %zu | mean residual %.2f px, "
            "neighbors chained %.2f px | %.2f s a section |\n",
            std::string(enum_name(model)).c_str(), placed, series.size(), rejected,
            stack.pairs.size(), residual(truth, stack, aligned(truth, stack)),
            residual(truth, stack, chained(truth, stack)),
            seconds / static_cast<double>(series.size()));
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_quality_program(argc, argv, "tesela_registration_series", run);
}
