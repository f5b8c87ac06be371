#include "text_samples.h"

namespace tesela::fuzz {
namespace {

std::vector<std::string> render(const std::string& option, const std::string& name) {
    return {"render", "volume.nii", option, name, "--size", "16x16", "--device", "cpu", "--json"};
}
std::vector<std::string> components(const std::string& names) {
    return {"components", "volume.nii", "--values", "equal", "--names",
            names,        "--device",   "cpu",      "--json"};
}
}  // namespace

const std::vector<TextSample>& text_samples() {
    static const std::vector<TextSample> all{
        {"transfer.vp",
         "1\n1\n0.7\n0.25\n0.15\n16\n4 0 0 100 0.5\n4 0 1 255 1\n8 0 0 0 0 100 1 1 0.5\n",
         render("--transfer", "transfer.vp")},
        {"transfer.json",
         R"({"format": "tesela-transfer", "version": 1, "units": "file", "reference_length_mm": 1,)"
         R"( "color": [[0, 0, 0, 0], [100, 1, 1, 0.5]], "opacity": [[0, 0], [100, 0.5]]})",
         render("--transfer", "transfer.json")},
        {"camera.json",
         R"({"position": [3, -40, 2], "target": [3, 2, 2], "up": [0, 0, 1], "height": 9})",
         render("--camera", "camera.json")},
        {"spline.json",
         R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px", "steps": [)"
         R"({"type": "affine", "matrix": [[1, 0.5], [-0.5, 1]], "translation": [3, -4.25]},)"
         R"({"type": "bspline", "size": [4, 4], "origin": [-9, -9], "spacing": [9, 9],)"
         R"( "displacements": [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,)"
         R"( 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]}], "fixed": {"size": [9, 9]}})",
         {"evaluate", "landmarks", "spots.csv", "spots.csv", "--transform", "spline.json"}},
        {"affine.tfm",
         "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_2_2\n"
         "Parameters: 1 0.5 -0.5 1 3 -4.25\nFixedParameters: 2 2\n",
         {"evaluate", "landmarks", "spots.csv", "spots.csv", "--transform", "affine.tfm"}},
        {"landmarks.csv",
         "name;X;Y\n\"a;1\";1;2.5\nb;-3;4e3\n",
         {"evaluate", "landmarks", "landmarks.csv", "landmarks.csv"}},
        {"circles.csv",
         "x,y,radius,z\n1,2,3,0\n10.5,2,3,0\n1,2,4,1\n",
         {"evaluate", "circles", "circles.csv", "circles.csv"}},
        {"names.csv", "label,name,color\n3,\"liver, left\",#a0b1c2\n1,a,\n",
         components("names.csv")},
        {"names.ctbl", "# Color table file a\n# 2 values\n1 left_lung 1 2 3 255\n3 b 4 5 6 255\n",
         components("names.ctbl")},
        {"snap.txt", "# ITK-SnAP\n 1 255 0 0 1 1 1 \"Label 1\"\n 3 0 0 9 0.5 0 1 \"b\"\n",
         components("snap.txt")},
        {"systems.csv",
         "0 2 1 4\n1 3 0 7\n\n0;2;1;4\n1;3;0;7\n",
         {"tridiagonal", "systems.csv", "--device", "cpu"}},
    };
    return all;
}

}  // namespace tesela::fuzz
