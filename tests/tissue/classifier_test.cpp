// Classifiers, their evaluation, and their files (spec 003, row F20).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "tesela/error.h"
#include "tesela/tissue_evaluation.h"
#include "tesela/tissue_io.h"
#include "tissue/training.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

// Clouds of points around centers that are `distance` apart; feature 2 does not vary.
TissueSamples clouds(int classes, int rows, double distance, unsigned seed) {
    TissueSamples samples;
    samples.width = 4;
    samples.feature_names = {"a", "b", "c", "d"};
    std::mt19937 generator(seed);
    const auto noise = [&] {  // of 12 uniform numbers, as the standard's normals differ
        double sum = -6;
        for (int k = 0; k < 12; ++k) sum += static_cast<double>(generator()) / 4294967296.0;
        return sum;
    };
    for (int c = 0; c < classes; ++c) {
        samples.classes.push_back("class " + std::to_string(c));
        for (int i = 0; i < rows; ++i) {
            const double angle = 2 * 3.14159265 * c / classes;
            samples.features.insert(samples.features.end(),
                                    {100 + distance * std::cos(angle) + noise(),
                                     1e-3 * (distance * std::sin(angle) + noise()), 7, noise()});
            samples.labels.push_back(c);
            samples.groups.push_back(static_cast<int>(samples.group_names.size()));
            samples.names.push_back("tile, \"" + std::to_string(samples.groups.back()) + "\"");
            samples.group_names.push_back(samples.names.back());
        }
    }
    return samples;
}

const std::vector<ClassifierKind> kinds{ClassifierKind::svm, ClassifierKind::knn,
                                        ClassifierKind::lda};

double share_right(const Classifier& classifier, const TissueSamples& samples) {
    double right = 0;
    for (std::size_t i = 0; i < samples.rows(); ++i)
        right += most_probable(classifier.probabilities(samples.row(i))) == samples.labels[i];
    return right / static_cast<double>(samples.rows());
}

TEST(TissueClassifier, LearnsClouds) {
    for (const ClassifierKind kind : kinds)
        for (const int classes : {2, 4}) {
            const Classifier found =
                train_classifier(clouds(classes, 60, 6, 1), {.classifier = kind});
            EXPECT_EQ(found.kind(), kind);
            EXPECT_GE(share_right(found, clouds(classes, 60, 6, 2)), 0.98) << enum_name(kind);
        }
}

// What no straight line tells apart: inner and outer points.
TEST(TissueClassifier, TheSvmBendsItsBorders) {
    const auto rings = [](unsigned seed) {
        TissueSamples samples = clouds(2, 150, 0, seed);
        for (std::size_t i = 0; i < samples.rows(); ++i) {
            const double x = samples.features[4 * i] - 100, y = 1e3 * samples.features[4 * i + 1];
            samples.labels[i] = x * x + y * y > 1.4 ? 1 : 0;
        }
        return samples;
    };
    const TissueSamples train = rings(3), test = rings(4);
    EXPECT_GE(share_right(train_classifier(train, {}), test), 0.93);
    EXPECT_LE(share_right(train_classifier(train, {.classifier = ClassifierKind::lda}), test), 0.7);
}

TEST(TissueClassifier, ProbabilitiesAreThoseOfTheClouds) {
    const TissueSamples test = clouds(2, 2000, 1, 6);
    for (const ClassifierKind kind : {ClassifierKind::svm, ClassifierKind::lda}) {
        const Classifier found = train_classifier(clouds(2, 400, 1, 5), {.classifier = kind});
        // Of rows that are given about this probability, so many are of the class.
        std::array<double, 5> given{}, right{}, count{};
        for (std::size_t i = 0; i < test.rows(); ++i) {
            const auto p = found.probabilities(test.row(i));
            EXPECT_NEAR(p[0] + p[1], 1, 1e-12);
            const auto bin = std::min<std::size_t>(static_cast<std::size_t>(5 * p[0]), 4);
            given[bin] += p[0];
            right[bin] += test.labels[i] == 0;
            count[bin] += 1;
        }
        for (std::size_t b = 0; b < 5; ++b)
            if (count[b] > 100) {
                EXPECT_NEAR(given[b] / count[b], right[b] / count[b], 0.08)
                    << enum_name(kind) << ", bin " << b;
            }
    }
}

