// zernike, thesis zernike
#include "tesela/zernike.h"

#include <memory>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/zernike_thesis.h"

namespace tesela::operations {
namespace {

struct ZernikeTableOptions : ZernikeOptions {
    bool magnitudes = false;
};
template <class V>
void describe(V&& v, ZernikeTableOptions& o) {
    describe(v, static_cast<ZernikeOptions&>(o));
    v("magnitudes", o.magnitudes, "write only magnitudes, which rotation does not change");
}

// A row for each moment.
Table image_table(ZernikeMoments moments, bool magnitudes) {
    const std::vector<ZernikeOrder> orders = zernike_orders(moments.order);
    std::vector<std::string> columns{"p", "q"};
    if (!magnitudes) columns.insert(columns.end(), {"real", "imaginary"});
    columns.emplace_back("magnitude");
    const std::size_t magnitude = columns.size() - 1;
    return {std::move(columns), std::ssize(orders),
            [moments = std::move(moments), orders, magnitude](std::int64_t row,
                                                              std::size_t column) -> Table::Cell {
                const auto k = static_cast<std::size_t>(row);
                const std::complex<double>& value = moments.values[k];
                if (column == 0) return std::int64_t{orders[k].p};
                if (column == 1) return std::int64_t{orders[k].q};
                if (column == magnitude) return std::abs(value);
                return column == 2 ? value.real() : value.imag();
            }};
}

// A row for each object: its circle, then its moments.
Table object_table(const std::shared_ptr<const ZernikeObjects>& objects, bool magnitudes,
                   const LabelTable& table) {
    std::vector<std::string> columns{"label", "x_px", "y_px", "radius_px", "pixels"};
    for (const ZernikeOrder& of : zernike_orders(objects->moments.front().order)) {
        const std::string name = "Z" + std::to_string(of.p) + "_" + std::to_string(of.q);
        if (magnitudes)
            columns.push_back(name);
        else
            columns.insert(columns.end(), {name + "_real", name + "_imaginary"});
    }
    const bool is_named = has_names(table);
    const std::size_t moment_columns = columns.size() - 5;
    if (is_named) columns.emplace_back("name");
    return {std::move(columns), static_cast<std::int64_t>(objects->labels.size()),
            [objects, magnitudes, table, moment_columns](std::int64_t row,
                                                         std::size_t column) -> Table::Cell {
                const auto object = static_cast<std::size_t>(row);
                const ZernikeMoments& moments = objects->moments[object];
                constexpr std::size_t first_moment = 5;
                if (column == 0) return std::int64_t{objects->labels[object]};
                if (column == 1) return moments.x;
                if (column == 2) return moments.y;
                if (column == 3) return moments.radius;
                if (column == 4) return moments.pixels;
                const std::size_t k = column - first_moment;
                if (k == moment_columns) return label_name(table, objects->labels[object]);
                if (magnitudes) return std::abs(moments.values[k]);
                const std::complex<double>& value = moments.values[k / 2];
                return k % 2 == 0 ? value.real() : value.imag();
            }};
}

Results run_image(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<ZernikeTableOptions>();
    ZernikeResult result = zernike(call.image(), options, queue, progress);
    const ZernikeMoments& moments = result.moments;
    Results results;
    results.summary =
        counted(std::ssize(moments.values), "moment") +
        printed(", circle of radius %.6g around (%.6g, %.6g), %lld pixels", moments.radius,
                moments.x, moments.y, static_cast<long long>(moments.pixels));
    results.figures = {{"x", moments.x},
                       {"y", moments.y},
                       {"radius", moments.radius},
                       {"pixels", moments.pixels},
                       {"sum", moments.sum}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    if (call.wants("reconstruct")) {
        Image<float> made = zernike_reconstruct(moments, call.image().shape(), queue);
        made.geometry = call.image().geometry();
        results.outputs.set("reconstruct", AnyImage(std::move(made)));
    }
    if (call.wants("moments"))
        results.outputs.set("moments", image_table(std::move(result.moments), options.magnitudes));
    return results;
}

Results run_objects(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<ZernikeTableOptions>();
    const ZernikeOptions defaults;
    if (options.center != defaults.center || options.circle != defaults.circle)
        throw InvalidArgument(
            "--center and --circle do not go with --labels: each object has its smallest "
            "enclosing circle");
    if (call.wants("reconstruct"))
        throw InvalidArgument("--reconstruct does not go with --labels; it is of an image");
    const auto values = call.inputs.find_view("values");
    const auto objects = std::make_shared<ZernikeObjects>(
        zernike_objects(call.inputs.labels("labels"), values, options, queue, progress));
    Results results;
    const auto count = static_cast<std::int64_t>(objects->labels.size());
    results.summary =
        counted(static_cast<std::int64_t>(objects->moments.front().values.size()), "moment") +
        " of " + counted(count, "object");
    results.figures = {{"objects", count}};
    results.stages = objects->stages;
    results.warnings = objects->warnings;
    if (call.wants("moments"))
        results.outputs.set("moments",
                            object_table(objects, options.magnitudes, call.labels_of("labels")));
    return results;
}

Results run_zernike(const Call& call, Queue& queue, const Progress& progress) {
    if (call.inputs.has("labels")) return run_objects(call, queue, progress);
    if (call.inputs.has("values"))
        throw InvalidArgument("--values are of the objects of a label map; give --labels too");
    return run_image(call, queue, progress);
}

Memory zernike_memory(const Call& call, const Device&) {
    const auto& options = call.options.as<ZernikeTableOptions>();
    const Shape& shape = call.image().shape();
    const bool is_objects = call.inputs.has("labels");
    Memory memory;
    memory.device = is_objects ? zernike_objects_device_bytes(shape, options)
                               : zernike_device_bytes(shape, options);
    memory.computing = 4 * shape.points();  // gray values
    return memory;
}

Results run_thesis(const Call& call, Queue& queue, const Progress& progress) {
    ThesisZernikeResult result =
        zernike_thesis(call.image(), call.options.as<ThesisZernikeOptions>(), queue, progress);
    Results results;
    results.summary =
        printed("Zernike moments of the thesis: %s of order %d, %lld pixels, %s",
                counted(std::ssize(result.values), "moment").c_str(), result.order,
                static_cast<long long>(result.pixels), counted(result.angles, "angle").c_str());
    results.figures = {{"moments", std::int64_t{std::ssize(result.values)}},
                       {"pixels", result.pixels},
                       {"angles", result.angles}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("moments", Table{{"p", "q", "real", "imaginary", "magnitude"},
                                         std::ssize(result.values),
                                         [values = std::move(result.values), p = result.order](
                                             std::int64_t row, std::size_t column) -> Table::Cell {
                                             const std::complex<double>& value =
                                                 values[static_cast<std::size_t>(row)];
                                             switch (column) {
                                                 case 0:
                                                     return std::int64_t{p};
                                                 case 1:
                                                     return p % 2 + 2 * row;
                                                 case 2:
                                                     return value.real();
                                                 case 3:
                                                     return value.imag();
                                                 default:
                                                     return std::abs(value);
                                             }
                                         }});
    return results;
}

}  // namespace

void add_thesis_zernike(Registry& registry) {
    registry.add(Operation{
        .name = "thesis zernike",
        .purpose = "Zernike moments of one order (A. Ruiz Sanchez, 2015)",
        .sentence = "Computes the Zernike moments of one order by five stages, as in A. Ruiz "
                    "Sanchez's thesis of 2015.",
        .examples = {"thesis zernike cell.png --order 8 -o moments.csv",
                     "thesis zernike cell.png --order 34 --method recursive --precision double "
                     "-o moments.csv"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "picture, of which the square in the middle counts",
                    .axes = 2}},
        .outputs = {{.name = "moments",
                     .kind = kinds::table,
                     .help = "CSV or JSON: moments of all repetitions",
                     .always = true}},
        .options = Options::of(ThesisZernikeOptions{}),
        .run = run_thesis,
        .memory = [](const Call& call, const Device&) {
            const Shape& shape = call.image().shape();
            return Memory{
                .device = zernike_thesis_bytes(shape, call.options.as<ThesisZernikeOptions>()),
                .computing = 4 * shape.points()};
        }});
}

void add_zernike(Registry& registry) {
    registry.add(Operation{
        .name = "zernike",
        .purpose = "Zernike moments of images, or of each object of a label map",
        .sentence = "Computes Zernike moments of images, or of each object of a label map.",
        .task = tasks::texture,
        .examples = {"zernike cell.png -o moments.csv --magnitudes",
                     "zernike --labels cells.tif -o shapes.csv --order 9 --normalization area"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "picture, gray or in colors",
                    .axes = 2}},
        .named = {{.name = "labels",
                   .kind = kinds::labels,
                   .help = "label map; each object gets a row",
                   .required = false,
                   .names_labels = true},
                  {.name = "values",
                   .kind = kinds::image,
                   .help = "image of the objects' values",
                   .required = false,
                   .axes = 2}},
        .outputs = {{.name = "moments", .kind = kinds::table, .help = "CSV or JSON: moments"},
                    {.name = "reconstruct",
                     .kind = kinds::image,
                     .help = "image reconstructed from the moments, floating-point",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; },
                     .convertible = true}},
        .options = Options::of(ZernikeTableOptions{}),
        .run = run_zernike,
        .memory = zernike_memory,
        .command_line = {.instead_of_input = "labels"}});
}

}  // namespace tesela::operations
