// The thesis's Lucas-Kanade against the golden values of the specification (Appendix A): the
// reference, and each form and precision on every device (F-04, F-11).
#include <array>
#include <functional>
#include <string>

#include "devices.h"
#include "moving_waves.h"
#include "reference/lucas_kanade_reference.h"
#include "tesela/lucas_kanade.h"

namespace tesela {
namespace {

struct GoldenRow {
    int filter_size, block;
    std::array<reference::thesis::FlowErrors, 3>
        errors;   // border strips: none, the filter's, the block's
    double u, v;  // at (110, 100)
};

struct GoldenPair {
    testing::Origin moved;
    reference::thesis::Truth truth;
    std::vector<GoldenRow> rows;
};

const GoldenPair diverging_pair{
    testing::diverging,
    [](std::int64_t x, std::int64_t y) {
        return std::pair{testing::growth * (static_cast<double>(x) - 74.5),
                         testing::growth * (static_cast<double>(y) - 74.5)};
    },
    {{3, 7, {{{0.21410, 0.41614}, {0.19100, 0.37128}, {0.14391, 0.28157}}}, 0.76384, 0.42184},
     {5, 15, {{{0.23044, 0.42450}, {0.18965, 0.34961}, {0.08143, 0.15406}}}, 0.74739, 0.50987},
     {9, 15, {{{0.23944, 0.43960}, {0.15664, 0.28839}, {0.09008, 0.16921}}}, 0.74700, 0.50963},
     {13, 15, {{{0.24469, 0.44875}, {0.11828, 0.21943}, {0.09554, 0.17914}}}, 0.74700, 0.50963},
     {5, 31, {{{0.34639, 0.60126}, {0.31554, 0.54359}, {0.07764, 0.13061}}}, 0.79294, 0.50028}}};

const GoldenPair translating_pair{
    testing::translating,
    [](std::int64_t, std::int64_t) {
        return std::pair{1.0, 0.5};
    },
    {{3, 7, {{{0.22336, 0.35830}, {0.21150, 0.34023}, {0.18718, 0.30384}}}, 1.00970, 0.34096},
     {5, 15, {{{0.16943, 0.26066}, {0.14660, 0.22748}, {0.08597, 0.13681}}}, 0.99249, 0.44054},
     {9, 15, {{{0.17477, 0.26886}, {0.12827, 0.20072}, {0.09085, 0.14447}}}, 0.99194, 0.44025},
     {13, 15, {{{0.17730, 0.27289}, {0.10612, 0.16782}, {0.09330, 0.14849}}}, 0.99194, 0.44025},
     {5, 31, {{{0.20655, 0.30922}, {0.18825, 0.28301}, {0.04030, 0.06769}}}, 0.97528, 0.46447}}};

using Method = std::function<reference::thesis::Flow(const Image<float>&, const Image<float>&,
                                                     int filter_size, int block)>;

void expect_golden(const GoldenPair& golden, const Method& method) {
    constexpr double tolerance = 5e-4;
    const Shape shape{150, 150};
    const Image<float> first = testing::waves(shape, testing::still);
    const Image<float> second = testing::waves(shape, golden.moved);
    for (const GoldenRow& row : golden.rows) {
        SCOPED_TRACE("filter " + std::to_string(row.filter_size) + ", block " +
                     std::to_string(row.block));
        const reference::thesis::Flow flow = method(first, second, row.filter_size, row.block);
        const std::array strips{0, row.filter_size, row.block};
        for (std::size_t i = 0; i < strips.size(); ++i) {
            const reference::thesis::FlowErrors found =
                reference::thesis::errors(flow, strips[i], golden.truth);
            EXPECT_NEAR(found.angular, row.errors[i].angular, tolerance) << strips[i];
            EXPECT_NEAR(found.end_point, row.errors[i].end_point, tolerance) << strips[i];
        }
        EXPECT_NEAR(flow.u[100 * 150 + 110], row.u, tolerance);
        EXPECT_NEAR(flow.v[100 * 150 + 110], row.v, tolerance);
    }
}

TEST(LucasKanadeReference, GoldenFrames) {
    const Shape shape{150, 150};
    EXPECT_NEAR(testing::waves(shape, testing::still)(0, 0), 165.86821, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::still)(75, 75), 152.26588, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::diverging)(75, 75), 152.26700, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::translating)(75, 75), 151.98972, 1e-5);
}

reference::thesis::Flow by_the_reference(const Image<float>& first, const Image<float>& second,
                                         int filter_size, int block) {
    return reference::thesis::lucas_kanade(first, second, filter_size, block, block);
}

TEST(LucasKanadeReference, GoldenRowsOfTheDivergingFrame) {
    expect_golden(diverging_pair, by_the_reference);
}

TEST(LucasKanadeReference, GoldenRowsOfTheTranslatingFrame) {
    expect_golden(translating_pair, by_the_reference);
}

reference::thesis::Flow plain_flow(const FlowField& field) {
    reference::thesis::Flow flow{field.shape().x, field.shape().y, {}, {}, {}};
    for (std::int64_t y = 0; y < flow.height; ++y)
        for (std::int64_t x = 0; x < flow.width; ++x) {
            flow.u.push_back(field(x, y, 0, 0, 0));
            flow.v.push_back(field(x, y, 0, 0, 1));
        }
    return flow;
}

class LucasKanadeGolden : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(LucasKanadeGolden);

TEST_P(LucasKanadeGolden, EveryFormAndPrecision) {
    const auto forms = {LucasKanadeVariant::thesis, LucasKanadeVariant::thesis_basic,
                        LucasKanadeVariant::thesis_local};
    std::vector<Precision> precisions{Precision::single_};
    if (GetParam().properties().has_f64) precisions.push_back(Precision::double_);
    for (const LucasKanadeVariant form : forms)
        for (const Precision precision : precisions) {
            SCOPED_TRACE(std::string(enum_name(form)) + ", " + std::string(enum_name(precision)));
            const auto method = [&](const Image<float>& first, const Image<float>& second,
                                    int filter_size, int block) {
                const LucasKanadeOptions options{.variant = form,
                                                 .block_width = block,
                                                 .block_height = block,
                                                 .filter_size = filter_size,
                                                 .precision = precision};
                return plain_flow(
                    lucas_kanade(std::vector{first, second}, options, queue).fields.at(0));
            };
            expect_golden(diverging_pair, method);
            expect_golden(translating_pair, method);
        }
}

}  // namespace
}  // namespace tesela
