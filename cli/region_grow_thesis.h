// tesela region-grow --variant thesis
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "labeling.h"
#include "option_binder.h"
#include "tesela/region_grow.h"
#include "tesela/region_grow_thesis.h"

namespace tesela::cli {

enum class RegionGrowVariant { standard, thesis };
constexpr auto enum_names(RegionGrowVariant) {
    using E = RegionGrowVariant;
    return std::array{EnumNames<E>{E::standard, "default"}, EnumNames<E>{E::thesis, "thesis"}};
}

// The variant, and the options that the thesis's has beside those of the verb.
struct ThesisGrowFlags {
    RegionGrowVariant variant = RegionGrowVariant::standard;
    ThesisGrowOptions options;
};

template <class V>
void describe(V&& v, ThesisGrowFlags& o) {
    v("variant", o.variant,
      "thesis: regions grow in tiles, as in J. Barriuso Medrano's thesis of 2011");
    const auto own = [&](std::string_view name, auto& member, std::string_view help,
                         const OptionRange& range = {}) {
        if (name != "growth-threshold" && name != "merge-threshold") v(name, member, help, range);
    };
    describe(own, o.options);
}

// The options of a call. Throws InvalidArgument where a flag of one variant is given to the other.
ThesisGrowOptions thesis_grow_options(const ThesisGrowFlags& flags,
                                      const RegionGrowOptions& algorithm, bool has_seeds);

// `segmented` is the picture that the thesis's program shows; regions are numbered raster-first.
class ThesisGrowJob : public LabelingJob {
  public:
    ThesisGrowJob(const LabelingSettings& settings, const ThesisGrowOptions& options,
                  Json parameters, const CancelToken& token)
        : LabelingJob("region-grow", settings, std::move(parameters), token), options_(options) {}

  private:
    void read_more() override;
    void compute(Queue& queue, const Progress& progress) override;
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return segmented_; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }
    std::int64_t device_bytes(const Device&) const override;
    std::string summary() const override;
    Json statistics() const override;
    Json parameters_as_used() const override;
    const Image<std::uint8_t>& picture() const;

    ThesisGrowOptions options_;
    ThesisGrowResult result_;
    AnyImage segmented_;
};

}  // namespace tesela::cli