TEST(TissueClassifier, SameSeedSameBitsWithAnyThreads) {
    const TissueSamples samples = clouds(3, 40, 2, 9);
    for (const ClassifierKind kind : kinds) {
        const Classifier one = train_classifier(samples, {.classifier = kind, .threads = 1});
        const Classifier three = train_classifier(samples, {.classifier = kind, .threads = 3});
        for (std::size_t i = 0; i < samples.rows(); ++i)
            EXPECT_EQ(one.probabilities(samples.row(i)), three.probabilities(samples.row(i)));
    }
}

// Decisions by hand: one vector each, kernel exp(-|x - y|^2).
TEST(TissueClassifier, DecisionsOfTheSvmByHand) {
    SvmParts parts;
    parts.counts = {1, 1, 1};
    parts.vectors = {0, 1, 3};
    parts.coefficients = {2, -2, -1,   // against the first other class
                          1, 3,  -3};  // against the second
    parts.offsets = {0.5, 0.25, 0};
    const double at = 1;
    const double k0 = std::exp(-1.0), k1 = 1, k2 = std::exp(-4.0);
    const auto found = tissue::svm_decisions(parts, std::span(&at, 1));
    EXPECT_NEAR(found[0], 2 * k0 - 2 * k1 - 0.5, 1e-15);   // 0 against 1
    EXPECT_NEAR(found[1], 1 * k0 - 1 * k2 - 0.25, 1e-15);  // 0 against 2
    EXPECT_NEAR(found[2], 3 * k1 - 3 * k2, 1e-15);         // 1 against 2
}

// Platt's sigmoid of decisions with known odds.
TEST(TissueClassifier, SigmoidsAreFitted) {
    std::vector<double> decisions;
    std::vector<bool> first;
    std::mt19937 generator(3);
    for (int i = 0; i < 20000; ++i) {
        const double f = static_cast<double>(generator() % 6000) / 1000 - 3;
        decisions.push_back(f);
        first.push_back(static_cast<double>(generator() % 100000) <
                        100000 / (1 + std::exp(-2 * f + 0.5)));
    }
    const tissue::Sigmoid found = tissue::fitted_sigmoid(decisions, first);
    EXPECT_NEAR(found.a, -2, 0.06);
    EXPECT_NEAR(found.b, 0.5, 0.06);
}

TEST(TissueClassifier, FoldsKeepSlidesTogether) {
    TissueSamples samples = clouds(2, 50, 1, 1);
    samples.group_names = {"a", "b", "c", "d", "e", "f", "g"};
    for (std::size_t i = 0; i < samples.rows(); ++i) samples.groups[i] = static_cast<int>(i % 7);
    const std::vector<int> folds = tissue::folds_of(samples, 3, 1);
    for (std::size_t i = 7; i < folds.size(); ++i) EXPECT_EQ(folds[i], folds[i - 7]);
    EXPECT_EQ(folds, tissue::folds_of(samples, 3, 1));
    // One slide: its rows are told apart, and the classifier learns from them.
    TissueSamples single = clouds(2, 50, 6, 1);
    std::fill(single.groups.begin(), single.groups.end(), 0);
    const std::vector<int> apart = tissue::folds_of(single, 5, 1);
    EXPECT_EQ(std::count(apart.begin(), apart.end(), 3), 20);
    for (const ClassifierKind kind : kinds)
        EXPECT_GE(share_right(train_classifier(single, {.classifier = kind}), single), 0.98);
    const TissueSamples alone = clouds(2, 50, 1, 1);
    std::array<std::array<int, 2>, 5> counts{};
    const std::vector<int> even = tissue::folds_of(alone, 5, 4);
    for (std::size_t i = 0; i < even.size(); ++i)
        ++counts[static_cast<std::size_t>(even[i])][static_cast<std::size_t>(alone.labels[i])];
    for (const auto& fold : counts) EXPECT_EQ(fold, (std::array<int, 2>{10, 10}));
}

TEST(TissueClassifier, BadSamplesAreRefused) {
    EXPECT_THROW(train_classifier(clouds(1, 9, 1, 1), {}), InvalidArgument);
    TissueSamples lonely = clouds(2, 5, 1, 1);
    std::fill(lonely.labels.begin(), lonely.labels.end() - 1, 0);
    try {
        train_classifier(lonely, {});
        FAIL();
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("'class 1' has 1 tile"), std::string::npos);
    }
    TissueSamples holes = clouds(2, 5, 1, 1);
    holes.features[5] = std::nan("");
    EXPECT_THROW(train_classifier(holes, {}), InvalidArgument);
    const Classifier classifier = train_classifier(clouds(2, 5, 1, 1), {});
    EXPECT_THROW(classifier.probabilities(std::vector<double>(3)), InvalidArgument);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(train_classifier(clouds(2, 5, 1, 1), {}, Progress({}, &token)), Cancelled);
}

