// Labels that change in a part of the volume: pictures are those of labels that are set as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "devices.h"
#include "tesela/error.h"
#include "tesela/render.h"

namespace tesela {
namespace {

class LabelUpdates : public testing::OnDevice {
  protected:
    // A volume of two and a bit bricks along x, with values that rise along it.
    static Image<std::uint8_t> volume() {
        Image<std::uint8_t> made({131, 70, 66});
        made.geometry.unit = Unit::millimeter;
        for (std::size_t i = 0; i < made.pixels().size(); ++i)
            made.pixels()[i] = static_cast<std::uint8_t>(i % 131 + 60);
        return made;
    }
    static void fill(LabelImage& labels, const VoxelBox& box, std::uint32_t label) {
        for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
            for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
                for (std::int64_t x = box.begin[0]; x < box.end[0]; ++x) labels(x, y, z) = label;
    }
    // Pictures of both modes that show labels, with what lies below some pixels.
    static void expect_same(Renderer& updated, Renderer& fresh) {
        for (const RenderMode mode : {RenderMode::isosurface, RenderMode::composite}) {
            const RenderSettings settings{.mode = mode, .width = 90, .height = 70};
            for (const CameraView view : {CameraView::anterior, CameraView::left}) {
                const RenderedView a = updated.render(updated.camera(view), settings);
                const RenderedView b = fresh.render(fresh.camera(view), settings);
                EXPECT_TRUE(a.picture.pixels() == b.picture.pixels()) << static_cast<int>(mode);
                for (const std::int64_t x : {20, 45, 60}) {
                    const auto hit = updated.hit(x, 35), expected = fresh.hit(x, 35);
                    ASSERT_EQ(hit.has_value(), expected.has_value());
                    if (hit) {
                        EXPECT_EQ(hit->label, expected->label);
                    }
                }
            }
        }
    }
};
TESELA_ON_EVERY_DEVICE(LabelUpdates);

const std::vector<LabelColor> three{{1, {1, 0, 0}, 1}, {2, {0, 1, 0}, 0.5}, {3, {0, 0, 1}, 0}};

// Boxes within bricks, across their borders, and at the borders of the volume; at all levels, with
// labels that come and go.
TEST_P(LabelUpdates, GiveThePicturesOfTheWhole) {
    Queue queue(GetParam());
    for (const int level : {0, 1, 2}) {
        LabelImage labels(volume().shape(), volume().geometry);
        fill(labels, {{20, 10, 10}, {110, 50, 40}}, 1);
        fill(labels, {{5, 30, 20}, {20, 60, 60}}, 3);
        std::vector<LabelColor> colors = three;
        Renderer updated(volume(), queue, level);
        updated.set_labels(labels, colors);
        updated.render(updated.camera(CameraView::superior), {.mode = RenderMode::isosurface});
        const std::array<VoxelBox, 6> boxes{{{{70, 20, 20}, {90, 40, 30}},
                                             {{60, 60, 60}, {70, 70, 66}},
                                             {{0, 0, 0}, {3, 3, 3}},
                                             {{126, 5, 5}, {131, 70, 66}},
                                             {{63, 31, 31}, {64, 32, 32}},
                                             {{31, 0, 17}, {130, 62, 50}}}};
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            SCOPED_TRACE(std::to_string(level) + ", box " + std::to_string(i));
            const std::uint32_t label = i % 2 == 0 ? 40 + i : i % 4;
            fill(labels, boxes[i], label);
            if (i == 2) labels(1, 1, 1) = 0;
            if (i % 2 == 0) colors.push_back({label, {0.5, 0.1 * i, 1}, i == 4 ? 0.3 : 1});
            if (i == 3) colors.front().color = {1, 1, 0};
            updated.update_labels(labels, colors, boxes[i]);
            Renderer fresh(volume(), queue, level);
            fresh.set_labels(labels, colors);
            expect_same(updated, fresh);
        }
    }
}

TEST_P(LabelUpdates, UploadWhatHasChangedAlone) {
    Queue queue(GetParam());
    LabelImage labels(volume().shape(), volume().geometry);
    fill(labels, {{20, 10, 10}, {110, 50, 40}}, 1);
    Renderer renderer(volume(), queue);
    renderer.set_labels(labels, three);
    const VoxelBox box{{30, 10, 10}, {40, 20, 20}};
    fill(labels, box, 2);
    QueueCounters before = queue.counters();
    renderer.update_labels(labels, three, box);
    EXPECT_LT((queue.counters() - before).bytes_uploaded, 2 * 1000 + 3000);  // colors
    EXPECT_GT(2 * labels.shape().points(), 100 * 5000);
    // What is hidden now may be anywhere: all labels are numbered anew.
    std::vector<LabelColor> hidden = three;
    hidden.front().opacity = 0;
    renderer.update_labels(labels, hidden, box);
    Renderer fresh(volume(), queue);
    fresh.set_labels(labels, hidden);
    expect_same(renderer, fresh);
}

TEST_P(LabelUpdates, MoreLabelsThanAreSpare) {
    Queue queue(GetParam());
    LabelImage labels(volume().shape(), volume().geometry);
    std::vector<LabelColor> colors;
    Renderer renderer(volume(), queue);
    renderer.set_labels(labels, colors);
    for (std::uint32_t label = 1; label <= 70; ++label) {
        const std::int64_t x = label + 20;
        const VoxelBox box{{x, 20, 20}, {x + 1, 40, 40}};
        fill(labels, box, label);
        colors.push_back({label, {1, 0.01 * label, 0}, 1});
        renderer.update_labels(labels, colors, box);
    }
    Renderer fresh(volume(), queue);
    fresh.set_labels(labels, colors);
    expect_same(renderer, fresh);
}

TEST_P(LabelUpdates, BoxesBeyondTheVolumeAreRefused) {
    Queue queue(GetParam());
    const LabelImage labels(volume().shape(), volume().geometry);
    Renderer renderer(volume(), queue);
    renderer.set_labels(labels, three);
    EXPECT_THROW(renderer.update_labels(labels, three, {{0, 0, 60}, {5, 5, 67}}), InvalidArgument);
    EXPECT_THROW(renderer.update_labels(labels, three, {{-1, 0, 0}, {5, 5, 5}}), InvalidArgument);
    EXPECT_THROW(renderer.update_labels(labels, three, {{5, 0, 0}, {4, 5, 5}}), InvalidArgument);
    EXPECT_THROW(renderer.update_labels(LabelImage({5, 5, 5}), three, {{0, 0, 0}, {5, 5, 5}}),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
