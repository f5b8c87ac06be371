// Each of pydicom's test files is read as pydicom reads it, or refused with a sentence.
// scripts/dev/check_dicom makes the values.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "io/support.h"

namespace tesela::io::testing {
namespace {

struct Entry {
    std::string name, path, values, shape;
    double tolerance = 0;
};

std::vector<Entry> entries(const fs::path& folder) {
    std::ifstream list(folder / "list.txt");
    std::vector<Entry> all;
    std::string line;
    while (std::getline(list, line)) {
        std::istringstream cells(line);
        Entry entry;
        std::getline(cells, entry.name, '\t');
        std::getline(cells, entry.path, '\t');
        std::getline(cells, entry.values, '\t');
        std::getline(cells, entry.shape, '\t');
        cells >> entry.tolerance;
        all.push_back(entry);
    }
    return all;
}

std::vector<double> values_of(const fs::path& file) {
    const Bytes bytes = read_bytes(file);
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
    return values;
}

// What is not read, by what the sentence says. pydicom reads SC_rgb_jpeg.dcm, whose elements are
// not in the form that its transfer syntax asks for.
const std::map<std::string, std::string> refused{
    {"JPEG-lossy.dcm", "compressed pixels are damaged"},
    {"JPEG2000-embedded-sequence-delimiter.dcm", "compressed pixels are damaged"},
    {"MR_truncated.dcm", "damaged or truncated"},
    {"SC_rgb_jpeg.dcm", "structure is damaged"},
    {"badVR.dcm", "NumberOfFrames"},
    {"meta_missing_tsyntax.dcm", "no DICOM transfer syntax"},
    {"nested_priv_SQ.dcm", "no valid Rows"},
};

TEST(PydicomTest, FilesAreReadAsByPydicom) {
    const char* folder = std::getenv("TESELA_PYDICOM");
    if (!folder) GTEST_SKIP() << "TESELA_PYDICOM names no folder";
    int read = 0;
    for (const Entry& entry : entries(folder)) {
        SCOPED_TRACE(entry.name);
        AnyImage image;
        try {
            image = read_image(entry.path).image;
        } catch (const Error& error) {
            const auto known = refused.find(entry.name);
            EXPECT_NE(known, refused.end()) << error.what();
            if (known != refused.end()) {
                EXPECT_NE(std::string(error.what()).find(known->second), std::string::npos)
                    << error.what();
            }
            continue;
        }
        EXPECT_FALSE(refused.contains(entry.name));
        if (entry.values == "-") continue;
        const std::vector<double> expected = values_of(fs::path(folder) / entry.values);
        const std::vector<double> found = std::visit(
            [](const auto& typed) {
                return std::vector<double>(typed.pixels().begin(), typed.pixels().end());
            },
            image);
        ASSERT_EQ(found.size(), expected.size()) << entry.shape;
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_LE(std::abs(found[i] - expected[i]), entry.tolerance) << i;
        ++read;
    }
    EXPECT_GE(read, 56);
}

}  // namespace
}  // namespace tesela::io::testing