// ---- Evaluation --------------------------------------------------------------------------------

TEST(TissueEvaluations, MeasuresByHand) {
    TissueEvaluation e;
    e.classes = 2;
    e.confusion = {8, 2, 1, 4};
    e.round_accuracies = {1, 0.5};
    EXPECT_DOUBLE_EQ(e.accuracy(), 0.8);
    EXPECT_DOUBLE_EQ(e.balanced_accuracy(), 0.8);
    EXPECT_NEAR(e.kappa(), (0.8 - (10 * 9 + 5 * 6) / 225.0) / (1 - 120 / 225.0), 1e-12);
    EXPECT_DOUBLE_EQ(e.f1()[0], 16 / 19.0);
    EXPECT_DOUBLE_EQ(e.f1()[1], 8 / 11.0);
    EXPECT_DOUBLE_EQ(e.accuracy_deviation(), 0.25);
}

// Large enough for a figure, with names and numbers.
TEST(TissueEvaluations, ThePictureOfAMatrix) {
    TissueEvaluation e;
    e.classes = 2;
    e.confusion = {8, 2, 1, 4};
    const Image<std::uint8_t> picture = confusion_picture(e, {"Fibers", "Mesh"});
    EXPECT_GE(picture.shape().x, 800);
    EXPECT_GT(picture.shape().y, 600);
    EXPECT_GT(
        confusion_picture(e, {"A name that is wider than a cell of this picture", "B"}).shape().y,
        picture.shape().y);
    std::int64_t blue = 0, red = 0, black = 0;
    for (std::int64_t i = 0; i < picture.shape().points(); ++i) {
        const std::uint8_t* pixel = picture.data() + 3 * i;
        blue += pixel[2] > pixel[0] + 20;
        red += pixel[0] > pixel[2] + 20;
        black += pixel[0] + pixel[1] + pixel[2] < 60;
    }
    EXPECT_GT(blue, 100000);  // right
    EXPECT_GT(red, 100000);   // wrong
    EXPECT_GT(black, 500);    // letters
    EXPECT_NE(confusion_picture(e, {"Fibers", "Mash"}).pixels(), picture.pixels());
    EXPECT_THROW(confusion_picture(e, {"Fibers"}), InvalidArgument);
}

TEST(TissueEvaluations, EveryProtocolTestsWhatItSays) {
    TissueSamples samples = clouds(2, 25, 8, 7);
    const auto evaluate = [&](const char* protocol, ClassifierKind kind) {
        return evaluate_classifier(samples, {.classifier = kind}, parse_protocol(protocol));
    };
    for (const ClassifierKind kind : kinds) {
        const TissueEvaluation one = evaluate("leave-one-out", kind);
        EXPECT_EQ(one.samples(), 50);
        EXPECT_EQ(one.round_accuracies.size(), 50u);
        EXPECT_GE(one.accuracy(), 0.98);
        EXPECT_EQ(evaluate("k-fold:5", kind).samples(), 50);
        EXPECT_EQ(evaluate("repeated:4x10", kind).samples(), 40);
    }
    samples.group_names = {"a", "b", "c"};
    for (std::size_t i = 0; i < samples.rows(); ++i) samples.groups[i] = static_cast<int>(i % 3);
    EXPECT_EQ(evaluate("by-slide", ClassifierKind::lda).round_accuracies.size(), 3u);
    // A class on one slide alone is never found when that slide is left out.
    for (std::size_t i = 0; i < samples.rows(); ++i) samples.groups[i] = samples.labels[i];
    samples.group_names = {"a", "b"};
    EXPECT_THROW(evaluate("by-slide", ClassifierKind::lda), InvalidArgument);
    EXPECT_THROW(evaluate("repeated:2x50", ClassifierKind::lda), InvalidArgument);
}

TEST(TissueEvaluations, ProtocolsAreParsed) {
    EXPECT_EQ(parse_protocol("repeated:20x50").test_samples, 50);
    EXPECT_EQ(parse_protocol("k-fold:10").rounds, 10);
    for (const char* wrong : {"", "k-fold", "k-fold:1", "k-fold:x", "repeated:5", "repeated:5x",
                              "leave-one-out:3", "by-tile", "k-fold:10x5"})
        EXPECT_THROW(parse_protocol(wrong), InvalidArgument) << wrong;
}

