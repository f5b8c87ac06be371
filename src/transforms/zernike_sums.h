// Sums over points in the unit disk, from which Zernike moments are made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/progress.h"
#include "tesela/zernike.h"

namespace tesela {

// The place of a moment among those that kernels make, which come by q, then p.
std::int64_t zernike_place(int order, const ZernikeOrder& of);
// Two numbers for each moment.
std::int64_t zernike_components(int order);
// Device memory of partial sums, in numbers.
inline constexpr std::int64_t most_zernike_partials = 1 << 24;

// a_n and c_n of the polynomials (src/kernels/transforms/zernike.body.h), in that order.
std::vector<double> zernike_coefficients(int order);

template <class T>
class ZernikeSums {
  public:
    ZernikeSums(Queue& queue, int order);

    // Points of which x, y and values stand `capacity` numbers apart.
    struct Points {
        const Buffer<T>& numbers;
        std::int64_t capacity;
        bool is_folded;
    };
    // Object o has the points from starts[o] to before starts[o + 1], at least one. Adds to the
    // totals of each, zernike_components numbers an object.
    void add(const Points& points, std::span<const std::uint32_t> starts, Buffer<T>& totals,
             const Progress& progress);

    std::int64_t components() const { return components_; }
    const Buffer<T>& coefficients() const { return coefficients_; }

  private:
    struct Batch {
        std::vector<std::uint32_t> chunks, ranges;
        std::int64_t first_object = 0;
    };
    void add(const Points& points, const Batch& batch, Buffer<T>& totals);

    Queue& queue_;
    int order_;
    std::int64_t components_;
    Buffer<T> coefficients_;
};

// What the sum of f V*_pq is multiplied by.
double zernike_factor(const ZernikeMoments& moments, int p);
// Moments, from the totals of one object. Throws InvalidArgument where `mass` does not do.
template <class T>
void set_zernike_values(ZernikeMoments& moments, std::span<const T> totals);

// Whether the options ask for double precision, and the device has it. Adds what has to be said.
bool takes_double(const ZernikeOptions& options, const Device& device,
                  std::vector<std::string>& warnings);

// Gray values, as they are, or luma; what is said of alpha. Throws as zernike does.
Image<float> zernike_plane(const AnyImageView& image, std::vector<std::string>& warnings);

}  // namespace tesela
