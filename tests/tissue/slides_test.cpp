// Maps of slides (spec 003, rows F28 to F30, F33).
#include "tesela/tissue_slides.h"

#include <geos_c.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "compute/devices.h"
#include "core/tiled_image.h"
#include "tesela/align.h"
#include "tesela/components.h"
#include "tesela/error.h"
#include "tesela/synthetic_slide.h"
#include "tissue/training.h"

namespace tesela {
namespace {

using testing::TiledImage;

// ---- Tiles at a resolution ---------------------------------------------------------------------

Image<std::uint8_t> colors(std::int64_t nx, std::int64_t ny, double um, unsigned seed) {
    Image<std::uint8_t> image({nx, ny, 1, 1, 3});
    std::mt19937 generator(seed);
    for (std::uint8_t& pixel : image.pixels()) pixel = static_cast<std::uint8_t>(generator());
    if (um > 0) image.geometry = micrometers_per_pixel(um, um);
    return image;
}

TEST(TissueGrids, CoverTheSlide) {
    const TiledImage slide({colors(300, 200, 0.25, 1)}, 64, 64);
    const TissueGrid grid = tissue_grid(slide, 0.5, 32);
    EXPECT_EQ(grid.step[0], 2);
    EXPECT_EQ(grid.columns, 5);  // 300 / 64, rounded up
    EXPECT_EQ(grid.rows, 4);
    // Half the tile: twice the map each way (row F28).
    EXPECT_EQ(tissue_grid(slide, 0.5, 16).columns, 10);
    EXPECT_EQ(tissue_grid(slide, 0.5, 32, 8).columns, 19);
    EXPECT_EQ(tissue_grid(slide, 0, 100).columns, 3);
}

TEST(TissueGrids, TilesAreMeansOverTheAreaOfEachPixel) {
    const Image<std::uint8_t> image = colors(120, 90, 0.3, 2);
    const TiledImage slide({image}, 64, 64);
    const TissueGrid grid = tissue_grid(slide, 0.5, 20);
    const double step = 0.5 / 0.3;
    const Image<std::uint8_t> tile = read_tile(slide, grid, 1, 1);
    ASSERT_EQ(tile.shape(), (Shape{20, 20, 1, 1, 3}));
    for (std::int64_t y = 0; y < 20; ++y)
        for (std::int64_t x = 0; x < 20; ++x)
            for (int c = 0; c < 3; ++c) {
                double sum = 0;
                const auto overlap = [&](std::int64_t at, std::int64_t cell) {
                    const double from = (20 + static_cast<double>(cell)) * step;
                    return std::max(0.0, std::min(from + step, static_cast<double>(at + 1)) -
                                             std::max(from, static_cast<double>(at)));
                };
                for (std::int64_t j = 0; j < 90; ++j)
                    for (std::int64_t i = 0; i < 120; ++i)
                        sum += overlap(i, x) * overlap(j, y) * image(i, j, 0, 0, c);
                ASSERT_NEAR(tile(x, y, 0, 0, c), sum / step / step, 0.5 + 1e-6);
            }
}

// From the coarsest level that is as fine; beyond the slide is its background.
TEST(TissueGrids, TilesComeFromTheNextFinerLevel) {
    const Image<std::uint8_t> full = colors(256, 256, 0.25, 3);
    const Image<std::uint8_t> half = colors(128, 128, 0, 4);  // other pixels, to be told apart
    TiledImage slide({full, half}, 64, 64);
    slide.changeable_facts().background = {250, 251, 252};
    const TissueGrid at_half = tissue_grid(slide, 0.5, 50);
    EXPECT_EQ(at_half.level, 1);
    EXPECT_EQ(tissue_grid(slide, 0.4, 50).level, 0);
    EXPECT_EQ(tissue_grid(slide, 0.6, 50).level, 1);
    const Image<std::uint8_t> tile = read_tile(slide, at_half, 2, 0);
    EXPECT_EQ(tile(3, 7, 0, 0, 1), half(103, 7, 0, 0, 1));
    EXPECT_EQ(tile(40, 7, 0, 0, 2), 252);
}

TEST(TissueGrids, SlidesThatCannotBeReadAreRefused) {
    const TiledImage unknown({colors(64, 64, 0, 1)}, 64, 64);
    const TiledImage coarse({colors(64, 64, 1.1, 1)}, 64, 64);
    const TiledImage nearly({colors(64, 64, 0.5005, 1)}, 64, 64);
    const TiledImage gray({Image<std::uint8_t>({64, 64})}, 64, 64);
    const TiledImage deep({Image<std::uint16_t>({64, 64, 1, 1, 3})}, 64, 64);
    EXPECT_THROW(tissue_grid(unknown, 0.5, 32), InvalidArgument);
    EXPECT_THROW(tissue_grid(coarse, 1.0, 32), InvalidArgument);
    EXPECT_EQ(tissue_grid(nearly, 0.5, 32).step[0], 1);
    EXPECT_THROW(tissue_grid(gray, 0, 32), UnsupportedFormat);
    EXPECT_THROW(tissue_grid(deep, 0, 32), UnsupportedFormat);
}

// ---- Background --------------------------------------------------------------------------------

double tissue_share(const Image<std::uint8_t>& mask) {
    double sum = 0;
    for (const std::uint8_t v : mask.pixels()) sum += v != 0;
    return sum / static_cast<double>(mask.pixels().size());
}

TEST(TissueMasks, OfBlankFullAndHalfFilledSlides) {
    Image<std::uint8_t> blank = colors(640, 640, 0.5, 1);
    for (std::uint8_t& v : blank.pixels()) v = static_cast<std::uint8_t>(238 + v % 12);
    EXPECT_EQ(tissue_share(tissue_mask(TiledImage({blank}, 256, 256))), 0);
    Image<std::uint8_t> full = blank;
    for (std::uint8_t& v : full.pixels()) v = static_cast<std::uint8_t>(v - 130);
    EXPECT_EQ(tissue_share(tissue_mask(TiledImage({full}, 256, 256))), 1);
    Image<std::uint8_t> half = blank;
    for (std::int64_t y = 0; y < 640; ++y)
        for (std::int64_t x = 320; x < 640; ++x)
            for (int c = 0; c < 3; ++c) half(x, y, 0, 0, c) = 140;
    const Image<std::uint8_t> mask = tissue_mask(TiledImage({half}, 256, 256));
    EXPECT_EQ(mask.shape(), (Shape{40, 40}));
    EXPECT_DOUBLE_EQ(tissue_share(mask), 0.5);
    EXPECT_EQ(mask(19, 5), 0);
    EXPECT_EQ(mask(20, 5), 255);
}

// ---- Polygons ----------------------------------------------------------------------------------

TissueMap map_of(std::int64_t columns, std::int64_t rows, std::vector<std::uint8_t> labels) {
    TissueMap map;
    map.grid.columns = columns;
    map.grid.rows = rows;
    map.grid.stride = {10, 10};
    map.labels = std::move(labels);
    return map;
}

TissueModel three_classes() {
    TissueModel model;
    model.classes = {"a", "b", "c"};
    model.colors = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    return model;
}

// Whether GEOS takes the polygon for valid, with the reason.
class Geos {
  public:
    Geos() { initGEOS(&ignore, &ignore); }
    static void ignore(const char*, ...) {}
    ~Geos() { finishGEOS(); }

