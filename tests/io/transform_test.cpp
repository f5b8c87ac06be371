// Files of transforms and landmarks: what is written comes back, and what is damaged is refused.
#include <fstream>
#include <random>

#include "support.h"
#include "tesela/transform_io.h"

namespace tesela::io {
namespace {

namespace fs = std::filesystem;

Transform example() {
    SplineMap map = spline_over({-3, 2, 0}, {97, 80, 0}, 2, 20);
    for (std::size_t i = 0; i < map.displacements.size(); ++i)
        map.displacements[i] = 0.3 * static_cast<double>(i % 11) - 1;
    ImageGrid grid{{100, 80}, {}};
    ImageGrid placed = grid;
    placed.geometry.unit = Unit::millimeter;
    placed.geometry.spacing = {0.5, 0.25, 1};
    return {.unit = Unit::millimeter,
            .steps = {map, LinearMap{LinearKind::affine,
                                     {0.9, -0.4, 0, 0.3, 1.1, 0, 0, 0, 1},
                                     {5, 1.0 / 3, 0}}},
            .fixed = placed,
            .moving = grid};
}

class TransformFiles : public testing::FileTest {
  protected:
    using testing::FileTest::file;
    fs::path file(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }
};

TEST_F(TransformFiles, ComeBack) {
    const Transform transform = example();
    for (const char* name : {"t.json", "t.tfm"}) {
        const fs::path path = file(name);
        write_transform(transform, path);
        const Transform back = read_transform(path);
        EXPECT_EQ(back.steps.size(), 2u);
        EXPECT_EQ(back.has_unit, path.extension() == ".json");
        EXPECT_EQ(std::get<SplineMap>(back.steps[0]), std::get<SplineMap>(transform.steps[0]));
        EXPECT_EQ(std::get<LinearMap>(back.steps[1]).matrix,
                  std::get<LinearMap>(transform.steps[1]).matrix);
        for (std::size_t axis = 0; axis < 2; ++axis)
            EXPECT_NEAR(back({20, 30, 0})[axis], transform({20, 30, 0})[axis], 1e-12);
        EXPECT_THROW(write_transform(transform, path, {.overwrite = false}), InvalidArgument);
    }
    const Transform back = read_transform(file("t.json"));
    EXPECT_EQ(back.unit, Unit::millimeter);
    EXPECT_EQ(back.fixed->geometry.spacing, transform.fixed->geometry.spacing);
    EXPECT_EQ(back.moving->shape, transform.moving->shape);
    EXPECT_THROW(write_transform(transform, file("t.png")), UnsupportedFormat);
}

TEST_F(TransformFiles, CentersAndKindsOfItk) {
    const std::string begin = "#Insight Transform File V1.0\n#Transform 0\nTransform: ";
    const Transform euler = read_transform(
        file("a.tfm", begin + "Euler2DTransform_double_2_2\nParameters: 1.5707963267948966 3 0\n"
                              "FixedParameters: 10 20\n"));
    const SpacePoint at = euler({11, 20, 0});  // turned about (10, 20), then moved
    EXPECT_NEAR(at[0], 13, 1e-12);
    EXPECT_NEAR(at[1], 21, 1e-12);
    const Transform shift =
        read_transform(file("b.tfm", begin + "TranslationTransform_double_3_3\nParameters: 1 2 3\n"
                                             "FixedParameters:\n"));
    EXPECT_EQ(shift({0, 0, 0}), (SpacePoint{1, 2, 3}));
    EXPECT_THROW(
        read_transform(file("c.tfm", begin + "VersorTransform_double_3_3\n"
                                             "Parameters: 0 0 0\nFixedParameters: 0 0 0\n")),
        UnsupportedFormat);
    EXPECT_THROW(
        read_transform(file("d.tfm", begin + "AffineTransform_double_2_2\nParameters: 1 2 2 4 0 0\n"
                                             "FixedParameters: 0 0\n")),
        UnreadableInput);
    EXPECT_THROW(
        read_transform(file("e.tfm", begin + "AffineTransform_double_2_2\nParameters: 1 0 0 1 0\n"
                                             "FixedParameters: 0 0\n")),
        UnreadableInput);
}

TEST_F(TransformFiles, ForeignOnesAreRefused) {
    EXPECT_THROW(read_transform(file("none.json")), UnreadableInput);
    EXPECT_THROW(read_transform(file("a.json", "not a transform")), UnsupportedFormat);
    EXPECT_THROW(read_transform(file("b.json", "{\"format\": 3")), UnreadableInput);
    EXPECT_THROW(read_transform(file("c.json", "{\"format\": \"other\"}")), UnsupportedFormat);
    EXPECT_THROW(read_transform(file("d.json", "[1, 2]")), UnsupportedFormat);
    EXPECT_THROW(read_transform(file("e.json", "{\"format\": 7}")), UnreadableInput);
}

// Bytes changed and cut at random: read or refused, with nothing else thrown.
TEST_F(TransformFiles, DamagedOnesAreReadOrRefused) {
    std::mt19937 random(7);
    int refused = 0;
    const auto attempt = [&](const fs::path& path, const auto& read) {
        std::ifstream in(path, std::ios::binary);
        const std::string whole((std::istreambuf_iterator<char>(in)), {});
        for (int i = 0; i < 300; ++i) {
            std::string text = whole.substr(0, i % 3 ? whole.size() : random() % whole.size());
            for (unsigned k = 0; k < 1 + random() % 4 && !text.empty(); ++k)
                text[random() % text.size()] = "0-9.e[]{}\",:\nx\xff"[random() % 16];
            try {
                read(file("damaged" + path.extension().string(), text));
            } catch (const UnreadableInput&) {
                ++refused;
            } catch (const UnsupportedFormat&) {
                ++refused;
            }
        }
    };
    for (const char* name : {"t.json", "t.tfm"}) {
        write_transform(example(), file(name));
        attempt(file(name), [](const fs::path& path) { return read_transform(path); });
    }
    attempt(file("points.csv", ",X,Y\n1,10,20.5\n2,-3,4\nthird,5,6\n"),
            [](const fs::path& path) { return read_landmarks(path); });
    EXPECT_GT(refused, 300);
}

TEST_F(TransformFiles, LandmarksAreToldByTheirColumns) {
    const Landmarks found = read_landmarks(file("a.csv", "Y,name,X\r\n2,a,1\r\n4.5,b,3e1\r\n\r\n"));
    ASSERT_EQ(found.list.size(), 2u);
    EXPECT_EQ(found.list[1].name, "b");
    EXPECT_EQ(found.list[1].point, (SpacePoint{30, 4.5, 0}));
    const fs::path path = file("b.csv");
    write_landmarks(found, path);
    EXPECT_EQ(read_landmarks(path).list[1].point, found.list[1].point);
    EXPECT_EQ(read_landmarks(file("c.csv", ",x,y,z\n1,2,3,4\n")).dimensions, 3);
    const auto sentence = [&](const std::string& text) -> std::string {
        try {
            read_landmarks(file("d.csv", text));
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_NE(sentence(",X,Y\n1,2\n").find("line 2: it is too short"), std::string::npos);
    EXPECT_NE(sentence(",X,Y\n1,2,a\n").find("column 3 holds 'a', which is no number"),
              std::string::npos);
    EXPECT_NE(sentence(",X,Y\n1,2,3\n1,4,5\n").find("two landmarks '1'"), std::string::npos);
    EXPECT_NE(sentence("1,2,3\n").find("columns X and Y"), std::string::npos);
    EXPECT_NE(sentence(",X,Y\n").find("no landmarks"), std::string::npos);
}

}  // namespace
}  // namespace tesela::io
