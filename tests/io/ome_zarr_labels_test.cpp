// Label maps in an image of OME-Zarr.
#include <map>

#include "io/file.h"
#include "io/ome_zarr_files.h"

namespace tesela::io::testing {
namespace {

using Contents = std::map<std::string, Bytes>;

class OmeZarrLabels : public OmeZarrFiles {
  protected:
    // Every file below a folder.
    Contents contents(const std::string& name) const {
        Contents found;
        for (const auto& entry : fs::recursive_directory_iterator(file(name)))
            if (entry.is_regular_file())
                found[entry.path().lexically_relative(file(name)).string()] =
                    read_bytes(entry.path());
        return found;
    }
    // Of them those that are not of labels.
    Contents image_contents(const std::string& name) const {
        Contents found = contents(name);
        std::erase_if(found, [](const auto& item) { return item.first.starts_with("labels/"); });
        return found;
    }
    // Numbers from 1 on, each of a column.
    static LabelImage columns(const Shape& shape, const Geometry& geometry = {}) {
        LabelImage labels(shape, geometry);
        for (std::int64_t i = 0; i < shape.points(); ++i)
            labels.pixels()[static_cast<std::size_t>(i)] =
                static_cast<std::uint32_t>(i % shape.x + 1);
        return labels;
    }
    // A picture in two levels of another writer, which leaves half pixels out.
    void write_by_hand(const std::string& version) {
        const auto level = [](int path, double scale) {
            return Json{{"path", std::to_string(path)},
                        {"coordinateTransformations",
                         Json::array({{{"type", "scale"}, {"scale", {1, scale, scale}}}})}};
        };
        Json axes = Json::array({{{"name", "c"}, {"type", "channel"}}});
        for (const char* name : {"y", "x"}) axes.push_back({{"name", name}, {"type", "space"}});
        put("hand.zarr/.zattrs",
            {{"multiscales", Json::array({{{"version", version},
                                           {"axes", axes},
                                           {"datasets", {level(0, 0.5), level(1, 1.0)}}}})}});
        for (const auto& [path, shape] :
             {std::pair{"0", Json{2, 5, 75}}, std::pair{"1", Json{2, 2, 37}}})
            put(std::string("hand.zarr/") + path + "/.zarray", {{"zarr_format", 2},
                                                                {"shape", shape},
                                                                {"chunks", shape},
                                                                {"dtype", "|u1"},
                                                                {"order", "C"},
                                                                {"compressor", nullptr},
                                                                {"filters", nullptr},
                                                                {"fill_value", 0}});
    }
};

TEST_F(OmeZarrLabels, LieOnTheLevelsOfTheirImage) {
    const Geometry geometry = micrometers_per_pixel(0.5, 2);
    write_image(pattern<std::uint8_t>({1025, 7, 1, 1, 3}, geometry), file("a.ome.zarr"));
    const Contents before = contents("a.ome.zarr");
    const LabelImage labels = columns({1025, 7}, geometry);
    const LabelTable table{{3, {"liver, left", Rgb{1, 2, 3}}}, {5000, {"none"}}, {1025, {"last"}}};
    EXPECT_TRUE(write_labels(labels, file("a.ome.zarr/labels/cells"), {}, table).empty());
    EXPECT_EQ(image_contents("a.ome.zarr"), before);
    EXPECT_EQ(json_at("a.ome.zarr/labels/.zattrs"), Json({{"labels", {"cells"}}}));
    EXPECT_EQ(json_at("a.ome.zarr/labels/.zgroup"), Json({{"zarr_format", 2}}));

    const LabelMap read = read_label_map(file("a.ome.zarr/labels/cells"));
    EXPECT_EQ(read.labels.pixels(), labels.pixels());
    EXPECT_EQ(read.labels.geometry, geometry);
    ASSERT_TRUE(read.table);
    EXPECT_EQ(*read.table, (LabelTable{{3, {"liver, left", Rgb{1, 2, 3}}}, {1025, {"last"}}}));
    EXPECT_TRUE(is_label_map(file("a.ome.zarr/labels/cells")));
    EXPECT_FALSE(is_label_map(file("a.ome.zarr")));
    for (const auto& [level, step] : {std::pair{"1", 2u}, std::pair{"2", 4u}}) {
        const auto coarse = std::get<Image<std::uint16_t>>(
            read_image(file(std::string("a.ome.zarr/labels/cells/") + level)).image);
        EXPECT_EQ(shape_of(read_image(file(std::string("a.ome.zarr/") + level)).image).x,
                  coarse.shape().x);
        for (std::int64_t x = 0; x < coarse.shape().x; ++x)
            ASSERT_EQ(coarse(x, 1), static_cast<std::uint32_t>(x) * step + 1);
    }

    const Json image = json_at("a.ome.zarr/.zattrs")["multiscales"][0];
    const Json cells = json_at("a.ome.zarr/labels/cells/.zattrs");
    const Json of_labels = cells["multiscales"][0];
    ASSERT_EQ(of_labels["datasets"].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
        for (const std::size_t t : {0, 1}) {
            const char* type = t == 0 ? "scale" : "translation";
            const Json& whole = image["datasets"][i]["coordinateTransformations"][t][type];
            EXPECT_EQ(of_labels["datasets"][i]["coordinateTransformations"][t][type],
                      Json({whole[1], whole[2]}));
        }
    EXPECT_EQ(of_labels["axes"], Json({image["axes"][1], image["axes"][2]}));
    EXPECT_EQ(cells["image-label"]["source"]["image"], "../../");
    EXPECT_EQ(cells["image-label"]["colors"].size(), 1025u);
    EXPECT_EQ(cells["image-label"]["colors"][2],
              Json({{"label-value", 3}, {"rgba", {1, 2, 3, 255}}}));
    EXPECT_EQ(cells["image-label"]["properties"][0],
              Json({{"label-value", 3}, {"name", "liver, left"}}));
}

TEST_F(OmeZarrLabels, OfOtherWritersKeepTheirLevels) {
    write_by_hand("0.4");
    write_labels(columns({75, 5}), file("hand.zarr/labels/a"));
    const auto coarse =
        std::get<Image<std::uint8_t>>(read_image(file("hand.zarr/labels/a/1")).image);
    ASSERT_EQ(coarse.shape(), (Shape{37, 2}));
    for (std::int64_t x = 0; x < 37; ++x) EXPECT_EQ(coarse(x, 1), 2 * x + 1);
    EXPECT_EQ(json_at("hand.zarr/labels/a/.zattrs")["multiscales"][0]["datasets"][1]
                                                   ["coordinateTransformations"],
              Json::array({{{"type", "scale"}, {"scale", {1.0, 1.0}}}}));
    put("hand.zarr/.zmetadata", Json::object());
    const auto told = write_labels(columns({75, 5}), file("hand.zarr/labels/a"));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("consolidated"), std::string::npos) << told[0];
}

TEST_F(OmeZarrLabels, OfVersion05) {
    const Geometry geometry = micrometers_per_pixel(0.5, 2);
    write_image(pattern<std::uint8_t>({600, 7}, geometry), file("a.zarr"),
                {.zarr = ZarrVersion::v0_5});
    const Contents before = contents("a.zarr");
    const LabelImage labels = columns({600, 7}, geometry);
    const LabelTable table{{3, {"liver"}}};
    write_labels(labels, file("a.zarr/labels/cells"), {}, table);
    write_labels(labels, file("a.zarr/labels/more"), {}, table);
    EXPECT_EQ(image_contents("a.zarr"), before);
    const Json all = json_at("a.zarr/labels/zarr.json");
    EXPECT_EQ(all["node_type"], "group");
    EXPECT_EQ(all["attributes"]["ome"], Json({{"labels", {"cells", "more"}}, {"version", "0.5"}}));
    EXPECT_EQ(json_at("a.zarr/labels/cells/zarr.json")["attributes"]["ome"]["version"], "0.5");
    EXPECT_FALSE(fs::exists(file("a.zarr/labels/.zattrs")));
    const LabelMap read = read_label_map(file("a.zarr/labels/cells"));
    EXPECT_EQ(read.labels.pixels(), labels.pixels());
    EXPECT_EQ(*read.table, table);
    EXPECT_EQ(shape_of(read_image(file("a.zarr/labels/cells/1")).image).x, 300);
}

TEST_F(OmeZarrLabels, VolumesInTime) {
    Geometry geometry;
    geometry.spacing = {1, 1, 1.5};
    geometry.time_step = 2;
    geometry.unit = Unit::millimeter;
    write_image(pattern<float>({130, 70, 5, 2}, geometry), file("a.zarr"));
    const LabelImage labels = columns({130, 70, 5, 2}, geometry);
    write_labels(labels, file("a.zarr/labels/parts"));
    const LabelMap read = read_label_map(file("a.zarr/labels/parts"));
    EXPECT_EQ(read.labels.pixels(), labels.pixels());
    EXPECT_EQ(read.labels.geometry, geometry);
    EXPECT_EQ(shape_of(read_image(file("a.zarr/labels/parts/2")).image), (Shape{33, 18, 2, 2}));
    // The same points in another order.
    LabelImage turned(labels.shape(), geometry);
    turned.geometry.direction[0] = -1;
    turned.geometry.origin[0] = 129;
    std::copy(labels.pixels().rbegin(), labels.pixels().rend(), turned.pixels().begin());
    write_labels(turned, file("a.zarr/labels/turned"));
    EXPECT_EQ(read_labels(file("a.zarr/labels/turned")).pixels(), labels.pixels());
}

TEST_F(OmeZarrLabels, AreListedAndReplaced) {
    write_image(pattern<std::uint8_t>({9, 8}), file("a.zarr"));
    put("a.zarr/labels/.zattrs", {{"labels", {"old"}}, {"mine", 5}});
    write_labels(columns({9, 8}), file("a.zarr/labels/b.png"));  // a name as any other
    EXPECT_EQ(json_at("a.zarr/labels/.zattrs"), Json({{"labels", {"old", "b.png"}}, {"mine", 5}}));
    EXPECT_TRUE(fs::exists(file("a.zarr/labels/.zgroup")));
    expect_error(ErrorCode::invalid_argument, {"b.png", "exists"}, [&] {
        write_labels(columns({9, 8}), file("a.zarr/labels/b.png"), {.overwrite = false});
    });
    LabelImage other({9, 8});
    other(1, 1) = 70000;
    write_labels(other, file("a.zarr/labels/b.png"));
    EXPECT_EQ(read_labels(file("a.zarr/labels/b.png")).pixels(), other.pixels());
    EXPECT_EQ(json_at("a.zarr/labels/.zattrs"), Json({{"labels", {"old", "b.png"}}, {"mine", 5}}));
    // A mask is one too.
    write_image(pattern<std::uint8_t>({9, 8}), file("a.zarr/labels/mask"));
    EXPECT_TRUE(is_label_map(file("a.zarr/labels/mask")));
    // What else lies there is none.
    const Json before = json_at("a.zarr/labels/.zattrs");
    {
        Staging table({file("a.zarr/labels/table.csv")}, true);
        write_bytes(table.staged(), {'a'});
        table.commit();
    }
    EXPECT_EQ(json_at("a.zarr/labels/.zattrs"), before);
    for (const auto& entry : fs::directory_iterator(file("a.zarr")))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".tesela")) << entry.path();
}

