#include "evaluation/boundaries.h"

#include <gtest/gtest.h>

#include <set>

#include "evaluation/label_pictures.h"

namespace tesela::evaluation {
namespace {

using testing::label_picture;
using testing::random_regions;

std::string drawn(const LabelImage& labels) {
    std::string text(labels.pixels().size(), '.');
    const BoundarySet boundaries(labels);
    for (const auto& [x, y] : boundaries.pixels())
        text[static_cast<std::size_t>(y * labels.shape().x + x)] = '#';
    return text;
}

double squared_distance(BoundarySet::Pixel a, BoundarySet::Pixel b) {
    const double dx = a.x - b.x, dy = a.y - b.y;
    return dx * dx + dy * dy;
}

// The size of a largest assignment by single augmenting paths (Kuhn), over explicit pairs.
class Kuhn {
  public:
    Kuhn(const BoundarySet& a, const BoundarySet& b, double radius)
        : a_(a.pixels()), b_(b.pixels()), radius_(radius), owner_(b_.size(), -1) {}

    int size() {
        int count = 0;
        for (std::size_t i = 0; i < a_.size(); ++i) {
            seen_.assign(b_.size(), false);
            count += augment(static_cast<int>(i));
        }
        return count;
    }

  private:
    bool augment(int i) {
        for (std::size_t j = 0; j < b_.size(); ++j) {
            if (seen_[j] ||
                squared_distance(a_[static_cast<std::size_t>(i)], b_[j]) > radius_ * radius_)
                continue;
            seen_[j] = true;
            if (owner_[j] < 0 || augment(owner_[j])) {
                owner_[j] = i;
                return true;
            }
        }
        return false;
    }

    const std::vector<BoundarySet::Pixel>&a_, b_;
    double radius_;
    std::vector<int> owner_;
    std::vector<bool> seen_;
};

int checked_size(const BoundarySet& a, const BoundarySet& b, double radius) {
    const std::vector<std::int64_t> partners = assign_boundaries(a, b, radius);
    std::set<std::int64_t> taken;
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] < 0) continue;
        EXPECT_TRUE(taken.insert(partners[i]).second) << "a pixel with two partners";
        const BoundarySet::Pixel partner = b.pixels().at(static_cast<std::size_t>(partners[i]));
        EXPECT_LE(squared_distance(a.pixels()[i], partner), radius * radius);
    }
    return static_cast<int>(taken.size());
}

TEST(Boundaries, TwoByTwoRule) {
    EXPECT_EQ(drawn(label_picture({"111", "111"})), "......");
    EXPECT_EQ(drawn(label_picture({"1112", "1112"})), "..#...#.");
    EXPECT_EQ(drawn(label_picture({"111", "222"})), "###...");
    EXPECT_EQ(drawn(label_picture({"11", "12"})), "###.");
    EXPECT_EQ(drawn(label_picture({"1111", "1121", "1111"})), ".##..##.....");
    EXPECT_EQ(drawn(label_picture({"7"})), ".");
}

TEST(Boundaries, RowsAreFoundAtAnyBorder) {
    const BoundarySet set(label_picture({"1212", "1111", "1212"}));
    EXPECT_EQ(set.in_row(0, -5, 100).second - set.in_row(0, -5, 100).first, 4);
    EXPECT_EQ(set.in_row(2, -5, 100).second - set.in_row(2, -5, 100).first, 3);
    EXPECT_EQ(set.in_row(2, 1, 2).second - set.in_row(2, 1, 2).first, 2);
    for (const auto& [first, end] :
         {set.in_row(-1, 0, 3), set.in_row(3, 0, 3), set.in_row(0, 4, 9), set.in_row(0, -9, -1)})
        EXPECT_EQ(first, end);
}

TEST(Boundaries, NoLargerAssignmentExists) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const BoundarySet a(random_regions(37, 23, 12, seed)),
            b(random_regions(37, 23, 9, seed + 100));
        for (const double radius : {0.0, 1.0, 1.5, 3.0, 6.3})
            EXPECT_EQ(checked_size(a, b, radius), Kuhn(a, b, radius).size()) << radius;
    }
}

TEST(Boundaries, ExchangesReachAlongAWholeBoundary) {
    // One column two pixels below the other: most pixels lie on one another and are paired first,
    // and every pair has to move down before the topmost pixels find partners.
    const auto dots = [](std::int64_t first, std::int64_t last) {
        return BoundarySet(label_picture(3, 400, [=](std::int64_t x, std::int64_t y) {
            return x == 2 && y >= first && y <= last;
        }));
    };
    const BoundarySet a = dots(1, 390), b = dots(3, 392);
    EXPECT_EQ(checked_size(a, b, 1.0), Kuhn(a, b, 1.0).size());
    EXPECT_EQ(checked_size(a, b, 2.0), static_cast<int>(a.pixels().size()));
}

TEST(Boundaries, EqualSetsArePairedInPlace) {
    const BoundarySet set(random_regions(64, 48, 20, 1));
    const std::vector<std::int64_t> partners = assign_boundaries(set, set, 4.3);
    for (std::size_t i = 0; i < partners.size(); ++i)
        EXPECT_EQ(partners[i], static_cast<std::int64_t>(i));
}

TEST(Boundaries, EmptySets) {
    const BoundarySet none(label_picture({"111"})), some(label_picture({"121"}));
    EXPECT_TRUE(assign_boundaries(none, some, 2).empty());
    EXPECT_EQ(assign_boundaries(some, none, 2), (std::vector<std::int64_t>{-1, -1}));
}

}  // namespace
}  // namespace tesela::evaluation
