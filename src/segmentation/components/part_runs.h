// Components of a part of an image, on the host and run by run: no point gets a label, so that it
// takes little more than looking at the points once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// A value besides 0 and where it is first found, in the raster of a part or of the whole.
struct FoundValue {
    std::int64_t point = -1;
    double value = 0;
};

// The rows of a part, cut into runs of points that belong together. It may be used for one part
// after the other, and keeps its memory.
class PartRuns {
  public:
    // Runs of equal values, or where `binary` of what is not 0 and of what is. Runs of rows beside
    // one another are united where they have points that differ along at most `axes` axes. There
    // are no NaN among the values. T is any type of pixels.
    template <class T>
    void find(const Image<T>& part, int axes, bool binary);

    const std::array<std::int64_t, 3>& lengths() const { return lengths_; }
    // Components, which are numbered from 0 by their first points.
    std::uint32_t count() const { return count_; }
    // The first two values besides 0, in the raster of the part.
    const std::array<FoundValue, 2>& first_values() const { return first_values_; }

    // Calls `work` with the component of each run, its first and last point along x, and y and z.
    template <class Work>
    void for_each(const Work& work) const {
        std::int64_t row = 0;
        for (std::int64_t z = 0; z < lengths_[2]; ++z)
            for (std::int64_t y = 0; y < lengths_[1]; ++y, ++row)
                for (std::uint32_t run = rows_[static_cast<std::size_t>(row)];
                     run < rows_[static_cast<std::size_t>(row) + 1]; ++run)
                    work(labels_[run], begin(run), end(run, row) - 1, y, z);
    }
    // The components of the points of a row, and of its first and last one.
    void paint(std::int64_t y, std::int64_t z, std::uint32_t* to) const;
    std::uint32_t first_of_row(std::int64_t y, std::int64_t z) const;
    std::uint32_t last_of_row(std::int64_t y, std::int64_t z) const;

    // Memory at most for a part of so many points and rows, in bytes.
    static std::int64_t bytes(const Shape& part);

  private:
    std::int64_t begin(std::uint32_t run) const { return begins_[run]; }
    std::int64_t end(std::uint32_t run, std::int64_t row) const {
        return run + 1 < rows_[static_cast<std::size_t>(row) + 1] ? begins_[run + 1] : lengths_[0];
    }
    std::uint32_t root_of(std::uint32_t run);
    void unite(std::uint32_t a, std::uint32_t b);
    template <class T>
    void cut_row(const T* values, std::int64_t row, bool binary);
    template <class Same>
    void join_rows(std::int64_t row, std::int64_t other, bool at_corners, const Same& same);
    void number();

    std::array<std::int64_t, 3> lengths_{};
    std::uint32_t count_ = 0;
    std::array<FoundValue, 2> first_values_;
    std::vector<std::uint32_t> rows_;    // the first run of each row, and the number of all
    std::vector<std::int32_t> begins_;   // of runs
    std::vector<std::uint32_t> labels_;  // of runs; at first, one that is united with it before it
};

}  // namespace tesela
