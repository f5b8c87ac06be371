// The jobs of verbs whose results have regions, from seeds or without.
#pragma once

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "labeling.h"
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
        if (outputs_.has("segmented")) segmented_ = region_means(input_.image, result_.labels);
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return segmented_; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }

    AnyImage segmented_;
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
    SeededJob(std::string verb, const LabelingSettings& settings, const Options& algorithm,
              std::optional<Seeds> seeds, Json parameters, const CancelToken& token)
        : RegionJob<Options, Result>(std::move(verb), settings, algorithm, std::move(parameters),
                                     token),
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
        if (!given_)
            given_ = io::read_labels(settings.inputs[1], {settings.memory.max_memory.bytes});
    }

    std::optional<Seeds> given_;
};

}  // namespace tesela::cli
