// Building blocks of algorithms: primitives and Fourier transforms.
#include "tesela/compute/primitives.h"
#include "level_results.h"
#include "tesela/compute/fft.h"

namespace tesela::testing {
namespace {

constexpr std::int64_t count = 10007;

template <class T>
std::vector<T> numbers(double below) {
    std::vector<T> values;
    for (const float value : noise(count, 7)) values.push_back(static_cast<T>(below * value));
    return values;
}

template <class T>
void reductions(Queue& queue, Hash& hash) {
    const Buffer<T> values = on_device(queue, numbers<T>(1e6));
    Buffer<T> result = queue.allocate<T>(1, "result");
    for (const ReduceOperation operation :
         {ReduceOperation::sum, ReduceOperation::minimum, ReduceOperation::maximum}) {
        reduce(queue, operation, values, count, result);
        hash.add(queue.download(result));
    }
}

void order(Queue& queue, Hash& hash) {
    Buffer<std::uint32_t> keys = on_device(queue, numbers<std::uint32_t>(5000));
    Buffer<std::uint32_t> values = on_device(queue, numbers<std::uint32_t>(1e6));
    sort_pairs(queue, keys, values, count);
    hash.add(queue.download(keys), queue.download(values));
    const Buffer<std::uint8_t> flags = on_device(queue, numbers<std::uint8_t>(2));
    Buffer<std::uint32_t> kept = queue.allocate_filled(count, 0u, "kept");
    Buffer<std::uint32_t> kept_count = queue.allocate<std::uint32_t>(1, "kept count");
    compact(queue, values, flags, count, kept, kept_count);
    hash.add(queue.download(kept), queue.download(kept_count));
}

void counts(Queue& queue, Hash& hash) {
    const Buffer<std::uint32_t> keys = on_device(queue, numbers<std::uint32_t>(300));
    Buffer<std::uint32_t> sums = queue.allocate<std::uint32_t>(count + 1, "sums");
    exclusive_scan(queue, keys, count, sums);
    hash.add(queue.download(sums));
    Buffer<std::uint32_t> bins = queue.allocate<std::uint32_t>(256, "bins");
    histogram(queue, keys, count, bins.size(), bins);
    hash.add(queue.download(bins));
    Buffer<std::uint32_t> points = queue.allocate<std::uint32_t>(count, "points");
    Buffer<std::uint32_t> starts = queue.allocate<std::uint32_t>(301, "starts");
    bin_points(queue, keys, count, 300, points, starts);
    hash.add(queue.download(points), queue.download(starts));
}

void transforms(Queue& queue, Hash& hash, const FftShape& shape) {
    const Buffer<float> real = on_device(queue, noise(shape.values(), 8));
    Buffer<float> spectrum = queue.allocate<float>(2 * shape.half_values(), "spectrum");
    fft_forward(queue, shape, real, spectrum);
    hash.add(queue.download(spectrum));
    Buffer<float> back = queue.allocate<float>(shape.values(), "back");
    fft_inverse(queue, shape, spectrum, back);
    hash.add(queue.download(back));
    for (const FftDirection direction : {FftDirection::forward, FftDirection::inverse}) {
        Buffer<float> values = on_device(queue, noise(2 * shape.values(), 9));
        fft_complex(queue, shape, direction, values);
        hash.add(queue.download(values));
    }
}

const std::vector<Case> cases{
    {"reductions",
     [](Queue& q, Hash& h) {
         reductions<std::int32_t>(q, h);
         reductions<std::uint32_t>(q, h);
         reductions<float>(q, h);
     }},
    {"sorting and selection", order},
    {"counts", counts},
    {"Fourier transforms",
     [](Queue& q, Hash& h) {
         for (const FftShape& shape :
              {FftShape{{64, 48, 1}}, FftShape{{30, 14, 9}, 2}, FftShape{{19683, 1, 1}},
               FftShape{{26, 67, 1}}, FftShape{{10, 8209, 1}}})
             transforms(q, h, shape);
     }},
};
INSTANTIATE_TEST_SUITE_P(Primitives, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
