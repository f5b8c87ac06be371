// Wavelet packets, on every device.
#include "tesela/wavelet_packet.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/wavelet_reference.h"
#include "transforms/packet_tree.h"
#include "wavelet_samples.h"

namespace tesela {
namespace {

constexpr std::array all_wavelets{Wavelet::bior4_4, Wavelet::bior2_2,     Wavelet::db2,
                                  Wavelet::haar,    Wavelet::bior2_2_int, Wavelet::haar_int};
const std::array shapes{Shape{8},
                        Shape{1024},
                        Shape{1, 40},
                        Shape{16, 8},
                        Shape{64, 1, 32},
                        Shape{64, 128},
                        Shape{16, 24, 32, 1, 2},
                        Shape{128, 64, 1, 2, 3}};

class WaveletPackets : public testing::OnDevice {
  protected:
    template <class T>
    std::vector<T> random_samples(const Shape& shape) {
        return testing::random_samples<T>(shape, generator_);
    }
    template <class T>
    std::vector<T> inverse(const std::vector<T>& given, const Shape& shape,
                           const WaveletOptions& options, const PacketLeaves& leaves) {
        auto coefficients = queue.upload(std::span<const T>(given), "coefficients");
        auto samples = queue.allocate<T>(shape.elements(), "samples");
        packet_inverse(queue, shape, options, leaves, coefficients, samples);
        return queue.download(samples);
    }
    // What the reference has of each level; the first are the samples.
    template <class T>
    static std::vector<std::vector<double>> plain_levels(const std::vector<T>& samples,
                                                         const Shape& shape,
                                                         const WaveletOptions& options) {
        std::vector<std::vector<double>> levels{{samples.begin(), samples.end()}};
        for (int level = 0; level < options.levels; ++level)
            levels.push_back(
                testing::plain_packets(levels.back(), shape, options, std::int64_t{1} << level));
        return levels;
    }
    template <class T>
    void expect_reference_and_inverse(double tolerance) {
        testing::Cases cases(GetParam());
        for (const Wavelet wavelet : all_wavelets)
            for (const Shape& shape : shapes)
                for (const int levels : {1, 2, 3}) {
                    if (is_integer(wavelet) != std::is_same_v<T, std::int32_t>) continue;
                    if (!cases.take()) continue;
                    const auto border = static_cast<WaveletBorder>(levels - 1);
                    expect_as_plain<T>(shape, {wavelet, levels, border}, tolerance);
                }
    }
    template <class T>
    void expect_as_plain(const Shape& shape, const WaveletOptions& options, double tolerance) {
        const std::vector<T> samples = random_samples<T>(shape);
        const std::vector<double> expected = plain_levels(samples, shape, options).back();
        double largest = 1;
        for (const double value : expected) largest = std::max(largest, std::abs(value));
        const auto lent = queue.lend(std::span<const T>(samples), "samples");
        auto coefficients = queue.allocate<T>(shape.elements(), "coefficients");
        packet_forward<T>(queue, shape, options, lent, coefficients);
        const std::vector<T> found = queue.download(coefficients);
        const std::vector<T> again = inverse(found, shape, options, {});
        for (std::size_t i = 0; i < samples.size(); ++i) {
            ASSERT_NEAR(found[i], expected[i], tolerance * largest)
                << shape.x << "x" << shape.y << "x" << shape.z << ", coefficient " << i;
            ASSERT_NEAR(again[i], samples[i], tolerance * 255)
                << shape.x << "x" << shape.y << "x" << shape.z << ", sample " << i;
        }
    }
    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{5};
};
TESELA_ON_EVERY_DEVICE(WaveletPackets);

TEST_P(WaveletPackets, FloatsEqualPlainLiftingAndComeBack) {
    expect_reference_and_inverse<float>(1e-5);
}
TEST_P(WaveletPackets, DoublesEqualPlainLiftingAndComeBack) {
    if (GetParam().properties().has_f64) expect_reference_and_inverse<double>(1e-13);
}
TEST_P(WaveletPackets, IntegersComeBackToTheBit) { expect_reference_and_inverse<std::int32_t>(0); }

double cost_of(double value, PacketBasis basis) {
    if (basis == PacketBasis::l1) return std::abs(value);
    const double p = value * value;
    return p > 0 ? -p * std::log2(p) : 0;
}

// The least cost of all bases of a band, in double precision.
double least_cost(const PacketTree& tree, const std::vector<std::vector<double>>& costs,
                  const PacketBand& band) {
    double whole = 0, divided = 0;
    tree.for_cells(band, [&](std::size_t cell) {
        whole += costs[static_cast<std::size_t>(band.level)][cell];
    });
    if (band.level == tree.levels()) return whole;
    tree.for_parts(band, [&](const PacketBand& part) { divided += least_cost(tree, costs, part); });
    return std::min(whole, divided);
}

// A ripple, whose frequency depends on the place, has a basis that is neither full nor Mallat's.
TEST_P(WaveletPackets, TheBestBasisCostsLeast) {
    const Shape shape{128, 64};
    const WaveletOptions options{Wavelet::db2, 3, WaveletBorder::periodic};
    std::vector<float> samples;
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 128; ++x)
            samples.push_back(
                static_cast<float>(100 * std::sin(2.2 * x) * std::cos(0.001 * y * y)));
    double norm = 0;
    for (const float value : samples) norm += double(value) * double(value);
    norm = std::sqrt(norm);
    const auto levels = plain_levels(samples, shape, options);
    const PacketTree tree(shape, 3);
    for (const PacketBasis basis : {PacketBasis::entropy, PacketBasis::l1}) {
        std::vector<std::vector<double>> costs;
        for (const std::vector<double>& values : levels) {
            costs.emplace_back(64);
            for (std::int64_t y = 0; y < 64; ++y)
                for (std::int64_t x = 0; x < 128; ++x)
                    costs.back()[tree.cell(x / 16, y / 8, 0)] +=
                        cost_of(values[static_cast<std::size_t>(y * 128 + x)] / norm, basis);
        }
        const auto lent = queue.lend(std::span<const float>(samples), "samples");
        auto coefficients = queue.allocate<float>(shape.elements(), "coefficients");
        const PacketLeaves leaves =
            packet_forward_best<float>(queue, shape, options, basis, norm, lent, coefficients);
        double found = 0;
        const auto range = std::minmax_element(leaves.begin(), leaves.end());
        EXPECT_LT(*range.first, *range.second);
        for (std::size_t cell = 0; cell < leaves.size(); ++cell) found += costs[leaves[cell]][cell];
        const double least = least_cost(tree, costs, tree.whole());
        EXPECT_NEAR(found, least, 1e-4 * least);
        const std::vector<float> values = queue.download(coefficients);
        for (std::int64_t y = 0; y < 64; ++y)
            for (std::int64_t x = 0; x < 128; ++x) {
                const auto i = static_cast<std::size_t>(y * 128 + x);
                ASSERT_NEAR(values[i], levels[leaves[tree.cell(x / 16, y / 8, 0)]][i], 0.01) << i;
            }
        const std::vector<float> again = inverse(values, shape, options, leaves);
        for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_NEAR(again[i], samples[i], 1e-3);
    }
}

// Axes of any length are filled up, and cut off again.
TEST_P(WaveletPackets, ImagesComeBack) {
    for (const Shape& shape : {Shape{37, 23, 1, 1, 3}, Shape{13, 9, 11}, Shape{101}, Shape{1}}) {
        Image<std::uint8_t> image(shape);
        image.pixels() = random_samples<std::uint8_t>(shape);
        for (const PacketBasis basis : {PacketBasis::full, PacketBasis::entropy, PacketBasis::l1}) {
            const WaveletCoefficients found = wavelet_packet(
                image, {Wavelet::bior4_4, most_packet_levels(shape) / 2}, basis, queue);
            EXPECT_EQ(found.leaves, packet_leaves(packet_tree(found), shape, found.options.levels));
            const AnyImage again = wavelet_inverse(found, queue);
            EXPECT_EQ(std::get<Image<std::uint8_t>>(again).pixels(), image.pixels());
        }
    }
}

TEST_P(WaveletPackets, WhatDoesNotFitIsRefused) {
    Image<float> image({16, 16});
    EXPECT_THROW(wavelet_packet(image, {Wavelet::haar, 5}, PacketBasis::full, queue),
                 InvalidArgument);
    EXPECT_THROW(wavelet_packet(image, {Wavelet::haar_int, 1}, PacketBasis::full, queue),
                 UnsupportedFormat);
    for (const char* tree : {"", "1", "100000", "2", "1100000000"})
        EXPECT_THROW(packet_leaves(tree, {16, 16}, 1), InvalidArgument) << tree;
    const std::vector<float> few(60);
    const auto samples = queue.lend(std::span<const float>(few), "samples");
    auto coefficients = queue.allocate<float>(60, "coefficients");
    EXPECT_THROW(packet_forward<float>(queue, {10, 6}, {Wavelet::haar, 2}, samples, coefficients),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
