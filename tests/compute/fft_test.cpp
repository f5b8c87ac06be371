// Fourier transforms on every device against their definition in double precision.
#include "tesela/compute/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "compute/portable_fft.h"
#include "devices.h"
#include "reference/dft.h"

namespace {

using tesela::Buffer;
using tesela::FftDirection;
using tesela::FftShape;
using tesela::Queue;
using tesela::reference::Complexes;
namespace portable = tesela::detail::portable;

constexpr double allowed = 2e-6;  // relative difference in the Euclidean norm

std::vector<float> random_floats(std::int64_t count, std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(generator()) / 4294967296.0f - 0.3f;
    return values;
}

double difference(const Complexes& expected, const Complexes& actual) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::norm(expected[i] - actual[i]);
        norm += std::norm(expected[i]);
    }
    return std::sqrt(error / norm);
}

Complexes pairs(const std::vector<float>& floats) {
    Complexes values;
    for (std::size_t i = 0; i < floats.size(); i += 2) values.push_back({floats[i], floats[i + 1]});
    return values;
}

std::string text_of(const FftShape& shape) {
    return std::to_string(shape.size[0]) + " x " + std::to_string(shape.size[1]) + " x " +
           std::to_string(shape.size[2]) + ", " + std::to_string(shape.batch) + " of them";
}

// Both ways of a transform: that of the device, and the portable kernels by groups (true).
class Fft : public ::testing::TestWithParam<std::tuple<tesela::Device, bool>> {
  protected:
    Queue queue{std::get<0>(GetParam())};
    bool is_by_groups() const { return std::get<1>(GetParam()); }

    void forward(const FftShape& shape, const Buffer<float>& real, Buffer<float>& spectrum) {
        if (is_by_groups())
            portable::fft_forward(queue, shape, real, spectrum, portable::FftWay::groups);
        else
            tesela::fft_forward(queue, shape, real, spectrum);
    }
    void inverse(const FftShape& shape, Buffer<float>& spectrum, Buffer<float>& real) {
        if (is_by_groups())
            portable::fft_inverse(queue, shape, spectrum, real, portable::FftWay::groups);
        else
            tesela::fft_inverse(queue, shape, spectrum, real);
    }
    void complex(const FftShape& shape, FftDirection direction, Buffer<float>& values) {
        if (is_by_groups())
            portable::fft_complex(queue, shape, direction, values, portable::FftWay::groups);
        else
            tesela::fft_complex(queue, shape, direction, values);
    }
    std::int64_t device_bytes(const FftShape& shape) {
        constexpr auto real = tesela::FftKind::real;
        return is_by_groups()
                   ? portable::fft_device_bytes(queue, shape, real, portable::FftWay::groups)
                   : tesela::fft_device_bytes(queue, shape, real);
    }

    void expect_right(const FftShape& shape) {
        SCOPED_TRACE(text_of(shape));
        expect_real_right(shape);
        for (const FftDirection direction : {FftDirection::forward, FftDirection::inverse}) {
            const auto given = random_floats(2 * shape.values(), 5);
            auto values = queue.upload(std::span<const float>(given), "values");
            complex(shape, direction, values);
            const int sign = direction == FftDirection::forward ? -1 : 1;
            const Complexes expected = tesela::reference::dft(shape.size, sign, pairs(given));
            EXPECT_LE(difference(expected, pairs(queue.download(values))), allowed);
        }
    }

