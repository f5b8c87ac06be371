// tesela_fuzz_seeds FOLDER: writes one small valid file for each format and variant, from which the
// fuzzer makes damaged ones.
#include <cstdio>

#include "io/support.h"
#include "io/tiff_sample.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_io.h"
#include "tesela/transform_io.h"
#include "text_samples.h"

namespace {

// A model of two classes and few samples.
void write_model(const std::filesystem::path& path, tesela::ClassifierKind kind) {
    tesela::TissueSamples samples;
    samples.width = tesela::FeatureSet("color").size();
    samples.classes = {"a", "b"};
    for (int i = 0; i < 6; ++i) {
        for (std::size_t f = 0; f < samples.width; ++f)
            samples.features.push_back(static_cast<double>((i * 7 + static_cast<int>(f) * 3) % 11));
        samples.labels.push_back(i % 2);
        samples.groups.push_back(i);
        samples.group_names.push_back(std::to_string(i));
    }
    tesela::TissueModel model;
    model.classes = samples.classes;
    model.colors.resize(2);
    model.features = "color";
    model.classifier = tesela::train_classifier(samples, {.classifier = kind, .folds = 2});
    tesela::write_tissue_model(model, path);
}

// A spline and an affine map, in both forms, and a table of points.
void write_transforms(const std::filesystem::path& folder) {
    const tesela::Transform transform{
        .steps = {tesela::spline_over({0, 0, 0}, {20, 20, 0}, 2, 20),
                  tesela::LinearMap{.matrix = {1, 0.5, 0, -0.5, 1, 0, 0, 0, 1},
                                    .translation = {3, -4.25, 0}}},
        .fixed = tesela::ImageGrid{{20, 20}, {}}};
    for (const char* name : {"transform.json", "transform.tfm"})
        tesela::io::write_transform(transform, folder / name, {.overwrite = true});
    tesela::Landmarks landmarks;
    landmarks.list = {{"a", {1, 2.5, 0}}, {"b", {-3, 4e3, 0}}};
    tesela::io::write_landmarks(landmarks, folder / "landmarks.csv", {.overwrite = true});
}

}  // namespace

int main(int count, char** arguments) {
    namespace testing = tesela::io::testing;
    if (count != 2) {
        std::fprintf(stderr, "usage: tesela_fuzz_seeds FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    const std::filesystem::path scratch = folder / "scratch";
    std::filesystem::create_directories(scratch);
    auto files = testing::sample_files(scratch);
    for (const auto& file : testing::sample_header_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_piece_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_flow_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_y4m_files()) files.push_back(file);
    for (const auto& file : testing::sample_slide_files(scratch)) files.push_back(file);
    for (const auto& file : testing::sample_stack_files()) files.push_back(file);
    for (const auto& file : testing::sample_geojson_files()) files.push_back(file);
    std::filesystem::remove_all(scratch);
    for (const tesela::ClassifierKind kind :
         {tesela::ClassifierKind::svm, tesela::ClassifierKind::knn, tesela::ClassifierKind::lda})
        write_model(folder / (std::string(tesela::enum_name(kind)) + ".model"), kind);
    write_transforms(folder);
    for (const tesela::fuzz::TextSample& sample : tesela::fuzz::text_samples())
        testing::write_bytes(folder / sample.name, {sample.text.begin(), sample.text.end()});
    for (const auto& [name, bytes] : files) testing::write_bytes(folder / name, bytes);
    std::printf("%zu seeds\n", files.size());
    return files.empty() ? 1 : 0;
}
