// Files of surfaces, read back here by their formats.
#include "tesela/surface_io.h"

#include <fstream>
#include <sstream>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

// Two tetrahedra, one of which has a name.
LabelSurfaces sample() {
    const std::vector<std::array<std::uint32_t, 3>> triangles{
        {0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    LabelSurfaces surfaces;
    surfaces.millimeters = true;
    surfaces.list.push_back({.label = 3,
                             .name = "left lung",
                             .color = {255, 0, 51},
                             .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                             .triangles = triangles});
    surfaces.list.push_back({.label = 70000,
                             .color = {1, 2, 3},
                             .points = {{5, 0, 0}, {6.5f, 0, 0}, {5, 1, 0}, {5, 0, 0.1f}},
                             .triangles = triangles});
    return surfaces;
}

template <class T>
T number_at(const Bytes& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

class SurfaceFile : public FileTest {};

TEST_F(SurfaceFile, PlyHasColorsLabelsAndNames) {
    EXPECT_TRUE(write_surfaces(sample(), file("a.ply")).empty());
    const Bytes bytes = read_bytes(file("a.ply"));
    const std::string text(bytes.begin(), bytes.end());
    for (const char* line :
         {"ply\nformat binary_little_endian 1.0\n", "\ncomment label 3 = left lung\n",
          "\ncomment label 70000 = label_70000\n", "\nelement vertex 8\n", "\nelement face 8\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
    const std::size_t first = text.find("end_header\n") + 11, point = 3 * 4 + 3 + 4,
                      face = 1 + 3 * 4;
    ASSERT_EQ(bytes.size(), first + 8 * point + 8 * face);
    EXPECT_EQ(number_at<float>(bytes, first + 5 * point), 6.5f);
    EXPECT_EQ(bytes[first + 12], 255);
    EXPECT_EQ(bytes[first + 14], 51);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, first + 4 * point + 15), 70000u);
    const std::size_t last = bytes.size() - face;
    EXPECT_EQ(bytes[last], 3);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, last + 1), 5u);
    EXPECT_EQ(number_at<std::uint32_t>(bytes, last + 9), 7u);
}

TEST_F(SurfaceFile, StlHasNormalsAndSaysWhatIsLost) {
    const auto warnings = write_surfaces(sample(), file("a.stl"));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("2 surfaces"), std::string::npos);
    const Bytes bytes = read_bytes(file("a.stl"));
    ASSERT_EQ(bytes.size(), 84 + 8 * 50u);
    EXPECT_NE(std::string(bytes.begin(), bytes.begin() + 5), "solid");  // means a file of text
    EXPECT_EQ(number_at<std::uint32_t>(bytes, 80), 8u);
    EXPECT_EQ(number_at<float>(bytes, 84 + 8), -1);  // the normal of the first: down
    EXPECT_EQ(number_at<float>(bytes, 84 + 28), 1);  // its second corner, y
    LabelSurfaces one = sample();
    one.list.pop_back();
    EXPECT_TRUE(write_surfaces(one, file("a.stl")).empty());
}

TEST_F(SurfaceFile, ObjHasGroups) {
    EXPECT_TRUE(write_surfaces(sample(), file("a.obj")).empty());
    const Bytes bytes = read_bytes(file("a.obj"));
    const std::string text(bytes.begin(), bytes.end());
    EXPECT_NE(text.find("\no left_lung\ng left_lung\nv 0 0 0 1 0 0.2\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("\nv 5 0 0.1 0.004 0.008 0.012\nf 5 7 6\n"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), 'f'), 8 + 2);  // and those of "left"
}

TEST_F(SurfaceFile, RefusesOtherFormatsAndKeepsFiles) {
    EXPECT_THROW(write_surfaces(sample(), file("a.vtk")), UnsupportedFormat);
    EXPECT_THROW(write_surfaces(sample(), file("none/a.ply")), UnwritableOutput);
    write_surfaces(sample(), file("a.ply"));
    EXPECT_THROW(write_surfaces(sample(), file("a.ply"), {.overwrite = false}), InvalidArgument);
    EXPECT_EQ(names(), std::vector<std::string>{"a.ply"});
}

}  // namespace
}  // namespace tesela::io::testing
