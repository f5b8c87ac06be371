#include "labeling.h"

#include <algorithm>

#include "tesela/overlay.h"

namespace tesela::cli {

namespace fs = std::filesystem;

LabelingJob::LabelingJob(std::string verb, const LabelingSettings& settings, Json parameters,
                         const CancelToken& token, const Output& first)
    : ImageJob(std::move(verb), settings, std::move(parameters), token), first_(first.kind) {
    const LabelingFiles& files = settings.files;
    outputs_.add(first.kind, first.path);
    if (!files.labels.empty())
        outputs_.add("labels", files.labels, {io::labels_side_file(files.labels)});
    outputs_.add("segmented", files.segmented);
    outputs_.add("overlay", files.overlay);
    outputs_.add("random-colors", files.random_colors);
}

std::string LabelingJob::output_flags() const {
    return (first_.empty() ? "--labels (-o)" : "--" + first_ + " (-o), --labels") +
           ", --segmented, --overlay or --random-colors";
}

bool LabelingJob::wants_labels() const {
    // With no file at all the report counts the regions.
    return outputs_.has("labels") || outputs_.has("segmented") || outputs_.has("overlay") ||
           outputs_.has("random-colors") || outputs_.empty();
}

// Labels, and the image of the regions where it is wanted.
std::int64_t LabelingJob::result_bytes() const {
    constexpr std::int64_t label = 4;
    return label * shape_of(input_.image).points() +
           (outputs_.has("segmented") ? bytes_of(input_.image) : 0);
}

// One output after the other: labels in another width, then their counts; a picture of three
// channels, and the values that its brightness is chosen by.
std::int64_t LabelingJob::writing_bytes() const {
    constexpr std::int64_t label = 4, colors = 3, value = 8, most_values = 1 << 23;
    const Shape& shape = shape_of(input_.image);
    const std::int64_t points = shape.points();
    std::int64_t most = outputs_.has("labels") ? label * points : 0;
    if (outputs_.has("random-colors")) most = std::max(most, colors * points);
    if (outputs_.has("overlay"))
        most = std::max(most, colors * points + value * std::min(most_values, points) *
                                                    std::min(shape.channels, 3));
    return most;
}

void LabelingJob::probe_outputs(const AnyImage& sample) const {
    probe_more(sample);
    outputs_.probe("segmented", [&](const fs::path& path) { io::write_image(sample, path); });
    outputs_.probe("labels", [&](const fs::path& path) {
        Shape shape = shape_of(sample);
        shape.channels = 1;
        io::write_labels(LabelImage(shape, geometry_of(sample)), path);
    });
    for (const char* picture : {"overlay", "random-colors"})
        outputs_.probe(picture, [](const fs::path& path) {
            io::write_image(Image<std::uint8_t>({1, 1, 1, 1, 3}), path);
        });
}

void LabelingJob::stage_outputs(const Progress& progress) {
    stage_more();
    progress.report(0.4, "write");
    outputs_.stage("labels", [&](const fs::path& path) { io::write_labels(labels(), path); });
    outputs_.stage("segmented", [&](const fs::path& path) { io::write_image(segmented(), path); });
    progress.report(0.6, "write");
    outputs_.stage("overlay", [&](const fs::path& path) {
        io::write_image(boundary_overlay(input_.image, labels()), path);
    });
    progress.report(0.8, "write");
    outputs_.stage("random-colors", [&](const fs::path& path) {
        io::write_image(label_picture(labels(), io::label_color), path);
    });
}

}  // namespace tesela::cli
