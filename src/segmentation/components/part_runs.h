// Components of a part of an image, on the host and run by run: no point gets a label, and the
// background has no runs, so that it takes little more than looking at the points once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// A value besides 0 and where it is first found, in the raster of a part or of the whole.
struct FoundValue {
    std::int64_t point = -1;
    double value = 0;
};

// Runs of points of one component in the rows of a part, or of one of its faces.
struct RunRows {
    std::vector<std::uint32_t> firsts;       // the first run of each row, and the number of all
    std::vector<std::int32_t> begins, ends;  // of runs; ends are exclusive
    std::vector<std::uint32_t> components;   // of runs

    void clear();
    void end_row() { firsts.push_back(static_cast<std::uint32_t>(begins.size())); }
    void add(std::int64_t begin, std::int64_t end, std::uint32_t component);

    // The runs of a row.
    std::uint32_t first(std::int64_t row) const { return firsts[static_cast<std::size_t>(row)]; }
    std::uint32_t last(std::int64_t row) const { return first(row + 1); }

    // Calls `meet` with each run of a row and each of a row of `others` that have neighbors: points
    // at the same place, or where `at_corners` at places beside one another too.
    template <class Meet>
    void meet(std::int64_t row, const RunRows& others, std::int64_t other, bool at_corners,
              const Meet& meet) const {
        const std::int32_t reach = at_corners ? 1 : 0;
        const std::uint32_t end_a = last(row), end_b = others.last(other);
        std::uint32_t a = first(row), b = others.first(other);
        const auto try_pair = [&](std::uint32_t one, std::uint32_t two) {
            if (one < end_a && two < end_b && begins[one] < others.ends[two] + reach &&
                others.begins[two] < ends[one] + reach)
                meet(one, two);
        };
        while (a < end_a && b < end_b) {
            try_pair(a, b);
            const std::int32_t own = ends[a], theirs = others.ends[b];
            if (own == theirs && at_corners) {
                try_pair(a, b + 1);
                try_pair(a + 1, b);
            }
            a += own <= theirs;
            b += theirs <= own;
        }
    }
};

// The rows of a part, cut into runs of points that belong together. It may be used for one part
// after the other, and keeps its memory.
class PartRuns {
  public:
    // Runs of equal values but `background`, or where `binary` of what is not 0. Runs of rows
    // beside one another are united where they have points that differ along at most `axes` axes.
    // There are no NaN among the values. T is any type of pixels.
    template <class T>
    void find(const Image<T>& part, int axes, bool binary, std::optional<double> background);

    const std::array<std::int64_t, 3>& lengths() const { return lengths_; }
    // Components, which are numbered from 0 by their first points.
    std::uint32_t count() const { return count_; }
    // The first two values besides 0, in the raster of the part.
    const std::array<FoundValue, 2>& first_values() const { return first_values_; }
    const RunRows& rows() const { return rows_; }

    // Calls `work` with the component of each run, its first and last point along x, and y and z.
    template <class Work>
    void for_each(const Work& work) const {
        std::int64_t row = 0;
        for (std::int64_t z = 0; z < lengths_[2]; ++z)
            for (std::int64_t y = 0; y < lengths_[1]; ++y, ++row)
                for (std::uint32_t run = rows_.first(row); run < rows_.last(row); ++run)
                    work(rows_.components[run], rows_.begins[run], rows_.ends[run] - 1, y, z);
    }

    // Memory at most for a part of so many points and rows, in bytes.
    static std::int64_t bytes(const Shape& part);

  private:
    std::uint32_t root_of(std::uint32_t run);
    void unite(std::uint32_t a, std::uint32_t b);
    template <class T>
    void cut_row(const T* values, std::int64_t row, bool binary, const std::optional<T>& left_out);
    void note(double value, std::int64_t point);
    void number();

    std::array<std::int64_t, 3> lengths_{};
    std::uint32_t count_ = 0;
    std::array<FoundValue, 2> first_values_;
    RunRows rows_;  // at first a component is a run of it before, or the run itself
};

}  // namespace tesela