    void expect_real_right(const FftShape& shape) {
        const auto given = random_floats(shape.values(), 3);
        const auto real = queue.upload(std::span<const float>(given), "real");
        auto spectrum = queue.allocate<float>(2 * shape.half_values(), "spectrum");
        forward(shape, real, spectrum);
        const Complexes whole =
            tesela::reference::dft(shape.size, -1, Complexes(given.begin(), given.end()));
        const std::int64_t nx = shape.size[0], half = nx / 2 + 1;
        Complexes expected;
        for (std::int64_t row = 0; row < shape.values() / nx; ++row)
            for (std::int64_t x = 0; x < half; ++x) expected.push_back(whole[row * nx + x]);
        EXPECT_LE(difference(expected, pairs(queue.download(spectrum))), allowed);

        auto back = queue.allocate<float>(shape.values(), "back");
        inverse(shape, spectrum, back);
        const auto scale = static_cast<double>(shape.values() / shape.batch);
        const auto returned = queue.download(back);
        Complexes scaled, actual(returned.begin(), returned.end());
        for (const float value : given) scaled.push_back(scale * value);
        EXPECT_LE(difference(scaled, actual), allowed);
    }
};

TEST_P(Fft, LinesOfAllShortLengths) {
    for (std::int64_t n = 1; n <= 64; ++n) expect_right({{n, 1, 1}, 3});
}

TEST_P(Fft, LongLines) {
    for (const std::int64_t n : {749, 1021, 1499, 2048, 4096}) {
        expect_right({{n, 1, 1}, 1});
        expect_right({{n, 1, 1}, 2});
    }
}

TEST_P(Fft, MoreLinesThanAVectorHas) {
    for (const std::int64_t n : {45, 46, 140}) expect_right({{n, 1, 1}, 37});
}

TEST_P(Fft, Images) {
    expect_right({{64, 48, 1}, 1});
    expect_right({{33, 35, 1}, 2});
    expect_right({{1, 70, 1}, 1});
    expect_right({{17, 2, 1}, 5});
    expect_right({{40, 749, 1}, 1});
    expect_right({{1499, 6, 1}, 1});
}

TEST_P(Fft, Volumes) {
    expect_right({{16, 12, 20}, 1});
    expect_right({{7, 11, 13}, 2});
    expect_right({{1, 1, 30}, 2});
    expect_right({{34, 1, 21}, 1});
}

TEST_P(Fft, ASecondCallPlansAndAllocatesNothing) {
    const FftShape shape{{60, 22, 14}, 2};
    const auto given = random_floats(shape.values(), 9);
    const auto real = queue.upload(std::span<const float>(given), "real");
    auto spectrum = queue.allocate<float>(2 * shape.half_values(), "spectrum");
    auto back = queue.allocate<float>(shape.values(), "back");
    const auto call = [&] {
        forward(shape, real, spectrum);
        inverse(shape, spectrum, back);
    };
    const auto unplanned = queue.counters();
    call();
    EXPECT_GT((queue.counters() - unplanned).plans, 0);
    const auto memory = queue.counters().bytes_allocated - unplanned.bytes_allocated;
    const auto most = device_bytes(shape);
    EXPECT_LE(memory, most + most / 8 + 65536);  // blocks come in steps
    const auto first = queue.download(back);
    const auto before = queue.counters();
    call();
    const tesela::QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.plans, 0);
    EXPECT_EQ(work.allocations, 0);
    EXPECT_EQ(queue.download(back), first);

    queue.trim();
    const auto trimmed = queue.counters();
    EXPECT_EQ(trimmed.bytes_allocated, trimmed.bytes_in_use);
    call();
    EXPECT_GT((queue.counters() - trimmed).plans, 0);
    EXPECT_EQ(queue.download(back), first);
}

TEST_P(Fft, ManyShapesKeepABoundedNumberOfPlans) {
    queue.trim();
    auto values = queue.allocate<float>(2 * 1000, "values");
    queue.fill(values, 0.0f);
    for (std::int64_t n = 2; n < 300; ++n) complex({{n, 1, 1}, 1}, FftDirection::forward, values);
    const auto before = queue.counters();
    complex({{299, 1, 1}, 1}, FftDirection::forward, values);
    EXPECT_EQ((queue.counters() - before).plans, 0);
    complex({{2, 1, 1}, 1}, FftDirection::forward, values);
    EXPECT_EQ((queue.counters() - before).plans, 1);
}