// ---- Files -------------------------------------------------------------------------------------

class TissueFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("tesela-tissue-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    static std::string text_of(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    fs::path with_text(const std::string& text) const {
        const fs::path path = folder_ / "damaged.model";
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    static TissueModel model(ClassifierKind kind) {
        TissueModel model;
        model.features = "color";
        model.micrometers_per_pixel = 0.5;
        TissueSamples samples = clouds(3, 12, 3, 2);
        TissueSamples wide = samples;
        wide.width = 9;
        wide.features.clear();
        for (std::size_t i = 0; i < samples.rows(); ++i)
            for (std::size_t f = 0; f < 9; ++f)
                wide.features.push_back(samples.row(i)[f % 4] + static_cast<double>(f));
        model.classes = {"Tumor", "Stroma \"x\"", "Other"};
        model.colors = {{200, 0, 0}, {0, 200, 0}, {0, 0, 1}};
        if (kind == ClassifierKind::lda) model.stains = stain_matrix(StainSet::he);
        model.classifier = train_classifier(wide, {.classifier = kind});
        return model;
    }

    fs::path folder_;
};

TEST_F(TissueFiles, ModelsComeBackToTheBit) {
    for (const ClassifierKind kind : kinds) {
        const TissueModel written = model(kind);
        const fs::path path = folder_ / (std::string(enum_name(kind)) + ".model");
        write_tissue_model(written, path);
        const TissueModel read = read_tissue_model(path);
        EXPECT_EQ(read.classes, written.classes);
        EXPECT_EQ(read.colors, written.colors);
        EXPECT_EQ(read.stains.has_value(), written.stains.has_value());
        EXPECT_EQ(read.tile, written.tile);
        const std::vector<double> features{100, 0.5, 1, 2, 99, 3, 4, 0.1, 98};
        EXPECT_EQ(read.classifier.probabilities(features),
                  written.classifier.probabilities(features));
        EXPECT_THROW(write_tissue_model(written, path, {.overwrite = false}), InvalidArgument);
    }
}

TEST_F(TissueFiles, DamagedModelsAreRefused) {
    const fs::path path = folder_ / "good.model";
    write_tissue_model(model(ClassifierKind::svm), path);
    const std::string good = text_of(path);
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return with_text(text.replace(at, from.size(), to));
    };
    EXPECT_THROW(read_tissue_model(folder_ / "none.model"), UnreadableInput);
    EXPECT_THROW(read_tissue_model(with_text("{}")), UnsupportedFormat);
    EXPECT_THROW(read_tissue_model(with_text("[1, 2]")), UnsupportedFormat);
    EXPECT_THROW(read_tissue_model(with_text(good.substr(0, good.size() / 2))), UnreadableInput);
    EXPECT_THROW(read_tissue_model(replaced("\"version\": 1", "\"version\": 2")),
                 UnsupportedFormat);
    EXPECT_THROW(read_tissue_model(replaced("\"tile\": 256", "\"tile\": 255")), UnreadableInput);
    EXPECT_THROW(read_tissue_model(path, {.max_bytes = 100}), OutOfMemory);
}

// Each part of a model cut, lengthened or of another kind, with a checksum that fits: refused, and
// never read beyond its end.
TEST_F(TissueFiles, ModelsWhosePartsDoNotFitAreRefused) {
    TissueModel other = model(ClassifierKind::svm);
    other.features = "colour";
    const fs::path path = folder_ / "other.model";
    write_tissue_model(other, path);
    EXPECT_THROW(read_tissue_model(path), UnsupportedFormat);
    const auto refused = [&](auto change) {
        TissueModel wrong = model(ClassifierKind::svm);
        change(wrong, std::get<SvmParts>(wrong.classifier.parts));
        write_tissue_model(wrong, path);
        EXPECT_THROW(read_tissue_model(path), UnreadableInput);
    };
    refused([](TissueModel& m, SvmParts&) { m.classifier.means.pop_back(); });
    refused([](TissueModel& m, SvmParts&) { m.tile = -1; });
    refused([](TissueModel& m, SvmParts&) { m.micrometers_per_pixel = 1e9; });
    refused([](TissueModel&, SvmParts& p) { p.vectors.pop_back(); });
    refused([](TissueModel&, SvmParts& p) { p.counts[0] = -1; });
    refused([](TissueModel&, SvmParts& p) { p.counts.push_back(1); });
    refused([](TissueModel&, SvmParts& p) { p.coefficients.push_back(1); });
    refused([](TissueModel&, SvmParts& p) { p.offsets.clear(); });
    refused([](TissueModel&, SvmParts& p) { p.sigmoid_a[0] = std::nan(""); });
    TissueModel neighbors = model(ClassifierKind::knn);
    std::get<KnnParts>(neighbors.classifier.parts).labels[0] = 3;
    write_tissue_model(neighbors, path);
    EXPECT_THROW(read_tissue_model(path), UnreadableInput);
}

