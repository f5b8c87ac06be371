// Operations with a halo on volumes in parts, whose boxes are those of the whole.
#include "operations/volume_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "compute/devices.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "tesela/error.h"
#include "tesela/volume_codec.h"

namespace tesela::operations {
namespace {

namespace testing = tesela::testing;
using Wanted = std::set<std::string, std::less<>>;

using Spacing = std::array<double, 3>;

Image<std::uint16_t> blobs(const Shape& shape, const Spacing& spacing) {
    Image<std::uint16_t> volume(shape);
    volume.geometry.unit = Unit::millimeter;
    volume.geometry.spacing = spacing;
    std::uint32_t random = 7;
    for (std::size_t i = 0; i < volume.pixels().size(); ++i) {
        random = random * 1664525 + 1013904223;
        volume.pixels()[i] =
            static_cast<std::uint16_t>((i / 9 % 13 < 6 ? 3000 : 400) + (random >> 23));
    }
    return volume;
}

// A volume that is stored in chunks of another size, as OME-Zarr is.
class InChunks : public PartSource {
  public:
    InChunks(std::shared_ptr<const PartSource> volume, const PartSize& chunk)
        : volume_(std::move(volume)), chunk_(chunk) {}

    const VolumeInputFacts& facts() const override { return volume_->facts(); }
    PartSize stored_part() const override { return chunk_; }
    AnyImage read(const VoxelBox& box, std::int64_t t) const override {
        return volume_->read(box, t);
    }

  private:
    std::shared_ptr<const PartSource> volume_;
    PartSize chunk_;
};

// Reads the volume that is to be written in boxes of one size.
WriteVolume in_boxes(std::int64_t side, AnyImage& made, bool* are_labels = nullptr) {
    return [side, &made, are_labels](const VolumeInput& volume, const VolumeWriteOptions& how,
                                     const Progress&) {
        if (are_labels) *are_labels = how.labels;
        const VolumeInputFacts& facts = volume.facts();
        made = filled_image(facts.type, facts.shape);
        const Shape& s = facts.shape;
        for (std::int64_t z = 0; z < s.z; z += side)
            for (std::int64_t y = 0; y < s.y; y += side)
                for (std::int64_t x = 0; x < s.x; x += side) {
                    const VoxelBox box{{x, y, z},
                                       {std::min(x + side, s.x), std::min(y + side, s.y),
                                        std::min(z + side, s.z)}};
                    const AnyImage part = volume.read(box, 0);
                    std::visit(
                        [&]<class T>(Image<T>& to) {
                            const auto& from = std::get<Image<T>>(part);
                            for (std::int64_t k = 0; k < box.length(2); ++k)
                                for (std::int64_t j = 0; j < box.length(1); ++j)
                                    for (std::int64_t i = 0; i < box.length(0); ++i)
                                        to(x + i, y + j, z + k) = from(i, j, k);
                        },
                        made);
                }
        return VolumeWriteResult{};
    };
}

// Few points of few labels, or of a mask.
template <class T>
Image<T> few(const Shape& shape, const Spacing& spacing, std::uint32_t labels) {
    Image<T> map(shape);
    map.geometry = blobs({1, 1}, spacing).geometry;
    std::uint32_t random = 11;
    for (T& value : map.pixels()) {
        random = random * 1664525 + 1013904223;
        value = static_cast<T>(random >> 22 == 0 ? 1 + (random >> 8) % labels : 0);
    }
    return map;
}

using Settings = std::vector<std::pair<std::string, OptionValue>>;

class VolumeParts : public ::testing::Test {
  protected:
    VolumeParts() : queue_(Device::parse("cpu"), {.threads = 2}) {}

    void expect_that_of_the_whole(const std::string& name, const std::string& output,
                                  const Settings& values, const Spacing& spacing = {1, 1.2, 2}) {
        SCOPED_TRACE("slices of " + std::to_string(spacing[2]) + " mm");
        expect_that_of(blobs({90, 70, 66}, spacing), nullptr, name, output, values);
    }
    void expect_that_of(const AnyImage& image, const SharedLabelTable& labels,
                        const std::string& name, const std::string& output,
                        const Settings& values) {
        SCOPED_TRACE(name);
        const Operation& whole = Registry::all().find(name);
        Options options = whole.options;
        for (const auto& [option, value] : values) options.set(option, value);
        const Wanted wanted{output};
        Values inputs;
        inputs.set("input", ImageValue(AnyImageView(image)).with_labels(labels));
        const Results expected = run(whole, {inputs, options, wanted}, queue_);
        const AnyImageView& right = expected.outputs.image(output).image();
        const auto bricks = in_parts(std::shared_ptr<const BrickSource>(compressed_volume(image)));
        const Operation parts = in_volume_parts(whole);
        const std::array<PartSize, 3> chunks{bricks->stored_part(), {17, 40, 9}, {128, 5, 70}};
        for (const std::size_t i : {0, 1, 2}) {
            const std::int64_t side = std::array{32, 50, 128}[i];
            Values from, to;
            AnyImage made;
            bool are_labels = false;
            from.set("input", ImageParts{std::make_shared<const InChunks>(bricks, chunks[i]),
                                         geometry_of(image), labels});
            to.set(output, in_boxes(side, made, &are_labels));
            const Results results = run(parts,
                                        {.inputs = from,
                                         .options = options,
                                         .wanted = wanted,
                                         .parts = to,
                                         .queues = queues_},
                                        queue_);
            EXPECT_EQ(results.shared.size(), std::max<std::size_t>(queues_.size(), 1));
            ASSERT_EQ(pixel_type_of(made), right.pixel_type());
            EXPECT_EQ(are_labels, are_kept_ || output == "mask");
            right.visit([&]<class T>(const PixelView<T>& pixels) {
                const std::span<const T> a = pixels.pixels();
                const auto& b = std::get<Image<T>>(made).pixels();
                EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << side;
            });
        }
    }

