// Real images, where TESELA_DATA names a folder that holds them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "io/support.h"
#include "tesela/brightness.h"
#include "tesela/evaluate_flow.h"
#include "tesela/evaluate_labels.h"
#include "tesela/flow_picture.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/mean_shift.h"
#include "tesela/region_grow.h"
#include "tesela/segment.h"
#include "tesela/tv_l1.h"

namespace tesela::io::testing {
namespace {

class DataTest : public FileTest {
  protected:
    void SetUp() override {
        const char* data = std::getenv("TESELA_DATA");
        if (!data || !fs::is_directory(data))
            GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
        root = data;
    }
    fs::path root;
};

TEST_F(DataTest, DicomSeries) {
    const ReadResult result = read_image(root / "dicom/mr-liver-256");
    EXPECT_EQ(result.format, "DICOM");
    EXPECT_EQ(shape_of(result.image), (Shape{256, 256, 25}));
    EXPECT_EQ(pixel_type_of(result.image), PixelType::f64);  // its rescale slope is 3.48
    const Geometry& g = geometry_of(result.image);
    EXPECT_EQ(g.unit, Unit::millimeter);
    EXPECT_NEAR(g.spacing[2], 5.5, 0.01);
    EXPECT_EQ(g.orientation(), "LPS");
}

TEST_F(DataTest, AnisotropicNifti) {
    const ReadResult result = read_image(root / "volumes/CT_AVM.nii.gz");
    EXPECT_EQ(shape_of(result.image), (Shape{256, 242, 154}));
    const Geometry& g = geometry_of(result.image);
    EXPECT_EQ(g.unit, Unit::millimeter);
    EXPECT_NE(g.spacing[0], g.spacing[2]);
}

TEST_F(DataTest, HeadSurvivesEveryVolumeFormat) {
    const ReadResult result = read_image(root / "volumes/chris_t1.nii.gz");
    ASSERT_EQ(shape_of(result.image), (Shape{188, 256, 190}));
    for (const std::string name : {"a.nii.gz", "a.nrrd", "a.mha"}) {
        write_image(result.image, file(name));
        const ReadResult again = read_image(file(name));
        EXPECT_EQ(again.image.index(), result.image.index());
        EXPECT_TRUE(std::visit(
            [&](const auto& image) {
                return image.pixels() ==
                       std::get<std::decay_t<decltype(image)>>(again.image).pixels();
            },
            result.image));
        expect_same_geometry(geometry_of(again.image), geometry_of(result.image));
    }
}

// Mean absolute difference of two pictures, where the second is not black.
double mean_difference(const AnyImage& first, const AnyImage& second) {
    const auto& a = std::get<Image<std::uint8_t>>(first).pixels();
    const auto& b = std::get<Image<std::uint8_t>>(second).pixels();
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (b[i] == 0) continue;
        sum += std::abs(a[i] - b[i]);
        ++count;
    }
    return sum / count;
}

TEST_F(DataTest, MiddleburyFlow) {
    for (const char* name : {"Grove2", "Grove3", "RubberWhale", "Urban2", "Venus"}) {
        SCOPED_TRACE(name);
        const fs::path sequence = root / "flow" / name;
        const FlowField flow = read_flow(sequence / "flow10.flo");
        const AnyImage first = read_image(sequence / "frame10.png").image;
        const AnyImage second = read_image(sequence / "frame11.png").image;
        EXPECT_EQ(flow.shape().x, shape_of(first).x);
        EXPECT_EQ(flow.shape().y, shape_of(first).y);
        write_flow(flow, file("again.flo"));
        EXPECT_EQ(read_bytes(file("again.flo")), read_bytes(sequence / "flow10.flo"));
        EXPECT_EQ(evaluate_flow(flow, flow).endpoint.mean, 0);
        // Signs and order of the components are right where the flow takes the frames together.
        EXPECT_LT(mean_difference(first, warped_back(second, flow)),
                  0.5 * mean_difference(first, second));
    }
}

TEST_F(DataTest, EveryFileReads) {
    int count = 0;
    for (const char* part : {"flow", "photos", "volumes", "registration"})
        for (const auto& entry : fs::recursive_directory_iterator(root / part)) {
            const std::string suffix = entry.path().extension().string();
            if (suffix != ".png" && suffix != ".jpg" && suffix != ".gz") continue;
            SCOPED_TRACE(entry.path().string());
            EXPECT_NO_THROW(read_image(entry.path()));
            ++count;
        }
    EXPECT_GT(count, 100);
}

// End-point errors of each method at its defaults, mean of the five pairs. The limits are the
// errors of docs/optical-flow.md (Accuracy) and two hundredths of them.
TEST_F(DataTest, FlowIsAccurate) {
    Queue queue(Device::parse("cpu"));
    double horn_schunck_error = 0, lucas_kanade_error = 0, gray_error = 0, color_error = 0;
    const std::array names{"Grove2", "Grove3", "RubberWhale", "Urban2", "Venus"};
    for (const char* name : names) {
        const fs::path sequence = root / "flow" / name;
        const FlowField truth = read_flow(sequence / "flow10.flo");
        std::vector<Image<float>> gray, colors;
        for (const char* file : {"frame10.png", "frame11.png"}) {
            const AnyImage frame = read_image(sequence / file).image;
            gray.push_back(brightness(frame));
            colors.push_back(unit_colors(frame));
        }
        const auto error = [&](const FlowResult& result) {
            return evaluate_flow(result.fields.at(0), truth).endpoint.mean / names.size();
        };
        horn_schunck_error += error(horn_schunck(gray, {}, queue));
        lucas_kanade_error += error(lucas_kanade(gray, {}, queue));
        gray_error += error(tv_l1(gray, {}, queue));
        color_error += error(tv_l1(colors, {}, queue));
    }
    EXPECT_LE(horn_schunck_error, 1.02 * 0.348);
    EXPECT_LE(lucas_kanade_error, 1.02 * 0.441);
    EXPECT_LE(gray_error, 1.02 * 0.251);
    EXPECT_LE(color_error, 1.02 * 0.227);
}

// A photograph and the regions that people saw on it.
struct Judged {
    AnyImage image;
    std::vector<LabelImage> people;
};

std::vector<Judged> judged_photographs(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".jpg") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Judged> photographs;
    for (const fs::path& file : files) {
        Judged one{read_image(file).image, {}};
        for (int k = 0;; ++k) {
            const fs::path truth =
                fs::path(file).replace_extension(".human" + std::to_string(k) + ".png");
            if (!fs::exists(truth)) break;
            one.people.push_back(read_labels(truth));
        }
        if (!one.people.empty()) photographs.push_back(std::move(one));
    }
    return photographs;
}

