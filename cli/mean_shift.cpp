// tesela mean-shift INPUT
#include "tesela/mean_shift.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "convert.h"
#include "interrupt.h"
#include "labeling.h"
#include "messages.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct FilteredFile {
    fs::path filtered;
    std::optional<PixelType> filtered_type;
};

template <class V>
void describe(V&& v, FilteredFile& o) {
    v("filtered", o.filtered, "filtered image, in the input's type");
    v("filtered-type", o.filtered_type,
      "type of the filtered image; values are rounded and saturated",
      OptionRange{.unit = "uint8, int8, uint16, int16, uint32, int32, float32 or float64"});
}

struct Settings : LabelingSettings {
    MeanShiftOptions algorithm;
    FilteredFile filtered;
};

class MeanShiftJob : public LabelingJob {
  public:
    MeanShiftJob(const Settings& settings, Json parameters, const CancelToken& token)
        : LabelingJob("mean-shift", settings, std::move(parameters), token,
                      {"filtered", settings.filtered.filtered}),
          algorithm_(settings.algorithm),
          filtered_(settings.filtered) {}

  private:
    MeanShiftOutput wanted() const {
        if (outputs_.has("segmented")) return MeanShiftOutput::with_segmented;
        return wants_labels() ? MeanShiftOutput::filtered_and_labels
                              : MeanShiftOutput::filtered_only;
    }

    void probe_more(const AnyImage& sample) const override {
        const PixelType type = filtered_.filtered_type.value_or(pixel_type_of(sample));
        outputs_.probe("filtered", [&](const fs::path& path) {
            io::write_image(convert(sample, type).image, path);
        });
    }

    void compute(Queue& queue, const Progress& progress) override {
        result_ = mean_shift(input_.image, algorithm_, queue, wanted(), progress);
        add_warnings(result_.warnings);
        if (!filtered_.filtered_type) return;
        clock_.start("convert");
        Conversion conversion = convert(result_.filtered, *filtered_.filtered_type);
        result_.filtered = std::move(conversion.image);
        if (conversion.rounded || conversion.saturated)
            add_warnings({fmt::format("--filtered-type {}: {} values were rounded, {} saturated",
                                      pixel_type_name(*filtered_.filtered_type), conversion.rounded,
                                      conversion.saturated)});
        clock_.finish();
    }
    const LabelImage& labels() const override { return result_.labels; }
    const AnyImage& segmented() const override { return result_.segmented; }
    const std::vector<StageTime>& computed_stages() const override { return result_.stages; }

    void stage_more() override {
        outputs_.stage("filtered",
                       [&](const fs::path& path) { io::write_image(result_.filtered, path); });
    }

    // The filtered image comes on top, for a while in two types.
    std::int64_t result_bytes() const override {
        const std::int64_t converted =
            filtered_.filtered_type
                ? shape_of(input_.image).elements() * pixel_type_bytes(*filtered_.filtered_type)
                : 0;
        return LabelingJob::result_bytes() + bytes_of(input_.image) + converted;
    }
    std::int64_t device_bytes(const Device&) const override {
        return mean_shift_device_bytes(input_.image, algorithm_, wanted());
    }

    double iterations_per_point() const {
        return static_cast<double>(result_.iterations) /
               static_cast<double>(shape_of(input_.image).points());
    }

    std::string summary() const override {
        const std::string regions =
            wants_labels() ? fmt::format("{} of {}, ", counted(result_.region_count, "region"),
                                         counted(result_.component_count, "component"))
                           : "";
        return fmt::format(
            "mean shift in {} space: {}{:.2f} iterations per pixel, {} stopped at "
            "--max-iterations",
            enum_name(result_.color_space), regions, iterations_per_point(),
            counted(result_.capped_points, "pixel"));
    }
    void tell_more() const override {
        if (result_.thesis) tell(thesis_text(*result_.thesis));
    }

    Json statistics() const override {
        return {{"region_count", wants_labels() ? Json(result_.region_count) : Json()},
                {"component_count", wants_labels() ? Json(result_.component_count) : Json()},
                {"fusion_rounds", result_.fusion_rounds},
                {"merging_rounds", result_.merging_rounds},
                {"pruning_rounds", result_.pruning_rounds},
                {"points", shape_of(input_.image).points()},
                {"iterations", result_.iterations},
                {"iterations_per_point", iterations_per_point()},
                {"capped_points", result_.capped_points}};
    }
    void add_to_report(Json& json) const override {
        if (result_.thesis) json["thesis"] = json_of(*result_.thesis);
    }
    Json parameters_as_used() const override {
        Json parameters = parameters_;
        parameters["color-space"] = enum_name(result_.color_space);
        parameters["connectivity"] = enum_name(result_.connectivity);
        if (result_.temporal_bandwidth > 0) parameters["time"] = result_.temporal_bandwidth;
        return parameters;
    }

    const MeanShiftOptions& algorithm_;
    const FilteredFile& filtered_;
    MeanShiftResult result_;
};

}  // namespace

int run_mean_shift(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("mean-shift",
                      "Filters and segments an image by mean shift in the joint spatial-range "
                      "domain.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "picture, volume, or folder of one DICOM series");
    parser.add(settings.filtered, "Outputs", {{"filtered", "-o,--output"}});
    parser.add(settings.files, "Outputs");
    parser.add(settings.algorithm, "Mean shift");
    add_job_options(parser, settings, "Mean shift");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return MeanShiftJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
