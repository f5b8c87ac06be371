// Edits of labels that are taken back and done again.
#include "viewer/server/label_history.h"
#include "edited_labels.h"

namespace tesela::viewer::testing {
namespace {

TEST_F(EditedLabels, AHundredStepsAreTakenBackAndDoneAgainBitForBit) {
    start_with_volume(oblique());
    const int grown = done(growth("3,4,5=2;30,20,6=9", 12)).at("outputs").at("labels");
    Numbers random(7);
    const auto number = [&](int below) { return random.below(below); };
    std::vector<Bits> states{bits()};
    std::vector<Json> lists{state().at("labels")};
    while (states.size() <= 105) {
        const Json at{number(40), number(30), number(12)}, to{number(40), number(30), number(12)};
        const auto label = static_cast<std::uint32_t>(1 + number(6));
        switch (number(6)) {
            case 0:
                ask({{"edit", "take"}, {"from", grown}});
                break;
            case 1:
                ask(box(label, at, to));
                break;
            case 2:
                ask({{"edit", "delete"}, {"label", label}});
                break;
            case 3:
                ask({{"edit", "describe"}, {"label", label}, {"name", "n" + at.dump()}});
                break;
            case 4:
                ask({{"edit", "component"}, {"label", label}, {"at", at}});
                break;
            default:
                ask({{"edit", "stroke"},
                     {"label", label - 1},
                     {"points", {at, to}},
                     {"radius", 0.5 + number(30) / 7.0}});
        }
        Bits now = bits();
        Json list = state().at("labels");
        if (now == states.back() && list == lists.back()) continue;
        states.push_back(std::move(now));
        lists.push_back(std::move(list));
    }
    for (int step = 105; step-- > 5;) {
        undo();
        ASSERT_TRUE(bits() == states[static_cast<std::size_t>(step)]) << step;
        ASSERT_EQ(state().at("labels"), lists[static_cast<std::size_t>(step)]) << step;
    }
    expect_refused({{"edit", "undo"}}, 409, "edit", "nothing to undo");
    for (int step = 6; step <= 105; ++step) {
        redo();
        ASSERT_TRUE(bits() == states[static_cast<std::size_t>(step)]) << step;
        ASSERT_EQ(state().at("labels"), lists[static_cast<std::size_t>(step)]) << step;
    }
    expect_refused({{"edit", "redo"}}, 409, "edit", "nothing to redo");
    undo();
    edit(box(99, {0, 0, 0}, {0, 0, 0}));
    EXPECT_EQ(state().at("redo"), Json());
}

TEST(LabelHistory, DifferencesKnowTheirRunsAndTheirBox) {
    LabelDifference difference;
    Numbers random(3);
    std::vector<std::array<std::int64_t, 4>> runs;
    for (std::int64_t at = 5; at < 3'000'000; at += 1 + random.below(40))
        runs.push_back({at, 1, random.below(5), 5 + random.below(5)});
    for (const auto& [at, length, before, after] : runs)
        difference.add(at, length, std::uint32_t(before), std::uint32_t(after));
    difference.close();
    EXPECT_EQ(difference.points(), std::int64_t(runs.size()));
    EXPECT_LT(difference.bytes(), std::int64_t(4 * runs.size()));
    std::size_t next = 0;
    std::int64_t offset = 0;
    difference.for_each([&](std::int64_t first, std::int64_t length, std::uint32_t before,
                            std::uint32_t after) {
        for (offset = 0; offset < length; ++offset, ++next)
            ASSERT_EQ(runs[next], (std::array<std::int64_t, 4>{first + offset, 1, before, after}));
    });
    EXPECT_EQ(next, runs.size());

    const Shape shape{.x = 10, .y = 8, .z = 6, .t = 2};
    const auto box_of = [&](std::int64_t first, std::int64_t length) {
        LabelDifference one;
        one.add(first, length, 0, 1);
        one.close();
        return one.box(shape);
    };
    LabelBox box = box_of(480 + 80 + 23, 4);
    EXPECT_EQ(box.first, (std::array<std::int64_t, 3>{3, 2, 1}));
    EXPECT_EQ(box.last, (std::array<std::int64_t, 3>{6, 2, 1}));
    EXPECT_EQ(box.t, 1);
    box = box_of(28, 5);  // goes on in the next row
    EXPECT_EQ(box.first, (std::array<std::int64_t, 3>{0, 2, 0}));
    EXPECT_EQ(box.last, (std::array<std::int64_t, 3>{9, 3, 0}));
    EXPECT_FALSE(box_of(470, 20).t);
}

TEST(LabelHistory, KeepsToItsBytesAndToTheNewestStep) {
    const auto step = [](int points) {
        LabelStep made{.name = "step"};
        Numbers random(1);
        for (std::int64_t at = 0; at < points; ++at)
            made.difference.add(2 * at, 1, 2 * random.word(), random.word() | 1);
        made.difference.close();
        return made;
    };
    LabelHistory history(100, 20'000);
    for (int i = 0; i < 50; ++i) history.add(step(300));
    EXPECT_LE(history.bytes(), 20'000);
    EXPECT_GT(history.bytes(), 10'000);
    history.add(step(100'000));
    ASSERT_TRUE(history.to_undo());
    EXPECT_EQ(history.to_undo()->difference.points(), 100'000);
    history.undone();
    EXPECT_FALSE(history.to_undo());
    EXPECT_TRUE(history.to_redo());
}

}  // namespace
}  // namespace tesela::viewer::testing