struct Agreement {
    double covering = 0, rand_index = 0, variation_of_information = 0;  // means over photographs
};

// `regions` gives the labels of a photograph.
template <class Regions>
Agreement agreement(const std::vector<Judged>& photographs, const Regions& regions) {
    Agreement mean;
    const auto count = static_cast<double>(photographs.size());
    for (const Judged& one : photographs) {
        const LabelAgreement found = evaluate_labels(regions(one.image), one.people).mean;
        mean.covering += found.covering / count;
        mean.rand_index += found.rand_index / count;
        mean.variation_of_information += found.variation_of_information / count;
    }
    return mean;
}

// One setting for all photographs, which agrees with the people who segmented them. They are those
// of the specification's goal: covering 0.55, probabilistic Rand index 0.80.
TEST_F(DataTest, RegionsAgreeWithPeople) {
    const auto photographs = judged_photographs(root / "photos");
    ASSERT_EQ(photographs.size(), 24u);
    Queue queue(Device::parse("cpu"));
    const Agreement found = agreement(photographs, [&](const AnyImage& image) {
        return region_grow(image, AutomaticSeeds{}, {}, queue).labels;
    });
    EXPECT_GE(found.covering, 0.58);
    EXPECT_GE(found.rand_index, 0.815);
}

// The setting that docs/mean-shift.md recommends for regions as people see them. Its goals are 0.61
// and 1.70; the Rand index is 0.841.
TEST_F(DataTest, MeanShiftAgreesWithPeople) {
    const auto photographs = judged_photographs(root / "photos");
    ASSERT_EQ(photographs.size(), 24u);
    MeanShiftOptions options{.spatial_bandwidth = 7, .range_bandwidth = 10.5, .gamma = Gamma::none};
    options.fusion_range = 0;
    options.region_scale = 3000;
    options.min_region = 100;
    Queue queue(Device::parse("cpu"));
    const Agreement found = agreement(photographs, [&](const AnyImage& image) {
        return mean_shift(image, options, queue).labels;
    });
    EXPECT_GE(found.covering, 0.61);
    EXPECT_GE(found.rand_index, 0.835);
    EXPECT_LE(found.variation_of_information, 1.70);
}

// One setting for all photographs; EDISON's best, measured outside, are a covering of 0.612 and a
// PRI of 0.849.
TEST_F(DataTest, SegmentAgreesWithPeople) {
    const auto photographs = judged_photographs(root / "photos");
    ASSERT_EQ(photographs.size(), 24u);
    Queue queue(Device::parse("cpu"));
    const Agreement found = agreement(
        photographs, [&](const AnyImage& image) { return segment(image, {}, queue).labels; });
    EXPECT_GE(found.covering, 0.66);
    EXPECT_GE(found.rand_index, 0.85);
    EXPECT_LE(found.variation_of_information, 1.40);
}

// The coins and their ground.
TEST_F(DataTest, SegmentFindsTheCoins) {
    Queue queue(Device::parse("cpu"));
    const SegmentResult found = segment(read_image(root / "photos" / "coins.png").image, {}, queue);
    EXPECT_EQ(found.count, 25u);
}

}  // namespace
}  // namespace tesela::io::testing
