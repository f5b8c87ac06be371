#include <algorithm>
#include <cmath>

#include "core/fingerprint.h"
#include "io/json_file.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_io.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;
using io::Json;

constexpr const char* format_name = "tesela tissue model";
constexpr int version = 1;

// Over the text of everything but the checksum itself.
std::string checksum(Json json) {
    json.erase("checksum");
    detail::Fingerprint sum;
    sum.add(json.dump());
    return sum.text();
}

Json json_of(const SvmParts& parts) {
    return {{"kind", "svm"},
            {"cost", parts.cost},
            {"gamma", parts.gamma},
            {"counts", parts.counts},
            {"vectors", parts.vectors},
            {"coefficients", parts.coefficients},
            {"offsets", parts.offsets},
            {"sigmoid_a", parts.sigmoid_a},
            {"sigmoid_b", parts.sigmoid_b}};
}
Json json_of(const LdaParts& parts) {
    return {{"kind", "lda"}, {"weights", parts.weights}, {"offsets", parts.offsets}};
}
Json json_of(const KnnParts& parts) {
    return {{"kind", "knn"},
            {"neighbors", parts.neighbors},
            {"labels", parts.labels},
            {"vectors", parts.vectors}};
}
Json json_of(const StainMatrix& matrix) {
    return {{"stains", matrix.stains}, {"white", matrix.white}, {"strength", matrix.strength}};
}

Json json_of(const TissueModel& model) {
    Json classes = Json::array();
    for (std::size_t c = 0; c < model.classes.size(); ++c)
        classes.push_back({{"name", model.classes[c]}, {"color", model.colors[c]}});
    Json json{{"format", format_name},
              {"version", version},
              {"classes", std::move(classes)},
              {"features", model.features},
              {"micrometers_per_pixel", model.micrometers_per_pixel},
              {"tile", model.tile},
              {"stains", model.stains ? json_of(*model.stains) : Json()},
              {"means", model.classifier.means},
              {"scales", model.classifier.scales},
              {"classifier", std::visit([](const auto& parts) { return json_of(parts); },
                                        model.classifier.parts)}};
    json["checksum"] = checksum(json);
    return json;
}

// Reads members of one file, each of the length and kind that it must have.
class ModelReader {
  public:
    explicit ModelReader(const fs::path& path) : path_(path) {}

    TissueModel model(const Json& json) const {
        if (!json.is_object() || json.value("format", Json()) != format_name)
            throw io::unsupported(path_, "it is no tissue model");
        const int found = whole(json, "version");
        if (found > version)
            throw io::unsupported(path_, "it is a model of version " + std::to_string(found) +
                                             "; this program reads version " +
                                             std::to_string(version) + ": update it");
        TissueModel model;
        for (const Json& entry : list(json, "classes")) {
            model.classes.push_back(at<std::string>(entry, "name"));
            model.colors.push_back(at<std::array<std::uint8_t, 3>>(entry, "color"));
        }
        model.features = at<std::string>(json, "features");
        model.micrometers_per_pixel = at<double>(json, "micrometers_per_pixel");
        model.tile = whole(json, "tile");
        if (const Json& stains = member(json, "stains"); !stains.is_null())
            model.stains = stains_of(stains);
        require(model.classes.size() >= 2);
        if (model.classes.size() > most_tissue_classes)
            fail("it has " + std::to_string(model.classes.size()) + " classes; at most " +
                 std::to_string(most_tissue_classes) + " are taken");
        read_classifier(json, model);
        require(model.tile >= 0 && model.tile <= 32768 && model.micrometers_per_pixel >= 0 &&
                model.micrometers_per_pixel <= 1000);
        if (json.value("checksum", Json()) != checksum(json))
            fail("its checksum does not fit: it was changed or is damaged");
        return model;
    }

  private:
    [[noreturn]] void fail(const std::string& reason) const { throw io::unreadable(path_, reason); }
    void require(bool holds) const {
        if (!holds) fail("its parts do not fit together");
    }
    const Json& member(const Json& json, const char* name) const {
        if (!json.is_object() || !json.contains(name)) fail(std::string("it lacks '") + name + "'");
        return json.at(name);
    }
    const Json& list(const Json& json, const char* name) const {
        const Json& found = member(json, name);
        if (!found.is_array()) fail(std::string("'") + name + "' is no list");
        return found;
    }
    template <class T>
    T at(const Json& json, const char* name) const {
        try {
            return member(json, name).get<T>();
        } catch (const Json::exception&) {
            fail(std::string("'") + name + "' is not what it must be");
        }
    }
    int whole(const Json& json, const char* name) const {
        return io::whole_number<int>(member(json, name), name);
    }
    double number(const Json& json, const char* name) const {
        const auto found = at<double>(json, name);
        require_plausible({&found, 1}, name);
        return found;
    }
    std::vector<double> numbers(const Json& json, const char* name, std::size_t length) const {
        auto found = at<std::vector<double>>(json, name);
        require(found.size() == length);
        require_plausible(found, name);
        return found;
    }
    // Others make results that are no numbers.
    void require_plausible(std::span<const double> numbers, const char* name) const {
        const bool plausible = std::all_of(numbers.begin(), numbers.end(), [](double number) {
            return std::abs(number) <= largest_feature;
        });
        if (!plausible) fail(std::string("a number of '") + name + "' is too large");
    }

