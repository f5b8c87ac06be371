// Components of images in parts, on every device: beside those of the whole image, to the bit.
#include <cmath>
#include <limits>

#include "boxes.h"
#include "devices.h"
#include "random_image.h"
#include "refusal.h"
#include "tesela/components.h"

namespace tesela {
namespace {

using testing::Boxes;
using testing::random_image;
using testing::refusal;

const std::vector<PartSize> sizes{{7, 5, 3}, {16, 16, 16}, {1, 9, 2}};
const std::vector<Connectivity> of_pictures{Connectivity::four, Connectivity::eight};
const std::vector<Connectivity> of_volumes{Connectivity::six, Connectivity::eighteen,
                                           Connectivity::twenty_six};
// Of few components that wind through many parts, and of many small ones.
const std::vector<Shape> shapes{{1, 1},   {1, 40},      {40, 1},    {37, 23},
                                {70, 61}, {12, 11, 10}, {33, 9, 5}, {5, 30, 31}};

std::string text_of(const Shape& shape, const PartSize& size, Connectivity connectivity) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z) +
           " in parts of " + std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
           std::to_string(size[2]) + ", " + std::string(enum_name(connectivity));
}

// One component that fills the image but for a line, row after row.
Image<std::uint8_t> snake(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                image(x, y, z) = y % 2 == 0 ? 255 : x == (y % 4 == 1 ? shape.x - 1 : 0) ? 255 : 0;
    return image;
}

LabelImage read_all(const VolumeInput& labels) {
    const Shape& shape = labels.facts().shape;
    const AnyImage read = labels.read({{0, 0, 0}, {shape.x, shape.y, shape.z}}, 0);
    LabelImage all(shape);
    std::visit(
        [&](const auto& typed) {
            std::transform(typed.pixels().begin(), typed.pixels().end(), all.pixels().begin(),
                           [](auto label) { return static_cast<std::uint32_t>(label); });
        },
        read);
    return all;
}

class ComponentsInParts : public testing::OnDevice {
  protected:
    Queue queue{GetParam(), {.threads = 1}}, other{GetParam(), {.threads = 1}};
    std::vector<Queue*> queues{&queue, &other};
    testing::Cases cases{GetParam()};

    template <class T>
    void expect_same(const Image<T>& image, const PartSize& size, const ComponentOptions& options) {
        SCOPED_TRACE(text_of(image.shape(), size, options.connectivity));
        const ComponentResult whole = components(image, options, queue);
        const Boxes boxes(image);
        const JoinedComponents parts = components_in_parts(boxes, size, options, queues);
        ASSERT_EQ(parts.count, whole.count);
        EXPECT_EQ(parts.dropped_count, whole.dropped_count);
        EXPECT_EQ(parts.connectivity, whole.connectivity);
        ASSERT_EQ(parts.table.size(), whole.table.size());
        for (std::size_t c = 0; c < whole.table.size(); ++c) {
            EXPECT_EQ(parts.table[c].area, whole.table[c].area);
            EXPECT_EQ(parts.table[c].first, whole.table[c].first);
            EXPECT_EQ(parts.table[c].last, whole.table[c].last);
            EXPECT_EQ(parts.table[c].centroid, whole.table[c].centroid);
            EXPECT_EQ(parts.table[c].value, whole.table[c].value);
        }
        EXPECT_TRUE(read_all(*parts.labels).pixels() == whole.labels.pixels());
    }
    template <class T>
    void expect_same(const Image<T>& image, const ComponentOptions& options) {
        for (const PartSize& size : sizes)
            for (const Connectivity connectivity : image.shape().z > 1 ? of_volumes : of_pictures) {
                if (!cases.take()) continue;
                ComponentOptions with = options;
                with.connectivity = connectivity;
                expect_same(image, size, with);
            }
    }
};
TESELA_ON_EVERY_DEVICE(ComponentsInParts);

TEST_P(ComponentsInParts, OfMasksAreThoseOfTheWhole) {
    for (const Shape& shape : shapes) {
        expect_same(snake(shape), {});
        for (const unsigned percent : {0u, 20u, 50u, 80u, 100u})
            expect_same(random_image<std::uint8_t>(shape, percent, 3, percent + 1), {});
    }
}

TEST_P(ComponentsInParts, OfEqualValuesAreThoseOfTheWhole) {
    const ComponentOptions equal{.values = ComponentValues::equal};
    for (const Shape& shape : shapes) {
        expect_same(random_image<std::uint16_t>(shape, 70, 2, 5), equal);
        expect_same(random_image<std::int8_t>(shape, 90, 3, 6),
                    {.values = ComponentValues::equal, .background = 2.0});
        expect_same(random_image<float>(shape, 60, 2, 7),
                    {.values = ComponentValues::equal, .background = 0.0, .min_size = 3});
        expect_same(random_image<double>(shape, 60, 2, 8), equal);
    }
}

// Runs longer than what is compared at once, zeros of both signs, and a last row that ends early.
TEST_P(ComponentsInParts, OfLongRunsAreThoseOfTheWhole) {
    Image<float> zeros({301, 7, 5});
    Image<std::uint8_t> bytes({301, 7, 5});
    for (std::size_t i = 0; i < zeros.pixels().size(); ++i) {
        const bool is_far = i % 97 > 90;
        zeros.pixels()[i] = is_far ? 1.5F : i % 5 == 0 ? -0.0F : 0.0F;
        bytes.pixels()[i] = is_far ? static_cast<std::uint8_t>(1 + i % 3) : 0;
    }
    const ComponentOptions equal{.values = ComponentValues::equal};
    for (const PartSize& size : {PartSize{301, 7, 5}, {200, 3, 2}, {67, 7, 1}}) {
        expect_same(zeros, size, equal);
        expect_same(bytes, size, {});
        expect_same(bytes, size, equal);
    }
}

