// The thesis's experiment on the direct and the recursive method: E13, with what each loses.
#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/slides/laboratory.h"
#include "tesela/zernike.h"

namespace tesela::experiments {
namespace {

using Method = ThesisZernikeMethod;

constexpr std::array methods{Method::direct, Method::recursive};

double of_table(const std::array<double, 6>& row, int side) {
    const auto found =
        std::find(printed_sides_of_moments.begin(), printed_sides_of_moments.end(), side);
    return row[static_cast<std::size_t>(found - printed_sides_of_moments.begin())];
}
const PrintedMoments& printed_of(int order) {
    return *std::find_if(printed_moments.begin(), printed_moments.end(),
                         [&](const PrintedMoments& row) { return row.order == order; });
}

// The largest difference from `exact`, in units of Z_00.
double error_of(const ThesisZernikeResult& found, const ZernikeMoments& exact) {
    double most = 0;
    for (std::size_t k = 0; k < found.values.size(); ++k) {
        const int q = found.order % 2 + 2 * static_cast<int>(k);
        most = std::max(most, std::abs(found.values[k] - exact(found.order, q)));
    }
    return most / std::abs(exact(0, 0));
}

// What methods and precisions lose, against `zernike` in double precision on the CPU.
void tell_errors(SlideLaboratory& laboratory) {
    Queue& queue = laboratory.queue(laboratory.main_device());
    Queue cpu(Device::parse("cpu"));
    std::vector<Precision> precisions{Precision::single_};
    if (queue.device().properties().has_f64) precisions.push_back(Precision::double_);
    Table table({"order", "size", "precision", "direct", "recursive"});
    double direct_single = 0, recursive_single = 0, recursive_double = 0;
    std::vector<Curve> curves;
    for (const int side : laboratory.sides()) {
        const Image<float> image = noise_picture(side);
        const ZernikeMoments exact = zernike(image, {.order = 34}, cpu).moments;
        for (const Precision precision : precisions)
            for (const int order : laboratory.orders()) {
                std::array<double, 2> errors{};
                for (std::size_t m = 0; m < methods.size(); ++m)
                    errors[m] = error_of(
                        zernike_thesis(
                            image, {.order = order, .method = methods[m], .precision = precision},
                            queue, laboratory.progress()),
                        exact);
                table.add({std::to_string(order), std::to_string(side),
                           std::string(enum_name(precision)), cell(errors[0]), cell(errors[1])});
                const bool is_single = precision == Precision::single_;
                if (is_single && order == 34) direct_single = std::max(direct_single, errors[0]);
                if (is_single) recursive_single = std::max(recursive_single, errors[1]);
                if (!is_single) recursive_double = std::max(recursive_double, errors[1]);
                if (side != laboratory.sides().front()) continue;
                for (std::size_t m = 0; m < methods.size(); ++m) {
                    const std::string name =
                        fmt::format("{}, {}", enum_name(methods[m]), enum_name(precision));
                    auto curve = std::find_if(curves.begin(), curves.end(),
                                              [&](const Curve& c) { return c.name == name; });
                    if (curve == curves.end()) curve = curves.insert(curve, {name, {}, {}});
                    curve->x.push_back(order);
                    curve->y.push_back(errors[m]);
                }
            }
    }
    laboratory.write("E13-errors.csv", table);
    laboratory.write(
        "E13-errors.svg",
        curve_chart(fmt::format("Largest error of a moment, {0} x {0}", laboratory.sides().front()),
                    {"order"}, {"units of Z_00", true}, curves));
    laboratory.find({"F44", "direct, single precision, order 34: largest error", "not looked at",
                     fmt::format("{:.2g} of Z_00", direct_single), std::nullopt});
    laboratory.find({"F48", "recursive, single precision, any order: largest error",
                     "not looked at", fmt::format("{:.2g} of Z_00", recursive_single),
                     std::nullopt});
    if (precisions.size() == 2)
        laboratory.find({"F47", "recursive, double precision, any order: largest error",
                         "1e-10 of Z_00", fmt::format("{:.2g} of Z_00", recursive_double),
                         recursive_double <= 1e-10});
}

double milliseconds_of_zernike(SlideLaboratory& laboratory, std::size_t device,
                               const Image<float>& image, int order) {
    Queue& queue = laboratory.queue(device);
    const DeviceImage<const float> there{
        queue.upload(std::span<const float>(image.pixels()), "picture"), image.shape(), {}};
    return laboratory.milliseconds_of(
        [&] { zernike(there, {.order = order, .precision = Precision::single_}, queue); });
}

}  // namespace

void run_methods(SlideLaboratory& laboratory) {
    tell_errors(laboratory);
    Table table({"order", "size", "device", "direct_ms", "recursive_ms", "ratio",
                 "direct_every_angle_ms", "ratio_of_symmetry", "zernike_ms", "thesis_direct_fermi",
                 "thesis_recursive_fermi", "thesis_recursive_kepler"});
    double least_from_8 = std::numeric_limits<double>::infinity(), largest_image = 0;
    double of_symmetry = 0;
    std::vector<Curve> curves;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        const std::string id = laboratory.device(device).id();
        const bool is_main = device == laboratory.main_device();
        for (const int side : laboratory.sides()) {
            const Image<float> image = noise_picture(side);
            if (is_main) curves.push_back({fmt::format("{0} x {0}", side), {}, {}});
            for (const int order : laboratory.orders()) {
                std::array<double, 2> times{};
                for (std::size_t m = 0; m < methods.size(); ++m)
                    times[m] = laboratory.milliseconds(device, image,
                                                       {.order = order, .method = methods[m]});
                const double ratio = times[0] / times[1];
                const double every_angle =
                    laboratory.milliseconds(device, image, {.order = order, .every_angle = true});
                const PrintedMoments& printed = printed_of(order);
                table.add({std::to_string(order), std::to_string(side), id, cell(times[0]),
                           cell(times[1]), cell(ratio), cell(every_angle),
                           cell(every_angle / times[0]),
                           cell(milliseconds_of_zernike(laboratory, device, image, order)),
                           cell(of_table(printed.direct_fermi, side)),
                           cell(of_table(printed.recursive_fermi, side)),
                           cell(of_table(printed.recursive_kepler, side))});
                if (!is_main) continue;
                curves.back().x.push_back(order);
                curves.back().y.push_back(ratio);
                if (order == 4) of_symmetry = every_angle / times[0];
                if (order >= 8) least_from_8 = std::min(least_from_8, ratio);
                if (order == 34) largest_image = ratio;
            }
        }
    }
    laboratory.write("E13.csv", table);
    laboratory.write("E13.svg", curve_chart("Time of the direct method by that of the recursive",
                                            {"order"}, {"ratio"}, curves));
    const std::string id = laboratory.device(laboratory.main_device()).id();
    laboratory.find(
        {"F46",
         fmt::format("one angle for eight pixels against every angle, order 4, {0} x {0}",
                     laboratory.sides().back()),
         "not timed", fmt::format("{:.2f}", of_symmetry), std::nullopt});
    laboratory.find({"F48", "recursive against direct, orders from 8, on " + id, "1.16 to 4.12",
                     fmt::format("{:.2f} at least", least_from_8), least_from_8 > 1});
    laboratory.find({"F48", fmt::format("the same, order 34, {0} x {0}", laboratory.sides().back()),
                     "2.65 (Kepler, 2048 x 2048)", fmt::format("{:.2f}", largest_image),
                     largest_image >= 2.65});
}

}  // namespace tesela::experiments