    Queue queue_;
    bool are_kept_ = false;       // as the output is to say
    std::vector<Queue*> queues_;  // that share the parts; none: that one alone
};

TEST_F(VolumeParts, AreThoseOfTheWhole) {
    const Length two{2}, millimeters{3, Length::In::millimeter};
    const std::string mean = "mean";
    const std::int64_t radius = 5;
    expect_that_of_the_whole("edges sobel", "edges", {});
    expect_that_of_the_whole("image smooth gaussian", "image", {{"sigma", two}});
    expect_that_of_the_whole("image smooth median", "image", {{"radius", Length{1}}});
    expect_that_of_the_whole("morphology open", "image", {{"radius", millimeters}});
    expect_that_of_the_whole("morphology gradient", "image", {{"radius", two}});
    expect_that_of_the_whole("threshold range", "mask", {{"low", 500.0}, {"high", 3100.0}});
    expect_that_of_the_whole("threshold adaptive", "mask", {{"method", mean}, {"radius", radius}});
    expect_that_of_the_whole("threshold adaptive", "surface",
                             {{"method", mean}, {"radius", radius}});
}

// The halo is that of the axis with the finest pixels, whichever it is.
TEST_F(VolumeParts, LengthsReachFarthestAlongTheFinestAxis) {
    const Length one{1, Length::In::millimeter}, two{2, Length::In::millimeter};
    for (const Spacing& spacing : {Spacing{0.5, 1, 2}, {2, 0.5, 1}, {1, 2, 0.5}}) {
        expect_that_of_the_whole("image smooth gaussian", "image", {{"sigma", one}}, spacing);
        expect_that_of_the_whole("image smooth median", "image", {{"radius", one}}, spacing);
        expect_that_of_the_whole("morphology close", "image", {{"radius", two}}, spacing);
    }
}

// Cut off at the bound, which the halo follows.
TEST_F(VolumeParts, DistancesWithinABound) {
    const std::string inside = "inside";
    for (const Spacing& spacing : {Spacing{1, 1, 1}, {0.7, 1.3, 2.1}}) {
        const AnyImage mask = few<std::uint8_t>({90, 70, 66}, spacing, 1);
        for (const double within : {2.0, 9.5})
            expect_that_of(mask, nullptr, "distance", "distance", {{"within", within}});
        expect_that_of(few<std::uint16_t>({90, 70, 66}, spacing, 3), nullptr, "distance",
                       "distance", {{"within", 4.0}, {"label", std::int64_t{2}}, {"side", inside}});
    }
}

// An object that no part has, and one that all have, are refused as those of a whole are.
TEST_F(VolumeParts, ObjectsAreSomewhereAndNotEverywhere) {
    for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{1}}) {
        Image<std::uint8_t> mask({80, 20, 20});
        std::fill(mask.pixels().begin(), mask.pixels().end(), value);
        try {
            expect_that_of(mask, nullptr, "distance", "distance", {{"within", 2.0}});
            ADD_FAILURE() << "the whole was taken";
        } catch (const InvalidArgument&) {
        }
        const Operation& distance = Registry::all().find("distance");
        Options options = distance.options;
        options.set("within", 2.0);
        Values from, to;
        AnyImage made;
        from.set("input",
                 ImageParts{in_parts(std::shared_ptr<const BrickSource>(compressed_volume(mask)))});
        to.set("distance", in_boxes(32, made));
        const Wanted wanted{"distance"};
        try {
            run(in_volume_parts(distance),
                {.inputs = from, .options = options, .wanted = wanted, .parts = to}, queue_);
            ADD_FAILURE() << "the parts were taken";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(value == 0 ? "empty" : "whole image"),
                      std::string::npos);
        }
    }
}