TEST_F(OmeZarrLabels, FormatsHoldNamesThemselves) {
    const LabelTable table{{2, {"liver", Rgb{9, 8, 7}, {"Segment_x", "a:b|"}}}};
    for (const std::string name : {"l.ome.zarr", "l.zarr.zip"}) {
        write_labels(columns({5, 4}), file(name), {}, table);
        const LabelMap read = read_label_map(file(name));
        ASSERT_TRUE(read.table);
        EXPECT_EQ(*read.table, table);
        EXPECT_TRUE(is_label_map(file(name)));
        EXPECT_FALSE(fs::exists(labels_side_file(file(name))));
    }
    // In the type that they have.
    write_labels_as_stored(pattern<std::int32_t>({1, 1}), file("s.zarr"), {}, table);
    EXPECT_EQ(pixel_type_of(read_image(file("s.zarr")).image), PixelType::i32);
}

// As they were written before names lay within.
TEST_F(OmeZarrLabels, EarlierOnesHaveNamesBesideThem) {
    const LabelTable table{{2, {"liver", Rgb{9, 8, 7}}}};
    write_labels(columns({5, 4}), file("l.zarr"));
    Json attributes = json_at("l.zarr/.zattrs");
    attributes["image-label"] = {{"version", "0.4"}};
    put("l.zarr/.zattrs", attributes);
    write_labels(columns({5, 4}), file("l.png"), {}, table);
    fs::remove(file("l.png"));
    const LabelMap read = read_label_map(file("l.zarr"));
    ASSERT_TRUE(read.table && read.table->contains(2));
    EXPECT_EQ(read.table->at(2), table.at(2));
}

