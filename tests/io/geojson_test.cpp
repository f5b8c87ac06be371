// Annotations as GeoJSON: what QuPath writes, old and new, round trips, and damaged files.
#include "tesela/geojson_io.h"

#include <fstream>
#include <limits>
#include <set>

#include "io/support.h"

namespace tesela::io {
namespace {

class GeoJson : public testing::FileTest {
  protected:
    Annotations read(const std::string& text) {
        const testing::fs::path path = file("a.geojson");
        testing::write_bytes(path, testing::Bytes(text.begin(), text.end()));
        return read_geojson(path);
    }
    // What QuPath writes, and what it wrote before version 0.3.
    Annotations read_sample(std::size_t index) {
        const auto [name, bytes] = testing::sample_geojson_files().at(index);
        testing::write_bytes(file(name), bytes);
        return read_geojson(file(name));
    }
    void expect_unreadable(const std::string& text, const std::vector<std::string>& words) {
        SCOPED_TRACE(text);
        testing::expect_error(ErrorCode::unreadable_input, words, [&] { read(text); });
    }
    std::string written(const Annotations& annotations) {
        write_geojson(annotations, file("w.geojson"));
        const testing::Bytes bytes = testing::read_bytes(file("w.geojson"));
        return {bytes.begin(), bytes.end()};
    }
};

std::string feature(const std::string& geometry, const std::string& properties = "{}") {
    return R"({"type": "Feature", "geometry": )" + geometry + R"(, "properties": )" + properties +
           "}";
}

const std::string triangle = R"({"type": "Polygon", "coordinates": [[[0,0],[4,0],[0,3],[0,0]]]})";

TEST_F(GeoJson, ReadsWhatQuPathWrites) {
    const Annotations read_back = read_sample(0);
    ASSERT_EQ(read_back.list.size(), 1u);
    const Annotation& found = read_back.list[0];
    EXPECT_EQ(found.id, "7c4b4a7e-8c2d-4a43-b6f6-3d1f5a0f3f5e");
    EXPECT_EQ(found.type, "annotation");
    EXPECT_EQ(found.name, "Region 1");
    EXPECT_EQ(found.classes, (std::vector<std::string>{"Tumor", "Positive"}));
    EXPECT_EQ(found.color, (std::array<std::uint8_t, 3>{200, 0, 10}));
    ASSERT_EQ(found.measurements.size(), 1u);
    EXPECT_EQ(found.measurements[0], (std::pair<std::string, double>{"Area", 12.5}));
    EXPECT_EQ(found.properties, R"({"isLocked":true})");
    EXPECT_TRUE(found.members.empty());
    EXPECT_EQ(std::get<Points>(found.nucleus), (Points{{1, 2}}));
    const Polygons expected{
        {{{10, 10}, {20.5, 10}, {20.5, 30}, {10, 30}}, {{{12, 12}, {12, 14}, {14, 14}}}}};
    EXPECT_EQ(std::get<Polygons>(found.shape), expected);
    ASSERT_EQ(read_back.warnings.size(), 1u);
    EXPECT_NE(read_back.warnings[0].find("1 measurement is no number"), std::string::npos);
}

// Before version 0.3: a plain list, the type in place of the id, packed colors, a list of
// measurements.
TEST_F(GeoJson, ReadsEarlyVersionsOfQuPath) {
    const Annotations read_back = read_sample(1);
    ASSERT_EQ(read_back.list.size(), 1u);
    const Annotation& found = read_back.list[0];
    EXPECT_EQ(found.id, "");
    EXPECT_EQ(found.type, "detection");
    EXPECT_EQ(found.classes, (std::vector<std::string>{"Tumor", "Positive"}));
    EXPECT_EQ(found.color, (std::array<std::uint8_t, 3>{200, 0, 0}));
    ASSERT_EQ(found.measurements.size(), 1u);
    EXPECT_EQ(found.measurements[0], (std::pair<std::string, double>{"Area", 6}));
    EXPECT_TRUE(read_back.warnings.empty());
}

TEST_F(GeoJson, ReadsEveryKindOfShape) {
    const auto shape = [&](const std::string& text) {
        return read(feature(text)).list.at(0).shape;
    };
    EXPECT_EQ(shape(R"({"type": "Point", "coordinates": [1.5, -2]})"),
              decltype(Annotation::shape)(Points{{1.5, -2}}));
    EXPECT_EQ(shape(R"({"type": "MultiPoint", "coordinates": [[1, 2], [3, 4, 5]]})"),
              decltype(Annotation::shape)(Points{{1, 2}, {3, 4}}));
    EXPECT_EQ(shape(R"({"type": "LineString", "coordinates": [[1, 2], [3, 4]]})"),
              decltype(Annotation::shape)(Lines{{{1, 2}, {3, 4}}}));
    EXPECT_EQ(shape(R"({"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]]]})"),
              decltype(Annotation::shape)(Lines{{{1, 2}, {3, 4}}}));
    EXPECT_EQ(std::get<Polygons>(shape(R"({"type": "MultiPolygon", "coordinates":
                  [[[[0,0],[4,0],[0,3],[0,0]]], [[[9,9],[14,9],[9,13],[9,9]]]]})"))
                  .size(),
              2u);
    EXPECT_EQ(shape("null").index(), 0u);
}

