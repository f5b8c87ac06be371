// A tridiagonal system as a thesis solves it, for comparison with `solve_tridiagonal`.
//
// J. Lamas Rodriguez, "Tecnicas para la segmentacion y visualizacion eficiente de imagen medica 3D:
// explotando la arquitectura de la GPU", doctoral thesis, Universidade de Santiago de Compostela,
// 2014, section 2.5.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/flow_options.h"
#include "tesela/options.h"
#include "tesela/tridiagonal_systems.h"

namespace tesela {

enum class ThesisTridiagonalMethod {
    thomas,
    threads,
    cr,
    cr_reordered,
    cr_split,
    pcr,
    pcr_split,
    bondeli,
    wang
};
constexpr auto enum_names(ThesisTridiagonalMethod) {
    using E = ThesisTridiagonalMethod;
    return std::array{EnumNames<E>{E::thomas, "thomas"},
                      EnumNames<E>{E::threads, "bondeli-threads"},
                      EnumNames<E>{E::cr, "cr"},
                      EnumNames<E>{E::cr_reordered, "cr-reordered"},
                      EnumNames<E>{E::cr_split, "cr-split"},
                      EnumNames<E>{E::pcr, "pcr"},
                      EnumNames<E>{E::pcr_split, "pcr-split"},
                      EnumNames<E>{E::bondeli, "bondeli"},
                      EnumNames<E>{E::wang, "wang"}};
}
constexpr auto enum_help(ThesisTridiagonalMethod) {
    return std::array<std::string_view, 9>{
        "elimination on one thread of the host",
        "a part of the system for each thread of the host",
        "cyclic reduction, a launch a level",
        "the same, equations of a level side by side",
        "the same, several levels in a group's memory",
        "parallel cyclic reduction",
        "the same, several levels in a group's memory",
        "parts of 256 equations, and a system of their couplings",
        "parts that lose their diagonals one after the other"};
}

struct ThesisTridiagonalOptions {
    ThesisTridiagonalMethod method = ThesisTridiagonalMethod::cr_split;
    Precision precision = Precision::single_;
    int levels = 0;
    int part = 0;
};

template <class V>
void describe(V&& v, ThesisTridiagonalOptions& o) {
    v("method", o.method, "how the system is solved");
    v("precision", o.precision, "floating-point precision");
    v("levels", o.levels, "levels that a group does at once; 0: the most",
      OptionRange{.lowest = 0, .highest = 7});
    v("part", o.part, "equations of a part of wang; 0: their root",
      OptionRange{.lowest = 0, .highest = 1 << 20});
}

// What a solution takes: operations of numbers, and numbers that are read or written in the
// device's memory and in that of groups.
struct ThesisTridiagonalCounts {
    double operations = 0, accesses = 0, group_accesses = 0;
};

// The work on one system, of which the arrays are prepared once.
class ThesisTridiagonal {
  public:
    // `queue` outlives this. 0 `threads` are all of the host. Throws InvalidArgument (several
    // systems, none or more than 2^30 equations, options), DeviceUnavailable (double precision that
    // the device does not have), OutOfMemory.
    ThesisTridiagonal(const TridiagonalSystems& system, const ThesisTridiagonalOptions& options,
                      Queue& queue, int threads = 0);
    ~ThesisTridiagonal();
    ThesisTridiagonal(const ThesisTridiagonal&) = delete;
    ThesisTridiagonal& operator=(const ThesisTridiagonal&) = delete;

    void load();   // the system to the device, before each solution; returns when it is there
    void solve();  // uses it up; returns when it is done
    std::vector<double> solution() const;
    const ThesisTridiagonalCounts& counts() const;  // of the last solution; none of `threads`
    // Where reordered equations are when their unknowns are computed; empty of other methods.
    std::vector<std::int32_t> places() const;

    class Work;  // in one precision

  private:
    std::unique_ptr<Work> work_;
};

// Device memory at most, in bytes.
std::int64_t tridiagonal_thesis_bytes(std::int64_t rows, const ThesisTridiagonalOptions& options);

// The solution by elimination in long double.
std::vector<long double> tridiagonal_in_long_double(const TridiagonalSystems& system);

struct TridiagonalErrors {
    double relative = 0;   // |x - exact| / |exact|, Euclidean norms
    double of_thesis = 0;  // eq. 2.47: the root of the sum of squared relative errors, by the rows
};
TridiagonalErrors tridiagonal_errors(const std::vector<double>& x,
                                     const std::vector<long double>& exact);

}  // namespace tesela