    StainMatrix stains_of(const Json& json) const {
        const StainMatrix matrix{at<std::array<StainVector, 2>>(json, "stains"),
                                 at<std::array<double, 3>>(json, "white"),
                                 at<std::array<double, 2>>(json, "strength")};
        for (const StainVector& stain : matrix.stains) require_plausible(stain, "stains");
        require_plausible(matrix.white, "white");
        require_plausible(matrix.strength, "strength");
        return matrix;
    }

    void read_classifier(const Json& json, TissueModel& model) const {
        Classifier& classifier = model.classifier;
        classifier.classes = static_cast<int>(model.classes.size());
        const std::size_t width = features_of(model.features);
        classifier.means = numbers(json, "means", width);
        classifier.scales = numbers(json, "scales", width);
        const Json& parts = member(json, "classifier");
        const auto kind = at<std::string>(parts, "kind");
        const auto classes = model.classes.size();
        if (kind == "svm")
            classifier.parts = svm(parts, width, classes);
        else if (kind == "lda")
            classifier.parts = LdaParts{numbers(parts, "weights", classes * width),
                                        numbers(parts, "offsets", classes)};
        else if (kind == "knn")
            classifier.parts = knn(parts, width, classes);
        else
            throw io::unsupported(path_, "there is no classifier '" + io::printable(kind) + "'");
    }
    std::size_t features_of(const std::string& groups) const {
        try {
            return FeatureSet(groups).size();
        } catch (const InvalidArgument&) {
            throw io::unsupported(path_, "this program does not compute its features '" +
                                             io::printable(groups) + "'");
        }
    }
    SvmParts svm(const Json& json, std::size_t width, std::size_t classes) const {
        require(classes >= 2);
        const std::size_t pairs = classes * (classes - 1) / 2;
        SvmParts parts;
        parts.cost = number(json, "cost");
        parts.gamma = number(json, "gamma");
        require(parts.gamma >= 0);
        parts.counts = io::whole_numbers<int>(list(json, "counts"), "counts");
        require(parts.counts.size() == classes);
        std::size_t vectors = 0;
        for (const int count : parts.counts) {
            require(count >= 0);
            vectors += static_cast<std::size_t>(count);
        }
        parts.vectors = numbers(json, "vectors", vectors * width);
        parts.coefficients = numbers(json, "coefficients", vectors * (classes - 1));
        parts.offsets = numbers(json, "offsets", pairs);
        parts.sigmoid_a = numbers(json, "sigmoid_a", pairs);
        parts.sigmoid_b = numbers(json, "sigmoid_b", pairs);
        return parts;
    }
    KnnParts knn(const Json& json, std::size_t width, std::size_t classes) const {
        KnnParts parts{
            whole(json, "neighbors"), io::whole_numbers<int>(list(json, "labels"), "labels"), {}};
        parts.vectors = numbers(json, "vectors", parts.labels.size() * width);
        require(parts.neighbors >= 1 && !parts.labels.empty());
        for (const int label : parts.labels)
            require(label >= 0 && static_cast<std::size_t>(label) < classes);
        return parts;
    }

    const fs::path& path_;
};

}  // namespace

TissueModel read_tissue_model(const fs::path& path, const io::ReadOptions& options) {
    TissueModel model;
    io::with_memory_guard(path, [&] {
        const std::int64_t bytes = io::InputFile(path).size() * io::json_bytes_per_character;
        io::require_memory(path, bytes, options.max_bytes);
        model = io::from_json(path, io::read_json(path, options.max_bytes),
                              [&](const Json& json) { return ModelReader(path).model(json); });
    });
    return model;
}

void write_tissue_model(const TissueModel& model, const fs::path& path,
                        const io::WriteOptions& options) {
    io::Staging staging({path}, options.overwrite);
    io::OutputFile file(staging.staged(), path);
    const std::string text = json_of(model).dump(1) + "\n";
    file.write_or_throw(text.data(), text.size());
    file.close();
    staging.commit();
}

}  // namespace tesela
