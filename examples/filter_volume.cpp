// Denoises a volume, labels what is bright, and prints a table of the objects in physical units.
//
//   $ filter_volume ch2.nii.gz objects.nii.gz
//   label   volume, ml   center, mm (left, back, head)
//       1      3126.35    -0.5,   18.2,    1.8
//       6         1.17   -37.0,  -34.5,   52.6
//       5         0.98   -28.3,  -66.7,   25.9
//       7         0.25    14.9,   71.7,   70.7
//       4         0.24    -1.7,  104.4,   14.2
//       2         0.12   -17.8,  -46.6,  -66.7
//       3         0.11    23.7,   16.0,  -40.7
//
// The labels are in objects.nii.gz, their colors and volumes in objects.labels.json. (ch2.nii.gz is
// a head, `./dev demo` puts it into build/data.) Ctrl+C stops the work; nothing is written then.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include "tesela/align.h"
#include "tesela/components.h"
#include "tesela/io.h"
#include "tesela/threshold.h"
#include "tesela/wavelet_denoise.h"

namespace {

tesela::CancelToken stop;  // may be set from a signal handler and from any thread

void show(double fraction, std::string_view stage) {
    std::fprintf(stderr, "%3.0f %% %.*s\n", 100 * fraction, static_cast<int>(stage.size()),
                 stage.data());
}

tesela::ComponentResult bright_objects(const tesela::AnyImage& volume, tesela::Queue& queue) {
    const tesela::Progress progress(show, &stop);
    const auto denoised = tesela::wavelet_denoise(volume, {}, queue, progress.part(0, 0.6));
    const auto bright = tesela::otsu_threshold(denoised.clean, queue, progress.part(0.6, 0.8));
    return tesela::components(bright.mask, {.min_size = 100}, queue,
                              tesela::ComponentOutput::labels_and_table, progress.part(0.8, 1));
}

void print_table(const tesela::ComponentResult& objects) {
    const tesela::Geometry& geometry = objects.labels.geometry;
    const auto [dx, dy, dz] = geometry.spacing_mm();
    std::vector<std::size_t> order(objects.table.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return objects.table[i].area; });

    std::puts("label   volume, ml   center, mm (left, back, head)");
    for (const std::size_t i : order) {
        const tesela::Component& object = objects.table[i];
        const double milliliters = static_cast<double>(object.area) * dx * dy * dz * 1e-3;
        const auto [x, y, z] = tesela::physical_point(
            geometry, {object.centroid[0], object.centroid[1], object.centroid[2]});
        std::printf("%5zu %12.2f  %6.1f, %6.1f, %6.1f\n", i + 1, milliliters, x, y, z);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: filter_volume VOLUME LABELS\n", stderr);
        return 2;
    }
    std::signal(SIGINT, [](int) { stop.cancel(); });
    try {
        const tesela::io::ReadResult input = tesela::io::read_image(argv[1]);
        for (const auto& warning : input.warnings) std::fprintf(stderr, "%s\n", warning.c_str());

        tesela::Queue queue(tesela::Device::best());
        const auto objects = bright_objects(input.image, queue);
        tesela::io::write_labels(objects.labels, argv[2]);
        print_table(objects);
        return 0;
    } catch (const tesela::Cancelled&) {
        std::fputs("stopped, nothing was written\n", stderr);
        return 130;
    } catch (const std::exception& error) {  // a tesela::Error says what, where and what to do
        std::fprintf(stderr, "filter_volume: %s\n", error.what());
        return 1;
    }
}
