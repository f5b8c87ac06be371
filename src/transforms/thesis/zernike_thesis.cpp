#include "tesela/zernike_thesis.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/transforms/zernike_thesis.kernel.h"
#include "kernels/transforms/zernike_thesis_f64.kernel.h"
#include "tesela/compute/primitives.h"
#include "transforms/zernike_sums.h"

namespace tesela {

class ThesisZernike::Work {
  public:
    virtual ~Work() = default;
    virtual std::vector<std::complex<double>> compute() = 0;
    std::int64_t pixels = 0, angles = 0;
};

namespace {

using std::int64_t;
using Method = ThesisZernikeMethod;
using Launch = ThesisZernikeLaunch;

constexpr int64_t most_side = 16384, most_groups = 64, sum_items = 256;

int64_t side_of(const Shape& shape) { return std::min(shape.x, shape.y); }
int repetitions_of(const ThesisZernikeOptions& options) { return options.order / 2 + 1; }
int64_t sum_groups(int64_t points) {
    return std::min(most_groups, (points + sum_items - 1) / sum_items);
}

double binomial(int n, int k) {
    double value = 1;
    for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
    return value;
}
// The factors of r^q, r^(q+2), ..., r^p in R_pq (eq. 6.4), whole numbers.
void add_terms(std::vector<double>& terms, int p, int q) {
    for (int s = (p - q) / 2; s >= 0; --s)
        terms.push_back((s % 2 == 0 ? 1 : -1) * binomial(p - s, s) *
                        binomial(p - 2 * s, (p - q) / 2 - s));
}
// H1, H2 and H3 that lead from R_pq and R_p,q-2 to R_p,q-4.
void add_step(std::vector<double>& steps, double p, double q) {
    const double h3 = -4 * (q - 2) * (q - 3) / ((p + q - 2) * (p - q + 4));
    const double h2 = h3 * (p + q) * (p - q + 2) / (4 * (q - 1)) + (q - 2);
    const double h1 = q * (q - 1) / 2 - q * h2 + h3 * (p + q + 2) * (p - q) / 8;
    steps.insert(steps.end(), {h1, h2, h3});
}

template <class T>
struct ThesisKernels;

#define TESELA_THESIS_KERNELS(T, suffix)                                              \
    template <>                                                                       \
    struct ThesisKernels<T> {                                                         \
        static constexpr auto& disk = kernels::zernike_thesis_disk_##suffix;          \
        static constexpr auto& octant = kernels::zernike_thesis_octant_##suffix;      \
        static constexpr auto& radial = kernels::zernike_thesis_radial_##suffix;      \
        static constexpr auto& turns = kernels::zernike_thesis_turns_##suffix;        \
        static constexpr auto& apply = kernels::zernike_thesis_apply_##suffix;        \
        static constexpr auto& sum = kernels::zernike_thesis_sum_##suffix;            \
        static const auto& direct(int group_size) {                                   \
            return group_size == 32    ? kernels::zernike_thesis_direct_32_##suffix   \
                   : group_size == 64  ? kernels::zernike_thesis_direct_64_##suffix   \
                   : group_size == 128 ? kernels::zernike_thesis_direct_128_##suffix  \
                                       : kernels::zernike_thesis_direct_256_##suffix; \
        }                                                                             \
    };
TESELA_THESIS_KERNELS(float, f32)
TESELA_THESIS_KERNELS(double, f64)
#undef TESELA_THESIS_KERNELS

// What all queues read: memory of the first of them.
template <class T>
struct Common {
    SharedMemory polar, inside, image, factors;
    int64_t points = 0, factor_count = 0;
};

template <class T>
Buffer<const T> adopted(Queue& queue, const SharedMemory& memory, int64_t elements) {
    return queue.adopt<const T>(memory.memory, elements, memory.owner, "what queues share");
}

// A queue, what it reads, and planes and sums of its own.
template <class T>
struct Lane {
    Lane(Queue& on, const Common<T>& common, int64_t planes)
        : queue(on),
          polar(adopted<T>(on, common.polar, 3 * common.points)),
          inside(adopted<std::uint32_t>(on, common.inside, common.points)),
          image(adopted<float>(on, common.image, common.points)),
          factors(adopted<T>(on, common.factors, common.factor_count)),
          values(on.allocate<T>(planes * common.points, "planes of moments")) {}