TEST_F(GeoJson, ClosesOpenRingsAndTellsIt) {
    const Annotations read_back =
        read(feature(R"({"type": "Polygon", "coordinates": [[[0,0],[4,0],[0,3]]]})"));
    EXPECT_EQ(std::get<Polygons>(read_back.list.at(0).shape)[0].outer.size(), 3u);
    ASSERT_EQ(read_back.warnings.size(), 1u);
    EXPECT_NE(read_back.warnings[0].find("1 ring was open and is closed"), std::string::npos);
}

Annotations several() {
    Annotations made;
    made.list.push_back({.shape = Polygons{{{{0, 0}, {0, 9}, {9.25, 0}}, {}}},
                         .id = "a",
                         .name = "with \"quotes\" and \xc3\xa4",
                         .classes = {"Tumor"},
                         .color = {{1, 2, 255}},
                         .measurements = {{"Area mm2", 0.1}, {"Count", 7}}});
    made.list.push_back(
        {.shape = Polygons{{{{0, 0}, {9, 0}, {9, 9}, {0, 9}}, {{{1, 1}, {2, 1}, {2, 2}}}},
                           {{{20, 0}, {21, 0}, {20, 1.0 / 3}}, {}}},
         .type = "detection",
         .classes = {"Stroma", "Positive"},
         .properties = R"({"isLocked":true,"metadata":{"a":"b"}})",
         .members = R"({"nucleusGeometry":null})"});
    made.list.push_back({.shape = Points{{-1, 1e-9}},
                         .type = "cell",
                         .form = {.members = R"({"plane":{"c":-1,"z":3,"t":0}})"},
                         .nucleus = Polygons{{{{0, 0}, {9.25, 0}, {0, 9}}, {}}},
                         .nucleus_form = {true, R"({"plane":{"c":-1,"z":3,"t":0}})"}});
    made.list.push_back({.shape = Points{{1, 2}, {3, 4}}});
    made.list.push_back({.shape = Lines{{{1, 2}, {123456.789, 4}}}});
    made.list.push_back({.shape = std::monostate()});
    made.calibration = {{0.25, 0.251}, {1000, 2000}};
    return made;
}

// Rings begin and turn as the format wants them; everything else is the same, to the bit.
void expect_same(const Annotations& found, Annotations expected) {
    PlaneLine& turned = std::get<Polygons>(expected.list[0].shape)[0].outer;
    turned = {turned[2], turned[1], turned[0]};
    PlaneLine& hole = std::get<Polygons>(expected.list[1].shape)[0].holes[0];
    hole = {hole[2], hole[1], hole[0]};
    EXPECT_EQ(found.calibration, expected.calibration);
    EXPECT_TRUE(found.warnings.empty());
    ASSERT_EQ(found.list.size(), expected.list.size());
    for (std::size_t i = 0; i < found.list.size(); ++i) {
        Annotation& one = expected.list[i];
        if (one.id.empty()) one.id = found.list[i].id;  // which was made for it
        EXPECT_EQ(found.list[i], one) << "feature " << i + 1;
    }
}

