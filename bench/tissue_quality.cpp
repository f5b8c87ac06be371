// How well tiles are told apart: the thesis's vector with nearest neighbors beside the default
// vector with a support vector machine. Left halves of pictures train, right halves test.
//
//   tesela_tissue_quality IMAGES DATA   brick, grass, gravel and ihc of IMAGES (python3-skimage);
//                                       DATA/registration and DATA/slides
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tesela/io.h"
#include "tesela/slide_io.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_classifier.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

using Picture = Image<std::uint8_t>;

// Three channels; without color all of them are the mean.
Picture rgb_of(const AnyImage& image, bool color) {
    const auto& pixels = std::get<Picture>(image);
    Picture result({pixels.shape().x, pixels.shape().y, 1, 1, 3});
    const int channels = pixels.shape().channels;
    for (std::int64_t i = 0; i < pixels.shape().points(); ++i) {
        const std::uint8_t* from = pixels.data() + i * channels;
        const int mean = channels < 3 ? from[0] : (from[0] + from[1] + from[2] + 1) / 3;
        for (int c = 0; c < 3; ++c)
            result.data()[3 * i + c] =
                color && channels >= 3 ? from[c] : static_cast<std::uint8_t>(mean);
    }
    return result;
}

Picture cut(const Picture& from, std::int64_t x, std::int64_t y, std::int64_t side) {
    AnyImage tile = Picture({side, side, 1, 1, 3});
    copy_box(from, {x, y, side, side}, tile, 0, 0);
    return std::get<Picture>(std::move(tile));
}

struct Halves {
    TissueSamples training, test;
};
Halves halves_of(const std::vector<std::pair<std::string, Picture>>& pictures, std::int64_t side,
                 const FeatureSet& set, Queue& queue) {
    Halves halves;
    for (TissueSamples* samples : {&halves.training, &halves.test}) {
        samples->width = set.size();
        for (const auto& [name, picture] : pictures) samples->classes.push_back(name);
    }
    for (std::size_t p = 0; p < pictures.size(); ++p) {
        const Picture& picture = pictures[p].second;
        const std::int64_t middle = picture.shape().x / 2;
        for (std::int64_t y = 0; y + side <= picture.shape().y; y += side)
            for (int half = 0; half < 2; ++half)
                for (std::int64_t x = half * middle; x + side <= (half + 1) * middle; x += side) {
                    TissueSamples& samples = half == 0 ? halves.training : halves.test;
                    const auto row = tile_features(cut(picture, x, y, side), set, queue);
                    samples.features.insert(samples.features.end(), row.begin(), row.end());
                    samples.labels.push_back(static_cast<int>(p));
                    samples.groups.push_back(static_cast<int>(samples.group_names.size()));
                    samples.group_names.push_back(std::to_string(samples.groups.back()));
                }
    }
    return halves;
}

void compare(const char* title, const std::vector<std::pair<std::string, Picture>>& pictures,
             std::int64_t side, Queue& queue) {
    std::printf("%-44s", title);
    for (const auto& [groups, kind] :
         {std::pair{"thesis", ClassifierKind::knn}, std::pair{"default", ClassifierKind::svm}}) {
        const Halves halves = halves_of(pictures, side, FeatureSet(groups), queue);
        const Classifier classifier = train_classifier(halves.training, {.classifier = kind});
        std::size_t right = 0;
        for (std::size_t i = 0; i < halves.test.rows(); ++i)
            right += most_probable(classifier.probabilities(halves.test.row(i))) ==
                     halves.test.labels[i];
        std::printf("  %s %zu of %zu (%.1f %%)", groups, right, halves.test.rows(),
                    100.0 * static_cast<double>(right) / static_cast<double>(halves.test.rows()));
    }
    std::printf("\n");
}

void run(const fs::path& images, const fs::path& data) {
    Queue queue(Device::parse("cpu"));
    std::vector<std::pair<std::string, Picture>> textures;
    for (const char* name : {"brick", "grass", "gravel"})
        textures.emplace_back(
            name, rgb_of(io::read_image(images / (std::string(name) + ".png")).image, false));
    for (const std::int64_t side : {128, 64, 32})
        compare(("brick, grass, gravel, " + std::to_string(side) + " pixels").c_str(), textures,
                side, queue);
    for (const bool color : {false, true}) {
        std::vector<std::pair<std::string, Picture>> tissues;
        for (const auto& entry : fs::directory_iterator(data / "registration"))
            if (entry.path().extension() == ".jpg" || entry.path().extension() == ".png")
                tissues.emplace_back(entry.path().stem().string(),
                                     rgb_of(io::read_image(entry.path()).image, color));
        tissues.emplace_back("ihc", rgb_of(io::read_image(images / "ihc.png").image, color));
        const auto slide = io::open_slide(data / "slides" / "CMU-1-Small-Region.svs");
        const Shape& shape = slide->facts().levels[0].shape;
        tissues.emplace_back("slide", rgb_of(slide->read(0, {0, 0, shape.x, shape.y}), color));
        std::sort(tissues.begin(), tissues.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        compare((std::to_string(tissues.size()) + " tissues, 64 pixels, " +
                 (color ? "with color" : "without color"))
                    .c_str(),
                tissues, 64, queue);
    }
}

}  // namespace
}  // namespace tesela

int main(int count, char** arguments) {
    if (count != 3) {
        std::fprintf(stderr, "usage: tesela_tissue_quality IMAGES DATA\n");
        return 2;
    }
    try {
        tesela::run(arguments[1], arguments[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_tissue_quality: %s\n", error.what());
        return 1;
    }
}
