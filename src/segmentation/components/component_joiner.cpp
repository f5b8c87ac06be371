#include "segmentation/components/component_joiner.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tesela {
namespace {

using Place = std::array<std::int64_t, 3>;

// The parts around one, and itself.
template <class Work>
void for_each_neighbor(const PartGrid& grid, std::int64_t part, const Work& work) {
    const Place at = grid.place(part);
    std::array<int, 3> d{};
    for (d[2] = -1; d[2] <= 1; ++d[2])
        for (d[1] = -1; d[1] <= 1; ++d[1])
            for (d[0] = -1; d[0] <= 1; ++d[0]) {
                Place other{};
                bool exists = true;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    other[axis] = at[axis] + d[axis];
                    exists &= other[axis] >= 0 && other[axis] < grid.counts()[axis];
                }
                if (exists) work(grid.number(other), d);
            }
}

// Points along an axis that have a neighbor in the part beside: `count` from `first` on, those of
// the other part from `other` on.
struct Pairs {
    std::int64_t first, count, other;
    bool differ;  // along this axis
};
std::vector<Pairs> pairs_along(int direction, std::int64_t own, std::int64_t other) {
    if (direction > 0) return {{own - 1, 1, 0, true}};
    if (direction < 0) return {{0, 1, other - 1, true}};
    return {{0, own, 0, false}, {0, own - 1, 1, true}, {1, own - 1, 0, true}};
}

// The component of the first or of the last point of a row of this length.
std::optional<std::uint32_t> component_at(const RunRows& rows, std::int64_t row, std::size_t side,
                                          std::int64_t length) {
    const std::uint32_t first = rows.first(row), last = rows.last(row);
    if (first == last) return {};
    if (side == 0 && rows.begins[first] == 0) return rows.components[first];
    if (side == 1 && rows.ends[last - 1] == length) return rows.components[last - 1];
    return {};
}

}  // namespace

void ComponentSums::add_run(std::int64_t x, std::int64_t last_x, std::int64_t y, std::int64_t z) {
    const std::int64_t count = last_x - x + 1;
    const std::array<std::int64_t, 3> begin{x, y, z}, end{last_x, y, z};
    area += count;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = std::min(first[axis], static_cast<std::int32_t>(begin[axis]));
        last[axis] = std::max(last[axis], static_cast<std::int32_t>(end[axis]));
        sum[axis] += count * (begin[axis] + end[axis]) / 2;
    }
}

void ComponentSums::add(const ComponentSums& other) {
    area += other.area;
    first_point = std::min(first_point, other.first_point);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = std::min(first[axis], other.first[axis]);
        last[axis] = std::max(last[axis], other.last[axis]);
        sum[axis] += other.sum[axis];
    }
}

Component ComponentSums::component() const {
    Component made{.area = area, .first = {}, .last = {}, .centroid = {}, .value = value};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        made.first[axis] = first[axis];
        made.last[axis] = last[axis];
        made.centroid[axis] = static_cast<double>(sum[axis]) / static_cast<double>(area);
    }
    return made;
}

// What a part has of components at its first and at its last points along axes of several parts:
// rows along the first of the two other axes, one after the other along the second.
struct ComponentJoiner::Faces {
    Place lengths;
    std::array<std::array<RunRows, 2>, 3> rows;

    Faces(const PartRuns& runs, const PartGrid& grid) : lengths(runs.lengths()) {
        const auto& [nx, ny, nz] = lengths;
        for (const std::size_t side : {0, 1}) {
            for (auto& faces : rows) faces[side].clear();
            if (grid.counts()[0] > 1)
                for (std::int64_t z = 0; z < nz; ++z) take_column(runs.rows(), side, z);
            if (grid.counts()[1] > 1)
                for (std::int64_t z = 0; z < nz; ++z)
                    take_row(runs.rows(), z * ny + (side == 0 ? 0 : ny - 1), rows[1][side]);
            if (grid.counts()[2] > 1)
                for (std::int64_t y = 0; y < ny; ++y)
                    take_row(runs.rows(), (side == 0 ? 0 : nz - 1) * ny + y, rows[2][side]);
        }
    }

  private:
    static void take_row(const RunRows& from, std::int64_t row, RunRows& to) {
        for (std::uint32_t run = from.first(row); run < from.last(row); ++run)
            to.add(from.begins[run], from.ends[run], from.components[run]);
        to.end_row();
    }
    // The first or the last points of the rows of a slice.
    void take_column(const RunRows& from, std::size_t side, std::int64_t z) {
        RunRows& to = rows[0][side];
        const std::size_t before = to.begins.size();
        for (std::int64_t y = 0; y < lengths[1]; ++y) {
            const std::int64_t row = z * lengths[1] + y;
            const auto found = component_at(from, row, side, lengths[0]);
            if (!found) continue;
            if (to.begins.size() > before && to.ends.back() == y && to.components.back() == *found)
                ++to.ends.back();
            else
                to.add(y, y + 1, *found);
        }
        to.end_row();
    }
};

ComponentJoiner::ComponentJoiner(const PartGrid& grid, int axes, std::int64_t max_bytes)
    : grid_(grid),
      axes_(axes),
      most_(std::numeric_limits<std::uint32_t>::max()),
      bases_(static_cast<std::size_t>(grid.count())),
      faces_(static_cast<std::size_t>(grid.count())),
      missing_(static_cast<std::size_t>(grid.count())) {
    // Vectors grow to twice their size, from a copy; then the table is made.
    constexpr std::int64_t bytes =
        3 * (sizeof(ComponentSums) + sizeof(std::uint32_t)) + sizeof(Component);
    if (max_bytes > 0) most_ = std::min(most_, max_bytes / bytes);
    for (std::int64_t part = 0; part < grid.count(); ++part)
        for_each_neighbor(grid, part, [&](std::int64_t, const auto&) {
            ++missing_[static_cast<std::size_t>(part)];
        });
}
ComponentJoiner::~ComponentJoiner() = default;

