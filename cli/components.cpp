// tesela components INPUT
#include "tesela/components.h"

#include <fmt/format.h>

#include <fstream>

#include "interrupt.h"
#include "messages.h"
#include "region_job.h"
#include "verbs.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct TableFile {
    fs::path table;
};

template <class V>
void describe(V&& v, TableFile& o) {
    v("table", o.table, "CSV: label, value, area, box and centroid of each component");
}

struct Settings : LabelingSettings {
    ComponentOptions algorithm;
    TableFile table;
};

// One row a component; lengths in millimeters where the spacing is known.
class TableWriter {
  public:
    TableWriter(const Shape& shape, const Geometry& geometry) : geometry_(geometry) {
        axes_ = static_cast<std::size_t>(shape.dimensions());
        header_ = "label,value,area_px";
        if (geometry.known()) {
            const auto spacing = geometry.spacing_mm();
            point_size_ = spacing[0] * spacing[1] * (axes_ > 2 ? spacing[2] : 1);
            header_ += axes_ > 2 ? ",volume_mm3" : ",area_mm2";
        }
        for (const std::string_view part : {"first", "last", "centroid"})
            for (std::size_t axis = 0; axis < axes_; ++axis)
                header_ += fmt::format(",{}_{}", part, axis_names[axis]);
        if (geometry.known())
            for (std::size_t axis = 0; axis < 3; ++axis)
                header_ += fmt::format(",centroid_{}_mm", axis_names[axis]);
    }

    void write(const std::vector<Component>& table, const fs::path& path) const {
        std::ofstream out(path, std::ios::binary);
        fmt::memory_buffer text;
        fmt::format_to(std::back_inserter(text), "{}\n", header_);
        for (std::size_t c = 0; c < table.size(); ++c) {
            add_row(text, c + 1, table[c]);
            if (text.size() < (1 << 20)) continue;
            out.write(text.data(), static_cast<std::streamsize>(text.size()));
            text.clear();
        }
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        out.close();
        if (!out) throw UnwritableOutput("cannot write '" + path.string() + "': is the disk full?");
    }

  private:
    void add_row(fmt::memory_buffer& text, std::size_t label, const Component& component) const {
        auto end = std::back_inserter(text);
        fmt::format_to(end, "{},{},{}", label, component.value, component.area);
        if (geometry_.known())
            fmt::format_to(end, ",{}", static_cast<double>(component.area) * point_size_);
        for (std::size_t a = 0; a < axes_; ++a) fmt::format_to(end, ",{}", component.first[a]);
        for (std::size_t a = 0; a < axes_; ++a) fmt::format_to(end, ",{}", component.last[a]);
        for (std::size_t a = 0; a < axes_; ++a) fmt::format_to(end, ",{}", component.centroid[a]);
        if (geometry_.known())
            for (const double place : physical_point(
                     geometry_,
                     {component.centroid[0], component.centroid[1], component.centroid[2]}))
                fmt::format_to(end, ",{}", place);
        fmt::format_to(end, "\n");
    }

    static constexpr std::array<char, 4> axis_names{'x', 'y', 'z', 't'};
    const Geometry& geometry_;
    std::size_t axes_;
    double point_size_ = 1;
    std::string header_;
};

class ComponentsJob : public RegionJob<ComponentOptions, ComponentResult> {
  public:
    ComponentsJob(const Settings& settings, Json parameters, const CancelToken& token)
        : RegionJob("components", settings, settings.algorithm, std::move(parameters), token) {
        outputs_.add("table", settings.table.table);
    }

  private:
    ComponentOutput wanted() const {
        return outputs_.has("table") ? ComponentOutput::labels_and_table
                                     : ComponentOutput::labels_only;
    }
    ComponentResult segment(Queue& queue, const Progress& progress) override {
        return components(input_.image, algorithm_, queue, wanted(), progress);
    }
    std::int64_t device_bytes(const Device& device) const override {
        return components_device_bytes(input_.image, algorithm_, device, wanted());
    }
    std::int64_t result_bytes() const override {
        return RegionJob::result_bytes() +
               components_table_bytes(input_.image, algorithm_, wanted()).table;
    }
    std::int64_t computing_bytes() const override {
        return components_table_bytes(input_.image, algorithm_, wanted()).making;
    }
    void stage_more() override {
        outputs_.stage("table", [&](const fs::path& path) {
            TableWriter(shape_of(input_.image), geometry_of(input_.image))
                .write(result_.table, path);
        });
    }
    std::string summary() const override {
        return fmt::format("{}, {} left out as background or too small",
                           counted(result_.count, "component"), result_.dropped_count);
    }
    Json statistics() const override {
        return {{"component_count", result_.count},
                {"dropped_count", result_.dropped_count},
                {"points", shape_of(input_.image).points()}};
    }
};

}  // namespace

int run_components(const Arguments& arguments) {
    const CancelToken& token = handle_interrupts();
    Settings settings;
    VerbParser parser("components",
                      "Numbers the connected components of a mask or of equal values, with their "
                      "areas, boxes and centroids.");
    parser.add_inputs(settings.inputs, "INPUT", 1, 1,
                      "mask, label map or other picture or volume of one channel");
    parser.add(settings.files, "Outputs", {{"labels", "-o,--output"}});
    parser.add(settings.table, "Outputs");
    parser.add(settings.algorithm, "Components");
    add_job_options(parser, settings, "Components");
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(settings.messages.quiet, settings.messages.verbose);
    return ComponentsJob(settings, parser.values(), token).run();
}

}  // namespace tesela::cli
