// `tesela measure`: tables, their columns, parents, reports, wrong usage.
#include <algorithm>

#include "program.h"
#include "tesela/geojson_io.h"

namespace tesela::cli::testing {
namespace {

class MeasureVerb : public ProgramTest {
  protected:
    MeasureVerb() {
        LabelImage map({6, 4}), parents({6, 4});
        for (const auto& [x, y] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}}) map(x, y) = 3;
        map(5, 3) = 8;
        for (std::int64_t y = 0; y < 4; ++y)
            for (std::int64_t x = 0; x < 4; ++x) parents(x, y) = 1;
        io::write_labels(map, file("cells.png"), {true});
        io::write_labels(parents, file("glands.png"), {true});
        Image<std::uint8_t> values({6, 4});
        for (std::size_t i = 0; i < values.pixels().size(); ++i)
            values.pixels()[i] = static_cast<std::uint8_t>(10 * i);
        write("values.png", values);
    }
};

TEST_F(MeasureVerb, WritesTheColumnsThatAreAskedFor) {
    const Outcome outcome =
        run({"measure", "cells.png", "--on", "values.png", "--parents", "glands.png",
             "--properties", "label,area,bbox,touches_border,intensity_mean,intensity_median", "-o",
             "t.csv", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_text("t.csv"),
              "label,parent,area,touches_border,bbox-0,bbox-1,bbox-2,bbox-3,intensity_mean,"
              "intensity_median\n"
              "3,1,4,0,1,1,3,3,105,105\n"
              "8,0,1,1,3,5,4,6,230,230\n");
    const Json json = outcome.json();
    EXPECT_EQ(json["statistics"]["object_count"], 2);
    EXPECT_EQ(json["statistics"]["channels"], 1);
    EXPECT_EQ(json["columns"][1]["name"], "parent");
    EXPECT_EQ(json["columns"][2]["mean"], 2.5);
    EXPECT_EQ(json["columns"][2]["highest"], 4);
}

TEST_F(MeasureVerb, ChannelsOfSeveralImagesAreNumberedInTheirOrder) {
    Image<std::uint8_t> pair({6, 4, 1, 1, 2});
    for (std::size_t i = 0; i < 24; ++i) {
        pair.pixels()[2 * i] = static_cast<std::uint8_t>(i);
        pair.pixels()[2 * i + 1] = 7;
    }
    write("pair.tif", pair);
    const std::vector<std::string> command{"measure",
                                           "cells.png",
                                           "--on",
                                           "values.png",
                                           "--on=pair.tif",
                                           "--properties",
                                           "label,intensity_mean",
                                           "-o"};
    const auto with = [&](std::vector<std::string> further) {
        std::vector<std::string> all = command;
        all.insert(all.end(), further.begin(), further.end());
        return all;
    };
    const Outcome outcome = run(with({"t.csv", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_text("t.csv"),
              "label,intensity_mean-0,intensity_mean-1,intensity_mean-2\n"
              "3,105,10.5,7\n"
              "8,230,23,7\n");
    const Json json = outcome.json();
    EXPECT_EQ(json["statistics"]["channels"], 3);
    EXPECT_EQ(json["parameters"]["on"], Json({"values.png", "pair.tif"}));
    EXPECT_EQ(json["channels"][2]["columns"], "-2");
    EXPECT_EQ(json["channels"][2]["path"], "pair.tif");
    EXPECT_EQ(json["channels"][2]["channel"], 1);
    EXPECT_NE(run(with({"u.csv"})).err.find("intensities -0 values.png, -1 to -2 pair.tif"),
              std::string::npos);
    // Each is checked by its name; settings of a file are a list.
    write("small.png", Image<std::uint8_t>({5, 4}));
    expect_failure(2, {"small.png"}, with({"v.csv", "--on", "small.png"}));
    expect_failure(3, {"--on: there is no file 'none.png'"}, with({"v.csv", "--on", "none.png"}));
    write_text("settings.json", R"({"on": ["values.png", "pair.tif"]})");
    ASSERT_EQ(run({"measure", "cells.png", "--config", "settings.json", "--properties",
                   "label,intensity_mean", "-o", "c.csv"})
                  .code,
              0);
    EXPECT_EQ(read_text("c.csv"), read_text("t.csv"));
}

TEST_F(MeasureVerb, PrintsTheTableWithoutAnOutput) {
    const Outcome outcome = run({"measure", "cells.png", "--properties", "label,area,extent"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out,
              "label  area  extent\n"
              "    3     4       1\n"
              "    8     1       1\n");
}

TEST_F(MeasureVerb, ListsUsualAndAllColumns) {
    ASSERT_EQ(run({"measure", "cells.png", "-o", "usual.csv"}).code, 0);
    ASSERT_EQ(
        run({"measure", "cells.png", "-o", "all.csv", "--properties", "all", "--on", "values.png"})
            .code,
        0);
    const std::string usual = read_text("usual.csv"), all = read_text("all.csv");
    for (const char* name : {"label", "area", "centroid-1", "circularity", "solidity"})
        EXPECT_NE(usual.find(name), std::string::npos) << name;
    EXPECT_EQ(usual.find("inertia"), std::string::npos);
    for (const char* name : {"perimeter,", "inertia_tensor-0-1", "area_convex", "intensity_std",
                             "intensity_percentile_95", "feret_diameter_min", "euler_number"})
        EXPECT_NE(all.find(name), std::string::npos) << name;
}

TEST_F(MeasureVerb, PhysicalColumnsBelongToTheirProperty) {
    ASSERT_EQ(run({"measure", "cells.png", "--spacing", "2,3", "--properties", "label,area", "-o",
                   "t.csv"})
                  .code,
              0);
    EXPECT_EQ(read_text("t.csv"), "label,area,area_mm2\n3,4,24\n8,1,6\n");
}

TEST_F(MeasureVerb, DrawsOutlines) {
    ASSERT_EQ(run({"measure", "cells.png", "--on", "values.png", "--overlay", "o.png", "-q"}).code,
              0);
    EXPECT_EQ(shape_of(io::read_image(file("o.png")).image).channels, 3);
}

TEST_F(MeasureVerb, AnEmptyMapSaysWhatToDo) {
    io::write_labels(LabelImage({5, 4}), file("empty.png"), {true});
    const Outcome outcome = run({"measure", "empty.png", "-o", "t.csv"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.err.find("has no objects"), std::string::npos) << outcome.err;
}

TEST_F(MeasureVerb, BadInputIsRefused) {
    write("gray.tif", Image<float>({6, 4}));
    write("small.png", Image<std::uint8_t>({5, 4}));
    write("color.png", color_picture(6, 4));
    expect_failure(3, {"whole numbers", "float32"}, {"measure", "gray.tif"});
    expect_failure(3, {"one channel", "3"}, {"measure", "color.png"});
    expect_failure(2, {"small.png"}, {"measure", "cells.png", "--on", "small.png"});
    expect_failure(2, {"--properties", "'aera' is no property of a picture", "area"},
                   {"measure", "cells.png", "--properties", "aera"});
    expect_failure(2, {"--properties names none"}, {"measure", "cells.png", "--properties", ","});
    expect_failure(2, {"without --on", "intensity_mean"},
                   {"measure", "cells.png", "--properties", "intensity_mean"});
}

TEST_F(MeasureVerb, WritesOutlinesWithTheColumns) {
    for (const char* name : {"o.geojson", "o.geojson.gz"}) {
        const Outcome outcome = run({"measure", "cells.png", "--properties", "label,area,centroid",
                                     "-o", "t.csv", "--outlines", name, "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Annotations outlines = io::read_geojson(file(name));
        ASSERT_EQ(outlines.list.size(), 2u);
        EXPECT_EQ(area(std::get<Polygons>(outlines.list[0].shape).front()), 4);
        EXPECT_EQ(outlines.list[0].name, "3");
        using Measurements = std::vector<std::pair<std::string, double>>;
        EXPECT_EQ(outlines.list[1].measurements,
                  (Measurements{{"label", 8}, {"area", 1}, {"centroid-0", 3}, {"centroid-1", 5}}));
    }
    write("volume.nii", Image<std::uint8_t>({4, 4, 4}));
    expect_failure(2, {"--outlines", "volume"},
                   {"measure", "volume.nii", "--outlines", "v.geojson"});
}

// Of verbs that make labels.
TEST_F(MeasureVerb, OutlinesOfOtherVerbsGiveTheMapBack) {
    const Outcome outcome = run({"components", "cells.png", "--labels", "l.png", "--outlines",
                                 "c.geojson", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const LabelImage labels = io::read_labels(file("l.png"));
    LabelImage filled({6, 4});
    for (const Annotation& annotation : io::read_geojson(file("c.geojson")).list)
        for (const Polygon& polygon : std::get<Polygons>(annotation.shape))
            for_each_covered(
                polygon, {0, 0, 6, 4}, [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                    for (std::int64_t x = first; x < end; ++x)
                        filled(x, y) = static_cast<std::uint32_t>(std::stoul(annotation.name));
                });
    EXPECT_TRUE(std::ranges::equal(filled.pixels(), labels.pixels()));
    EXPECT_EQ(
        run({"watershed", "values.png", "--outlines", "w.geojson.gz", "--device", "cpu"}).code, 0);
    expect_failure(2, {"c.txt", ".geojson"}, {"components", "cells.png", "--outlines", "c.txt"});
    write("volume.nii", Image<std::uint8_t>({4, 4, 4}));
    expect_failure(2, {"outlines", "volume"},
                   {"components", "volume.nii", "--outlines", "v.geojson", "--device", "cpu"});
}

}  // namespace
}  // namespace tesela::cli::testing
