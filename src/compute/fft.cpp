#include "tesela/compute/fft.h"

#include <algorithm>
#include <limits>
#include <string>

#include "compute/portable_fft.h"
#include "compute/primitive_checks.h"

namespace tesela {
namespace {

constexpr std::int64_t longest_axis = std::int64_t{1} << 26;
constexpr std::int64_t most_values = std::int64_t{1} << 40;
constexpr std::int64_t most_lines = std::numeric_limits<std::int32_t>::max();

using Call = detail::BackendQueue::FftCall;

bool run_tuned(Queue& queue, Call::Kind kind, FftDirection direction, const FftShape& shape,
               const Buffer<float>* real, const Buffer<float>& spectrum) {
    detail::QueueCore& core = queue.core();
    const Call call{kind,
                    direction,
                    shape,
                    real ? real->block()->pointer() : nullptr,
                    spectrum.block()->pointer(),
                    &core.counters.plans};
    return core.run_tuned(&detail::BackendQueue::fft, call);
}

void check_shape(const detail::PrimitiveChecks& checks, const FftShape& shape) {
    std::int64_t values = 1;
    for (const std::int64_t axis : {shape.size[0], shape.size[1], shape.size[2], shape.batch}) {
        if (axis < 1) checks.fail("needs axes of at least 1, not " + std::to_string(axis));
        if (axis > most_values / values) checks.fail("transforms at most 2^40 values");
        values *= axis;
    }
    for (const std::int64_t axis : shape.size) {
        if (axis > longest_axis)
            checks.fail("takes axes of at most 2^26 values, not " + std::to_string(axis));
        if (values / axis > most_lines) checks.fail("takes at most 2^31-1 lines");
    }
}

}  // namespace

void fft_forward(Queue& queue, const FftShape& shape, const Buffer<float>& real,
                 Buffer<float>& spectrum) {
    const detail::PrimitiveChecks checks(queue, "fft_forward", shape.batch);
    check_shape(checks, shape);
    checks.has(real, "real", shape.values());
    checks.has(spectrum, "spectrum", 2 * shape.half_values());
    checks.apart(real, spectrum, "real and spectrum");
    if (!run_tuned(queue, Call::Kind::forward, FftDirection::forward, shape, &real, spectrum))
        detail::portable::fft_forward(queue, shape, real, spectrum);
}

void fft_inverse(Queue& queue, const FftShape& shape, Buffer<float>& spectrum,
                 Buffer<float>& real) {
    const detail::PrimitiveChecks checks(queue, "fft_inverse", shape.batch);
    check_shape(checks, shape);
    checks.has(spectrum, "spectrum", 2 * shape.half_values());
    checks.has(real, "real", shape.values());
    checks.apart(real, spectrum, "real and spectrum");
    if (!run_tuned(queue, Call::Kind::inverse, FftDirection::inverse, shape, &real, spectrum))
        detail::portable::fft_inverse(queue, shape, spectrum, real);
}

void fft_complex(Queue& queue, const FftShape& shape, FftDirection direction,
                 Buffer<float>& values) {
    const detail::PrimitiveChecks checks(queue, "fft_complex", shape.batch);
    check_shape(checks, shape);
    checks.has(values, "values", 2 * shape.values());
    if (!run_tuned(queue, Call::Kind::complex, direction, shape, nullptr, values))
        detail::portable::fft_complex(queue, shape, direction, values);
}

std::int64_t fft_device_bytes(Queue& queue, const FftShape& shape, FftKind kind) {
    check_shape(detail::PrimitiveChecks(queue, "fft_device_bytes", shape.batch), shape);
    return detail::portable::fft_device_bytes(queue, shape, kind);
}

std::int64_t good_fft_size(std::int64_t n) {
    for (std::int64_t size = std::max<std::int64_t>(n + n % 2, 2);; size += 2) {
        std::int64_t left = size;
        for (const std::int64_t factor : {2, 3, 5, 7})
            while (left % factor == 0) left /= factor;
        if (left == 1) return size;
    }
}

}  // namespace tesela