TEST_F(VolumeParts, LabelMapsAreThoseOfTheWhole) {
    const Length two{2};
    const auto unnamed = std::make_shared<const LabelTable>();
    are_kept_ = true;
    for (const std::string name : {"dilate", "erode", "open", "close"}) {
        const std::string verb = "morphology " + name;
        expect_that_of(few<std::uint16_t>({90, 70, 66}, {1, 1.2, 2}, 900), unnamed, verb, "image",
                       {{"radius", two}});
        expect_that_of(few<std::uint8_t>({90, 70, 66}, {1, 1.2, 2}, 2), unnamed, verb, "image",
                       {{"radius", two}});
    }
}

// Coarser levels of what is written have labels then, and no means of their numbers.
TEST_F(VolumeParts, LabelsAreMarkedWhereTheInputOrTheCallerSaysSo) {
    const AnyImage map = few<std::uint16_t>({70, 40, 36}, {1, 1, 1}, 9);
    const Length two{2};
    expect_that_of(map, nullptr, "morphology dilate", "image", {{"radius", two}});
    are_kept_ = true;
    expect_that_of(map, nullptr, "morphology dilate", "image", {{"radius", two}, {"labels", true}});
    const auto unnamed = std::make_shared<const LabelTable>();
    expect_that_of(map, unnamed, "image smooth median", "image", {{"radius", Length{1}}});
    are_kept_ = false;
    expect_that_of(map, unnamed, "image smooth gaussian", "image", {{"sigma", two}});
    expect_that_of(map, unnamed, "distance", "distance", {{"within", 2.0}});
}

// Devices that share the parts leave no trace.
TEST_F(VolumeParts, QueuesShareThem) {
    const std::vector<Device> devices = testing::test_devices();
    std::vector<std::unique_ptr<Queue>> queues;
    for (const Device& device : devices) {
        queues.push_back(std::make_unique<Queue>(device));
        queues_.push_back(queues.back().get());
    }
    const Length two{2};
    expect_that_of_the_whole("edges sobel", "edges", {});
    expect_that_of_the_whole("morphology open", "image", {{"radius", two}});
    expect_that_of(few<std::uint8_t>({90, 70, 66}, {1, 1, 1}, 1), nullptr, "distance", "distance",
                   {{"within", 6.0}});
}

// In the sentence of the whole.
TEST_F(VolumeParts, LabelsThatNoPartHasAreRefused) {
    const AnyImage map = few<std::uint16_t>({80, 20, 20}, {1, 1, 1}, 3);
    const Operation& distance = Registry::all().find("distance");
    Options options = distance.options;
    options.set("within", 2.0);
    options.set("label", std::int64_t{999});
    const Wanted wanted{"distance"};
    const auto error_of = [&](const auto& work) {
        try {
            work();
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Values whole, from, to;
    AnyImage made;
    whole.refer("input", map);
    from.set("input",
             ImageParts{in_parts(std::shared_ptr<const BrickSource>(compressed_volume(map)))});
    to.set("distance", in_boxes(32, made));
    const std::string error = error_of([&] {
        run(in_volume_parts(distance),
            {.inputs = from, .options = options, .wanted = wanted, .parts = to}, queue_);
    });
    EXPECT_EQ(error, "--label: no pixel has the label 999");
    EXPECT_EQ(error, error_of([&] { run(distance, {whole, options, wanted}, queue_); }));
}

TEST_F(VolumeParts, ErrorsSayWhichOfTheDevicesFailed) {
    const AnyImage volume = blobs({90, 70, 66}, {1, 1, 1});
    Queue small(Device::parse("cpu"), {.threads = 1, .max_memory = 1000});
    const Operation& sobel = Registry::all().find("edges sobel");
    const Wanted wanted{"edges"};
    Values from, to;
    AnyImage made;
    from.set("input",
             ImageParts{in_parts(std::shared_ptr<const BrickSource>(compressed_volume(volume)))});
    to.set("edges", in_boxes(32, made));
    const auto error_of = [&](const std::vector<Queue*>& queues) {
        try {
            run(in_volume_parts(sobel),
                {.inputs = from,
                 .options = sobel.options,
                 .wanted = wanted,
                 .parts = to,
                 .queues = queues},
                queue_);
        } catch (const OutOfMemory& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string id = small.device().id() + ": ";
    EXPECT_EQ(error_of({&small, &small}).substr(0, id.size()), id);
    const std::string alone = error_of({&small});
    EXPECT_NE(alone, "");
    EXPECT_NE(alone.substr(0, id.size()), id);
}

TEST_F(VolumeParts, WhatNeedsTheWholeIsRefused) {
    const Operation& adaptive = Registry::all().find("threshold adaptive");
    Values from, to;
    AnyImage made;
    from.set("input", ImageParts{in_parts(std::shared_ptr<const BrickSource>(
                          compressed_volume(blobs({20, 20, 20}, {1, 1, 1}))))});
    to.set("mask", in_boxes(32, made));
    const Wanted wanted{"mask"};
    EXPECT_THROW(
        run(in_volume_parts(adaptive),
            {.inputs = from, .options = adaptive.options, .wanted = wanted, .parts = to}, queue_),
        InvalidArgument);
}

}  // namespace
}  // namespace tesela::operations
