// The thesis's experiments on tridiagonal solvers: E1, E2, E3 and E5.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "experiments/volumes/laboratory.h"
#include "experiments/volumes/solver_figures.h"

namespace tesela::experiments {
namespace {

using Method = ThesisTridiagonalMethod;

TridiagonalSystems random_system(std::int64_t rows, std::uint64_t seed = 1) {
    return random_tridiagonal(contiguous_lines(rows, 1), TridiagonalKind::dominant, seed);
}
std::vector<Precision> precisions_of(const Device& device) {
    if (!device.properties().has_f64) return {Precision::single_};
    return {Precision::single_, Precision::double_};
}
std::string name_of(Method method) { return std::string(enum_name(method)); }

double milliseconds(VolumeLaboratory& laboratory, Queue& queue, const TridiagonalSystems& system,
                    const ThesisTridiagonalOptions& options) {
    ThesisTridiagonal work(system, options, queue);
    return laboratory.milliseconds_of([&] { work.load(); }, [&] { work.solve(); });
}

// What `tesela tridiagonal` takes for a system that lies on the device.
template <class T>
double default_milliseconds(VolumeLaboratory& laboratory, Queue& queue,
                            const TridiagonalSystems& system) {
    const auto uploaded = [&](const std::vector<double>& values) -> Buffer<const T> {
        const std::vector<T> rounded(values.begin(), values.end());
        return queue.upload(std::span<const T>(rounded), "system");
    };
    const auto a = uploaded(system.a), b = uploaded(system.b), c = uploaded(system.c),
               d = uploaded(system.d);
    Buffer<T> x = queue.allocate<T>(d.size(), "solution");
    auto status = queue.allocate<std::uint32_t>(1, "status");
    return laboratory.milliseconds_of(
        [&] {
            queue.copy(d, x);
            queue.finish();
        },
        [&] {
            solve_tridiagonal<T>(queue, system.lines, a, b, c, x, status);
            queue.finish();
        });
}

// Times of one number of rows on one device, and what they are to those of all cores.
void tell_times(VolumeLaboratory& laboratory, std::size_t device, std::int64_t rows, Table& table,
                std::map<Method, Curve>& curves) {
    Queue& queue = laboratory.queue(device);
    const std::string id = laboratory.device(device).id();
    const TridiagonalSystems system = random_system(rows);
    for (const Precision precision : precisions_of(laboratory.device(device))) {
        const bool is_single = precision == Precision::single_;
        std::map<Method, double> times;
        for (const PrintedSolver& printed : printed_solvers)
            times[printed.method] = milliseconds(
                laboratory, queue, system, {.method = printed.method, .precision = precision});
        const double ours = is_single ? default_milliseconds<float>(laboratory, queue, system)
                                      : default_milliseconds<double>(laboratory, queue, system);
        for (const PrintedSolver& printed : printed_solvers) {
            const double thesis = is_single ? printed.single_ms : printed.double_ms;
            const double speedup = times[Method::threads] / times[printed.method];
            table.add({std::to_string(rows), id, std::string(enum_name(precision)),
                       name_of(printed.method), cell(times[printed.method]), cell(speedup),
                       cell(ours), cell(rows == 1 << 20 ? thesis : not_printed)});
            if (!is_single || device != laboratory.main_device()) continue;
            Curve& curve = curves[printed.method];
            curve.name = name_of(printed.method);
            curve.x.push_back(static_cast<double>(rows));
            curve.y.push_back(speedup);
        }
        if (!is_single || device != laboratory.main_device() ||
            rows != laboratory.lengths(6).back())
            continue;
        const auto compare = [&](const std::string& row, Method fast, Method slow,
                                 const std::string& thesis) {
            const double ratio = times[slow] / times[fast];
            laboratory.find({row,
                             fmt::format("{} against {}, {} rows, on {}", name_of(fast),
                                         name_of(slow), rows, id),
                             thesis, fmt::format("{:.2f} times as fast", ratio), ratio >= 1});
        };
        compare("F04", Method::cr_reordered, Method::cr, "1.24");
        compare("F05", Method::cr_split, Method::cr, "1.75");
        compare("F06", Method::cr_split, Method::pcr, "5.24");
        compare("F07", Method::pcr_split, Method::pcr, "1.18");
        compare("F09", Method::bondeli, Method::wang, "26");
        laboratory.find({"F02", fmt::format("all cores, Bondeli, {} rows", rows),
                         "36.574 ms (4 cores)", fmt::format("{:.3f} ms", times[Method::threads]),
                         std::nullopt});
    }
}

}  // namespace

void run_solver_times(VolumeLaboratory& laboratory) {
    Table table({"rows", "device", "precision", "method", "milliseconds", "speedup",
                 "tridiagonal_ms", "thesis_ms"});
    std::map<Method, Curve> by_method;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const std::int64_t rows : laboratory.lengths(7))
            tell_times(laboratory, device, rows, table, by_method);
    laboratory.write("E1.csv", table);
    std::vector<Curve> curves;
    for (auto& [method, curve] : by_method)
        if (method != Method::threads) curves.push_back(std::move(curve));
    laboratory.write("E1.svg",
                     curve_chart("Solvers, single precision, against all cores by Bondeli's method",
                                 {"rows", true}, {"times as fast", true}, curves));
}

