// Zernike moments of one order as a thesis computes them, for comparison with `zernike`.
//
// A. Ruiz Sanchez, "Clasificacion tisular en GPU: aceleracion y optimizaciones", doctoral thesis,
// Universidad de Malaga, 2015, chapter 6: five stages for each repetition, radial polynomials by
// their sum (eq. 6.4) or q-recursively (C.-W. Chong, P. Raveendran, R. Mukundan, Pattern
// Recognition 36(3), 2003).
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/flow_options.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

enum class ThesisZernikeMethod { direct, recursive };
constexpr auto enum_names(ThesisZernikeMethod) {
    using E = ThesisZernikeMethod;
    return std::array{EnumNames<E>{E::direct, "direct"}, EnumNames<E>{E::recursive, "recursive"}};
}
constexpr auto enum_help(ThesisZernikeMethod) {
    return std::array<std::string_view, 2>{"each radial polynomial as a sum of powers",
                                           "each from the two of the next higher repetitions"};
}

enum class ThesisZernikeLaunch { each, sequence, queues };
constexpr auto enum_names(ThesisZernikeLaunch) {
    using E = ThesisZernikeLaunch;
    return std::array{EnumNames<E>{E::each, "each"}, EnumNames<E>{E::sequence, "sequence"},
                      EnumNames<E>{E::queues, "queues"}};
}
constexpr auto enum_help(ThesisZernikeLaunch) {
    return std::array<std::string_view, 3>{"one kernel after the other",
                                           "all kernels as one launch, where the device can",
                                           "a queue for each repetition"};
}

struct ThesisZernikeOptions {
    int order = 12;
    ThesisZernikeMethod method = ThesisZernikeMethod::direct;
    ThesisZernikeLaunch launch = ThesisZernikeLaunch::each;
    Precision precision = Precision::single_;
    bool every_angle = false;
    int group_size = 128;
};

template <class V>
void describe(V&& v, ThesisZernikeOptions& o) {
    v("order", o.order, "order p of the moments", OptionRange{.lowest = 0, .highest = 34});
    v("method", o.method, "how radial polynomials are computed");
    v("launch", o.launch, "how kernels are launched");
    v("precision", o.precision, "floating-point precision");
    v("every-angle", o.every_angle, "compute the angle of every pixel, not of one in eight");
    v("group-size", o.group_size, "items of a group of the direct method: 32, 64, 128 or 256",
      OptionRange{.lowest = 32, .highest = 256});
}

// The work on one picture, prepared once for any number of computations.
class ThesisZernike {
  public:
    // The picture is on the device afterwards. `queue` outlives this. Throws as zernike_thesis
    // does.
    ThesisZernike(const AnyImageView& image, const ThesisZernikeOptions& options, Queue& queue);
    ~ThesisZernike();
    ThesisZernike(const ThesisZernike&) = delete;
    ThesisZernike& operator=(const ThesisZernike&) = delete;

    // Z_pq of q = p mod 2, ..., p - 2, p. All five stages; waits for them.
    std::vector<std::complex<double>> compute();

    std::int64_t pixels() const;  // of the disk, after a computation
    std::int64_t angles() const;  // that are computed
    const std::vector<std::string>& warnings() const { return warnings_; }

    class Work;  // in one precision

  private:
    std::vector<std::string> warnings_;
    std::unique_ptr<Work> work_;
};

struct ThesisZernikeResult {
    int order = 0;
    std::vector<std::complex<double>> values;  // as of ThesisZernike::compute
    std::int64_t pixels = 0, angles = 0;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Of the largest square in the middle of a picture: gray values, or the luma of three channels;
// alpha is ignored. The disk touches the square, moments are divided by its pixels, as by
// `zernike`'s default. The direct method in single precision loses all digits above order 20
// (docs/slide-experiments.md). Throws InvalidArgument (options, squares of more than 16384 pixels
// each way, double precision that the device does not have), UnsupportedFormat, OutOfMemory,
// Cancelled.
ThesisZernikeResult zernike_thesis(const AnyImageView& image, const ThesisZernikeOptions& options,
                                   Queue& queue, const Progress& progress = {});

// Device memory at most, in bytes.
std::int64_t zernike_thesis_bytes(const Shape& image, const ThesisZernikeOptions& options);

}  // namespace tesela
