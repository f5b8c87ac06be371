// Operations with a halo on volumes in parts, whose boxes are those of the whole.
#include "operations/volume_parts.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "tesela/error.h"
#include "tesela/volume_codec.h"

namespace tesela::operations {
namespace {

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

// Reads the volume that is to be written in boxes of one size.
WriteVolume in_boxes(std::int64_t side, AnyImage& made) {
    return [side, &made](const VolumeInput& volume, const VolumeWriteOptions&, const Progress&) {
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

class VolumeParts : public ::testing::Test {
  protected:
    VolumeParts() : queue_(Device::parse("cpu"), {.threads = 2}) {}

    void expect_that_of_the_whole(const std::string& name, const std::string& output,
                                  const std::vector<std::pair<std::string, OptionValue>>& values,
                                  const Spacing& spacing = {1, 1.2, 2}) {
        SCOPED_TRACE(name + " with slices of " + std::to_string(spacing[2]) + " mm");
        const Operation& whole = Registry::all().find(name);
        Options options = whole.options;
        for (const auto& [option, value] : values) options.set(option, value);
        const Image<std::uint16_t> volume = blobs({90, 70, 66}, spacing);
        const Wanted wanted{output};
        Values inputs;
        const AnyImage image = volume;
        inputs.refer("input", image);
        const Results expected = run(whole, {inputs, options, wanted}, queue_);
        const AnyImageView& right = expected.outputs.image(output).image();
        const ImageParts in_parts_of{
            in_parts(std::shared_ptr<const BrickSource>(compressed_volume(image))),
            volume.geometry};
        const Operation parts = in_volume_parts(whole);
        for (const std::int64_t side : {32, 50, 128}) {
            Values from, to;
            AnyImage made;
            from.set("input", in_parts_of);
            to.set(output, in_boxes(side, made));
            run(parts, {.inputs = from, .options = options, .wanted = wanted, .parts = to}, queue_);
            ASSERT_EQ(pixel_type_of(made), right.pixel_type());
            right.visit([&]<class T>(const PixelView<T>& pixels) {
                const std::span<const T> a = pixels.pixels();
                const auto& b = std::get<Image<T>>(made).pixels();
                EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << side;
            });
        }
    }

    Queue queue_;
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
