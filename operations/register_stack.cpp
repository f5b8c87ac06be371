#include "operations/register_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cmath>
#include <set>

#include "operations/kinds/folder.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/sections.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct StackChoice {
    SectionStackOptions stack = {};
    bool resume = false;
};
template <class V>
void describe(V&& v, StackChoice& o) {
    describe(v, o.stack);
    v(resume_flag, o.resume, "continue with the pairs in the folder of --transforms");
}

std::string pair_file(std::int64_t fixed, std::int64_t moving) {
    return fmt::format("pair{:04}-{:04}.json", fixed, moving);
}

// Pairs are kept in the folder of transforms as soon as they are complete.
PairStore store_of(const Call& call) {
    PairStore store;
    const auto* write = call.parts.find<WriteFile>("transforms");
    const auto* read = call.parts.find<ReadKept>(kept_part("transforms"));
    if (write)
        store.keep = [write](std::int64_t fixed, std::int64_t moving, const RegisteredPair& pair) {
            (*write)(pair_file(fixed, moving), kinds::section_pair, pair);
        };
    if (read && call.options.as<StackChoice>().resume)
        store.find = [read](std::int64_t fixed,
                            std::int64_t moving) -> std::optional<RegisteredPair> {
            Values values;
            const std::string name = pair_file(fixed, moving);
            if (!(*read)(name, kinds::section_pair, values)) return {};
            return values.get<RegisteredPair>(name);
        };
    return store;
}

// What can be known before the work.
void require(const Call& call) {
    const auto& options = call.options.as<StackChoice>();
    if (call.wants("volume") && !options.stack.thickness)
        throw InvalidArgument("--thickness is missing: give the distance of sections, as 4um");
    if (options.resume && !call.wants("transforms"))
        throw InvalidArgument(
            "--resume continues with the pairs in the folder of --transforms: name it");
}

Figures figures_of(const SectionOfStack& section) {
    Figures figures{{"name", section.name},
                    {"number", section.number},
                    {"state", std::string(enum_name(section.state))}};
    if (!section.reason.empty()) figures.push_back({"reason", section.reason});
    return figures;
}
Figures figures_of(const SectionStack& stack, const PairOfStack& pair) {
    return {{"fixed", stack.sections[pair.fixed].number},
            {"moving", stack.sections[pair.moving].number},
            {"match", pair.found.is_match},
            {"agreement", pair.found.agreement.share()},
            {"parts", std::int64_t{pair.found.agreement.parts}},
            {"similarity", pair.found.similarity},
            {"margin", pair.found.margin},
            {"overlap", pair.found.overlap},
            {"estimated_error", pair.found.estimated_error},
            {"residual", pair.fit.residual},
            {"weight", pair.fit.weight},
            {"rejected", pair.is_rejected},
            {"resumed", pair.is_kept}};
}

std::int64_t aligned_in(const SectionStack& stack) {
    return std::count_if(
        stack.sections.begin(), stack.sections.end(),
        [](const SectionOfStack& one) { return one.state == SectionState::aligned; });
}

// Of the splines of all sections on the largest canvas that is allowed: two values a node, while
// they are sought, as coefficients, and in the transforms.
std::int64_t spline_bytes(const Call& call) {
    const auto& options = call.options.as<StackChoice>().stack;
    if (options.model != RegistrationModel::spline) return 0;
    constexpr double margin = 4, bytes = 3 * 2 * sizeof(double);  // nodes beyond the canvas
    const double side = options.nodes * std::sqrt(options.max_canvas) + margin;
    return static_cast<std::int64_t>(
        bytes * side * side *
        static_cast<double>(call.inputs.get<SectionSeries>("sections").size()));
}

void report(const SectionStack& stack, Results& results) {
    const auto count = [&](const auto& is) {
        return std::int64_t{std::count_if(stack.pairs.begin(), stack.pairs.end(), is)};
    };
    const std::int64_t rejected = count([](const PairOfStack& pair) { return pair.is_rejected; });
    const std::int64_t resumed = count([](const PairOfStack& pair) { return pair.is_kept; });
    results.summary = fmt::format("aligned {} of {}, {} of {} rejected, planes of {} x {} pixels",
                                  aligned_in(stack), counted(std::ssize(stack.sections), "section"),
                                  rejected, counted(std::ssize(stack.pairs), "pair"),
                                  stack.canvas.shape.x, stack.canvas.shape.y);
    results.figures = {
        {"sections", std::int64_t{std::ssize(stack.sections)}},
        {"aligned", aligned_in(stack)},
        {"missing", stack.missing},
        {"pairs", std::int64_t{std::ssize(stack.pairs)}},
        {"rejected", rejected},
        {"resumed", resumed},
        {"size", std::vector<std::int64_t>{stack.canvas.shape.x, stack.canvas.shape.y,
                                           stack.canvas.shape.z}},
        {"unit", std::string(stack.canvas.geometry.known() ? "mm" : "px")}};
    std::vector<Figures> sections, pairs;
    for (const SectionOfStack& section : stack.sections) sections.push_back(figures_of(section));
    for (const PairOfStack& pair : stack.pairs) pairs.push_back(figures_of(stack, pair));
    results.details = {{"series", std::move(sections)}, {"pairs_of_sections", std::move(pairs)}};
    results.warnings = stack.warnings;
}

