// The keys of an object that has points in several parts, by their ranks: in one round of the image
// for keys of 16 bits, in two for others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measuring/object_measures.h"

namespace tesela::measuring {

struct KeyCount {
    std::uint32_t key;
    std::int64_t count;
};

class KeyRanks {
  public:
    // Of an object of so many points, with keys of so many bits.
    KeyRanks(std::int64_t points, int bits) : points_(points), bits_(bits) {}

    // All keys of a part, in any order.
    void add(std::span<const std::uint32_t> keys);
    // When all parts are there: whether they are needed once more.
    bool needs_another_round();
    // Afterwards.
    RankedKeys keys() const;
    // Of what is kept.
    std::int64_t bytes() const;

  private:
    // The high halves of keys of the ranks that are asked for, and how many keys are below.
    struct Half {
        std::uint32_t high;
        std::int64_t below;
        std::vector<KeyCount> lows = {};
    };

    bool is_split() const { return bits_ > 16; }
    std::array<std::int64_t, std::tuple_size_v<RankedKeys>> ranks() const;

    std::int64_t points_;
    int bits_;
    std::vector<KeyCount> counts_;  // of keys or their high halves
    std::vector<Half> halves_;      // in the second round
};

}  // namespace tesela::measuring
