// The jobs of verbs whose results have regions, from seeds or without.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "labeling.h"
#include "second_image.h"
#include "tesela/overlay.h"
#include "tesela/seeds.h"

namespace tesela::cli {

// A result has labels, stages, and the connectivity that `auto` came to.
template <class Options, class Result>
class RegionJob : public LabelingJob {
  public:
    RegionJob(std::string verb, const LabelingSettings& settings, const Options& algorithm,
              Json parameters, const CancelToken& token)
        : LabelingJob(std::move(verb), settings, std::move(parameters), token),
          algorithm_(algorithm) {}

  protected:
    virtual Result segment(Queue& queue, const Progress& progress) = 0;
    Json parameters_as_used() const override {
        Json parameters = parameters_;
        parameters["connectivity"] = enum_name(result_.connectivity);
        return parameters;
    }

    const Options& algorithm_;
    Result result_;

  private:
    void compute(Queue& queue, const Progress& progress) override {
        result_ = segment(queue, progress);
        if constexpr (requires { result_.warnings; }) add_warnings(result_.warnings);
    }
    void finish_results() override {
        if (outputs_.has("segmented")) segmented_ = region_means(input_.image, result_.labels);
    }
    // The place of each label in a list, and the sums of most lists.
    std::int64_t writing_bytes() const override {
        constexpr std::int64_t place = 4, sums = 8;
        const std::int64_t making =
            outputs_.has("segmented") ? (place + sums) * shape_of(input_.image).points() : 0;
        return std::max(making, LabelingJob::writing_bytes());
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return segmented_; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }

    AnyImage segmented_;
};

// Of verbs that grow regions from seeds.
struct SeededSettings : LabelingSettings {
    GeometryOptions geometry;
};

// The seeds of an option; none where it names a file, which becomes the second input.
inline std::optional<Seeds> seeds_of(const std::string& option, LabelingSettings& settings) {
    std::optional<Seeds> seeds = parse_seeds(option);
    if (seeds) return seeds;
    if (std::error_code error; !std::filesystem::exists(option, error))
        throw UnreadableInput("--seeds: '" + option +
                              "' is neither auto, grid, grid:SPACING, points 'x,y;...' nor boxes "
                              "'box:x0,y0,x1,y1;...', and there is no file of this name");
    settings.inputs.emplace_back(option);
    return seeds;
}

// Regions that grow from seeds, which are those of the second input where none are given.
template <class Options, class Result>
class SeededJob : public RegionJob<Options, Result> {
  public:
    SeededJob(std::string verb, const SeededSettings& settings, const Options& algorithm,
              std::optional<Seeds> seeds, Json parameters, const CancelToken& token)
        : RegionJob<Options, Result>(std::move(verb), settings, algorithm, std::move(parameters),
                                     token),
          geometry_(settings.geometry),
          given_(std::move(seeds)) {}

  protected:
    const Seeds& seeds() const { return *given_; }
    Json statistics() const override {
        return {{"region_count", this->result_.count},
                {"points", shape_of(this->input_.image).points()},
                {"unlabeled_points", this->result_.unlabeled_points},
                {"rounds", this->result_.rounds}};
    }

  private:
    void read_more() override {
        const ImageJobSettings& settings = this->settings_;
        if (given_) return;
        const std::filesystem::path& path = settings.inputs[1];
        AnyImage labels =
            io::read_labels(path, read_options(settings.memory, bytes_of(this->input_.image)));
        // --spacing corrects both files, but puts none into space that is not there by itself.
        PlacedFile first{settings.input(), grid_of(this->input_.image)};
        if (!this->input_has_geometry_) first.grid.geometry = {};
        if (geometry_of(labels).known()) apply_spacing(settings.spacing.spacing, labels);
        std::vector<std::string> warnings;
        given_ = std::get<LabelImage>(fit_to(first, path, std::move(labels), geometry_, warnings));
        this->add_warnings(warnings);
    }
    std::int64_t further_input_bytes() const override {
        const auto* labels = std::get_if<LabelImage>(&*given_);
        return labels ? label_bytes * labels->shape().points() : 0;
    }
    // Points and labels of seeds, and the pairs that are sorted into them.
    std::int64_t computing_bytes() const override {
        const auto* labels = std::get_if<LabelImage>(&*given_);
        if (!labels) return 0;
        const auto& pixels = labels->pixels();
        return 4 * label_bytes *
               (labels->shape().points() - std::count(pixels.begin(), pixels.end(), 0u));
    }

    static constexpr std::int64_t label_bytes = 4;
    const GeometryOptions& geometry_;
    std::optional<Seeds> given_;
};

}  // namespace tesela::cli
