#include "tesela/label_surfaces.h"

#include <string>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/surface.h"
#include "operations/registry.h"
#include "tesela/measure.h"

namespace tesela::operations {
namespace {

struct SurfaceChoice : LabelSurfaceOptions {
    std::string label = "all";
};
template <class V>
void describe(V&& v, SurfaceChoice& o) {
    describe(v, static_cast<LabelSurfaceOptions&>(o));
    v("label", o.label, "labels that get a surface: all, or a list such as 1,3,5-8");
}

LabelSurfaceOptions options_of(const Options& options) {
    const auto& choice = options.as<SurfaceChoice>();
    LabelSurfaceOptions made = choice;
    if (choice.label != "all") try {
            made.labels = parse_labels(choice.label);
        } catch (const InvalidArgument& error) {
            throw InvalidArgument(std::string("--label: ") + error.what());
        }
    return made;
}

void add_figures(const LabelSurfaces& surfaces, Results& results) {
    std::int64_t points = 0, triangles = 0;
    std::vector<Figures> list;
    for (const LabelSurface& surface : surfaces.list) {
        points += std::ssize(surface.points);
        triangles += std::ssize(surface.triangles);
        list.push_back({{"label", std::int64_t{surface.label}},
                        {"name", surface.name},
                        {"points", std::int64_t{std::ssize(surface.points)}},
                        {"triangles", std::int64_t{std::ssize(surface.triangles)}},
                        {"volume", surface.volume},
                        {"area", surface.area}});
    }
    const auto count = std::int64_t{std::ssize(surfaces.list)};
    results.summary = counted(count, "surface") + " of " + counted(triangles, "triangle");
    results.figures = {{"surface_count", count},
                       {"points", points},
                       {"triangles", triangles},
                       {"unit", std::string(surfaces.millimeters ? "mm" : "voxels")}};
    results.details = {{"surfaces", std::move(list)}};
}

Results run_surface(const Call& call, Queue&, const Progress& progress) {
    LabelSurfaces surfaces = label_surfaces(label_map_of(call.image()), options_of(call.options),
                                            call.threads, progress);
    const LabelTable& table = call.labels_of("input");
    for (LabelSurface& surface : surfaces.list) {
        surface.name = label_name(table, surface.label);
        surface.color = color_of(&table, surface.label);
    }
    Results results;
    add_figures(surfaces, results);
    if (!surfaces.millimeters)
        results.warnings.push_back("the label map has no spacing: coordinates are in voxels");
    results.outputs.set("surface", std::move(surfaces));
    return results;
}

Memory surface_memory(const Call& call, const Device&) {
    const SurfaceSize size = surface_size(call.image(), options_of(call.options));
    return {.held = size.result_bytes,
            .computing = size.work_bytes + 4 * call.shape().points(),
            .known = {{"faces", size.faces}}};
}

}  // namespace

void add_surface(Registry& registry) {
    registry.add(Operation{
        .name = "surface",
        .purpose = "smooth closed meshes of labels for 3-D programs and printers",
        .sentence =
            "Makes a closed surface of each label of a volume, as a mesh of triangles in mm.",
        .task = tasks::segment,
        .examples = {"surface organs.nii.gz -o organs.ply",
                     "surface organs.nii.gz --label 3 --smooth 40 -o liver.stl"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "label map or mask, a volume",
                    .axes = 3,
                    .names_labels = true}},
        .outputs = {{.name = "surface",
                     .kind = kinds::surfaces,
                     .help = "meshes: .ply, .obj or .stl",
                     .always = true}},
        .options = Options::of(SurfaceChoice{}),
        .run = run_surface,
        .memory = surface_memory,
        .check = [](const Options& options) { options_of(options); },
        .device = {.on_host = true, .threaded = true}});
}

}  // namespace tesela::operations
