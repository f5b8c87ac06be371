#include "transforms/tridiagonal_checks.h"

#include <algorithm>
#include <limits>
#include <string>

namespace tesela {

void check_tridiagonal(const Device& device, const TridiagonalLines& lines,
                       const std::array<std::int64_t, 4>& sizes, bool is_double) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (lines.rows < 1 || lines.counts[0] < 1 || lines.counts[1] < 1 || lines.rows > most ||
        lines.counts[0] > most || lines.counts[1] > most)
        throw InvalidArgument("tridiagonal systems need 1 to 2^31 - 1 rows and systems");
    if (lines.stride < 0 || lines.strides[0] < 0 || lines.strides[1] < 0)
        throw InvalidArgument("strides of tridiagonal systems must not be negative");
    const auto [a, b, c, d] = sizes;
    if (std::min({a, b, c, d}) < lines.elements())
        throw InvalidArgument("tridiagonal systems of this layout need " +
                              std::to_string(lines.elements()) + " elements; a, b, c and d have " +
                              std::to_string(a) + ", " + std::to_string(b) + ", " +
                              std::to_string(c) + " and " + std::to_string(d));
    if (is_double && !device.properties().has_f64)
        throw DeviceUnavailable("device " + device.id() +
                                " has no double precision; choose another device or float");
}

void check_tridiagonal_status(const Buffer<std::uint32_t>& status) {
    if (status.size() < 1) throw InvalidArgument("the status of tridiagonal systems has no room");
}

}  // namespace tesela