// UUIDs, the same in another file of the same annotations.
TEST_F(GeoJson, EveryFeatureHasAnIdOfItsOwn) {
    Annotations made = several();
    made.list.push_back(made.list.back());
    write_geojson(made, file("a.geojson"));
    write_geojson(made, file("b.geojson"));
    EXPECT_EQ(testing::read_bytes(file("a.geojson")), testing::read_bytes(file("b.geojson")));
    std::set<std::string> ids;
    for (const Annotation& one : read_geojson(file("a.geojson")).list) {
        EXPECT_TRUE(ids.insert(one.id).second) << one.id;
        if (one.id == made.list[0].id) continue;
        ASSERT_EQ(one.id.size(), 36u) << one.id;
        EXPECT_EQ(one.id[14], '8');
        EXPECT_NE(std::string("89ab").find(one.id[19]), std::string::npos) << one.id;
    }
    EXPECT_EQ(ids.size(), made.list.size());
}

TEST_F(GeoJson, ComesBackAsWritten) {
    for (const char* name : {"a.geojson", "a.geojson.gz", "b.json"}) {
        write_geojson(several(), file(name));
        expect_same(read_geojson(file(name)), several());
    }
    EXPECT_EQ(testing::read_bytes(file("a.geojson.gz"))[0], 0x1f);
    EXPECT_EQ(names().size(), 3u);
    testing::expect_error(ErrorCode::invalid_argument, {"a.geojson", "exists"}, [&] {
        write_geojson(several(), file("a.geojson"), {.overwrite = false});
    });
}

TEST_F(GeoJson, WritesClassesAsQuPathReadsThem) {
    const std::string text = written(several());
    EXPECT_NE(text.find(R"("classification":{"name":"Tumor","color":[1,2,255]})"), text.npos);
    EXPECT_NE(text.find(R"("classification":{"names":["Stroma","Positive"]})"), text.npos);
    EXPECT_NE(text.find(R"("measurements":{"Area mm2":0.1,"Count":7.0})"), text.npos);
    EXPECT_NE(text.find("[[[9.25,0],[0,9],[0,0],[9.25,0]]]"), text.npos)
        << "outer rings turn from x towards y";
}

// Of an ellipse of QuPath 0.5 on the third slice of a stack, as it is: every field comes back.
TEST_F(GeoJson, QuPathsFieldsComeBackUnchanged) {
    const std::string ellipse =
        R"({"type":"Feature","id":"0d5b5d0c-43c4-4b3c-8f5e-2a6a3b2f7a10",)"
        R"("geometry":{"type":"Polygon","coordinates":[[[4,1],[2,2],[0,1],[2,0],[4,1]]],)"
        R"("isEllipse":true,"plane":{"c":-1,"z":2,"t":0}},)"
        R"("properties":{"objectType":"annotation","name":"A","classification":{"name":"Tumor",)"
        R"("color":[200,0,0]},"measurements":{"Area":3.5},"color":[1,2,3],"isLocked":true,)"
        R"("metadata":{"ANNOTATION_DESCRIPTION":"x"}},"childObjects":[]})";
    std::string text =
        written(read(R"({"type":"FeatureCollection","features":[)" + ellipse + "]}"));
    text = text.substr(text.find("\n") + 1);
    EXPECT_EQ(text.substr(0, text.find("\n")), ellipse);
}

TEST_F(GeoJson, AnEmptyCollectionIsValid) { EXPECT_TRUE(read(written({})).list.empty()); }

TEST_F(GeoJson, RefusesWhatCannotBeWritten) {
    const auto refuse = [&](const Annotation& wrong, const std::vector<std::string>& words) {
        testing::expect_error(ErrorCode::invalid_argument, words, [&] {
            write_geojson({.list = {Annotation{}, wrong}}, file("w.geojson"));
        });
        EXPECT_TRUE(names().empty());
    };
    refuse({.shape = Polygons{{{{0, 0}, {1, 1}}, {}}}}, {"feature 2", "fewer than three points"});
    refuse({.shape = Lines{{{0, 0}}}}, {"feature 2", "fewer than two points"});
    refuse({.shape = Points{{std::numeric_limits<double>::quiet_NaN(), 0}}}, {"not finite"});
    refuse({.shape = {}, .measurements = {{"Area", std::numeric_limits<double>::infinity()}}},
           {"'Area'", "not finite"});
    refuse({.shape = {}, .properties = "[1]"}, {"no JSON object"});
}