TEST_P(ComponentsInParts, SmallOnesAreDroppedByTheirWholeSize) {
    expect_same(snake({40, 41}), {.min_size = 800});
    expect_same(random_image<std::uint32_t>({60, 50}, 40, 100, 9), {.min_size = 5});
    expect_same(random_image<std::int32_t>({20, 19, 18}, 20, 100, 10), {.min_size = 4});
}

// Labels of any box, and part by part in the smallest type.
TEST_P(ComponentsInParts, LabelMapsAreReadInBoxes) {
    const Image<std::uint8_t> image = random_image<std::uint8_t>({50, 40, 12}, 10, 1, 11);
    const LabelImage whole = components(image, {}, queue).labels;
    const Boxes boxes(image);
    const JoinedComponents found = components_in_parts(boxes, {13, 11, 5}, {}, queues);
    EXPECT_EQ(found.labels->facts().type, PixelType::u16);
    const VoxelBox box{{11, 9, 3}, {45, 33, 11}};
    const AnyImage part = found.labels->read(box, 0);
    std::int64_t points = 0;
    std::mutex mutex;
    const auto compare = [&](const VoxelBox& at, const AnyImage& labels) {
        const std::lock_guard lock(mutex);
        const auto& typed = std::get<Image<std::uint16_t>>(labels);
        for (std::int64_t z = 0; z < at.length(2); ++z)
            for (std::int64_t y = 0; y < at.length(1); ++y)
                for (std::int64_t x = 0; x < at.length(0); ++x, ++points)
                    ASSERT_EQ(typed(x, y, z),
                              whole(at.begin[0] + x, at.begin[1] + y, at.begin[2] + z));
    };
    compare(box, part);
    points = 0;
    found.labels->for_each({}, compare);
    EXPECT_EQ(points, image.shape().points());
}

TEST_P(ComponentsInParts, TellOfGrayValues) {
    Image<std::uint8_t> image({30, 20});
    const auto gray = [&] {
        return components_in_parts(Boxes(image), {8, 8, 1}, {}, queues).gray_values;
    };
    EXPECT_FALSE(gray());
    image(29, 19) = 5;
    image(3, 17) = 5;
    EXPECT_FALSE(gray());
    image(20, 2) = 9;
    image(2, 18) = 7;
    EXPECT_EQ(gray(), (std::array{9.0, 5.0}));
}

TEST_P(ComponentsInParts, RefuseWhatTheyCannotTake) {
    Image<float> image({30, 20, 4});
    const PartSize size{8, 8, 2};
    const auto run = [&](const ComponentOptions& options, std::int64_t bytes = 0) {
        return components_in_parts(Boxes(image), size, options, queues, bytes);
    };
    EXPECT_NE(refusal([&] { run({.connectivity = Connectivity::four}); }), "");
    EXPECT_NE(refusal([&] { run({.background = 0.0}); }), "");
    EXPECT_NE(refusal([&] { components_in_parts(Boxes(image), {8, 0, 2}, {}, queues); }), "");
    EXPECT_NE(refusal([&] { components_in_parts(Boxes(image), size, {}, {}); }), "");
    EXPECT_THROW(components_in_parts(Boxes(Image<std::uint8_t>({4, 4, 1, 1, 3})), size, {}, queues),
                 UnsupportedFormat);
    EXPECT_NE(refusal([&] {
                  components_in_parts(Boxes(Image<std::uint8_t>({4, 4, 1, 2})), size, {}, queues);
              }),
              "");
    for (std::size_t i = 0; i < image.pixels().size(); i += 2) image.pixels()[i] = 1;
    EXPECT_THROW(run({.connectivity = Connectivity::six}, 1000), OutOfMemory);
    image(17, 12, 3) = std::numeric_limits<float>::quiet_NaN();
    for (const ComponentValues values : {ComponentValues::binary, ComponentValues::equal})
        EXPECT_NE(refusal([&] { run({.values = values}); }).find("x 17, y 12, z 3"),
                  std::string::npos);
}

// A part that cannot be read.
class Damaged : public Boxes {
  public:
    using Boxes::Boxes;
    AnyImage read(const VoxelBox& box, std::int64_t t) const override {
        if (box.begin[0] >= 16 && box.begin[1] >= 8) throw UnreadableInput("damaged in the middle");
        return Boxes::read(box, t);
    }
};

TEST_P(ComponentsInParts, StopAtWhatIsDamagedAndOnRequest) {
    const AnyImage image = random_image<std::uint8_t>({50, 40}, 50, 1, 12);
    EXPECT_THROW(components_in_parts(Damaged(image), {8, 8, 1}, {}, queues), UnreadableInput);
    CancelToken token;
    const Progress progress(
        [&](double done, std::string_view) {
            if (done > 0) token.cancel();
        },
        &token);
    EXPECT_THROW(components_in_parts(Boxes(image), {8, 8, 1}, {}, queues, 0, progress), Cancelled);
    EXPECT_EQ(components_in_parts(Boxes(image), {8, 8, 1}, {}, queues).count,
              components(image, {}, queue).count);
}

}  // namespace
}  // namespace tesela
