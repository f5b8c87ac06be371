#include <cmath>
#include <nlohmann/json.hpp>

#include "io/file.h"
#include "io/json_error.h"
#include "tesela/tile_features.h"
#include "tesela/tissue_io.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "tesela tissue model";
constexpr int version = 1;

// FNV-1a over the text of everything but the checksum itself.
std::string checksum(Json json) {
    json.erase("checksum");
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : json.dump())
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
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
        const auto found = at<int>(json, "version");
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
        model.tile = at<int>(json, "tile");
        if (const Json& stains = member(json, "stains"); !stains.is_null())
            model.stains = StainMatrix{at<std::array<StainVector, 2>>(stains, "stains"),
                                       at<std::array<double, 3>>(stains, "white"),
                                       at<std::array<double, 2>>(stains, "strength")};
        read_classifier(json, model);
        require(model.classes.size() >= 2 && model.tile >= 0 && model.tile <= 32768 &&
                model.micrometers_per_pixel >= 0 && model.micrometers_per_pixel <= 1000);
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
    std::vector<double> numbers(const Json& json, const char* name, std::size_t length) const {
        auto found = at<std::vector<double>>(json, name);
        require(found.size() == length);
        return found;
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
        parts.cost = at<double>(json, "cost");
        parts.gamma = at<double>(json, "gamma");
        parts.counts = at<std::vector<int>>(json, "counts");
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
        KnnParts parts{at<int>(json, "neighbors"), at<std::vector<int>>(json, "labels"), {}};
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
        const io::InputFile file(path);
        constexpr std::int64_t values_per_byte = 8;  // of JSON in memory
        io::require_memory(path, values_per_byte * file.size(), options.max_bytes);
        const std::vector<std::uint8_t> text = file.head(static_cast<std::size_t>(file.size()));
        try {
            model = ModelReader(path).model(Json::parse(text));
        } catch (const Json::exception& error) {
            throw io::unreadable(path, io::json_reason(error));
        }
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