void write_sections(const Call& call, const SectionSeries& series, const SectionStack& stack,
                    Queue& queue, const Progress& progress) {
    const auto* transforms = call.parts.find<WriteFile>("transforms");
    const auto* aligned = call.parts.find<WriteFile>("aligned");
    const auto write = [&](std::int64_t number, std::any transform, const auto& image) {
        const std::string name = fmt::format("section{:04}", number);
        if (transforms) (*transforms)(name + ".json", kinds::transform, std::move(transform));
        if (aligned) (*aligned)(name + ".ome.tif", kinds::image, image());
    };
    const auto nothing = [] { return std::any(); };
    for (const std::int64_t number : stack.missing) write(number, {}, nothing);
    for (std::size_t i = 0; i < series.size(); ++i) {
        const SectionOfStack& section = stack.sections[i];
        progress.report(static_cast<double>(i) / static_cast<double>(series.size()), "sections");
        if (section.state == SectionState::aligned)
            write(section.number, *section.transform,
                  [&] { return std::any(ImageValue(aligned_section(series, stack, i, queue))); });
        else
            write(section.number, {}, nothing);
    }
}

// Of an earlier run: files of pairs that are none now.
void remove_pairs(const Call& call, const SectionStack& stack) {
    const auto* transforms = call.parts.find<WriteFile>("transforms");
    if (!transforms) return;
    std::set<std::string> now;
    for (const PairOfStack& pair : stack.pairs)
        now.insert(
            pair_file(stack.sections[pair.fixed].number, stack.sections[pair.moving].number));
    constexpr std::int64_t farthest = 16;  // numbers apart: pairs go across absent sections
    const std::int64_t last = stack.sections.back().number;
    for (std::int64_t fixed = stack.first_number(); fixed < last; ++fixed)
        for (std::int64_t moving = fixed + 1; moving <= std::min(last, fixed + farthest); ++moving)
            if (const std::string name = pair_file(fixed, moving); !now.contains(name))
                (*transforms)(name, kinds::section_pair, {});
}

Results run_stack(const Call& call, Queue& queue, const Progress& progress) {
    require(call);
    const auto& series = call.inputs.get<SectionSeries>("sections");
    const auto& options = call.options.as<StackChoice>().stack;
    StageClock clock;
    clock.start("register");
    constexpr double registered = 0.9, sections_written = 0.93;
    const auto* volume_file = call.parts.find<WriteVolumeAs>("volume");
    const SectionStack stack =
        stack_sections(series, options, queue, store_of(call), progress.part(0, registered),
                       volume_file ? volume_file->require : nullptr);
    clock.start("sections");
    remove_pairs(call, stack);
    write_sections(call, series, stack, queue, progress.part(registered, sections_written));
    if (call.wants("volume")) {
        clock.start("volume");
        const Progress planes = progress.part(sections_written, 1);
        constexpr std::int64_t enough = std::int64_t{1} << 30;
        const std::int64_t room = room_of(call.parts);
        const auto volume = stack_volume(series, stack, options, queue, planes,
                                         room > 0 ? std::min(room / 2, enough) : enough);
        call.parts.get<WriteVolumeAs>("volume").write(*volume, {});
    }
    clock.finish();
    Results results;
    report(stack, results);
    results.stages = clock.take();
    return results;
}

Operation stack() {
    return {
        .name = "register stack",
        .purpose = "align a series of sections to a volume",
        .sentence = "Registers a series of sections in any stains and makes a volume of them.",
        .examples = {"register stack sections -o volume.tvol --thickness 4um",
                     "register stack sections --aligned aligned --transforms transforms --resume"},
        .inputs = {{.name = "sections",
                    .kind = kinds::sections,
                    .help = "folder of numbered pictures, or a list of files (.txt)"}},
        .outputs = {{.name = "volume",
                     .kind = kinds::any_volume_file,
                     .help = "volume (.tvol, .ome.tif, .zarr, .nii.gz and others)"},
                    {.name = "aligned",
                     .kind = kinds::folder,
                     .help = "folder for each aligned section (.ome.tif)"},
                    {.name = "transforms",
                     .kind = kinds::folder,
                     .help = "folder for the transforms of sections and pairs"}},
        .options = Options::of(StackChoice{}),
        .run = run_stack,
        .memory =
            [](const Call& call, const Device&) {
                // Sizes of pictures are known when a section is read, within what is left.
                return Memory{.computing = spline_bytes(call)};
            },
        .progress = {.stages = {"read", "register", "place", "sections", "planes"}},
        .command_line = {.basic = {"thickness", "model", "reference", "bridge", "mpp", "resume"}}};
}

}  // namespace

void add_register_stack(Registry& registry) { registry.add(stack()); }

}  // namespace tesela::operations
