// Operations whose inputs and outputs are read and made part by part, without any file.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "operations/kinds/folder.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/volume_file.h"
#include "operations/registry.h"
#include "tesela/compute/device.h"
#include "tesela/error.h"

namespace tesela::operations {
namespace {

using Wanted = std::set<std::string, std::less<>>;

// A picture as a slide of one level.
class PictureSlide : public TileSource {
  public:
    explicit PictureSlide(AnyImage picture) : picture_(std::move(picture)) {
        TileLevel level;
        level.shape = shape_of(picture_);
        level.tile_width = level.tile_height = 256;
        facts_.type = pixel_type_of(picture_);
        facts_.levels = {level};
    }
    const TileSourceFacts& facts() const override { return facts_; }

  protected:
    AnyImage decode(int, const TileBox& box) const override { return part_of(picture_, box); }

  private:
    AnyImage picture_;
    TileSourceFacts facts_;
};

// Puts the tiles of a picture together.
class PictureWriter : public TileWriter {
  public:
    PictureWriter(AnyImage& picture, const SlideForm& form, const SlideWriteOptions& how)
        : picture_(picture), side_(how.tile) {
        picture_ = filled_image(form.type, form.shape);
    }
    void write(std::int64_t column, std::int64_t row, const AnyImage& tile) override {
        const Shape& shape = shape_of(tile);
        const std::lock_guard lock(mutex_);
        copy_box(tile, {0, 0, shape.x, shape.y}, picture_, column * side_, row * side_);
    }
    void finish() override { ++finished; }

    static inline int finished = 0;

  private:
    AnyImage& picture_;
    std::int64_t side_;
    std::mutex mutex_;
};

Image<std::uint8_t> ramp(std::int64_t width, std::int64_t height) {
    Image<std::uint8_t> image({width, height});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint8_t>(i * i % 251);
    return image;
}

class Parts : public ::testing::Test {
  protected:
    Parts() : queue_(Device::parse("cpu"), {.threads = 1}) { PictureWriter::finished = 0; }

    OpenTiles into(AnyImage& picture) {
        return [&picture](const SlideForm& form, const SlideWriteOptions& how) {
            return std::make_unique<PictureWriter>(picture, form, how);
        };
    }

    Queue queue_;
    Values inputs_, parts_;
};

TEST_F(Parts, AnOperationWithAHaloGoesOverASlide) {
    const AnyImage image = ramp(2100, 1300);
    const Operation& sobel = Registry::all().find("edges sobel");
    ASSERT_TRUE(sobel.slides.in_tiles);
    const std::string output(sobel.outputs.front().name);
    const Wanted wanted{output};
    Values whole;
    whole.refer("input", image);
    const Results expected = run(sobel, {whole, sobel.options, wanted}, queue_);

    AnyImage made;
    inputs_.set("input", Slide(std::make_shared<PictureSlide>(image)));
    parts_.set(output, into(made));
    const Results results = run(*sobel.slides.in_tiles,
                                {.inputs = inputs_,
                                 .options = sobel.options,
                                 .wanted = wanted,
                                 .parts = parts_,
                                 .threads = 2,
                                 .queues = {&queue_}},
                                queue_);
    EXPECT_TRUE(std::get<0>(made).pixels() ==
                std::get<0>(expected.outputs.image(output).image()).pixels());
    EXPECT_EQ(PictureWriter::finished, 1);
    EXPECT_EQ(results.loads.size(), 3u);
}

TEST_F(Parts, WhatNeedsTheWholeImageIsRefusedOnASlide) {
    const Operation& normalize = Registry::all().find("stain normalize");
    inputs_.set("input",
                Slide(std::make_shared<PictureSlide>(Image<std::uint8_t>({30, 20, 1, 1, 3}))));
    const Wanted wanted{"normalized"};
    EXPECT_THROW(run(*normalize.slides.in_tiles, {inputs_, normalize.options, wanted}, queue_),
                 InvalidArgument);
}

TEST_F(Parts, ASlideIsConvertedFromItsSourceToItsSink) {
    const Image<std::uint8_t> picture = ramp(700, 300);
    const Operation& convert = Registry::all().find("slide convert");
    AnyImage made;
    inputs_.set("slide", Slide(std::make_shared<PictureSlide>(picture)));
    parts_.set("output", into(made));
    const Wanted wanted{"output"};
    const Call call{.inputs = inputs_,
                    .options = convert.options,
                    .wanted = wanted,
                    .parts = parts_,
                    .threads = 2};
    EXPECT_NE(run(convert, call, queue_).summary.find("700 x 300"), std::string::npos);
    EXPECT_EQ(std::get<0>(made).pixels(), picture.pixels());
    CancelToken token;
    token.cancel();
    EXPECT_THROW(run(convert, call, queue_, Progress({}, &token)), Cancelled);
}

TEST_F(Parts, FilesOfAFolderHaveNamesAndKinds) {
    const Operation& flow = Registry::all().find("synthesize flow");
    std::vector<std::pair<std::string, std::string>> files;
    parts_.set("output", WriteFile([&](const std::string& name, Kind kind, const std::any&) {
                   files.emplace_back(name, kind.name);
               }));
    Options options = flow.options;
    options.set("colors", true);
    const Wanted wanted{"output"};
    run(flow, {.inputs = inputs_, .options = options, .wanted = wanted, .parts = parts_}, queue_);
    const std::vector<std::pair<std::string, std::string>> expected{{"frame10.png", "image"},
                                                                    {"color10.png", "image"},
                                                                    {"flow10.flo", "field"},
                                                                    {"frame11.png", "image"}};
    EXPECT_EQ(files, expected);
}

class PictureVolume : public VolumeInput {
  public:
    PictureVolume() { facts_.shape = {10, 20, 30}; }
    const VolumeInputFacts& facts() const override { return facts_; }
    AnyImage read(const VoxelBox& box, std::int64_t) const override {
        return Image<std::uint8_t>({box.length(0), box.length(1), box.length(2)});
    }

  private:
    VolumeInputFacts facts_;
};

TEST_F(Parts, AVolumeIsCompressedByWhoTakesIt) {
    const Operation& compress = Registry::all().find("compress");
    VolumeWriteOptions asked;
    Geometry corrected;
    corrected.spacing = {1, 2, 3};
    inputs_.set("input", StoredVolume{std::make_shared<PictureVolume>(), corrected});
    parts_.set("output", WriteVolume([&](const VolumeInput& volume, const VolumeWriteOptions& how,
                                         const Progress&) {
                   asked = how;
                   return VolumeWriteResult{.bytes = volume.facts().shape.points() / 3};
               }));
    Options options = compress.options;
    options.set("max-error", 2.5);
    const Wanted wanted{"output"};
    const Results results = run(
        compress,
        {.inputs = inputs_, .options = options, .wanted = wanted, .parts = parts_, .threads = 3},
        queue_);
    EXPECT_EQ(asked.max_error, 2.5);
    EXPECT_EQ(asked.threads, 3);
    EXPECT_EQ(asked.geometry, corrected);
    EXPECT_EQ(std::get<double>(results.details.front().value), 3);
    options.set("lossless", true);
    EXPECT_THROW(check(compress, {inputs_, options, wanted}), InvalidArgument);
}

}  // namespace
}  // namespace tesela::operations