TEST_F(GeoJson, SaysWhatIsWrongAndWhere) {
    expect_unreadable(R"({"type": "FeatureCollection", "features": [)" + feature(triangle) + ", ",
                      {"a.geojson", "no valid JSON", "line 1"});
    const auto second = [](const std::string& geometry) {
        return "[" + feature(triangle) + "," + feature(geometry) + "]";
    };
    expect_unreadable(second(R"({"type": "Polygon", "coordinates": [[[0,0],[1,1],[0,0]]]})"),
                      {"feature 2", "a ring has fewer than three points"});
    expect_unreadable(second(R"({"type": "Polygon", "coordinates": []})"),
                      {"feature 2", "a polygon has no ring"});
    expect_unreadable(second(R"({"type": "Polygon", "coordinates": 7})"),
                      {"feature 2", "coordinates are no list"});
    expect_unreadable(second(R"({"type": "Point", "coordinates": ["1", 2]})"),
                      {"feature 2", "a position is not two numbers"});
    expect_unreadable(second(R"({"type": "Point", "coordinates": [1e300, 2]})"),
                      {"feature 2", "too far"});
    expect_unreadable(second(R"({"type": "LineString", "coordinates": [[1, 2]]})"),
                      {"feature 2", "fewer than two points"});
    expect_unreadable(second("[]"), {"feature 2", "geometry is no object"});
    expect_unreadable("[" + feature(triangle, "3") + "]", {"feature 1", "properties"});
    expect_unreadable(R"([{"type": "Point"}])", {"feature 1", "no Feature"});
    expect_unreadable("[7]", {"feature 1", "no Feature"});
    expect_unreadable("[1e999]", {"no valid JSON"});
    expect_unreadable(std::string(100, '['), {"nested more than 64 levels"});
    expect_unreadable(R"({"type": "FeatureCollection", "features": [],
                         "tesela:calibration": {"mpp_x": "a"}})",
                      {"calibration", "mpp_x"});
    expect_unreadable("\xff\xfe", {"no valid JSON"});
}

TEST_F(GeoJson, RefusesOtherKindsOfJson) {
    const auto refuse = [&](const std::string& text, const std::vector<std::string>& words) {
        testing::expect_error(ErrorCode::unsupported_format, words, [&] { read(text); });
    };
    refuse("{}", {"a.geojson", "no FeatureCollection"});
    refuse("3", {"no FeatureCollection"});
    refuse(R"({"type": "FeatureCollection", "features": {}})", {"no FeatureCollection"});
    refuse(feature(R"({"type": "GeometryCollection", "geometries": []})"),
           {"feature 1", "'GeometryCollection'"});
}

TEST_F(GeoJson, DamagedFilesAndMemory) {
    testing::expect_error(ErrorCode::unreadable_input, {"none.geojson"},
                          [&] { read_geojson(file("none.geojson")); });
    write_geojson(several(), file("a.gz"));
    testing::Bytes bytes = testing::read_bytes(file("a.gz"));
    bytes.resize(bytes.size() / 2);
    testing::write_bytes(file("cut.gz"), bytes);
    testing::expect_error(ErrorCode::unreadable_input, {"cut.gz", "truncated"},
                          [&] { read_geojson(file("cut.gz")); });
    // Few bytes that unpack to many.
    Annotations many;
    many.list.assign(20000, several().list[1]);
    write_geojson(many, file("many.gz"));
    testing::expect_error(ErrorCode::out_of_memory, {"many.gz"},
                          [&] { read_geojson(file("many.gz"), {.max_bytes = 2 << 20}); });
    EXPECT_EQ(read_geojson(file("many.gz")).list.size(), many.list.size());
}

TEST_F(GeoJson, AFullDiskLeavesNothing) {
    Annotations many;
    many.list.assign(2000, several().list[1]);
    const testing::FileSizeLimit limit(100000);
    testing::expect_error(ErrorCode::unwritable_output, {"w.geojson"},
                          [&] { write_geojson(many, file("w.geojson")); });
    EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tesela::io
