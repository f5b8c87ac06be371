// What edits have changed in a label map, kept so that they can be taken back and done again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tesela/image.h"
#include "tesela/label_table.h"

namespace tesela::viewer {

// Lowest and highest index along x, y and z, both inside, in one frame or in all of them.
struct LabelBox {
    std::array<std::int64_t, 3> first{}, last{};
    std::optional<std::int64_t> t = {};

    bool empty() const { return last[0] < first[0]; }
};

// Points whose label has changed, as runs of equal changes in raster order. They take a few bytes
// each, and less where they repeat.
class LabelDifference {
  public:
    // Points that lie behind all that there are; before != after.
    void add(std::int64_t first, std::int64_t length, std::uint32_t before, std::uint32_t after);
    // No more will be added.
    void close();

    // Calls take(first, length, before, after) for each run, in their order.
    using Take = std::function<void(std::int64_t, std::int64_t, std::uint32_t, std::uint32_t)>;
    void for_each(const Take& take) const;
    std::int64_t points() const { return points_; }
    std::int64_t bytes() const;
    // Where the points lie in a label map of the shape.
    LabelBox box(const Shape& shape) const;

  private:
    struct Run {
        std::int64_t first = 0, length = 0;
        std::uint32_t before = 0, after = 0;
    };
    // Runs as numbers of seven bits a byte: the gap before each, its length and its labels.
    struct Chunk {
        std::string bytes;
        bool is_packed = false;
    };

    void write(const Run& run);
    void pack();

    std::vector<Chunk> chunks_;  // each begins to count at point 0
    std::string open_;
    std::int64_t end_ = 0;  // of the last run in `open_`
    Run last_;
    std::int64_t points_ = 0;
};

// What an edit did to the name and the color of a label; nothing: it is not in the table.
struct TableChange {
    std::uint32_t label = 0;
    std::optional<LabelDescription> before, after;
};

struct LabelStep {
    std::string name;  // "stroke", for the list of what can be taken back
    LabelDifference difference = {};
    std::vector<TableChange> table = {};
    std::uint64_t id = 0;  // of the state that it leads to

    std::int64_t bytes() const;
};

class LabelHistory {
  public:
    // What is kept at most; the oldest steps go first, and the newest one always stays.
    LabelHistory(std::size_t most_steps, std::int64_t most_bytes)
        : most_steps_(most_steps), most_bytes_(most_bytes) {}

    // A step that was done. Those that were taken back are forgotten.
    void add(LabelStep step);
    // Null: there is none.
    const LabelStep* to_undo() const;
    const LabelStep* to_redo() const;
    void undone() { --done_; }
    void redone() { ++done_; }
    // Which state the labels are in: 0 at first, another one behind each step.
    std::uint64_t state() const;
    std::int64_t bytes() const { return bytes_; }
    // Drops the oldest steps until they take no more than so many bytes.
    void shrink(std::int64_t bytes);

  private:
    void drop_oldest();

    const std::size_t most_steps_;
    const std::int64_t most_bytes_;
    std::deque<LabelStep> steps_;
    std::size_t done_ = 0;           // of the steps; the others were taken back
    std::uint64_t last_id_ = 0;      // that was given
    std::uint64_t first_state_ = 0;  // before the oldest step
    std::int64_t bytes_ = 0;
};

}  // namespace tesela::viewer
