// Components of the parts of an image, joined over the faces, edges and corners of the parts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "segmentation/components/part_runs.h"
#include "tesela/components.h"
#include "tesela/image_parts.h"

namespace tesela {

// What is known of a component, or of what a part has of one. Sums are whole numbers, so that they
// do not depend on the parts.
struct ComponentSums {
    std::int64_t area = 0;
    std::int64_t first_point = std::numeric_limits<std::int64_t>::max();  // of the whole image
    std::array<std::int32_t, 3> first{std::numeric_limits<std::int32_t>::max(),
                                      std::numeric_limits<std::int32_t>::max(),
                                      std::numeric_limits<std::int32_t>::max()};
    std::array<std::int32_t, 3> last{};
    std::array<std::int64_t, 3> sum{};  // of indices
    double value = 0;                   // of its pixels

    // The points of a row from `x` to `last_x`.
    void add_run(std::int64_t x, std::int64_t last_x, std::int64_t y, std::int64_t z);
    void add(const ComponentSums& other);
    Component component() const;
};

// Takes parts in any order and from several threads at once. It keeps the outermost labels of a
// part until all of its neighbors are there, and a record for what each part has of a component.
class ComponentJoiner {
  public:
    // Neighbors differ along at most `axes` axes. Records take at most `max_bytes`; 0: no limit.
    ComponentJoiner(const PartGrid& grid, int axes, std::int64_t max_bytes);
    ~ComponentJoiner();

    // The components of a part, where neighbors of equal value belong together, and what is known
    // of each of them; the background is none. Throws OutOfMemory.
    void add(std::int64_t part, const PartRuns& runs, std::vector<ComponentSums> sums);

    // When all parts are there: the components that `stays` takes, in raster order of their first
    // points. Gives how many there were.
    template <class Stays>
    std::int64_t finish(const Stays& stays, std::vector<ComponentSums>& components) {
        std::vector<std::uint32_t> kept = merged();
        const auto all = static_cast<std::int64_t>(kept.size());
        std::erase_if(kept, [&](std::uint32_t id) { return !stays(records_[id]); });
        number(std::move(kept), components);
        return all;
    }
    // Afterwards: numbers instead of the labels 1..N of a part, raster-first, 0 for the background
    // and what did not stay.
    void renumber(std::int64_t part, LabelImage& labels) const;

  private:
    struct Faces;

    void add_records(std::int64_t part, const std::vector<ComponentSums>& records);
    void join_neighbors(std::int64_t part);
    void join(std::int64_t part, std::int64_t other, const std::array<int, 3>& direction);
    void unite(std::uint32_t a, std::uint32_t b);
    std::uint32_t root_of(std::uint32_t id);
    // Adds up all records in those of roots, which it gives.
    std::vector<std::uint32_t> merged();
    void number(std::vector<std::uint32_t> kept, std::vector<ComponentSums>& components);

    PartGrid grid_;
    int axes_;
    std::int64_t most_;  // records
    std::mutex mutex_;
    std::vector<ComponentSums> records_;
    std::vector<std::uint32_t> parents_;  // of records; in the end numbers of components
    std::vector<std::uint32_t> bases_;    // of parts: the record of the first component
    std::vector<std::unique_ptr<Faces>> faces_;
    std::vector<std::int8_t> missing_;  // neighbors of each part that are not there yet, and itself
};

}  // namespace tesela