void run_solver_transfers(VolumeLaboratory& laboratory) {
    Table table({"rows", "device", "method", "alone_ms", "with_transfers_ms", "transfers_ms",
                 "thesis_alone_ms", "thesis_with_transfers_ms"});
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const std::int64_t rows : laboratory.lengths(7)) {
            const TridiagonalSystems system = random_system(rows);
            const auto printed =
                std::find_if(printed_solver_times.begin(), printed_solver_times.end(),
                             [&](const PrintedSolverTimes& times) { return times.rows == rows; });
            double least = 0, most = 0;
            for (std::size_t m = 0; m < printed_transferred.size(); ++m) {
                ThesisTridiagonal work(system, {.method = printed_transferred[m]},
                                       laboratory.queue(device));
                const double alone =
                    laboratory.milliseconds_of([&] { work.load(); }, [&] { work.solve(); });
                const double with = laboratory.milliseconds_of([&] {
                    work.load();
                    work.solve();
                    (void)work.solution();
                });
                table.add({std::to_string(rows), laboratory.device(device).id(),
                           name_of(printed_transferred[m]), cell(alone), cell(with),
                           cell(with - alone), cell(printed->alone[m]),
                           cell(printed->with_transfers[m])});
                least = m == 0 ? with - alone : std::min(least, with - alone);
                most = std::max(most, with - alone);
            }
            if (device == laboratory.main_device() && rows == laboratory.lengths(6).back())
                laboratory.find({"F12",
                                 fmt::format("transfers of three methods, {} rows, on {}", rows,
                                             laboratory.device(device).id()),
                                 "16.7 to 20.3 ms", fmt::format("{:.3f} to {:.3f} ms", least, most),
                                 most <= 1.25 * least});
        }
    laboratory.write("E2.csv", table);
}

void run_solver_errors(VolumeLaboratory& laboratory) {
    Table table(
        {"method", "precision", "device", "relative_error", "error_of_thesis", "thesis_error"});
    const std::int64_t rows = laboratory.quick() ? 4096 : 1 << 20;
    const int draws = laboratory.quick() ? 2 : 10;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device)
        for (const Precision precision : precisions_of(laboratory.device(device))) {
            const bool is_single = precision == Precision::single_;
            std::map<Method, TridiagonalErrors> errors;
            for (int draw = 1; draw <= draws; ++draw) {
                TridiagonalSystems system = random_system(rows, static_cast<std::uint64_t>(draw));
                for (auto* values : {&system.a, &system.b, &system.c, &system.d})
                    for (double& value : *values)
                        if (is_single) value = static_cast<float>(value);
                const std::vector<long double> exact = tridiagonal_in_long_double(system);
                for (const PrintedSolver& printed : printed_solvers) {
                    ThesisTridiagonal work(system,
                                           {.method = printed.method, .precision = precision},
                                           laboratory.queue(device));
                    laboratory.progress().throw_if_cancelled();
                    work.load();
                    work.solve();
                    const TridiagonalErrors found = tridiagonal_errors(work.solution(), exact);
                    errors[printed.method].relative += found.relative / draws;
                    errors[printed.method].of_thesis += found.of_thesis / draws;
                }
            }
            for (const PrintedSolver& printed : printed_solvers)
                table.add(
                    {name_of(printed.method), std::string(enum_name(precision)),
                     laboratory.device(device).id(), cell(errors[printed.method].relative),
                     cell(errors[printed.method].of_thesis),
                     cell(is_single ? printed.single_error * 1e-5 : printed.double_error * 1e-13)});
            if (device != laboratory.main_device() || !is_single) continue;
            const double thomas = errors[Method::thomas].relative, cr = errors[Method::cr].relative,
                         pcr = errors[Method::pcr].relative,
                         bondeli = errors[Method::bondeli].relative;
            laboratory.find(
                {"F11", "relative errors of thomas, cr, bondeli, pcr, single precision",
                 "in this order",
                 fmt::format("{:.3g}, {:.3g}, {:.3g}, {:.3g}", thomas, cr, bondeli, pcr),
                 thomas <= cr && cr < pcr && bondeli < pcr});
        }
    laboratory.write("E3.csv", table);
}

void run_solver_counts(VolumeLaboratory& laboratory) {
    Table table({"method", "operations", "thesis_operations", "accesses", "thesis_accesses",
                 "group_accesses", "thesis_group_accesses"});
    const std::int64_t rows = 1 << 20;
    const TridiagonalSystems system = random_system(rows);
    for (const PrintedSolver& printed : printed_solvers) {
        if (std::isnan(printed.operations)) continue;
        ThesisTridiagonal work(system, {.method = printed.method},
                               laboratory.queue(laboratory.main_device()));
        work.load();
        work.solve();
        const auto of_row = [&](double count) { return count / static_cast<double>(rows); };
        const double operations = of_row(work.counts().operations),
                     accesses = of_row(work.counts().accesses);
        table.add({name_of(printed.method), cell(operations), cell(printed.operations),
                   cell(accesses), cell(printed.accesses),
                   cell(of_row(work.counts().group_accesses)), cell(printed.group_accesses)});
        laboratory.find({"F10", "operations and accesses of a row, " + name_of(printed.method),
                         fmt::format("{:g}, {:g}", printed.operations, printed.accesses),
                         fmt::format("{:.1f}, {:.1f}", operations, accesses),
                         std::abs(operations / printed.operations - 1) <= 0.05 &&
                             std::abs(accesses / printed.accesses - 1) <= 0.05});
    }
    laboratory.write("E5.csv", table);
}

}  // namespace tesela::experiments