// What is not understood of the labels leaves their pixels as they are.
TEST_F(OmeZarrLabels, StrangeNamesAreLeftOut) {
    write_labels(columns({5, 4}), file("l.zarr"));
    Json attributes = json_at("l.zarr/.zattrs");
    attributes["image-label"] = {
        {"colors",
         {{{"label-value", 1}, {"rgba", {1, 2, 3}}},
          {{"label-value", 2}, {"rgba", {1, 2, 300, 4}}},
          {{"label-value", -3}, {"rgba", {1, 2, 3, 4}}},
          {{"label-value", 4294967296}, {"rgba", {1, 2, 3, 4}}},
          {{"label-value", "4"}},
          7,
          {{"label-value", 4}, {"rgba", {1, 2, 3, 4}}}}},
        {"properties",
         {{{"label-value", 1}, {"name", 5}}, {{"label-value", 2}, {"area", 5}}, nullptr}}};
    put("l.zarr/.zattrs", attributes);
    const LabelMap read = read_label_map(file("l.zarr"));
    EXPECT_EQ(read.labels.pixels(), columns({5, 4}).pixels());
    EXPECT_EQ(*read.table, (LabelTable{{4, {"", Rgb{1, 2, 3}}}}));
    for (const Json& strange : {Json(5), Json::array({1}), Json({{"colors", 3}})}) {
        attributes["image-label"] = strange;
        put("l.zarr/.zattrs", attributes);
        EXPECT_TRUE(read_label_map(file("l.zarr")).table->empty());
    }
}

