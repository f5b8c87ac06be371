// tesela tissue features, tesela tissue train
#include <fmt/format.h>

#include "interrupt.h"
#include "progress.h"
#include "tissue_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct OutputOptions {
    fs::path output;
    std::string help;
};

template <class V>
void describe(V&& v, OutputOptions& o) {
    v("output", o.output, o.help);
}

// What both verbs read.
struct Source {
    std::vector<fs::path> slides;
    OutputOptions output;
    SampleOptions samples;
    SlideOptions slide;
    TissueVerb verb;

    void add_to(VerbParser& parser) {
        parser.add_inputs(slides, "SLIDE", 0, 1 << 20, "slides with annotations or label maps");
        parser.add(output, "Output", {{"output", "-o"}});
        parser.add(samples, "Tissue");
        parser.add(slide, "Slide");
    }
    OutputSet outputs() const {
        if (output.output.empty())
            throw InvalidArgument("--output (-o) is missing: name the file to write");
        OutputSet set(verb.job.force);
        set.add("output", output.output);
        std::vector<fs::path> inputs = slides;
        for (const fs::path& path : {samples.tiles, samples.annotations, samples.label_maps})
            if (!path.empty()) inputs.push_back(path);
        set.check(inputs);
        return set;
    }
};

void report(const std::string& name, const VerbParser& parser, const TissueSamples& samples,
            Json more, const std::vector<WrittenFile>& written) {
    Json json = begin_report(name);
    json["parameters"] = parser.values();
    Json counts = Json::object();
    for (const std::string& one : samples.classes) counts[one] = 0;
    for (const int label : samples.labels)
        counts[samples.classes[static_cast<std::size_t>(label)]] =
            counts[samples.classes[static_cast<std::size_t>(label)]].get<int>() + 1;
    json["statistics"] = {{"tiles", samples.rows()}, {"classes", std::move(counts)}};
    json["statistics"].update(more);
    json["outputs"] = json_of(written);
    json["peak_host_bytes"] = peak_host_bytes();
    print(json_text(std::move(json)));
}

Json json_of_choice(const ClassifierParameters& chosen, ClassifierKind kind) {
    if (kind == ClassifierKind::svm) return {{"cost", chosen.cost}, {"gamma", chosen.gamma}};
    if (kind == ClassifierKind::knn) return {{"neighbors", chosen.neighbors}};
    return Json::object();
}

}  // namespace

int run_tissue_features(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Source source;
    source.output.help = "table of features (.csv)";
    VerbParser parser("tissue features", "Computes feature vectors of tiles.");
    source.add_to(parser);
    add_tissue_options(parser, source.verb);
    parser.add_examples({"tissue features --tiles TILES -o tiles.csv",
                         "tissue features slide.svs --annotations slide.geojson -o tiles.csv"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(source.verb.messages.quiet, source.verb.messages.verbose);
    OutputSet outputs = source.outputs();
    TrainingTiles tiles;
    {
        ProgressReporter progress(source.verb.job.progress, source.verb.messages.quiet, token);
        tiles = read_training_tiles(source.slides, source.samples, source.slide, source.verb,
                                    progress.part(0, 1));
    }
    outputs.stage("output",
                  [&](const fs::path& path) { write_tissue_samples(tiles.samples, path); });
    const auto written = outputs.commit();
    say("wrote {} ({} features)", source.output.output.string(), tiles.samples.width);
    if (source.verb.messages.json) report("tissue features", parser, tiles.samples, {}, written);
    return exit_done;
}

int run_tissue_train(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Source source;
    source.output.help = "model (.model)";
    ClassifierOptions classifier;
    VerbParser parser("tissue train", "Trains a tissue classifier.");
    source.add_to(parser);
    parser.add(classifier, "Classifier");
    add_tissue_options(parser, source.verb);
    parser.add_examples({"tissue train slide.svs --annotations slide.geojson -o tissue.model",
                         "tissue train --tiles TILES -o tissue.model --classifier lda"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(source.verb.messages.quiet, source.verb.messages.verbose);
    classifier.threads = source.verb.job.threads;
    OutputSet outputs = source.outputs();
    TrainingTiles tiles;
    {
        ProgressReporter progress(source.verb.job.progress, source.verb.messages.quiet, token);
        tiles = read_training_tiles(source.slides, source.samples, source.slide, source.verb,
                                    progress.part(0, 0.5));
        tiles.model.classifier = train_classifier(tiles.samples, classifier, progress.part(0.5, 1));
    }
    outputs.stage("output", [&](const fs::path& path) { write_tissue_model(tiles.model, path); });
    const auto written = outputs.commit();
    const Json chosen =
        json_of_choice(chosen_parameters(tiles.model.classifier), classifier.classifier);
    std::string settings;
    for (const auto& [name, value] : chosen.items())
        settings += fmt::format(", {} {:.4g}", name, value.get<double>());
    say("wrote {}: {} of {}{}", source.output.output.string(), enum_name(classifier.classifier),
        counted(static_cast<std::int64_t>(tiles.samples.width), "feature"), settings);
    if (source.verb.messages.json)
        report("tissue train", parser, tiles.samples, {{"chosen", chosen}}, written);
    return exit_done;
}

}  // namespace tesela::cli
