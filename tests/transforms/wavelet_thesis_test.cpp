// Rows F14 to F18 of spec 004: wavelet transforms of lines as the thesis has them.
#include "tesela/wavelet_thesis.h"

#include <cmath>
#include <random>

#include "devices.h"

namespace tesela {
namespace {

using Form = ThesisWaveletForm;

std::vector<float> noise(std::int64_t samples) {
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> any(-1, 1);
    std::vector<float> line(static_cast<std::size_t>(samples));
    for (float& value : line) value = any(generator);
    return line;
}

// In double precision, of a line that goes on periodically: low values of level after level, then
// high ones from the last level on.
std::vector<double> low_and_high(const std::vector<double>& x, ThesisWavelet wavelet) {
    const auto count = static_cast<std::int64_t>(x.size());
    std::vector<double> line = x, made(x.size());
    const auto at = [&](std::int64_t i) -> double& {
        return line[static_cast<std::size_t>((i + count) % count)];
    };
    if (wavelet == ThesisWavelet::cdf97) {
        const std::array steps{-1.586134342, -0.052980119, 0.882911076, 0.443506852};
        for (std::size_t k = 0; k < 4; ++k)
            for (std::int64_t i = k % 2 == 0 ? 1 : 0; i < count; i += 2)
                at(i) += steps[k] * (at(i - 1) + at(i + 1));
    }
    const double root = std::sqrt(3.0), unit = 4 * std::sqrt(2.0);
    const std::array h{(1 + root) / unit, (3 + root) / unit, (3 - root) / unit, (1 - root) / unit};
    for (std::int64_t i = 0; i < count; i += 2) {
        const auto low = static_cast<std::size_t>(i / 2), high = low + x.size() / 2;
        if (wavelet == ThesisWavelet::cdf97) {
            made[low] = at(i);
            made[high] = at(i + 1);
            continue;
        }
        made[low] = h[0] * at(i) + h[1] * at(i + 1) + h[2] * at(i + 2) + h[3] * at(i + 3);
        made[high] = h[3] * at(i) - h[2] * at(i + 1) + h[1] * at(i + 2) - h[0] * at(i + 3);
    }
    return made;
}
std::vector<double> transformed(const std::vector<double>& x, ThesisWavelet wavelet, int levels) {
    if (levels == 0) return x;
    std::vector<double> made = low_and_high(x, wavelet);
    const auto half = made.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::vector<double> low = transformed({made.begin(), half}, wavelet, levels - 1);
    std::vector<double> high(half, made.end());
    if (wavelet == ThesisWavelet::packet) high = transformed(high, wavelet, levels - 1);
    low.insert(low.end(), high.begin(), high.end());
    return low;
}

class ThesisWavelets : public testing::OnDevice {
  protected:
    std::vector<float> values(const std::vector<float>& line, const ThesisWaveletOptions& options) {
        ThesisWaveletWork work(line, options, queue_);
        work.load();
        work.transform();
        return work.values();
    }

    Queue queue_{GetParam()};
};

double norm(const std::vector<float>& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

TEST_P(ThesisWavelets, AreThoseOfTheReference) {
    for (const auto& [wavelet, name] : enum_names(ThesisWavelet{}))
        for (const std::int64_t samples : {1024, 4096}) {
            SCOPED_TRACE(std::string(name) + ", " + std::to_string(samples));
            const int levels = wavelet == ThesisWavelet::packet ? 4 : 8;
            const std::vector<float> line = noise(samples);
            const std::vector<double> exact =
                transformed({line.begin(), line.end()}, wavelet, levels);
            const std::vector<float> found =
                values(line, {.wavelet = wavelet, .form = Form::direct, .levels = levels});
            ASSERT_EQ(found.size(), exact.size());
            double error = 0, size = 0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                error += (found[i] - exact[i]) * (found[i] - exact[i]);
                size += exact[i] * exact[i];
            }
            EXPECT_LT(std::sqrt(error / size), 1e-6);
        }
}

TEST_P(ThesisWavelets, SplittingAndMergingGiveTheBitsOfOneThread) {
    for (const auto& [wavelet, name] : enum_names(ThesisWavelet{}))
        for (const std::int64_t samples : {1024, 3072, 16384, 1 << 17})
            for (const int phase : {1, 2, 4}) {
                SCOPED_TRACE(std::string(name) + ", " + std::to_string(samples) + ", phases of " +
                             std::to_string(phase));
                const int levels = wavelet == ThesisWavelet::packet ? 4 : 8;
                const std::vector<float> line = noise(samples);
                ThesisWaveletOptions options{
                    .wavelet = wavelet, .levels = levels, .phase_levels = phase};
                const std::vector<float> expected = wavelet_thesis_on_host(line, options);
                EXPECT_EQ(values(line, options), expected);
                options.form = Form::direct;
                EXPECT_EQ(values(line, options), expected);
            }
}

TEST_P(ThesisWavelets, ItemsMemoryAndWideningDoNotMatter) {
    const std::vector<float> line = noise(8192);
    const std::vector<float> expected = wavelet_thesis_on_host(line, {});
    for (const bool item_each : {false, true})
        for (const ThesisMergeMemory merge : {ThesisMergeMemory::group, ThesisMergeMemory::device})
            for (const int widening : {0, 1, 16, 64, 128})
                EXPECT_EQ(
                    values(line, {.merge = merge, .item_each = item_each, .widening = widening}),
                    expected)
                    << item_each << ", " << widening;
    EXPECT_EQ(values(line, {.form = Form::direct, .item_each = true}), expected);
}

TEST_P(ThesisWavelets, TheInverseGivesTheSamples) {
    const std::vector<float> line = noise(1 << 14);
    ThesisWaveletWork work(line, {}, queue_);
    work.load();
    work.transform();
    work.invert();
    std::vector<float> difference = work.values();
    for (std::size_t i = 0; i < line.size(); ++i) difference[i] -= line[i];
    EXPECT_LT(norm(difference), 1e-6 * norm(line));
}

TEST_P(ThesisWavelets, FiltersKeepTheEnergy) {
    const std::vector<float> line = noise(1 << 14);
    for (const ThesisWavelet wavelet : {ThesisWavelet::d4, ThesisWavelet::packet})
        EXPECT_NEAR(norm(values(line, {.wavelet = wavelet, .levels = 4})) / norm(line), 1, 1e-5);
}

TEST_P(ThesisWavelets, WrongUseIsRefused) {
    EXPECT_THROW(values(noise(1000), {}), InvalidArgument);
    EXPECT_THROW(values(noise(1024), {.phase_levels = 3}), InvalidArgument);
    EXPECT_THROW(values({}, {}), InvalidArgument);
}

TESELA_ON_EVERY_DEVICE(ThesisWavelets);

}  // namespace
}  // namespace tesela