// As a program writes it that was not told of the limits: with the right checksum.
TEST_F(TissueFiles, NumbersThatCannotBeAreRefused) {
    const fs::path path = folder_ / "m.model";
    for (const ClassifierKind kind :
         {ClassifierKind::svm, ClassifierKind::lda, ClassifierKind::knn}) {
        TissueModel wrong = model(kind);
        wrong.classifier.scales[3] = 1e308;
        write_tissue_model(wrong, path);
        try {
            read_tissue_model(path);
            ADD_FAILURE() << "read";
        } catch (const UnreadableInput& error) {
            EXPECT_NE(std::string(error.what()).find("'scales' is too large"), std::string::npos)
                << error.what();
        }
    }
    TissueSamples far = clouds(2, 6, 3, 4);
    far.features[5] = 1e300;
    EXPECT_THROW(train_classifier(far, {}), InvalidArgument);
}

TEST_F(TissueFiles, DeepModelsAreRefused) {
    const fs::path path = folder_ / "m.model";
    write_tissue_model(model(ClassifierKind::lda), path);
    std::string text = text_of(path);
    text.replace(text.rfind('}'), 1,
                 ", \"x\": " + std::string(100000, '[') + std::string(100000, ']') + "}");
    try {
        read_tissue_model(with_text(text));
        ADD_FAILURE() << "read";
    } catch (const UnreadableInput& error) {
        EXPECT_NE(std::string(error.what()).find("64 levels"), std::string::npos) << error.what();
    }
}

TEST_F(TissueFiles, MapsHoldAtMost255Classes) {
    const fs::path path = folder_ / "m.model";
    TissueModel many = model(ClassifierKind::lda);
    auto& parts = std::get<LdaParts>(many.classifier.parts);
    const auto grow = [&](std::size_t classes) {
        many.classes.resize(classes, "more");
        many.colors.resize(classes);
        parts.weights.resize(classes * many.classifier.width());
        parts.offsets.resize(classes);
        many.classifier.classes = static_cast<int>(classes);
        write_tissue_model(many, path);
    };
    grow(255);
    EXPECT_EQ(read_tissue_model(path).classes.size(), 255u);
    grow(256);
    EXPECT_THROW(read_tissue_model(path), UnreadableInput);
    TissueSamples samples;
    samples.width = 1;
    std::string table = "tile,class,slide,f\n";
    for (int c = 0; c < 256; ++c) {
        samples.classes.push_back(std::to_string(c));
        for (int i = 0; i < 2; ++i) {
            samples.features.push_back(c);
            samples.labels.push_back(c);
            samples.groups.push_back(0);
            table += "t," + std::to_string(c) + ",s,1\n";
        }
    }
    samples.group_names = {"s"};
    EXPECT_THROW(train_classifier(samples, {.classifier = ClassifierKind::knn}), InvalidArgument);
    EXPECT_THROW(read_tissue_samples(with_text(table)), UnreadableInput);
}

TEST_F(TissueFiles, SamplesComeBackToTheBit) {
    const TissueSamples written = clouds(2, 6, 3, 4);
    const fs::path path = folder_ / "samples.csv";
    write_tissue_samples(written, path);
    const TissueSamples read = read_tissue_samples(path);
    EXPECT_EQ(read.features, written.features);
    EXPECT_EQ(read.labels, written.labels);
    EXPECT_EQ(read.names, written.names);
    EXPECT_EQ(read.group_names, written.group_names);
    for (const char* wrong : {"a,b,c,d\n", "tile,class,slide,f\n", "tile,class,slide,f\nx,y,z\n",
                              "tile,class,slide,f\nx,y,z,one\n", "tile,class,slide,f\nx,y,z,inf\n",
                              "tile,class,slide,f\n\"x,y,z,1\n"})
        EXPECT_ANY_THROW(read_tissue_samples(with_text(wrong))) << wrong;
}

}  // namespace
}  // namespace tesela
