// The thesis's experiment on a stack of sections: E12.
#include <algorithm>

#include "experiments/slides/register_laboratory.h"
#include "tesela/warp.h"

namespace tesela::experiments {
namespace {

// From the first section to another: rigid starts alone, and polynomials, of all pairs in between.
struct Chain {
    Transform rigid, bent;
};

void go_on(Transform& chain, const Transform& next) {
    chain.steps.insert(chain.steps.end(), next.steps.begin(), next.steps.end());
    chain.moving = next.moving;
}

std::vector<Chain> chains_of(RegisterLaboratory& laboratory,
                             const std::vector<TestSection>& sections,
                             const ThesisRegisterOptions& options) {
    const ImageGrid grid = grid_of(AnyImageView(sections[0].made.picture));
    const Transform none{.steps = {LinearMap{}}, .fixed = grid, .moving = grid};
    std::vector<Chain> chains{{none, none}};
    Queue* queue = &laboratory.queue(laboratory.main_device());
    for (std::size_t i = 0; i + 1 < sections.size(); ++i) {
        const ThesisRegistration found =
            register_thesis(*sections[i].source, *sections[i + 1].source, options, {&queue, 1}, 0,
                            laboratory.progress());
        Chain chain = chains.back();
        Transform rigid = found.transform;
        rigid.steps = {found.rigid};
        go_on(chain.rigid, rigid);
        go_on(chain.bent, found.transform);
        chains.push_back(std::move(chain));
        say("sections {} and {}: {} of {} windows match", i, i + 1, found.accepted(),
            found.matches.size());
    }
    return chains;
}

// The middle rows of all sections, as they lie or after `map_of`, some pixels high each.
template <class MapOf>
AnyImage cut_along(RegisterLaboratory& laboratory, const std::vector<TestSection>& sections,
                   const MapOf& map_of) {
    constexpr std::int64_t high = 8;
    const ImageGrid grid = grid_of(AnyImageView(sections[0].made.picture));
    const auto count = static_cast<std::int64_t>(sections.size());
    Image<std::uint8_t> cut({grid.shape.x, high * count, 1, 1, 3});
    for (std::int64_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::size_t>(i);
        const AnyImage warped = warp(sections[number].made.picture, map_of(number), grid, {},
                                     laboratory.queue(laboratory.main_device()));
        const auto& pixels = std::get<Image<std::uint8_t>>(warped);
        for (std::int64_t y = 0; y < high; ++y)
            for (std::int64_t x = 0; x < grid.shape.x; ++x)
                for (int c = 0; c < 3; ++c)
                    cut(x, high * i + y, 0, 0, c) = pixels(x, grid.shape.y / 2, 0, 0, c);
    }
    return cut;
}

}  // namespace

void run_rigid_and_bent(RegisterLaboratory& laboratory) {
    const std::int64_t side = laboratory.quick() ? 600 : 1000;
    const std::vector<TestSection> sections = made_sections({.width = side,
                                                             .height = side,
                                                             .count = laboratory.quick() ? 3 : 10,
                                                             .stains = SectionStains::he,
                                                             .rotation = 30,
                                                             .mirror = SectionMirror::no,
                                                             .scale = 0,
                                                             .shift = 0.05,
                                                             .deformation = 0.01,
                                                             .landmarks = 0,
                                                             .seed = 7});
    const ThesisRegisterOptions options{.window = 64, .search = 128};
    const std::vector<Chain> chains = chains_of(laboratory, sections, options);
    Table table({"section", "rigid", "polynomials"});
    Curve rigid{"rigid", {}, {}}, bent{"polynomials", {}, {}};
    for (std::size_t i = 1; i < sections.size(); ++i) {
        const KnownPlaces places = known_places(sections[0], sections[i]);
        rigid.y.push_back(median_error(chains[i].rigid, places));
        bent.y.push_back(median_error(chains[i].bent, places));
        for (Curve* curve : {&rigid, &bent}) curve->x.push_back(static_cast<double>(i));
        table.add({std::to_string(i), cell(rigid.y.back()), cell(bent.y.back())});
    }
    laboratory.write("E12.csv", table);
    laboratory.write("E12.svg", curve_chart("Median error from the first section", {"section"},
                                            {"pixels"}, {rigid, bent}));
    laboratory.write("E12-unregistered.png", cut_along(laboratory, sections, [&](std::size_t) {
                         return chains.front().rigid;
                     }));
    laboratory.write("E12-rigid.png", cut_along(laboratory, sections,
                                                [&](std::size_t i) { return chains[i].rigid; }));
    laboratory.write("E12-polynomials.png", cut_along(laboratory, sections, [&](std::size_t i) {
                         return chains[i].bent;
                     }));
    const double worst_rigid = *std::max_element(rigid.y.begin(), rigid.y.end());
    const double worst_bent = *std::max_element(bent.y.begin(), bent.y.end());
    laboratory.find({"F40", "median error along a stack, rigid and by polynomials, worst, pixels",
                     "about 10; rigid is jagged",
                     fmt::format("{:.2f}, {:.2f}", worst_rigid, worst_bent),
                     worst_bent <= 10 && worst_bent < worst_rigid});
}

}  // namespace tesela::experiments
