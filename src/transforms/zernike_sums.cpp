#include "transforms/zernike_sums.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "transforms/zernike_kernels.h"

namespace tesela {

using std::int64_t;

std::vector<ZernikeOrder> zernike_orders(int order) {
    std::vector<ZernikeOrder> orders;
    orders.reserve(static_cast<std::size_t>(zernike_components(order) / 2));
    for (int p = 0; p <= order; ++p)
        for (int q = p % 2; q <= p; q += 2) orders.push_back({p, q});
    return orders;
}

int64_t zernike_place(int order, const ZernikeOrder& of) {
    return kernels::zernike_slot(order, of.q) + (of.p - of.q) / 2;
}
int64_t zernike_components(int order) {
    return 2 * int64_t{kernels::zernike_slot(order, order + 1)};
}

std::vector<double> zernike_coefficients(int order) {
    std::vector<double> coefficients;
    for (int q = 0; q <= order; ++q)
        for (int n = 0; q + 2 * n <= order; ++n) {
            const double m = n, p = q + 2 * n;
            coefficients.push_back(n == 0 ? 0 : (p - 1) * p / (m * (m + q)));
            coefficients.push_back(n < 2 ? 0 : (m - 1) * (m + q - 1) * p / (m * (m + q) * (p - 2)));
        }
    return coefficients;
}

template <class T>
ZernikeSums<T>::ZernikeSums(Queue& queue, int order)
    : queue_(queue), order_(order), components_(zernike_components(order)) {
    const std::vector<double> exact = zernike_coefficients(order);
    const std::vector<T> rounded(exact.begin(), exact.end());
    coefficients_ = queue.upload(std::span<const T>(rounded), "radial coefficients");
}

template <class T>
void ZernikeSums<T>::add(const Points& points, std::span<const std::uint32_t> starts,
                         Buffer<T>& totals, const Progress& progress) {
    constexpr std::uint32_t chunk = kernels::zernike_chunk;
    const auto most =
        static_cast<std::size_t>(std::max<int64_t>(1, most_zernike_partials / components_));
    Batch batch;
    const auto finish = [&] {
        progress.throw_if_cancelled();
        if (!batch.chunks.empty()) add(points, batch, totals);
        batch = {};
    };
    for (std::size_t object = 0; object + 1 < starts.size(); ++object) {
        bool is_in_batch = false;
        for (std::uint32_t first = starts[object]; first < starts[object + 1];) {
            if (batch.chunks.size() == 2 * most) {
                finish();
                is_in_batch = false;
            }
            const auto place = static_cast<std::uint32_t>(batch.chunks.size() / 2);
            if (batch.ranges.empty()) batch.first_object = static_cast<int64_t>(object);
            if (!is_in_batch) batch.ranges.insert(batch.ranges.end(), {place, place});
            is_in_batch = true;
            const std::uint32_t count = std::min(chunk, starts[object + 1] - first);
            batch.chunks.insert(batch.chunks.end(), {first, count});
            batch.ranges.back() = place + 1;
            first += count;
        }
    }
    finish();
}

template <class T>
void ZernikeSums<T>::add(const Points& points, const Batch& batch, Buffer<T>& totals) {
    const auto chunk_count = static_cast<int64_t>(batch.chunks.size() / 2);
    const auto chunks =
        queue_.upload(std::span<const std::uint32_t>(batch.chunks), "chunks of points");
    const auto ranges =
        queue_.upload(std::span<const std::uint32_t>(batch.ranges), "chunks of objects");
    auto partials = queue_.allocate<T>(chunk_count * components_, "partial sums");
    const kernels::zernike_sum_settings settings{points.capacity, components_, order_,
                                                 points.is_folded};
    queue_.launch(ZernikeKernels<T>::sums, Groups{chunk_count, order_ + 1}, points.numbers,
                  coefficients_, chunks, partials, settings);
    constexpr int64_t wide = kernels::zernike_total_items;
    queue_.launch(
        ZernikeKernels<T>::totals,
        Groups{(components_ + wide - 1) / wide, static_cast<int64_t>(batch.ranges.size() / 2)},
        partials, ranges, totals, components_, batch.first_object);
}

double zernike_factor(const ZernikeMoments& moments, int p) {
    switch (moments.normalization) {
        case ZernikeNormalization::mass:
            return (p + 1) / std::numbers::pi / moments.sum;
        case ZernikeNormalization::area:
            return 1 / (std::numbers::pi * moments.radius * moments.radius);
        default:
            return (p + 1) / static_cast<double>(moments.pixels);
    }
}

template <class T>
void set_zernike_values(ZernikeMoments& moments, std::span<const T> totals) {
    moments.sum = static_cast<double>(totals[0]);
    if (moments.normalization == ZernikeNormalization::mass && moments.sum == 0)
        throw InvalidArgument(
            "the values in the circle sum up to 0, by which --normalization mass divides; use "
            "pixels or area");
    const std::vector<ZernikeOrder> orders = zernike_orders(moments.order);
    moments.values.reserve(orders.size());
    for (const ZernikeOrder& of : orders) {
        const auto place = static_cast<std::size_t>(2 * zernike_place(moments.order, of));
        moments.values.push_back(zernike_factor(moments, of.p) *
                                 std::complex<double>(totals[place], totals[place + 1]));
    }
}

const std::complex<double>& ZernikeMoments::operator()(int p, int q) const {
    // There are floor(i / 2) + 1 of order i.
    return values[static_cast<std::size_t>(p + (p / 2) * ((p - 1) / 2) + q / 2)];
}

bool takes_double(const ZernikeOptions& options, const Device& device,
                  std::vector<std::string>& warnings) {
    if (options.precision == Precision::single_) return false;
    if (device.properties().has_f64) return true;
    warnings.push_back("device " + device.id() +
                       " has no double precision: moments are computed in single precision, "
                       "within " +
                       detail::shown(zernike_single_error(options.order)) +
                       " of the moment of order 0");
    return false;
}

#define TESELA_ZERNIKE_OF(T)       \
    template class ZernikeSums<T>; \
    template void set_zernike_values(ZernikeMoments&, std::span<const T>);
TESELA_ZERNIKE_OF(float)
TESELA_ZERNIKE_OF(double)
#undef TESELA_ZERNIKE_OF

}  // namespace tesela
