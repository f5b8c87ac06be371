// Selections, holes and parts of masks and label maps on every device, against plain floods.
#include "tesela/mask.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "device_images.h"
#include "reference/objects_reference.h"
#include "refusal.h"
#include "segmentation/pictures.h"
#include "tesela/watershed.h"

namespace tesela {
namespace {

using Mask = Image<std::uint8_t>;

class MorphologyOfObjects : public testing::OnDeviceImages {};
TESELA_ON_EVERY_DEVICE(MorphologyOfObjects);

Mask mask(const Shape& shape, unsigned seed, std::uint8_t value = 255) {
    const Image<float> values = testing::patches(shape, 1.2, seed);
    Mask image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = values.pixels()[i] > 0.5f ? value : 0;
    return image;
}
LabelImage labels(const Shape& shape, unsigned seed) {
    LabelImage image = testing::quantized<std::uint32_t>(testing::patches(shape, 0.2, seed), 6);
    for (std::uint32_t& label : image.pixels()) label = label > 2 ? 1000 * (label - 2) : 0;
    return image;
}
constexpr std::array sizes{Shape{1, 1},   Shape{40, 1},   Shape{1, 30},
                           Shape{37, 23}, Shape{130, 67}, Shape{19, 14, 9}};

// The objects that stay, one rule after the other.
template <class T>
Image<T> expected(const Image<T>& image, const LabelImage& numbers,
                  const ObjectSelection& selection) {
    const auto facts = reference::facts_of(numbers, selection.margin);
    std::vector<std::size_t> order;
    for (std::size_t k = 1; k < facts.size(); ++k)
        if (facts[k].area > 0 && facts[k].area >= selection.min_size &&
            !(selection.margin > 0 && facts[k].at_border))
            order.push_back(k);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return facts[a].area > facts[b].area; });
    if (selection.largest > 0 && std::ssize(order) > selection.largest)
        order.resize(static_cast<std::size_t>(selection.largest));
    Image<T> result(image.shape(), image.geometry);
    for (std::size_t i = 0; i < result.pixels().size(); ++i)
        if (std::find(order.begin(), order.end(), numbers.pixels()[i]) != order.end())
            result.pixels()[i] = image.pixels()[i];
    return result;
}

const std::vector<ObjectSelection>& selections() {
    static const std::vector<ObjectSelection> all{
        {.min_size = 4}, {.margin = 1},  {.margin = 3},
        {.largest = 1},  {.largest = 3}, {.min_size = 2, .margin = 1, .largest = 2}};
    return all;
}

TEST_P(MorphologyOfObjects, SelectedFromMasks) {
    unsigned seed = 0;
    for (const Shape& shape : sizes)
        for (ObjectSelection selection : selections())
            for (const bool faces : {false, true}) {
                const Mask image = mask(shape, ++seed);
                const bool is_volume = shape.z > 1;
                if (faces)
                    selection.connectivity = is_volume ? Connectivity::six : Connectivity::four;
                const int axes = faces ? 1 : is_volume ? 3 : 2;
                const Mask wanted = expected(image, reference::objects(image, axes), selection);
                const auto found = select_objects(image, selection, queue);
                EXPECT_EQ(std::get<Mask>(found.image).pixels(), wanted.pixels());
                const auto there = select_objects(lent(image), selection, queue);
                expect_same(wanted, there.image);
                EXPECT_EQ(found.kept, there.kept);
                EXPECT_EQ(found.objects, there.objects);
            }
}

TEST_P(MorphologyOfObjects, SelectedFromLabelMaps) {
    unsigned seed = 0;
    for (const Shape& shape : sizes)
        for (ObjectSelection selection : selections()) {
            const LabelImage image = labels(shape, ++seed);
            const LabelImage wanted = expected(image, image, selection);
            const auto found = select_objects(image, selection, queue);
            EXPECT_EQ(std::get<LabelImage>(found.image).pixels(), wanted.pixels());
            expect_same(wanted, select_objects(lent(image), selection, queue).image);
            selection.labels = true;
            Image<float> floats(shape);
            std::copy(image.pixels().begin(), image.pixels().end(), floats.pixels().begin());
            EXPECT_EQ(select_objects(floats, selection, queue).kept, found.kept);
        }
}

// Holes have the value around them; at the border there are none.
TEST_P(MorphologyOfObjects, HolesAreFilled) {
    unsigned seed = 0;
    for (const Shape& shape : sizes)
        for (const std::int64_t max_size : {0, 2}) {
            if (shape.points() == 1) continue;  // all of it would be one
            const Mask image = mask(shape, ++seed, 7);
            Mask background(shape);
            std::transform(image.pixels().begin(), image.pixels().end(),
                           background.pixels().begin(),
                           [](std::uint8_t v) -> std::uint8_t { return v == 0; });
            const LabelImage numbers = reference::objects(background, 1);
            const auto facts = reference::facts_of(numbers, 1);
            Mask wanted = image;
            for (std::size_t i = 0; i < wanted.pixels().size(); ++i) {
                const auto& hole = facts[numbers.pixels()[i]];
                const bool fits = max_size == 0 || hole.area <= max_size;
                if (numbers.pixels()[i] != 0 && !hole.at_border && fits) wanted.pixels()[i] = 7;
            }
            const auto found = fill_holes(image, {.max_size = max_size}, queue);
            EXPECT_EQ(std::get<Mask>(found.image).pixels(), wanted.pixels());
            expect_same(wanted, fill_holes(lent(image), {.max_size = max_size}, queue).image);
        }
}

