// The search of poses finds how a picture of blobs was turned, mirrored, scaled and shifted.
#include "tesela/registration_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "devices.h"

namespace {

using tesela::Queue;
using tesela::SearchImage;
using tesela::SearchOptions;
using tesela::SearchPose;

constexpr int side = 64;

// A section with vessels, between 0 and 1, without pixels: a blob of tissue and dark spots in it.
class Section {
  public:
    explicit Section(std::uint32_t seed) {
        std::mt19937 generator(seed);
        const auto number = [&](double lowest, double highest) {
            return lowest + (highest - lowest) * static_cast<double>(generator()) / 4294967296.0;
        };
        for (double& wave : waves_) wave = number(-0.12, 0.12);
        for (int i = 0; i < 25; ++i)
            spots_.push_back({number(-20, 20), number(-20, 20), number(1.5, 4), number(0.2, 0.7)});
    }
    // x and y from the middle of the fixed image.
    bool is_tissue(double x, double y) const {
        const double angle = std::atan2(y, x);
        double radius = 22;
        for (int i = 0; i < 4; ++i) radius += 22 * waves_[i] * std::cos((i + 1) * angle + i);
        return std::hypot(x, y) < radius;
    }
    double gray(double x, double y) const {
        if (!is_tissue(x, y)) return 0;
        double value = 0.3;
        for (const Spot& spot : spots_) {
            const double distance = std::hypot(x - spot.x, y - spot.y) / spot.radius;
            value += spot.height * std::exp(-distance * distance);
        }
        return value;
    }

  private:
    struct Spot {
        double x, y, radius, height;
    };
    double waves_[4];
    std::vector<Spot> spots_;
};

struct Pixels {
    std::vector<float> gray, mask;
};

// The section as it appears where `pose` maps the fixed image to this one.
Pixels seen(const Section& section, const SearchPose& pose, bool is_other_stain) {
    Pixels pixels;
    const auto& m = pose.matrix;
    const double determinant = m[0] * m[3] - m[1] * m[2];
    constexpr int parts = 3;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            double gray = 0, tissue = 0;
            for (int part = 0; part < parts * parts; ++part) {
                const double dx = x + (part % parts - 1.0) / parts - pose.translation[0];
                const double dy = y + (part / parts - 1.0) / parts - pose.translation[1];
                const double at_x = (m[3] * dx - m[1] * dy) / determinant - 0.5 * (side - 1);
                const double at_y = (m[0] * dy - m[2] * dx) / determinant - 0.5 * (side - 1);
                const double value = section.gray(at_x, at_y);
                gray += is_other_stain ? 1.2 - value : value;
                tissue += section.is_tissue(at_x, at_y);
            }
            pixels.gray.push_back(static_cast<float>(gray / (parts * parts)));
            pixels.mask.push_back(tissue > 0.5 * parts * parts ? 1.0f : 0.0f);
        }
    return pixels;
}

// About the middle of both images, then shifted.
SearchPose pose_of(double degrees, double scale, bool mirrored, double shift_x, double shift_y) {
    const double angle = degrees * std::acos(-1.0) / 180, middle = 0.5 * (side - 1);
    const double c = scale * std::cos(angle), s = scale * std::sin(angle), m = mirrored ? -1 : 1;
    SearchPose pose;
    pose.matrix = {m * c, -s, m * s, c};
    pose.translation = {middle + shift_x - (pose.matrix[0] + pose.matrix[1]) * middle,
                        middle + shift_y - (pose.matrix[2] + pose.matrix[3]) * middle};
    return pose;
}

// The largest distance of where two poses put points around the middle of the fixed image.
double distance(const SearchPose& a, const SearchPose& b) {
    double farthest = 0;
    for (int i = 0; i < 8; ++i) {
        const double x = 0.5 * (side - 1) + 20 * std::cos(i * 0.785398);
        const double y = 0.5 * (side - 1) + 20 * std::sin(i * 0.785398);
        double off[2];
        for (int row = 0; row < 2; ++row)
            off[row] = (a.matrix[2 * row] - b.matrix[2 * row]) * x +
                       (a.matrix[2 * row + 1] - b.matrix[2 * row + 1]) * y + a.translation[row] -
                       b.translation[row];
        farthest = std::max(farthest, std::hypot(off[0], off[1]));
    }
    return farthest;
}

class PoseSearch : public tesela::testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    std::vector<SearchPose> search(const Pixels& fixed, const Pixels& moving,
                                   const SearchOptions& options = {}) {
        const auto upload = [&](const std::vector<float>& values) {
            return queue.upload(std::span<const float>(values), "search");
        };
        const auto fixed_gray = upload(fixed.gray), fixed_mask = upload(fixed.mask);
        const auto moving_gray = upload(moving.gray), moving_mask = upload(moving.mask);
        return tesela::search_poses(queue, {fixed_gray, fixed_mask, side, side, 0.002f},
                                    {moving_gray, moving_mask, side, side, 0.002f}, options);
    }
};

TEST_P(PoseSearch, FindsTurnedMirroredScaledAndShiftedSections) {
    const SearchPose known[] = {
        pose_of(0, 1, false, 0, 0),     pose_of(90, 1, false, 3, -2),
        pose_of(37.5, 1, false, 5, 4),  pose_of(-143, 0.95, true, -4, 3),
        pose_of(211, 1.1, true, 2, -5), pose_of(302.5, 0.9, false, -6, 6),
    };
    std::uint32_t seed = 1;
    tesela::testing::Cases cases(queue.device());
    for (const SearchPose& pose : known) {
        ++seed;
        if (!cases.take()) continue;
        const Section section(seed);
        const auto found = search(seen(section, pose_of(0, 1, false, 0, 0), false),
                                  seen(section, pose, seed % 2 == 0));
        ASSERT_FALSE(found.empty());
        EXPECT_LE(found.size(), 10u);
        EXPECT_LT(distance(found[0], pose), 3) << "section " << seed;
        for (std::size_t i = 1; i < found.size(); ++i)
            EXPECT_LE(found[i].score, found[i - 1].score);
    }
}

TEST_P(PoseSearch, KeepsToWhatItIsAskedFor) {
    const Section section(9);
    const Pixels fixed = seen(section, pose_of(0, 1, false, 0, 0), false);
    const Pixels moving = seen(section, pose_of(0, 1, true, 4, 0), false);
    SearchOptions options;
    options.any_rotation = false;
    options.lowest_scale = options.highest_scale = 1;
    options.plain = false;
    const auto found = search(fixed, moving, options);
    ASSERT_FALSE(found.empty());
    EXPECT_LT(distance(found[0], pose_of(0, 1, true, 4, 0)), 0.8);
    EXPECT_GT(found[0].score, 0.85);
    for (const SearchPose& pose : found) EXPECT_TRUE(pose.mirrored);
}

TEST_P(PoseSearch, RefusesWhatHasNoTissue) {
    const Section section(3);
    const Pixels fixed = seen(section, pose_of(0, 1, false, 0, 0), false);
    Pixels empty = fixed;
    std::fill(empty.mask.begin(), empty.mask.end(), 0.0f);
    EXPECT_THROW(search(fixed, empty), tesela::InvalidArgument);
    SearchOptions options;
    options.lowest_scale = 2;
    EXPECT_THROW(search(fixed, fixed, options), tesela::InvalidArgument);
}

TESELA_ON_EVERY_DEVICE(PoseSearch);

}  // namespace