TEST_P(Fft, APlannedTransformStandsInASequence) {
    const FftShape shape{{30, 11, 1}, 1};
    const auto given = random_floats(2 * shape.values(), 4);
    auto values = queue.upload(std::span<const float>(given), "values");
    complex(shape, FftDirection::forward, values);
    queue.write(values, std::span<const float>(given));
    queue.sequence([&] { complex(shape, FftDirection::forward, values); });
    const Complexes expected = tesela::reference::dft(shape.size, -1, pairs(given));
    EXPECT_LE(difference(expected, pairs(queue.download(values))), allowed);
}

TEST_P(Fft, ArraysOfABatchDoNotTouchEachOther) {
    const FftShape one{{62, 10, 1}, 1}, three{{62, 10, 1}, 3};
    auto given = random_floats(three.values(), 6);
    const auto count = static_cast<std::size_t>(one.values());
    for (std::size_t i = 0; i < count; ++i) given[i] = NAN;
    for (std::size_t i = 2 * count; i < 3 * count; ++i) given[i] *= 1e20f;
    const auto real = queue.upload(std::span<const float>(given), "real");
    auto spectrum = queue.allocate<float>(2 * three.half_values(), "spectrum");
    forward(three, real, spectrum);
    const auto all = pairs(queue.download(spectrum));
    const Complexes middle(given.begin() + static_cast<std::ptrdiff_t>(count),
                           given.begin() + static_cast<std::ptrdiff_t>(2 * count));
    const Complexes whole = tesela::reference::dft(one.size, -1, middle);
    Complexes expected, actual;
    for (std::int64_t row = 0; row < 10; ++row)
        for (std::int64_t x = 0; x < 32; ++x) {
            expected.push_back(whole[row * 62 + x]);
            actual.push_back(all[one.half_values() + row * 32 + x]);
        }
    EXPECT_LE(difference(expected, actual), allowed);
}

TEST(FftSize, IsTheNextEvenOneWithoutLargeFactors) {
    EXPECT_EQ(tesela::good_fft_size(1), 2);
    EXPECT_EQ(tesela::good_fft_size(11), 12);
    EXPECT_EQ(tesela::good_fft_size(1366), 1372);
    EXPECT_EQ(tesela::good_fft_size(2049), 2058);
    for (std::int64_t n = 1; n < 3000; ++n) {
        std::int64_t expected = n;
        for (bool found = false; !found; ++expected) {
            std::int64_t left = expected;
            for (const int factor : {2, 3, 5, 7})
                while (left % factor == 0) left /= factor;
            found = left == 1 && expected % 2 == 0;
        }
        EXPECT_EQ(tesela::good_fft_size(n), expected - 1);
    }
}

TEST_P(Fft, WrongArgumentsAreRefused) {
    auto small = queue.allocate<float>(15, "too small"), real = queue.allocate<float>(8, "real");
    EXPECT_THROW(tesela::fft_complex(queue, {{8, 1, 1}, 1}, FftDirection::forward, small),
                 tesela::InvalidArgument);
    EXPECT_THROW(tesela::fft_forward(queue, {{0, 1, 1}, 1}, real, small), tesela::InvalidArgument);
    EXPECT_THROW(tesela::fft_forward(queue, {{4, 1, 1}, 1}, real, real), tesela::InvalidArgument);
    EXPECT_THROW(tesela::fft_forward(queue, {{std::int64_t{1} << 40, 1, 1}, 1}, real, small),
                 tesela::InvalidArgument);
}

std::string way_name(const ::testing::TestParamInfo<Fft::ParamType>& way) {
    std::string name = std::get<0>(way.param).id();
    for (char& c : name)
        if (c == ':') c = '_';
    return name + (std::get<1>(way.param) ? "_groups" : "_own");
}
INSTANTIATE_TEST_SUITE_P(Devices, Fft,
                         ::testing::Combine(::testing::ValuesIn(tesela::testing::test_devices()),
                                            ::testing::Bool()),
                         way_name);

}  // namespace