TEST_P(MorphologyOfObjects, HolesBetweenLabelsStay) {
    LabelImage image({7, 3});
    image.pixels() = {5, 5, 5, 5, 5, 9, 9,  //
                      5, 0, 5, 5, 0, 9, 0,  //
                      5, 5, 5, 5, 5, 9, 9};
    const auto found = fill_holes(image, {}, queue);
    LabelImage wanted = image;
    wanted(1, 1) = 5;
    EXPECT_EQ(std::get<LabelImage>(found.image).pixels(), wanted.pixels());
    EXPECT_EQ(found.holes, 2);
    EXPECT_EQ(found.filled, 1);
    expect_same(wanted, fill_holes(lent(image), {}, queue).image);
    Image<float> floats(image.shape());
    std::copy(image.pixels().begin(), image.pixels().end(), floats.pixels().begin());
    EXPECT_EQ(std::get<Image<float>>(fill_holes(floats, {}, queue).image)(1, 1), 5);
}

// Disks of radius r whose centers are 1.6 r apart.
Mask chain_of_disks(int count, double radius, const Shape& shape) {
    Mask image(shape);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
            for (int k = 0; k < count; ++k) {
                const double dx = static_cast<double>(x) - (radius + 3 + 1.6 * radius * k);
                const double dy = static_cast<double>(y) - (radius + 3);
                if (dx * dx + dy * dy <= radius * radius) image(x, y) = 255;
            }
    return image;
}

TEST_P(MorphologyOfObjects, TouchingOnesAreSplit) {
    Mask image = chain_of_disks(4, 11, {90, 40});
    image(85, 37) = 255;  // as small as can be
    const auto found = split_objects(image, {}, queue);
    EXPECT_EQ(found.objects, 2u);
    EXPECT_EQ(found.parts, 5u);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        ASSERT_EQ(found.labels.pixels()[i] != 0, image.pixels()[i] != 0) << i;
    // Where they touch, the border is halfway.
    EXPECT_EQ(found.labels(14, 14), 1u);
    EXPECT_EQ(found.labels(21, 14), 1u);
    EXPECT_NE(found.labels(24, 14), 1u);
    expect_same(found.labels, split_objects(lent(image), {}, queue).labels);
    EXPECT_EQ(split_objects(image, {.depth = 20}, queue).parts, 2u);
    // In millimeters.
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {0.5, 0.5, 1};
    const auto spaced = split_objects(image, {}, queue);
    EXPECT_EQ(spaced.parts, 5u);
    EXPECT_NEAR(spaced.depth, found.depth / 2, 1e-6);
}

TEST_P(MorphologyOfObjects, WatershedsStayInTheMask) {
    const auto image = testing::quantized<std::uint8_t>(testing::patches({61, 47}, 0.3, 5), 255);
    const Mask inside = mask(image.shape(), 8);
    const WatershedOptions options{.sigma = 0, .depth = 10};
    const auto found = watershed(image, AutomaticSeeds{}, options, queue, {}, inside);
    for (std::size_t i = 0; i < inside.pixels().size(); ++i)
        ASSERT_EQ(found.labels.pixels()[i] != 0, inside.pixels()[i] != 0) << i;
    // Each connected part has labels of its own.
    const LabelImage parts = reference::objects(inside, 1);
    std::map<std::uint32_t, std::uint32_t> part_of;
    for (std::size_t i = 0; i < inside.pixels().size(); ++i) {
        if (inside.pixels()[i] == 0) continue;
        const auto [entry, is_new] = part_of.emplace(found.labels.pixels()[i], parts.pixels()[i]);
        ASSERT_EQ(entry->second, parts.pixels()[i]);
    }
    EXPECT_EQ(part_of.size(), found.count);
    const auto there = lent(inside);
    expect_same(found.labels,
                watershed(lent(image), AutomaticSeeds{}, options, queue, {}, &there).labels);
    // All of an image is no mask.
    const Mask all = [&] {
        Mask full(image.shape());
        std::fill(full.pixels().begin(), full.pixels().end(), 1);
        return full;
    }();
    EXPECT_EQ(watershed(image, AutomaticSeeds{}, options, queue, {}, all).labels.pixels(),
              watershed(image, AutomaticSeeds{}, options, queue).labels.pixels());
    EXPECT_NE(testing::refusal([&] {
                  watershed(image, AutomaticSeeds{}, options, queue, {}, mask({3, 3}, 1));
              }),
              "");
}

