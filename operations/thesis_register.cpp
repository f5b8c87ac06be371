// thesis register
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "operations/kinds/transform.h"
#include "operations/registry.h"
#include "tesela/register_thesis.h"

namespace tesela::operations {
namespace {

const TileSource& section_of(const Call& call, const char* name) {
    const TileSource& section = *call.inputs.get<Slide>(name);
    if (section.facts().planes > 1)
        throw InvalidInput(name, "it holds " + std::to_string(section.facts().planes) +
                                     " channels, slices or times, and tiles have the first alone");
    return section;
}

Table table_of(std::vector<ThesisMatch> matches) {
    const auto list = std::make_shared<const std::vector<ThesisMatch>>(std::move(matches));
    return {{"x", "y", "moving_x", "moving_y", "score", "state"},
            std::ssize(*list),
            [list](std::int64_t row, std::size_t column) -> Table::Cell {
                const ThesisMatch& match = (*list)[static_cast<std::size_t>(row)];
                const std::array numbers{match.fixed[0], match.fixed[1], match.moving[0],
                                         match.moving[1], match.score};
                if (column < numbers.size()) return numbers[column];
                return std::string(enum_name(match.state));
            }};
}

Figures windows_of(const ThesisRegistration& found) {
    std::array<std::int64_t, enum_names(ThesisMatchState{}).size()> counts{};
    for (const ThesisMatch& match : found.matches) ++counts[static_cast<std::size_t>(match.state)];
    Figures states;
    for (const auto& [state, name] : enum_names(ThesisMatchState{}))
        states.push_back({std::string(name), counts[static_cast<std::size_t>(state)]});
    return states;
}

std::vector<Figures> shares_of(const ThesisRegistration& found) {
    std::vector<Figures> shares;
    for (const ThesisShare& share : found.shares)
        shares.push_back({{"device", share.device},
                          {"tested", share.tested},
                          {"processed", share.processed},
                          {"seconds", share.seconds}});
    return shares;
}

Results run_thesis_register(const Call& call, Queue& queue, const Progress& progress) {
    std::vector<Queue*> queues = call.queues;
    if (queues.empty()) queues.push_back(&queue);
    ThesisRegistration found =
        register_thesis(section_of(call, "input"), section_of(call, "moving"),
                        call.options.as<ThesisRegisterOptions>(), queues, call.threads, progress);
    const bool in_mm = found.transform.unit == Unit::millimeter;
    Results results;
    results.summary =
        printed("registered as the thesis: %s, %lld of %s match",
                found.is_voted ? counted(found.votes, "vote").c_str() : "start by search",
                static_cast<long long>(found.accepted()),
                counted(std::ssize(found.matches), "window").c_str());
    if (found.polynomial)
        results.summary += printed(", deviation %.2g %s", found.deviation, in_mm ? "mm" : "px");
    const auto& turn = found.rigid.matrix;
    const auto& shift = found.rigid.translation;
    results.figures = {
        {"start", std::string(found.is_voted ? "votes" : "search")},
        {"regions", std::vector<std::int64_t>{found.fixed_regions, found.moving_regions}},
        {"votes", found.votes},
        {"angle", std::atan2(turn[3], turn[0]) * 180 / std::numbers::pi},
        {"shift", std::vector<double>{shift[0], shift[1]}},
        {"unit", std::string(in_mm ? "mm" : "px")},
        {"tiles", found.tiles},
        {"tiles_with_contrast", std::ssize(found.matches)},
        {"windows", windows_of(found)},
        {"shares", shares_of(found)},
        {"imbalance", found.imbalance()}};
    if (found.polynomial) {
        results.figures.push_back({"deviation", found.deviation});
        for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
            const auto& k = found.polynomial->coefficients[axis];
            results.figures.push_back({axis == 0 ? "polynomial_x" : "polynomial_y",
                                       std::vector<double>(k.begin(), k.end())});
        }
    }
    results.warnings = std::move(found.warnings);
    results.stages = std::move(found.stages);
    if (call.wants("matches")) results.outputs.set("matches", table_of(std::move(found.matches)));
    results.outputs.set("transform", std::move(found.transform));
    return results;
}

}  // namespace

void add_thesis_registration(Registry& registry) {
    registry.add(Operation{
        .name = "thesis register",
        .purpose = "two sections by votes and windows (A. Ruiz Sanchez, 2015)",
        .sentence = "Registers two sections by regions that vote, windows of gray values and a "
                    "polynomial, as in A. Ruiz Sanchez's thesis of 2015.",
        .examples = {"thesis register he1.svs he2.svs -o t.json --matches matches.csv",
                     "thesis register he1.svs he2.svs -o t.json --window 683 --sharing cyclic "
                     "--device cuda:all"},
        .inputs = {{"input", kinds::slide, "fixed section: slide, tiled TIFF or picture"},
                   {"moving", kinds::slide, "section that is aligned"}},
        .outputs = {{.name = "transform",
                     .kind = kinds::transform,
                     .help = "transform, from fixed to moving (.json, .tfm)",
                     .always = true},
                    {"matches", kinds::table, "CSV or JSON: windows and where they match"}},
        .options = Options::of(ThesisRegisterOptions{}),
        .run = run_thesis_register,
        .memory =
            [](const Call& call, const Device& device) {
                const ThesisRegisterBytes bytes =
                    thesis_register_bytes(section_of(call, "input"), section_of(call, "moving"),
                                          call.options.as<ThesisRegisterOptions>(), device,
                                          queues_for(Queues::of_devices, device, call.threads));
                return Memory{.device = bytes.device, .computing = bytes.host};
            },
        .device = {.queues = Queues::of_devices}});
}

}  // namespace tesela::operations
