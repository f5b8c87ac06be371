// A tissue with vessels that has an amount of stains at every point of the plane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tesela {

// A well mixed number of a place (the finalizer of MurmurHash3), from 0 to 1.
double hashed(std::uint64_t seed, std::int64_t x, std::int64_t y, std::uint64_t kind);

// Amounts of hematoxylin, and of what eosin or DAB stain; `marked` is the DAB of a stain that only
// a few nuclei take.
struct StainAmounts {
    double hematoxylin = 0, eosin = 0, dab = 0, marked = 0;
};

// Lengths are in parts of the shorter side of a section; the tissue lies around (0, 0).
class SectionTissue {
  public:
    // `pixel`: the length over which edges are soft.
    SectionTissue(std::uint64_t seed, double pixel);

    bool is_inside(double x, double y) const;
    StainAmounts amounts(double x, double y) const;
    // Where the outline is in the direction of an angle.
    double radius_at(double angle) const;

    struct Vessel {
        double x, y, radius;
        double bend_x, bend_y;  // to its other end; 0 where it is cut across
    };
    const std::vector<Vessel>& vessels() const { return vessels_; }

  private:
    struct Cut {
        double lumen = 0, wall = 0;
    };
    Cut vessels_at(double x, double y) const;
    double noise(double x, double y, double length, std::uint64_t kind) const;
    // Of nuclei in a share of the places, in all of them or in those that a stain marks.
    double nuclei(double x, double y, double share, double marked = 1) const;
    void add_vessel(const Vessel& vessel);

    static constexpr int cells = 64;  // of the table of vessels, from -0.5 to 0.5

    std::uint64_t seed_;
    double pixel_;
    std::array<double, 6> waves_{}, turns_{};
    std::vector<Vessel> vessels_;
    std::vector<std::vector<std::int32_t>> near_;
};

}  // namespace tesela
