// thesis wavelet
#include <memory>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/kinds/table.h"
#include "operations/registry.h"
#include "tesela/stage_times.h"
#include "tesela/wavelet_thesis.h"

namespace tesela::operations {
namespace {

// Those behind the last multiple of 2^levels are left out.
std::int64_t samples_of(const Call& call) {
    const int levels = call.options.as<ThesisWaveletOptions>().levels;
    const Shape& shape = call.image().shape();
    if (shape.channels != 1)
        throw UnsupportedFormat("the thesis's transforms take gray values, not colors");
    const std::int64_t samples = shape.points() >> levels << levels;
    if (samples == 0)
        throw InvalidArgument("--levels: " + counted(shape.points(), "sample") + " have no " +
                              counted(std::int64_t{levels}, "level"));
    return samples;
}

std::vector<float> line_of(const Call& call) {
    std::vector<float> line(static_cast<std::size_t>(samples_of(call)));
    call.image().visit([&](const auto& pixels) {
        for (std::size_t x = 0; x < line.size(); ++x)
            line[x] = static_cast<float>(pixels.data()[x]);
    });
    return line;
}

Results run_thesis_wavelet(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<ThesisWaveletOptions>();
    const std::vector<float> line = line_of(call);
    progress.report(0, "transform");
    StageClock clock;
    clock.start("prepare");
    ThesisWaveletWork work(line, options, queue);
    clock.start("upload");
    work.load();
    clock.start("transform");
    work.transform();
    clock.start("download");
    auto values = std::make_shared<const std::vector<float>>(work.values());
    Results results;
    results.stages = clock.take();
    const std::int64_t samples = std::ssize(*values);
    results.summary =
        printed("wavelet transform of the thesis: %s, %s", counted(samples, "sample").c_str(),
                counted(std::int64_t{options.levels}, "level").c_str());
    results.figures = {{"samples", samples}, {"levels", std::int64_t{options.levels}}};
    results.outputs.set(
        "values", Table{{"value"}, samples, [values](std::int64_t row, std::size_t) -> Table::Cell {
                            return double{(*values)[static_cast<std::size_t>(row)]};
                        }});
    return results;
}

}  // namespace

void add_thesis_wavelet(Registry& registry) {
    registry.add(Operation{
        .name = "thesis wavelet",
        .purpose = "a line's wavelet transform (J. Lamas Rodriguez, 2014)",
        .sentence = "Transforms a line by wavelets in one of the ways of J. Lamas Rodriguez's "
                    "thesis of 2014.",
        .examples = {"thesis wavelet picture.png -o values.csv --wavelet d4 --levels 4",
                     "thesis wavelet picture.png -o values.csv --form direct"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "gray image, whose rows make one line",
                    .axes = 2}},
        .outputs = {{.name = "values",
                     .kind = kinds::table,
                     .help = "CSV or JSON: low values, then high ones by level"}},
        .options = Options::of(ThesisWaveletOptions{}),
        .run = run_thesis_wavelet,
        .memory =
            [](const Call& call, const Device&) {
                const std::int64_t samples = samples_of(call);
                return Memory{.device = wavelet_thesis_bytes(
                                  samples, call.options.as<ThesisWaveletOptions>()),
                              .computing = 24 * samples};
            },
        .progress = {.stages = {"read", "transform", "write"}}});
}

}  // namespace tesela::operations
