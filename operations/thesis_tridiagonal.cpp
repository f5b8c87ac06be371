// thesis tridiagonal
#include <fmt/format.h>

#include "operations/all.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/registry.h"
#include "tesela/tridiagonal_thesis.h"

namespace tesela::operations {
namespace {

struct ThesisTridiagonalChoice {
    ThesisTridiagonalOptions solver = {};
    int random = 0;
    TridiagonalKind kind = TridiagonalKind::dominant;
    std::uint64_t seed = 1;
};
template <class V>
void describe(V&& v, ThesisTridiagonalChoice& o) {
    describe(v, o.solver);
    v("random", o.random, "rows of a random system; 0: none",
      OptionRange{.lowest = 0, .highest = 1 << 30});
    v("kind", o.kind, "matrix of the random system");
    v("seed", o.seed, "seed of the random system");
}

std::int64_t rows_of(const Call& call) {
    const int random = call.options.as<ThesisTridiagonalChoice>().random;
    if (call.inputs.has("input") == (random > 0))
        throw InvalidArgument("give one of the two: a text file, or --random ROWS");
    return random > 0 ? random : call.inputs.get<TridiagonalSystems>("input").lines.rows;
}

Results run_thesis_tridiagonal(const Call& call, Queue& queue, const Progress& progress) {
    const auto& choice = call.options.as<ThesisTridiagonalChoice>();
    const std::int64_t rows = rows_of(call);
    TridiagonalSystems random;
    if (choice.random > 0)
        random = random_tridiagonal(contiguous_lines(rows, 1), choice.kind, choice.seed);
    const TridiagonalSystems& system =
        choice.random > 0 ? random : call.inputs.get<TridiagonalSystems>("input");
    progress.report(0, "solve");
    StageClock clock;
    clock.start("prepare");
    ThesisTridiagonal work(system, choice.solver, queue);
    clock.start("upload");
    work.load();
    clock.start("solve");
    work.solve();
    clock.start("download");
    std::vector<double> x = work.solution();
    Results results;
    results.stages = clock.take();
    const TridiagonalErrors errors = tridiagonal_errors(x, tridiagonal_in_long_double(system));
    const ThesisTridiagonalCounts& counts = work.counts();
    const auto count = static_cast<double>(rows);
    results.data = fmt::format(
        "solved          {} by {}\noperations      {:.4g} a row\naccesses        {:.4g} a row, "
        "{:.4g} in groups\nrelative error  {:.3g}\nby eq. 2.47     {:.3g}\n",
        counted(rows, "row"), enum_name(choice.solver.method), counts.operations / count,
        counts.accesses / count, counts.group_accesses / count, errors.relative, errors.of_thesis);
    results.details = {{"rows", rows},
                       {"operations", counts.operations},
                       {"accesses", counts.accesses},
                       {"group_accesses", counts.group_accesses},
                       {"relative_error", errors.relative},
                       {"error_of_thesis", errors.of_thesis}};
    const bool is_single = choice.solver.precision == Precision::single_;
    results.outputs.set(
        "solution", TridiagonalSolutions{
                        .lines = system.lines, .x = std::move(x), .digits = is_single ? 9 : 17});
    return results;
}

}  // namespace

void add_thesis_tridiagonal(Registry& registry) {
    registry.add(Operation{
        .name = "thesis tridiagonal",
        .purpose = "a tridiagonal system (J. Lamas Rodriguez, 2014)",
        .sentence = "Solves a tridiagonal system in one of the ways of J. Lamas Rodriguez's thesis "
                    "of 2014.",
        .examples = {"thesis tridiagonal system.csv -o x.csv --method pcr-split",
                     "thesis tridiagonal --random 1048576 --method bondeli --precision double"},
        .inputs = {{.name = "input",
                    .kind = kinds::equations,
                    .help = "text with the columns a, b, c and d",
                    .required = false}},
        .outputs = {{.name = "solution", .kind = kinds::solutions, .help = "solution as text"}},
        .options = Options::of(ThesisTridiagonalChoice{}),
        .run = run_thesis_tridiagonal,
        .memory =
            [](const Call& call, const Device&) {
                const std::int64_t rows = rows_of(call);
                const auto& solver = call.options.as<ThesisTridiagonalChoice>().solver;
                return Memory{.device = tridiagonal_thesis_bytes(rows, solver),
                              .held = 40 * rows,
                              .computing = 100 * rows,
                              .known = {{"rows", rows}}};
            },
        .progress = {.stages = {"read", "solve", "write"}}});
}

}  // namespace tesela::operations