void ComponentJoiner::add(std::int64_t part, const PartRuns& runs,
                          std::vector<ComponentSums> sums) {
    auto faces = std::make_unique<Faces>(runs, grid_);
    const std::lock_guard lock(mutex_);
    add_records(part, sums);
    faces_[static_cast<std::size_t>(part)] = std::move(faces);
    join_neighbors(part);
}

void ComponentJoiner::add_records(std::int64_t part, const std::vector<ComponentSums>& records) {
    const std::int64_t before = std::ssize(records_), after = before + std::ssize(records);
    if (after > most_)
        throw OutOfMemory("the parts of the image have more than " + std::to_string(most_) +
                              " components, for which there is no memory; remove noise first, or "
                              "raise --max-memory",
                          after * static_cast<std::int64_t>(sizeof(ComponentSums)), -1);
    records_.insert(records_.end(), records.begin(), records.end());
    for (std::int64_t id = before; id < after; ++id)
        parents_.push_back(static_cast<std::uint32_t>(id));
    bases_[static_cast<std::size_t>(part)] = static_cast<std::uint32_t>(before);
}

void ComponentJoiner::join_neighbors(std::int64_t part) {
    for_each_neighbor(grid_, part, [&](std::int64_t number, const std::array<int, 3>& direction) {
        const auto other = static_cast<std::size_t>(number);
        if (number != part && faces_[other]) join(part, number, direction);
        --missing_[other];
    });
    for_each_neighbor(grid_, part, [&](std::int64_t number, const auto&) {
        const auto other = static_cast<std::size_t>(number);
        if (missing_[other] == 0) faces_[other].reset();
    });
}

void ComponentJoiner::join(std::int64_t part, std::int64_t number,
                           const std::array<int, 3>& direction) {
    const auto at = static_cast<std::size_t>(part), other_at = static_cast<std::size_t>(number);
    const Faces &own = *faces_[at], &other = *faces_[other_at];
    const std::uint32_t base = bases_[at], other_base = bases_[other_at];
    std::size_t across = 0;
    while (direction[across] == 0) ++across;
    const bool is_ahead = direction[across] > 0;
    const RunRows &ours = own.rows[across][is_ahead ? 1 : 0],
                  &theirs = other.rows[across][is_ahead ? 0 : 1];
    const std::size_t a = across == 0 ? 1 : 0, b = across == 2 ? 1 : 2;
    for (const Pairs& pairs : pairs_along(direction[b], own.lengths[b], other.lengths[b])) {
        const int more = axes_ - 1 - pairs.differ;  // axes along which the points may differ
        if (more < (direction[a] == 0 ? 0 : 1)) continue;
        for (std::int64_t j = 0; j < pairs.count; ++j) {
            const std::int64_t row = pairs.first + j, other_row = pairs.other + j;
            if (direction[a] == 0) {
                ours.meet(row, theirs, other_row, more > 0, [&](std::uint32_t x, std::uint32_t y) {
                    unite(base + ours.components[x], other_base + theirs.components[y]);
                });
                continue;
            }
            const std::size_t side = direction[a] > 0 ? 1 : 0;
            const auto one = component_at(ours, row, side, own.lengths[a]),
                       two = component_at(theirs, other_row, 1 - side, other.lengths[a]);
            if (one && two) unite(base + *one, other_base + *two);
        }
    }
}

void ComponentJoiner::unite(std::uint32_t a, std::uint32_t b) {
    if (records_[a].value != records_[b].value) return;
    a = root_of(a);
    b = root_of(b);
    parents_[std::max(a, b)] = std::min(a, b);
}

// Halves the path on the way.
std::uint32_t ComponentJoiner::root_of(std::uint32_t id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
}

std::vector<std::uint32_t> ComponentJoiner::merged() {
    std::vector<std::uint32_t> roots;
    for (std::size_t k = 0; k < records_.size(); ++k) {
        const auto id = static_cast<std::uint32_t>(k);
        const std::uint32_t root = parents_[id] = root_of(id);  // never above `id`
        if (root == id)
            roots.push_back(id);
        else
            records_[root].add(records_[id]);
    }
    return roots;
}

void ComponentJoiner::number(std::vector<std::uint32_t> kept,
                             std::vector<ComponentSums>& components) {
    std::sort(kept.begin(), kept.end(), [&](std::uint32_t a, std::uint32_t b) {
        return records_[a].first_point < records_[b].first_point;
    });
    components.clear();
    components.reserve(kept.size());
    std::vector<std::uint32_t> numbers(records_.size());
    for (const std::uint32_t root : kept) {
        components.push_back(records_[root]);
        numbers[root] = static_cast<std::uint32_t>(components.size());
    }
    records_ = {};
    for (std::uint32_t& parent : parents_) parent = numbers[parent];
}

void ComponentJoiner::renumber(std::int64_t part, LabelImage& labels) const {
    const std::uint32_t* numbers = parents_.data() + bases_[static_cast<std::size_t>(part)];
    for (std::uint32_t& label : labels.pixels())
        if (label > 0) label = numbers[label - 1];
}

}  // namespace tesela