TEST_F(OmeZarrLabels, RefusalsSayWhatAndWhere) {
    const auto refused = [&](ErrorCode code, const std::vector<std::string>& words,
                             const LabelImage& labels, const std::string& name) {
        expect_error(code, words, [&] { write_labels(labels, file(name)); });
    };
    const LabelImage labels = columns({9, 8});
    refused(ErrorCode::unwritable_output, {"none.zarr", "no folder"}, labels, "none.zarr/labels/a");
    fs::create_directory(file("empty.zarr"));
    refused(ErrorCode::unwritable_output, {"labels/a", "empty.zarr", "no OME-Zarr"}, labels,
            "empty.zarr/labels/a");
    put("group.zarr/.zgroup", {{"zarr_format", 2}});
    refused(ErrorCode::unwritable_output, {"labels/a", "group.zarr", "without an image"}, labels,
            "group.zarr/labels/a");
    fs::create_directories(file("plain/labels"));
    refused(ErrorCode::unsupported_format, {"suffix"}, labels, "plain/labels/a");
    write_by_hand("0.3");
    refused(ErrorCode::unwritable_output, {"0.3", "0.4 and 0.5"}, columns({75, 5}),
            "hand.zarr/labels/a");

    const Geometry geometry = micrometers_per_pixel(1, 1);
    write_image(pattern<std::uint8_t>({9, 8}, geometry), file("a.zarr"));
    const Contents before = contents("a.zarr");
    refused(ErrorCode::invalid_argument, {"a.zarr", "grid", "9 x 7"}, columns({9, 7}),
            "a.zarr/labels/a");
    refused(ErrorCode::invalid_argument, {"a.zarr", "grid", "2 time points"}, columns({9, 8, 1, 2}),
            "a.zarr/labels/a");
    refused(ErrorCode::invalid_argument, {"a.zarr", "grid", "2 x 2"},
            columns({9, 8}, micrometers_per_pixel(2, 2)), "a.zarr/labels/a");
    expect_error(ErrorCode::unsupported_format, {"labels/a", "float32"}, [&] {
        write_image(pattern<float>({9, 8}), file("a.zarr/labels/a"));
    });
    EXPECT_EQ(contents("a.zarr"), before);
    put("a.zarr/labels/.zattrs", {{"labels", 3}});
    refused(ErrorCode::unreadable_input, {"labels", "no list"}, labels, "a.zarr/labels/a");
    EXPECT_FALSE(fs::exists(file("a.zarr/labels/a")));
    EXPECT_EQ(json_at("a.zarr/labels/.zattrs"), Json({{"labels", 3}}));
    fs::create_directories(file("a.zarr/labels/folder/mine"));
    put("a.zarr/labels/.zattrs", {{"labels", Json::array()}});
    refused(ErrorCode::unwritable_output, {"folder"}, labels, "a.zarr/labels/folder");
}

TEST_F(OmeZarrLabels, AFullDiskLeavesTheImageAsItWas) {
    write_image(pattern<std::uint8_t>({900, 900}), file("a.zarr"));
    const LabelImage first = columns({900, 900});
    write_labels(first, file("a.zarr/labels/cells"));
    const Contents before = contents("a.zarr");
    LabelImage noise({900, 900});
    const auto values = pattern<std::uint32_t>({900, 900});
    noise.pixels() = values.pixels();
    {
        const FileSizeLimit limit(100'000);
        for (const char* name : {"a.zarr/labels/cells", "a.zarr/labels/more"})
            expect_error(ErrorCode::unwritable_output, {name},
                         [&] { write_labels(noise, file(name)); });
    }
    EXPECT_EQ(contents("a.zarr"), before);
    EXPECT_EQ(read_labels(file("a.zarr/labels/cells")).pixels(), first.pixels());
}

}  // namespace
}  // namespace tesela::io::testing