    static GEOSGeometry* ring(const PlaneLine& line) {
        GEOSCoordSequence* points = GEOSCoordSeq_create(static_cast<unsigned>(line.size() + 1), 2);
        for (std::size_t i = 0; i <= line.size(); ++i) {
            GEOSCoordSeq_setX(points, static_cast<unsigned>(i), line[i % line.size()].x);
            GEOSCoordSeq_setY(points, static_cast<unsigned>(i), line[i % line.size()].y);
        }
        return GEOSGeom_createLinearRing(points);
    }
    static std::string reason(const Polygon& polygon, double& area) {
        std::vector<GEOSGeometry*> holes;
        for (const PlaneLine& hole : polygon.holes) holes.push_back(ring(hole));
        GEOSGeometry* geometry = GEOSGeom_createPolygon(ring(polygon.outer), holes.data(),
                                                        static_cast<unsigned>(holes.size()));
        char* text = GEOSisValidReason(geometry);
        const std::string result = text;
        GEOSFree(text);
        GEOSArea(geometry, &area);
        GEOSGeom_destroy(geometry);
        return result;
    }
};

void expect_valid_and_equal(const TissueMap& map, const Shape& full) {
    const Geos geos;
    Image<std::uint8_t> picture({full.x, full.y, 1, 1, 3});
    const TiledImage slide({picture}, 64, 64);
    const Annotations annotations = tissue_polygons(slide, three_classes(), map);
    std::vector<std::uint8_t> again(map.labels.size());
    for (const Annotation& annotation : annotations.list) {
        const Polygon& polygon = std::get<Polygons>(annotation.shape).at(0);
        double by_geos = 0;
        ASSERT_EQ(Geos::reason(polygon, by_geos), "Valid Geometry");
        EXPECT_DOUBLE_EQ(by_geos, area(polygon));
        for_each_covered(
            polygon, {0, 0, full.x, full.y},
            [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                for (std::int64_t x = first; x < end; ++x) {
                    auto& cell =
                        again[static_cast<std::size_t>(y / 10 * map.grid.columns + x / 10)];
                    cell = static_cast<std::uint8_t>(annotation.classes[0][0] - 'a' + 1);
                }
            });
    }
    EXPECT_EQ(again, map.labels);
}

TEST(TissuePolygons, OfRingsThatTouch) {
    expect_valid_and_equal(map_of(3, 3, {1, 1, 1, 1, 0, 1, 1, 1, 1}), {30, 30});  // a hole
    expect_valid_and_equal(map_of(3, 3, {1, 0, 1, 0, 1, 0, 1, 0, 1}), {30, 30});  // corners
    expect_valid_and_equal(map_of(4, 4, {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}),
                           {40, 40});  // holes that touch
    expect_valid_and_equal(map_of(3, 3, {1, 1, 0, 1, 0, 1, 1, 1, 1}), {30, 30});  // at the rim
    expect_valid_and_equal(map_of(2, 2, {1, 2, 3, 0}), {20, 20});
}

TEST(TissuePolygons, OfNoiseAreValidAndGiveTheMapAgain) {
    std::mt19937 generator(5);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::uint8_t> labels(31 * 17);
        for (std::uint8_t& label : labels)
            label = static_cast<std::uint8_t>(generator() % (round % 2 ? 2 : 4));
        expect_valid_and_equal(map_of(31, 17, labels), {310, 170});
    }
    // The last row and column stand out over the slide.
    expect_valid_and_equal(map_of(4, 3, {1, 1, 2, 2, 1, 0, 2, 2, 1, 1, 1, 3}), {37, 24});
}

// ---- Training and classification ---------------------------------------------------------------

struct Slide {
    SyntheticSection section;
    std::unique_ptr<TiledImage> source;
    Annotations annotations;
};
Slide synthetic(std::int64_t side, std::uint64_t seed, StainSet stains = StainSet::he) {
    Slide slide{synthetic_section(side, {.stains = stains, .seed = seed}), {}, {}};
    slide.section.picture.geometry = micrometers_per_pixel(0.5, 0.5);
    slide.source =
        std::make_unique<TiledImage>(std::vector<AnyImage>{slide.section.picture}, 256, 256);
    for (const Annotation& tissue : slide.section.tissues)
        if (tissue.classes != std::vector<std::string>{"Empty"})
            slide.annotations.list.push_back(tissue);
    return slide;
}

TissueModel trained(const Slide& slide, const std::string& groups, ClassifierKind kind,
                    Queue& queue, const std::optional<StainMatrix>& stains = {}) {
    TissueModel model;
    model.stains = stains;
    model.features = groups;
    model.micrometers_per_pixel = 0.5;
    model.tile = 64;
    TissueSamples samples;
    const TissueGrid grid = tissue_grid(*slide.source, 0.5, 64);
    add_annotated_tiles(*slide.source, slide.annotations, "train", grid, stains, FeatureSet(groups),
                        queue, samples);
    for (std::size_t i = 0; i < samples.rows(); ++i) {  // no tile alone, so that folds are even
        samples.groups[i] = static_cast<int>(i);
        samples.group_names.resize(samples.rows());
    }
    model.classes = samples.classes;
    model.colors.resize(model.classes.size());
    model.classifier = train_classifier(samples, {.classifier = kind});
    return model;
}

// Of the tiles that lie within one tissue, the share that is found right.
double share_right(const Slide& slide, const TissueModel& model, const TissueMap& map) {
    double right = 0, all = 0;
    for (std::int64_t cell = 0; cell < map.grid.cells(); ++cell) {
        const std::int64_t x = cell % map.grid.columns * 64, y = cell / map.grid.columns * 64;
        std::array<int, 3> counts{};
        for (std::int64_t j = y; j < y + 64; ++j)
            for (std::int64_t i = x; i < x + 64; ++i) ++counts[slide.section.labels(i, j)];
        for (std::size_t tissue = 0; tissue < 3; ++tissue) {
            if (counts[tissue] < 64 * 64) continue;
            const int label = map.labels[static_cast<std::size_t>(cell)];
            const std::string found =
                label == 0 ? "Empty" : model.classes[static_cast<std::size_t>(label - 1)];
            all += 1;
            right += found == std::array{"Empty", "Fibers", "Mesh"}[tissue];
        }
    }
    return right / all;
}

TEST(TissueSlides, TilesWithinOneTissueAreFound) {
    Queue queue(Device::parse("cpu"));
    const Slide train = synthetic(1024, 1), test = synthetic(1024, 2);
    const TissueModel model = trained(train, "default", ClassifierKind::svm, queue);
    EXPECT_EQ(model.classes, (std::vector<std::string>{"Fibers", "Mesh"}));
    const Image<std::uint8_t> mask = tissue_mask(*test.source);
    const TissueMap map = classify_slide(*test.source, model, {&queue}, {.masks = {&mask}});
    EXPECT_GE(share_right(test, model, map), 0.98);
}

// Slides in other stains, in the colors of the slide that taught.
TEST(TissueSlides, AnotherStainLosesAtMostThreePoints) {
    Queue queue(Device::parse("cpu"));
    const Slide train = synthetic(1024, 1);
    const TissueModel model =
        trained(train, "default", ClassifierKind::svm, queue, slide_stains(*train.source));
    const auto share = [&](StainSet stains) {
        const Slide test = synthetic(1024, 2, stains);
        const Image<std::uint8_t> mask = tissue_mask(*test.source);
        const TissueMap map = classify_slide(*test.source, model, {&queue}, {.masks = {&mask}});
        return share_right(test, model, map);
    };
    EXPECT_GE(share(StainSet::hdab), share(StainSet::he) - 0.03);
    EXPECT_GE(share(StainSet::he), 0.98);
}

// Pale cells within the mesh are no background: areas are those of the truth (spec 003, row F28).
TEST(TissueSlides, AreasAreThoseOfTheTruth) {
    Queue queue(Device::parse("cpu"));
    const Slide train = synthetic(2048, 1), test = synthetic(4096, 2);
    const TissueModel model = trained(train, "color,lbp-8-1", ClassifierKind::lda, queue);
    const Image<std::uint8_t> mask = tissue_mask(*test.source);
    const TissueMap map = classify_slide(*test.source, model, {&queue}, {.masks = {&mask}});
    std::map<std::string, double> truth, found;
    for (const Annotation& tissue : test.section.tissues)
        for (const Polygon& polygon : std::get<Polygons>(tissue.shape))
            truth[tissue.classes.front()] += area(polygon);
    for (const Annotation& tissue : tissue_polygons(*test.source, model, map).list)
        for (const Polygon& polygon : std::get<Polygons>(tissue.shape))
            found[tissue.classes.front()] += area(polygon);
    for (const char* name : {"Fibers", "Mesh"})
        EXPECT_NEAR(found[name] / truth[name], 1, 0.03) << name;
}

// A cell has the label that its tile has alone, with any number of threads and queues.
TEST(TissueSlides, MapsAreThoseOfSingleTiles) {
    Queue queue(Device::parse("cpu")), second(Device::parse("cpu"));
    const Slide slide = synthetic(512, 3);
    const TissueModel model = trained(slide, "color,lbp-8-1", ClassifierKind::lda, queue);
    const TissueMap map = classify_slide(*slide.source, model, {&queue}, {.threads = 1});
    const TissueMap other = classify_slide(*slide.source, model, {&queue, &second}, {.threads = 4});
    EXPECT_EQ(map.labels, other.labels);
    EXPECT_EQ(map.probabilities, other.probabilities);
    const FeatureSet set(model.features);
    for (std::int64_t cell = 0; cell < map.grid.cells(); cell += 7) {
        const auto p = model.classifier.probabilities(tile_features(
            read_tile(*slide.source, map.grid, cell % map.grid.columns, cell / map.grid.columns),
            set, queue));
        EXPECT_EQ(map.labels[static_cast<std::size_t>(cell)], most_probable(p) + 1);
        EXPECT_EQ(map.probabilities[static_cast<std::size_t>(cell) * 2], static_cast<float>(p[0]));
    }
}

// Two queues of one device, or of the CPU and others: the labels are the same, however the tiles
// are shared (spec 003, rows F30 and F31).
TEST(TissueSlides, DevicesShareTheTiles) {
    Queue cpu(Device::parse("cpu"));
    const Slide slide = synthetic(512, 3);
    const TissueModel model = trained(slide, "default", ClassifierKind::lda, cpu);
    const TissueMap alone = classify_slide(*slide.source, model, {&cpu}, {});
    const std::vector<Device> devices = testing::test_devices();
    std::vector<Queue> queues;
    for (const Device& device : devices)
        for (int i = 0; i < 2; ++i) queues.emplace_back(device);
    std::vector<Queue*> all;
    for (Queue& queue : queues) all.push_back(&queue);
    const auto expect_same = [&](const std::vector<Queue*>& on, std::size_t count) {
        const TissueMap map = classify_slide(*slide.source, model, on, {.threads = 2});
        EXPECT_EQ(map.labels, alone.labels);
        EXPECT_EQ(map.probabilities, alone.probabilities);
        ASSERT_EQ(map.devices.size(), count);
        std::int64_t done = 0;
        for (const DeviceLoad& device : map.devices) done += device.done;
        EXPECT_EQ(done, map.grid.cells());
        EXPECT_GE(imbalance(map.devices), 1);
    };
    expect_same(all, devices.size());
    for (std::size_t d = 0; d < devices.size(); ++d) {
        expect_same({all[2 * d], all[2 * d + 1]}, 1);
        if (!(devices[d] == cpu.device())) expect_same({&cpu, all[2 * d]}, 2);
    }
}

TEST(TissueSlides, MoreDevicesThanTiles) {
    Queue cpu(Device::parse("cpu"));
    const Slide slide = synthetic(512, 3);
    const TissueModel model = trained(slide, "color", ClassifierKind::lda, cpu);
    AnyImage part = part_of(AnyImage(slide.section.picture), {100, 100, 64, 64});
    geometry_of(part) = slide.section.picture.geometry;
    const TiledImage tile({part}, 64, 64);
    std::vector<Queue> queues;
    std::vector<Queue*> all;
    for (const Device& device : testing::test_devices()) queues.emplace_back(device);
    for (Queue& queue : queues) all.push_back(&queue);
    const TissueMap map = classify_slide(tile, model, all, {});
    EXPECT_EQ(map.grid.cells(), 1);
    EXPECT_EQ(map.labels, classify_slide(tile, model, {&cpu}, {}).labels);
}

// The error says which device had no memory left, where there are several.
TEST(TissueSlides, ADeviceRunsOutOfMemoryInTheMiddle) {
    static std::atomic<int> allocations;
    allocations = 0;
    const auto allow = [](std::int64_t) { return ++allocations < 4; };
    Queue cpu(Device::parse("cpu"));
    const Slide slide = synthetic(1024, 3);
    const TissueModel model = trained(slide, "default", ClassifierKind::lda, cpu);
    for (const Device& device : testing::test_devices()) {
        allocations = 0;
        Queue poor(device, {.allow_allocation = allow});
        const bool shared = !(device == cpu.device());
        try {
            classify_slide(*slide.source, model, {&cpu, &poor}, {});
            ADD_FAILURE() << device.id() << " had memory";
        } catch (const OutOfMemory& error) {
            EXPECT_EQ(std::string(error.what()).starts_with(device.id() + ": "), shared)
                << error.what();
        }
    }
}

// Trained and classified on any device: the same model and the same map (spec 003, row F30).
class TissueOnDevices : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(TissueOnDevices);

TEST_P(TissueOnDevices, ModelsAndMapsAreThoseOfTheProcessor) {
    Queue processor(Device::parse("cpu")), first(GetParam()), second(GetParam());
    const Slide train = synthetic(512, 3), test = synthetic(512, 4);
    const TissueModel model = trained(train, "default", ClassifierKind::svm, processor);
    const TissueMap map = classify_slide(*test.source, model, {&processor}, {});
    const TissueModel other = trained(train, "default", ClassifierKind::svm, first);
    const TissueMap of_device = classify_slide(*test.source, other, {&first, &second}, {});
    EXPECT_EQ(of_device.labels, map.labels);
    EXPECT_EQ(of_device.probabilities, map.probabilities);
    EXPECT_GT(std::set(map.labels.begin(), map.labels.end()).size(), 1u);
}

TEST(TissueSlides, AnnotationsThatAreLeftOutAreCounted) {
    Queue queue(Device::parse("cpu"));
    Slide slide = synthetic(512, 3);
    Annotation none = slide.annotations.list[0], star = none, point = none;
    none.classes.clear();
    star.classes = {"Ignore*"};
    point.shape = Points{{1, 1}};
    slide.annotations.list.insert(slide.annotations.list.end(), {none, star, point});
    TissueSamples samples;
    const AnnotationCounts counts = add_annotated_tiles(*slide.source, slide.annotations, "s",
                                                        tissue_grid(*slide.source, 0, 64), {},
                                                        FeatureSet("color"), queue, samples);
    EXPECT_EQ(counts.unclassified, 1);
    EXPECT_EQ(counts.starred, 1);
    EXPECT_EQ(counts.without_area, 1);
    EXPECT_GT(samples.rows(), 10u);
    EXPECT_EQ(samples.classes.size(), 2u);
}

TEST(TissueSlides, TilesInAnnotationsOfSeveralClassesAreCounted) {
    Queue queue(Device::parse("cpu"));
    Slide slide = synthetic(512, 3);
    Annotation again = slide.annotations.list[0];
    again.classes = {"zzz"};
    const auto counted = [&] {
        TissueSamples samples;
        return add_annotated_tiles(*slide.source, slide.annotations, "s",
                                   tissue_grid(*slide.source, 0, 64), {}, FeatureSet("color"),
                                   queue, samples)
            .tiles_in_several;
    };
    EXPECT_EQ(counted(), 0);
    slide.annotations.list.push_back(again);
    EXPECT_GT(counted(), 0);
}

// A slide whose tiles cannot be decoded, and one that is cancelled in between, end the call.
TEST(TissueSlides, ErrorsEndTheWork) {
    class Broken : public TiledImage {
        using TiledImage::TiledImage;
        AnyImage decode(int level, const TileBox& box) const override {
            if (box.x > 0 && box.y > 0) throw UnreadableInput("tile damaged");
            return TiledImage::decode(level, box);
        }
    };
    Queue queue(Device::parse("cpu"));
    const Slide slide = synthetic(512, 3);
    const TissueModel model = trained(slide, "color", ClassifierKind::lda, queue);
    const Broken broken({slide.section.picture}, 128, 128);
    EXPECT_THROW(classify_slide(broken, model, {&queue}, {}), UnreadableInput);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(classify_slide(*slide.source, model, {&queue}, {}, Progress({}, &token)),
                 Cancelled);
    EXPECT_THROW(classify_slide(*slide.source, model, {}, {}), InvalidArgument);
}

// What is being read when a device fails is given up after the tile at hand.
TEST(TissueSlides, AnErrorLeavesTheRestUnread) {
    class Slow : public TiledImage {
        using TiledImage::TiledImage;
        AnyImage decode(int level, const TileBox& box) const override {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return TiledImage::decode(level, box);
        }
    };
    Queue queue(Device::parse("cpu"));
    Queue poor(Device::parse("cpu"), {.allow_allocation = [](std::int64_t) { return false; }});
    const Slide slide = synthetic(512, 3);
    const TissueModel model = trained(slide, "color", ClassifierKind::lda, queue);
    const Slow slow({slide.section.picture}, 16, 16);  // four batches of 256 tiles
    EXPECT_THROW(classify_slide(slow, model, {&poor}, {.threads = 1}), OutOfMemory);
    EXPECT_LT(slow.decoded, 2 * 256);
}

TEST(TissueSlides, LabelsKnowTheirPlace) {
    const TiledImage slide({colors(300, 200, 0.25, 1)}, 64, 64);
    TissueMap map;
    map.grid = tissue_grid(slide, 0.5, 32);
    map.labels.assign(20, 1);
    const LabelImage labels = tissue_labels(slide, map);
    EXPECT_NEAR(labels.geometry.spacing_mm()[0], 64 * 0.25e-3, 1e-12);
    const auto center = physical_point(labels.geometry, {0, 0, 0});
    const auto expected = physical_point(slide.facts().levels[0].geometry, {31.5, 31.5, 0});
    EXPECT_NEAR(center[0], expected[0], 1e-12);
}

}  // namespace
}  // namespace tesela
