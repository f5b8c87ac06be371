#include "tesela/image_math.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/threads.h"
#include "tesela/align.h"

namespace tesela {
namespace {

using Step = Formula::Step;

constexpr std::int64_t block = 1024;  // values that a step takes, which stay in the cache

void require_one_grid(std::span<const AnyImageView> images) {
    if (images.empty()) throw InvalidArgument("a formula needs an image");
    const Shape& first = images[0].shape();
    for (std::size_t i = 1; i < images.size(); ++i) {
        const Shape& shape = images[i].shape();
        const std::string name = "image " + std::to_string(i + 1) + " of the formula";
        Shape expected = first;
        if (shape.channels == 1) expected.channels = 1;
        if (shape != expected)
            throw InvalidArgument(name + " has another size or number of channels than the first");
        const Geometry &a = images[0].geometry(), &b = images[i].geometry();
        if (a.known() && b.known() &&
            axis_order({first, a}, {{shape.x, shape.y, shape.z, shape.t, first.channels}, b}) !=
                AxisOrder{})
            throw InvalidArgument(name + " stores its axes in another order than the first");
    }
}

// `count` elements from `first` on of an image of `channels`, of which it has all or one.
void read_block(const AnyImageView& image, int channels, std::int64_t first, std::int64_t count,
                double* values) {
    image.visit([&](const auto& pixels) {
        const auto* data = pixels.data();
        if (pixels.shape().channels == channels)
            for (std::int64_t i = 0; i < count; ++i)
                values[i] = static_cast<double>(data[first + i]);
        else
            for (std::int64_t i = 0; i < count; ++i)
                values[i] = static_cast<double>(data[(first + i) / channels]);
    });
}

template <class Work>
void each(std::int64_t count, double* a, const Work& work) {
    for (std::int64_t i = 0; i < count; ++i) a[i] = work(a[i]);
}
template <class Work>
void each(std::int64_t count, double* a, const double* b, const Work& work) {
    for (std::int64_t i = 0; i < count; ++i) a[i] = work(a[i], b[i]);
}

// On the register `a` and the ones behind it.
void apply(Step step, std::int64_t n, double* a) {
    const double *b = a + block, *c = b + block;
    switch (step) {
        case Step::constant:
        case Step::image:
            return;
        case Step::negate:
            return each(n, a, [](double x) { return -x; });
        case Step::invert:
            return each(n, a, [](double x) { return x == 0 ? 1.0 : 0.0; });
        case Step::abs:
            return each(n, a, [](double x) { return std::abs(x); });
        case Step::ceil:
            return each(n, a, [](double x) { return std::ceil(x); });
        case Step::exp:
            return each(n, a, [](double x) { return std::exp(x); });
        case Step::floor:
            return each(n, a, [](double x) { return std::floor(x); });
        case Step::log:
            return each(n, a, [](double x) { return std::log(x); });
        case Step::round:
            return each(n, a, [](double x) { return std::round(x); });
        case Step::sqrt:
            return each(n, a, [](double x) { return std::sqrt(x); });
        case Step::add:
            return each(n, a, b, [](double x, double y) { return x + y; });
        case Step::subtract:
            return each(n, a, b, [](double x, double y) { return x - y; });
        case Step::multiply:
            return each(n, a, b, [](double x, double y) { return x * y; });
        case Step::divide:
            return each(n, a, b, [](double x, double y) { return y == 0 ? 0.0 : x / y; });
        case Step::remainder:
            return each(n, a, b, [](double x, double y) { return y == 0 ? 0.0 : std::fmod(x, y); });
        case Step::power:
            return each(n, a, b, [](double x, double y) { return std::pow(x, y); });
        case Step::min:
            return each(n, a, b, [](double x, double y) { return y < x ? y : x; });
        case Step::max:
            return each(n, a, b, [](double x, double y) { return y > x ? y : x; });
        case Step::equal:
            return each(n, a, b, [](double x, double y) { return x == y ? 1.0 : 0.0; });
        case Step::differs:
            return each(n, a, b, [](double x, double y) { return x != y ? 1.0 : 0.0; });
        case Step::below:
            return each(n, a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; });
        case Step::at_most:
            return each(n, a, b, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
        case Step::above:
            return each(n, a, b, [](double x, double y) { return x > y ? 1.0 : 0.0; });
        case Step::at_least:
            return each(n, a, b, [](double x, double y) { return x >= y ? 1.0 : 0.0; });
        case Step::both:
            return each(n, a, b, [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; });
        case Step::either:
            return each(n, a, b, [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; });
        case Step::choose:
            for (std::int64_t i = 0; i < n; ++i) a[i] = a[i] != 0 ? b[i] : c[i];
            return;
    }
}

template <class T>
AnyImage evaluated(const Formula& formula, std::span<const AnyImageView> images, int threads,
                   const Progress& progress, double scale) {
    const Shape& shape = images[0].shape();
    Image<T> result(shape, images[0].geometry());
    result.has_alpha = images[0].has_alpha();
    const auto run = [&](std::int64_t index) {
        thread_local std::vector<double> registers;
        registers.resize(static_cast<std::size_t>(formula.registers() * block));
        const std::int64_t first = index * block;
        const std::int64_t count = std::min(block, shape.elements() - first);
        for (const Formula::Instruction& instruction : formula.instructions()) {
            double* target = registers.data() + instruction.target * block;
            if (instruction.step == Step::image)
                read_block(images[static_cast<std::size_t>(instruction.image)], shape.channels,
                           first, count, target);
            else if (instruction.step == Step::constant)
                std::fill_n(target, count, instruction.value);
            else
                apply(instruction.step, count, target);
        }
        T* target = result.data() + first;
        for (std::int64_t i = 0; i < count; ++i)
            target[i] = static_cast<T>(scale * registers[static_cast<std::size_t>(i)]);
    };
    detail::for_each_index((shape.elements() + block - 1) / block, threads, run,
                           [&](std::int64_t) { progress.throw_if_cancelled(); });
    return result;
}

}  // namespace

AnyImage evaluate_formula(const Formula& formula, std::span<const AnyImageView> images, int threads,
                          const Progress& progress) {
    require_one_grid(images);
    if (formula.is_condition())
        return evaluated<std::uint8_t>(formula, images, threads, progress, 255);
    return evaluated<float>(formula, images, threads, progress, 1);
}

}  // namespace tesela
