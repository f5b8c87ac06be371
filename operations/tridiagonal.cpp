#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "operations/all.h"
#include "operations/kinds/tridiagonal.h"
#include "operations/registry.h"
#include "tesela/tridiagonal_factors.h"
#include "tesela/tridiagonal_systems.h"

namespace tesela::operations {
namespace {

enum class SolverPrecision { single, twofold };
constexpr auto enum_names(SolverPrecision) {
    return std::array{EnumNames<SolverPrecision>{SolverPrecision::single, "float"},
                      EnumNames<SolverPrecision>{SolverPrecision::twofold, "double"}};
}
constexpr auto enum_help(SolverPrecision) {
    return std::array<std::string_view, 2>{"32 bits", "64 bits"};
}

struct TridiagonalChoice {
    std::string random = {};
    TridiagonalKind kind = TridiagonalKind::dominant;
    std::uint64_t seed = 1;
    SolverPrecision precision = SolverPrecision::twofold;
    TridiagonalOptions solver = {};

    bool in_float() const { return precision == SolverPrecision::single; }
};
template <class V>
void describe(V&& v, TridiagonalChoice& o) {
    v("precision", o.precision, "precision of the arithmetic");
    describe(v, o.solver);
    v("random", o.random, "solve random systems in place of INPUT: ROWSxSYSTEMS");
    v("kind", o.kind, "matrices of the random systems");
    v("seed", o.seed, "seed of the random systems");
}

std::int64_t count_of(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > most)
        throw InvalidArgument(fmt::format(
            "--random: '{}' is not a whole number from 1 to {}; give rows and systems, such as "
            "1000x64",
            text, most));
    return count;
}

// "1000x64": rows and systems.
TridiagonalLines size_of(std::string_view text) {
    const std::size_t cross = text.find('x');
    if (cross == text.npos)
        throw InvalidArgument(
            fmt::format("--random is '{}'; it must be rows and systems, such as 1000x64", text));
    return contiguous_lines(count_of(text.substr(0, cross)), count_of(text.substr(cross + 1)));
}

// Of the input, or of those that will be made.
TridiagonalLines lines_of(const Call& call) {
    const auto& choice = call.options.as<TridiagonalChoice>();
    if (call.inputs.has("input") != choice.random.empty())
        throw InvalidArgument("give one of the two: a text file, or --random ROWSxSYSTEMS");
    if (!choice.random.empty() && choice.kind == TridiagonalKind::near_singular &&
        choice.solver.is_periodic)
        throw InvalidArgument(
            "--kind near-singular is singular as a ring; leave out --periodic or choose another "
            "--kind");
    return choice.random.empty() ? call.inputs.get<TridiagonalSystems>("input").lines
                                 : size_of(choice.random);
}

// Text and solutions are held in double precision, what is solved in that asked for. A device takes
// the systems, and at most half as much again; where it exchanges rows of short systems, a block of
// 14 values for each beside x.
Memory tridiagonal_memory(const Call& call, const Device&) {
    const TridiagonalLines lines = lines_of(call);
    const std::int64_t value = call.options.as<TridiagonalChoice>().in_float() ? 4 : 8;
    const double rows = static_cast<double>(lines.rows) * static_cast<double>(lines.systems());
    const auto bytes = [&](std::int64_t of_row) {
        return static_cast<std::int64_t>(std::min(rows * static_cast<double>(of_row), 0x1p60));
    };
    // Refinement holds the residual and a second solution.
    const std::int64_t of_blocks = 1 + (14 + lines.rows - 1) / lines.rows;
    return {.device = bytes(std::max<std::int64_t>(6, of_blocks) * value),
            .held = bytes(call.inputs.has("input") ? 8 : 5 * 8),
            .computing = bytes(8 * value),
            .known = {{"rows", lines.rows}, {"systems", lines.systems()}}};
}

template <class T>
std::vector<double> solve_as(Queue& queue, const TridiagonalSystems& systems,
                             const TridiagonalOptions& options, TridiagonalQuality& quality) {
    const auto as = [&](const std::vector<double>& values, const char* column) {
        constexpr auto most = static_cast<double>(std::numeric_limits<T>::max());
        std::vector<T> made;
        made.reserve(values.size());
        for (const double value : values) {
            if (std::isfinite(value) && std::abs(value) > most)
                throw InvalidArgument(
                    fmt::format("system {}, row {}: {} is {:g}, too much for single precision; use "
                                "--precision double",
                                std::ssize(made) / systems.lines.rows + 1,
                                std::ssize(made) % systems.lines.rows + 1, column, value));
            made.push_back(static_cast<T>(value));
        }
        return made;
    };
    const std::vector<T> a = as(systems.a, "a"), b = as(systems.b, "b"), c = as(systems.c, "c"),
                         d = as(systems.d, "d");
    const std::vector<T> x =
        systems.is_shared
            ? solve_tridiagonal_sides<T>(queue, systems.lines, a, b, c, d, options, &quality)
            : solve_tridiagonal<T>(queue, systems.lines, a, b, c, d, options, &quality);
    return {x.begin(), x.end()};
}

Results run_tridiagonal(const Call& call, Queue& queue, const Progress& progress) {
    const auto& choice = call.options.as<TridiagonalChoice>();
    TridiagonalSystems random;
    if (!choice.random.empty())
        random = random_tridiagonal(lines_of(call), choice.kind, choice.seed);
    const TridiagonalSystems& systems =
        choice.random.empty() ? call.inputs.get<TridiagonalSystems>("input") : random;
    progress.report(0, "solve");
    StageClock clock;
    clock.start("solve");
    TridiagonalQuality quality;
    std::vector<double> x = choice.in_float()
                                ? solve_as<float>(queue, systems, choice.solver, quality)
                                : solve_as<double>(queue, systems, choice.solver, quality);
    Results results;
    results.stages = clock.take();
    const TridiagonalLines& lines = systems.lines;
    results.data = fmt::format(
        "solved          {} of {}\nmethod          {}{}\ndominance       {:.6g}\n"
        "backward error  {:.3g}\n",
        counted(lines.systems(), systems.is_shared ? "right-hand side" : "system"),
        counted(lines.rows, "row"), quality.is_pivoted ? "pivoted" : "plain",
        quality.is_refined ? ", refined" : "", quality.dominance, quality.backward_error);
    results.details = {{"dominance", quality.dominance},
                       {"backward_error", quality.backward_error},
                       {"pivoted", quality.is_pivoted},
                       {"refined", quality.is_refined}};
    if (std::string warning = quality.warning(); !warning.empty())
        results.warnings.push_back(std::move(warning));
    results.outputs.set("solution", TridiagonalSolutions{lines, std::move(x), systems.is_shared,
                                                         choice.in_float() ? 9 : 17});
    return results;
}

}  // namespace

void add_tridiagonal(Registry& registry) {
    registry.add(Operation{
        .name = "tridiagonal",
        .purpose = "solve tridiagonal systems of equations",
        .sentence = "Solves tridiagonal systems of linear equations.",
        .task = tasks::filter,
        .examples = {"tridiagonal systems.csv -o x.csv", "tridiagonal ring.csv --periodic -o x.csv",
                     "tridiagonal --random 512x65536 --precision float"},
        .inputs = {{.name = "input",
                    .kind = kinds::equations,
                    .help = "text with the columns a, b, c and d; or a, b, c and several d",
                    .required = false}},
        .outputs = {{.name = "solution",
                     .kind = kinds::solutions,
                     .help =
                         "solutions as text: a column for each d, blank lines between systems"}},
        .options = Options::of(TridiagonalChoice{}),
        .run = run_tridiagonal,
        .memory = tridiagonal_memory,
        .progress = {.stages = {"read", "solve", "write"}}});
}

}  // namespace tesela::operations