    Queue& queue;
    Buffer<const T> polar;
    Buffer<const std::uint32_t> inside;
    Buffer<const float> image;
    Buffer<const T> factors;
    Buffer<T> values, sums;
};

template <class T>
class TypedWork final : public ThesisZernike::Work {
  public:
    TypedWork(const Image<float>& plane, const ThesisZernikeOptions& options, Queue& queue)
        : options_(options),
          side_(static_cast<std::int32_t>(plane.shape().x)),
          points_(plane.shape().points()),
          groups_(sum_groups(points_)),
          by_queues_(options.launch == Launch::queues),
          queue_(queue) {
        const int64_t half = (side_ + 1) / 2;
        angles = options.every_angle ? points_ : half * (half + 1) / 2;
        const std::vector<T> factors = make_factors();
        polar_ = queue.allocate<T>(3 * points_, "places in the disk");
        inside_ = queue.allocate<std::uint32_t>(points_, "disk");
        count_ = queue.allocate<std::uint32_t>(1, "pixels of the disk");
        const Common<T> common{
            lent_out(polar_),
            lent_out(inside_),
            share(queue.upload(std::span<const float>(plane.pixels()), "image")),
            share(queue.upload(std::span<const T>(factors), "factors of moments")),
            points_,
            static_cast<int64_t>(factors.size())};
        const bool is_recursive = options.method == Method::recursive;
        const int repetitions = repetitions_of(options);
        make_lanes(common, is_recursive ? 2 * repetitions : 2);
        if (is_recursive) radial_ = queue.allocate<T>(repetitions * points_, "radial polynomials");
    }

    std::vector<std::complex<double>> compute() override {
        if (options_.launch == Launch::sequence)
            queue_.sequence([&] { enqueue(); });
        else
            enqueue();
        pixels = queue_.download(count_).front();
        std::vector<std::complex<double>> values;
        for (int q = options_.order % 2; q <= options_.order; q += 2) values.push_back(value_of(q));
        return values;
    }

  private:
    // Gives the memory of a buffer to other queues, and a buffer of the same to this one.
    template <class E>
    SharedMemory lent_out(Buffer<E>& buffer) {
        const int64_t elements = buffer.size();
        SharedMemory memory = share(std::move(buffer));
        buffer = queue_.adopt<E>(memory.memory, elements, memory.owner, "what queues share");
        return memory;
    }

    // A zero at least, since no buffer is empty.
    std::vector<T> make_factors() {
        std::vector<double> factors;
        const int p = options_.order;
        if (options_.method == Method::recursive) {
            for (int q = p; q >= 4; q -= 2) add_step(factors, p, q);
        } else {
            for (int q = p; q >= 0; q -= 2) {
                first_terms_.push_back(static_cast<std::int32_t>(factors.size()));
                add_terms(factors, p, q);
            }
        }
        if (factors.empty()) factors.push_back(0);
        std::vector<T> rounded;
        for (const double factor : factors) rounded.push_back(static_cast<T>(factor));
        return rounded;
    }

    void make_lanes(const Common<T>& common, int64_t planes) {
        const int repetitions = repetitions_of(options_);
        lanes_.emplace_back(queue_, common, planes);
        for (int k = 1; by_queues_ && k < repetitions; ++k)
            lanes_.emplace_back(own_queues_.emplace_back(queue_.device()), common, planes);
        const int64_t moments_of_lane = by_queues_ ? 1 : repetitions;
        for (Lane<T>& lane : lanes_)
            lane.sums = lane.queue.template allocate<T>(2 * moments_of_lane * groups_, "sums");
        queue_.finish();
    }

    void enqueue() {
        places();
        if (options_.method == Method::recursive) {
            all_repetitions();
            return;
        }
        const Event placed = by_queues_ ? queue_.record() : Event();
        for (int k = 0; k < repetitions_of(options_); ++k) {
            Lane<T>& lane = lanes_[by_queues_ ? static_cast<std::size_t>(k) : 0];
            if (by_queues_ && k > 0) lane.queue.wait(placed);
            repetition(lane, k, by_queues_ ? 0 : 2 * k * groups_);
        }
    }

    // Stages 1 and 4, of all repetitions.
    void places() {
        const int64_t half = (side_ + 1) / 2;
        if (options_.every_angle)
            queue_.launch(ThesisKernels<T>::disk, Range{side_, side_}, polar_, inside_, side_);
        else
            queue_.launch(ThesisKernels<T>::octant, Range{half, half}, polar_, inside_, side_);
        reduce(queue_, ReduceOperation::sum, inside_, points_, count_);
    }

    // Stages 2, 3 and 5 of q = p - 2k.
    void repetition(Lane<T>& lane, int k, int64_t first_sum) {
        const kernels::zernike_thesis_moment moment{points_, options_.order, options_.order - 2 * k,
                                                    first_terms_[static_cast<std::size_t>(k)], 0};
        const int64_t size = options_.group_size;
        lane.queue.launch(ThesisKernels<T>::direct(options_.group_size),
                          Groups{(points_ + size - 1) / size}, lane.polar, lane.inside,
                          lane.factors, lane.values, moment);
        apply_and_sum(lane, 2, first_sum);
    }

    void all_repetitions() {
        Lane<T>& lane = lanes_.front();
        queue_.launch(ThesisKernels<T>::radial, Range{points_}, lane.polar, lane.inside,
                      lane.factors, radial_, points_, options_.order);
        queue_.launch(ThesisKernels<T>::turns, Range{points_}, lane.polar, lane.inside, radial_,
                      lane.values, points_, options_.order);
        apply_and_sum(lane, 2 * repetitions_of(options_), 0);
    }

