#include <charconv>

#include "io/text_table.h"
#include "tesela/tissue_io.h"
#include "tissue/training.h"

namespace tesela {
namespace {

namespace fs = std::filesystem;

using io::csv_field;

TissueSamples read_samples(const fs::path& path, std::int64_t max_bytes) {
    io::TextTable table(path);
    const std::vector<std::string>& header = table.header();
    if (header.size() < 4 || header[0] != "tile" || header[1] != "class" || header[2] != "slide")
        throw io::unsupported(
            path,
            "a table of features begins with the columns tile, class, slide; 'tesela "
            "tissue features' writes such tables");
    TissueSamples samples;
    samples.feature_names.assign(header.begin() + 3, header.end());
    samples.width = samples.feature_names.size();
    // Lists double as they grow.
    const auto of_row =
        static_cast<std::int64_t>(2 * sizeof(double) * samples.width + 2 * sizeof(std::string));
    while (table.next()) {
        const std::vector<std::string>& row = table.cells();
        if (row.size() != header.size())
            table.refuse("it has " + std::to_string(row.size()) + " cells and the first row " +
                         std::to_string(header.size()));
        table.lines().require_list(of_row * (std::ssize(samples.names) + 1), max_bytes);
        samples.names.push_back(row[0]);
        samples.labels.push_back(tissue::place_of(samples.classes, row[1]));
        if (samples.classes.size() > most_tissue_classes)
            table.refuse("there are more than " + std::to_string(most_tissue_classes) + " classes");
        samples.groups.push_back(tissue::place_of(samples.group_names, row[2]));
        for (std::size_t f = 3; f < row.size(); ++f) samples.features.push_back(table.number(f));
    }
    if (samples.rows() == 0) throw io::unreadable(path, "it has no rows");
    return samples;
}

}  // namespace

TissueSamples read_tissue_samples(const fs::path& path, const io::ReadOptions& options) {
    TissueSamples samples;
    io::with_memory_guard(path, [&] { samples = read_samples(path, options.max_bytes); });
    return samples;
}

void write_tissue_samples(const TissueSamples& samples, const fs::path& path,
                          const io::WriteOptions& options) {
    io::Staging staging({path}, options.overwrite);
    io::OutputFile file(staging.staged(), path);
    std::string text = "tile,class,slide";
    for (const std::string& name : samples.feature_names) text += "," + csv_field(name);
    text += "\n";
    for (std::size_t i = 0; i < samples.rows(); ++i) {
        text += csv_field(samples.names[i]) + "," +
                csv_field(samples.classes[static_cast<std::size_t>(samples.labels[i])]) + "," +
                csv_field(samples.group_names[static_cast<std::size_t>(samples.groups[i])]);
        for (const double value : samples.row(i)) {
            char number[32];
            const auto [end, error] = std::to_chars(number, number + sizeof number, value);
            text += ',';
            text.append(number, end);
        }
        text += "\n";
        file.write_or_throw(text.data(), text.size());
        text.clear();
    }
    if (!text.empty()) file.write_or_throw(text.data(), text.size());
    file.close();
    staging.commit();
}

}  // namespace tesela
