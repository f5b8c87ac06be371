// Objects whose parts are measured one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "measuring/hull_rows.h"
#include "measuring/object_measures.h"

namespace tesela::measuring {

// What is counted of an object. Left and right ends of rows are those of the whole map.
struct ObjectCounts {
    ObjectSums sums;
    BoundaryCounts boundary{};
    HullRows left = {}, right = {};
};

// What must not take more memory than there is.
class MemoryUse {
  public:
    // 0: no limit.
    explicit MemoryUse(std::int64_t most) : most_(most) {}
    // More, or less. Throws OutOfMemory.
    void change(std::int64_t bytes);

  private:
    std::int64_t most_, used_ = 0;
};

// Objects by their labels. `add` may be called from several threads at once.
class ObjectJoiner {
  public:
    explicit ObjectJoiner(MemoryUse& memory) : memory_(memory) {}

    struct Part {
        std::uint32_t label;
        ObjectSums sums;  // in indices of the whole map
        BoundaryCounts boundary{};
        std::vector<RowEnd> left = {}, right = {};
    };
    void add(std::span<const Part> parts);

    // When all parts are there, in the order of labels.
    void sort();
    std::int64_t count() const { return std::ssize(objects_); }
    std::uint32_t label(std::size_t object) const { return labels_[object]; }
    const ObjectCounts& operator[](std::size_t object) const { return objects_[object]; }
    // The place of the object with this label.
    std::size_t place(std::uint32_t label) const { return places_.at(label); }

  private:
    MemoryUse& memory_;
    std::mutex mutex_;
    std::unordered_map<std::uint32_t, std::uint32_t> places_;
    std::vector<std::uint32_t> labels_;
    std::vector<ObjectCounts> objects_;
};

}  // namespace tesela::measuring