    void apply_and_sum(Lane<T>& lane, int64_t planes, int64_t first_sum) {
        lane.queue.launch(ThesisKernels<T>::apply, Range{points_, planes}, lane.image, lane.values,
                          points_);
        lane.queue.launch(ThesisKernels<T>::sum, Groups{groups_, planes}, lane.values, lane.sums,
                          points_, first_sum);
    }

    std::complex<double> value_of(int q) {
        const auto k = static_cast<std::size_t>((options_.order - q) / 2);
        if (by_queues_ || q == options_.order % 2)
            sums_ = lanes_[by_queues_ ? k : 0].queue.download(lanes_[by_queues_ ? k : 0].sums);
        const auto first =
            sums_.begin() + static_cast<std::ptrdiff_t>(by_queues_ ? 0 : 2 * k) * groups_;
        const double factor = (options_.order + 1) / static_cast<double>(pixels);
        return factor *
               std::complex<double>(std::accumulate(first, first + groups_, 0.0),
                                    std::accumulate(first + groups_, first + 2 * groups_, 0.0));
    }

    ThesisZernikeOptions options_;
    std::int32_t side_;
    int64_t points_, groups_;
    bool by_queues_;
    Queue& queue_;
    Buffer<T> polar_, radial_;
    Buffer<std::uint32_t> inside_, count_;
    std::vector<std::int32_t> first_terms_;  // of q = p, p - 2, ...
    std::deque<Queue> own_queues_;
    std::deque<Lane<T>> lanes_;
    std::vector<T> sums_;
};

Image<float> square_of(const Image<float>& plane) {
    const Shape& shape = plane.shape();
    const int64_t side = side_of(shape);
    if (shape.x == shape.y) return plane;
    Image<float> square({side, side});
    for (int64_t y = 0; y < side; ++y)
        for (int64_t x = 0; x < side; ++x)
            square(x, y) = plane((shape.x - side) / 2 + x, (shape.y - side) / 2 + y);
    return square;
}

void check(const Shape& shape, const ThesisZernikeOptions& options, const Device& device) {
    validate_options(options);
    if (shape.z > 1 || shape.t > 1)
        throw UnsupportedFormat("Zernike moments are of pictures; this image has " +
                                std::to_string(shape.z * shape.t) + " of them: give one slice");
    if (side_of(shape) > most_side)
        throw InvalidArgument("the picture has " + std::to_string(side_of(shape)) +
                              " pixels each way; at most " + std::to_string(most_side) +
                              " are taken");
    const int size = options.group_size;
    if (size != 32 && size != 64 && size != 128 && size != 256)
        throw InvalidArgument("--group-size is " + std::to_string(size) +
                              "; it must be 32, 64, 128 or 256");
    if (options.launch == Launch::queues && options.method == Method::recursive)
        throw InvalidArgument(
            "--launch queues is for --method direct: the recursive method computes all repetitions "
            "at once");
    if (options.precision == Precision::double_ && !device.properties().has_f64)
        throw InvalidArgument("device " + device.id() +
                              " has no double precision: use --precision single");
}

}  // namespace

ThesisZernike::ThesisZernike(const AnyImageView& image, const ThesisZernikeOptions& options,
                             Queue& queue) {
    check(image.shape(), options, queue.device());
    const Image<float> plane = square_of(zernike_plane(image, warnings_));
    if (options.precision == Precision::double_)
        work_ = std::make_unique<TypedWork<double>>(plane, options, queue);
    else
        work_ = std::make_unique<TypedWork<float>>(plane, options, queue);
}
ThesisZernike::~ThesisZernike() = default;

std::vector<std::complex<double>> ThesisZernike::compute() { return work_->compute(); }
std::int64_t ThesisZernike::pixels() const { return work_->pixels; }
std::int64_t ThesisZernike::angles() const { return work_->angles; }

ThesisZernikeResult zernike_thesis(const AnyImageView& image, const ThesisZernikeOptions& options,
                                   Queue& queue, const Progress& progress) {
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    ThesisZernike work(image, options, queue);
    clock.start("moments");
    progress.report(0.5, "moments");
    ThesisZernikeResult result;
    result.order = options.order;
    result.values = work.compute();
    result.pixels = work.pixels();
    result.angles = work.angles();
    result.warnings = work.warnings();
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

std::int64_t zernike_thesis_bytes(const Shape& image, const ThesisZernikeOptions& options) {
    const std::int64_t number = options.precision == Precision::double_ ? 8 : 4;
    const std::int64_t repetitions = repetitions_of(options);
    const std::int64_t planes = options.method == Method::recursive ? 3 * repetitions
                                : options.launch == Launch::queues  ? 2 * repetitions
                                                                    : 2;
    constexpr std::int64_t sums = 1 << 20;  // and what adding them up takes
    return (4 + 4 + (3 + planes) * number) * side_of(image) * side_of(image) + sums;
}

}  // namespace tesela