TEST_P(MorphologyOfObjects, LabelsAreKept) {
    const LabelImage image = labels({33, 21}, 4);
    const auto ranges = parse_labels("1000,3000-4000");
    const auto found = keep_labels(image, ranges, queue);
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        const std::uint32_t v = image.pixels()[i];
        const std::uint32_t wanted = v == 1000 || v == 3000 || v == 4000 ? v : 0;
        ASSERT_EQ(std::get<LabelImage>(found).pixels()[i], wanted);
    }
    expect_same(std::get<LabelImage>(found), keep_labels(lent(image), ranges, queue));
    for (const char* text : {"", "0", "a", "1,", "3-1", "1-", "-1", "1 2", "4294967296"})
        EXPECT_NE(testing::refusal([&] { parse_labels(text); }).find("list of labels"),
                  std::string::npos)
            << text;
}

TEST_P(MorphologyOfObjects, MasksAreInvertedAndApplied) {
    const Mask inside = mask({13, 9}, 3);
    const Mask inverse = invert_mask(inside);
    for (std::size_t i = 0; i < inside.pixels().size(); ++i)
        EXPECT_EQ(inverse.pixels()[i], inside.pixels()[i] != 0 ? 0 : 255);
    expect_same(inverse, invert_mask(lent(inside), queue));
    const auto check = [&]<class T>(T value) {
        Image<T> image({13, 9, 1, 1, 2});
        image.has_alpha = true;
        std::iota(image.pixels().begin(), image.pixels().end(), T{1});
        for (const bool inverted : {false, true}) {
            const ApplyMaskOptions options{static_cast<double>(value), inverted};
            const auto found = std::get<Image<T>>(apply_mask(image, inside, options));
            for (std::size_t i = 0; i < inside.pixels().size(); ++i) {
                const bool is_set = (inside.pixels()[i] == 0) != inverted;
                ASSERT_EQ(found.pixels()[2 * i], is_set ? value : image.pixels()[2 * i]);
                ASSERT_EQ(found.pixels()[2 * i + 1], image.pixels()[2 * i + 1]);
            }
            expect_same(found, apply_mask(lent(image), lent(inside), options, queue));
        }
    };
    check(std::uint8_t{200});
    check(std::uint16_t{700});
    check(std::int16_t{-1024});
    check(std::uint32_t{70000});
    check(-0.5f);
    EXPECT_NE(testing::refusal([&] { apply_mask(inside, inside, {.value = 300}); }).find("--value"),
              std::string::npos);
    EXPECT_NE(testing::refusal([&] { apply_mask(inside, inside, {.value = 0.5}); }), "");
    EXPECT_NE(testing::refusal([&] { apply_mask(inside, mask({9, 13}, 1)); }), "");
}

TEST_P(MorphologyOfObjects, MasksAreUnited) {
    Mask a({4, 1}), b({4, 1});
    a.pixels() = {7, 0, 7, 0};
    b.pixels() = {0, 1, 1, 0};
    EXPECT_EQ(std::get<Mask>(unite_masks(a, b)).pixels(), (std::vector<std::uint8_t>{7, 7, 7, 0}));
    EXPECT_EQ(std::get<Mask>(unite_masks(Mask({4, 1}), b)).pixels(),
              (std::vector<std::uint8_t>{0, 255, 255, 0}));
    a.pixels()[3] = 9;
    EXPECT_NE(testing::refusal([&] { unite_masks(a, b); }).find("no mask"), std::string::npos);
}

TEST_P(MorphologyOfObjects, BadInput) {
    const auto refused = [&](const auto& call, const std::string& words) {
        try {
            call();
            ADD_FAILURE() << "taken; expected: " << words;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    const Mask color({4, 4, 1, 1, 3});
    refused([&] { select_objects(color, {}, queue); }, "one channel");
    refused([&] { fill_holes(color, {}, queue); }, "one channel");
    refused([&] { split_objects(color, {}, queue); }, "one channel");
    refused([&] { invert_mask(color); }, "one channel");
    refused([&] { select_objects(Mask({4, 4, 1, 2}), {}, queue); }, "frames");
    refused([&] { select_objects(Mask({4, 4}), {.min_size = -1}, queue); }, "at least 0");
    const SplitResult none = split_objects(Mask({4, 4}), {}, queue);
    EXPECT_EQ(none.objects + none.parts, 0);
    EXPECT_EQ(none.labels.pixels(), std::vector<std::uint32_t>(16, 0));
    refused([&] { split_objects(mask({9, 9}, 1), {.depth = -1}, queue); }, "depth");
    LabelImage large({2, 2});
    large.pixels() = {0, 1, 0, 1U << 27};
    refused([&] { select_objects(large, {.min_size = 1}, queue); }, "number them anew");
    Image<float> values({4, 4});
    values.pixels()[3] = 1.5f;
    refused([&] { select_objects(values, {.labels = true}, queue); }, "whole numbers");
    // Nothing to do.
    EXPECT_EQ(select_objects(Mask({4, 4}), {.largest = 1}, queue).objects, 0);
    EXPECT_EQ(fill_holes(Mask({4, 4}), {}, queue).holes, 0);
}

}  // namespace
}  // namespace tesela
