// Rows F02 to F10 of spec 004: tridiagonal systems as the thesis solves them.
#include "tesela/tridiagonal_thesis.h"

#include <cmath>

#include "devices.h"

namespace tesela {
namespace {

using Method = ThesisTridiagonalMethod;

TridiagonalSystems random_system(std::int64_t rows) {
    return random_tridiagonal(contiguous_lines(rows, 1), TridiagonalKind::dominant, 5);
}

class ThesisTridiagonalSystems : public testing::OnDevice {
  protected:
    bool has_double() const { return GetParam().properties().has_f64; }
    std::vector<double> solved(const TridiagonalSystems& system,
                               const ThesisTridiagonalOptions& options, int threads = 2) {
        ThesisTridiagonal work(system, options, queue_, threads);
        work.load();
        work.solve();
        return work.solution();
    }
    // Of the system as it is in this precision.
    double error(TridiagonalSystems system, const ThesisTridiagonalOptions& options) {
        if (options.precision == Precision::single_)
            for (std::vector<double>* values : {&system.a, &system.b, &system.c, &system.d})
                for (double& value : *values) value = static_cast<float>(value);
        return tridiagonal_errors(solved(system, options), tridiagonal_in_long_double(system))
            .relative;
    }

    Queue queue_{GetParam()};
};

TEST_P(ThesisTridiagonalSystems, EveryMethodSolvesAnyNumberOfRows) {
    testing::Cases cases(GetParam());
    for (const auto& [method, name] : enum_names(Method{}))
        for (const std::int64_t rows :
             {1, 2, 3, 37, 255, 256, 257, 300, 511, 513, 1000, 1024, 65536, 70001}) {
            if (rows > 1024 && !cases.take()) continue;
            SCOPED_TRACE(std::string(name) + ", " + std::to_string(rows) + " rows");
            const TridiagonalSystems system = random_system(rows);
            EXPECT_LT(error(system, {.method = method}), 4e-7);
            if (!has_double()) continue;
            EXPECT_LT(error(system, {.method = method, .precision = Precision::double_}), 1e-15);
        }
}

TEST_P(ThesisTridiagonalSystems, LevelsAndPartsDoNotMatter) {
    const TridiagonalSystems system = random_system(3000);
    for (int levels = 1; levels <= 7; ++levels) {
        SCOPED_TRACE(levels);
        EXPECT_LT(error(system, {.method = Method::cr_split, .levels = levels}), 4e-7);
        if (levels > 4) continue;
        EXPECT_LT(error(system, {.method = Method::pcr_split, .levels = levels}), 4e-7);
    }
    for (const int part : {2, 3, 4, 7, 64, 3000, 5000})
        EXPECT_LT(error(system, {.method = Method::wang, .part = part}), 1e-6) << part;
    for (const int threads : {1, 3, 8}) {
        const std::vector<double> x =
            solved(system, {.method = Method::threads, .precision = Precision::double_}, threads);
        EXPECT_LT(tridiagonal_errors(x, tridiagonal_in_long_double(system)).relative, 1e-15);
    }
}

// Couplings of two parts that are 0, as of lines of a volume one after the other.
TEST_P(ThesisTridiagonalSystems, PartsMayBeUncoupled) {
    for (int which = 0; which < 16; ++which) {
        SCOPED_TRACE(which);
        TridiagonalSystems system = random_system(1000);
        for (const std::size_t border : {std::size_t{256}, std::size_t{512}}) {
            const int bits = border == 256 ? which : which >> 2;
            if (bits & 1) system.a[border] = 0;
            if (bits & 2) system.c[border - 1] = 0;
        }
        EXPECT_LT(error(system, {.method = Method::bondeli}), 3e-7);
        if (!has_double()) continue;
        EXPECT_LT(error(system, {.method = Method::bondeli, .precision = Precision::double_}),
                  1e-15);
    }
}

TEST_P(ThesisTridiagonalSystems, EquationsOfALevelLieSideBySide) {
    const std::int64_t rows = 1000;
    ThesisTridiagonal work(random_system(rows), {.method = Method::cr_reordered}, queue_);
    work.load();
    work.solve();
    const std::vector<std::int32_t> places = work.places();
    ASSERT_EQ(std::ssize(places), rows);
    for (std::int64_t h = 1; h <= rows; h *= 2)
        for (std::int64_t number = 3 * h; number <= rows; number += 2 * h)
            ASSERT_EQ(places[static_cast<std::size_t>(number - 1)],
                      places[static_cast<std::size_t>(number - 1 - 2 * h)] + 1)
                << number;
}

TEST_P(ThesisTridiagonalSystems, WorkIsThatOfTable21) {
    const std::int64_t rows = 1 << 16;
    const auto counts_of = [&](Method method) {
        ThesisTridiagonal work(random_system(rows), {.method = method}, queue_);
        work.load();
        work.solve();
        return work.counts();
    };
    const auto times = [&](double factor) { return factor * static_cast<double>(rows); };
    const auto expect_near = [&](double found, double printed) {
        EXPECT_NEAR(found, times(printed), times(0.05 * printed));
    };
    for (const Method method : {Method::cr, Method::cr_reordered, Method::cr_split})
        expect_near(counts_of(method).operations, 17);
    expect_near(counts_of(Method::cr).accesses, 23);
    expect_near(counts_of(Method::cr_reordered).accesses, 33);
    EXPECT_LE(counts_of(Method::cr_split).accesses, times(12));
    for (const Method method : {Method::pcr, Method::pcr_split})
        expect_near(counts_of(method).operations, 12 * 16);
    expect_near(counts_of(Method::pcr).accesses, 16 * 16);
}

TEST_P(ThesisTridiagonalSystems, WrongUseIsRefused) {
    const auto make = [&](const TridiagonalSystems& system,
                          const ThesisTridiagonalOptions& options) {
        ThesisTridiagonal work(system, options, queue_);
    };
    EXPECT_THROW(
        make(random_tridiagonal(contiguous_lines(10, 2), TridiagonalKind::dominant, 1), {}),
        InvalidArgument);
    EXPECT_THROW(make(random_system(10), {.method = Method::pcr_split, .levels = 5}),
                 InvalidArgument);
    EXPECT_THROW(make(random_system(10), {.method = Method::wang, .part = 1}), InvalidArgument);
}

TESELA_ON_EVERY_DEVICE(ThesisTridiagonalSystems);

}  // namespace
}  // namespace tesela
