#include "experiments/region_growing/laboratory.h"

#include <algorithm>
#include <chrono>

#include "tesela/io.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

bool is_photograph(const fs::path& path) {
    const std::string suffix = path.extension().string();
    return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".bmp" ||
           (suffix == ".png" && path.stem().extension().empty());
}

std::vector<fs::path> photographs_of(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
        if (is_photograph(entry.path())) files.push_back(entry.path());
    if (files.empty())
        throw InvalidArgument("--image: no photograph (.jpg, .png, .bmp) in " + path.string());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<LabelImage> truths_of(const fs::path& photograph) {
    std::vector<LabelImage> truths;
    for (int person = 0;; ++person) {
        fs::path file = photograph;
        file.replace_extension("human" + std::to_string(person) + ".png");
        if (!fs::exists(file)) return truths;
        truths.push_back(io::read_labels(file));
    }
}

RegionPicture read_picture(const fs::path& file) {
    AnyImage image = io::read_image(file).image;
    auto* bytes = std::get_if<Image<std::uint8_t>>(&image);
    if (!bytes || bytes->shape().channels != 3 || bytes->has_alpha)
        throw UnsupportedFormat("--image: " + file.string() +
                                " is no picture of three colors with 8 bits each");
    return {file.stem().string(), file.string(), std::move(*bytes), truths_of(file)};
}

}  // namespace

std::vector<RegionPicture> region_pictures(const RegionBenchOptions& options) {
    region_thesis::Painting noisy;
    noisy.noise = 20;
    std::vector<RegionPicture> pictures;
    pictures.push_back({"disc",
                        "made up, with noise",
                        region_thesis::paint_figure(noisy),
                        {region_thesis::figure_truth(noisy)}});
    if (!options.image.empty())
        for (const fs::path& file : photographs_of(options.image))
            pictures.push_back(read_picture(file));
    return pictures;
}

RegionLaboratory::RegionLaboratory(const LaboratoryOptions& options,
                                   std::vector<RegionPicture> pictures, const CancelToken& token)
    : Laboratory(options, token),
      disc_(region_thesis::paint_figure({})),
      pictures_(std::move(pictures)) {
    for (const RegionPicture& picture : pictures_)
        say("picture {}: {}", picture.name, picture.source);
}

ThesisGrowResult RegionLaboratory::grow(const Image<std::uint8_t>& image,
                                        const ThesisGrowOptions& options) {
    return region_grow_thesis(image, options, queue(main_device()), progress());
}

double RegionLaboratory::milliseconds(std::size_t device, const Image<std::uint8_t>& image,
                                      const ThesisGrowOptions& options) {
    (void)region_grow_thesis(image, options, queue(device), progress());
    std::vector<double> taken;
    for (int i = 0; i < repetitions(); ++i) {
        const auto started = std::chrono::steady_clock::now();
        (void)region_grow_thesis(image, options, queue(device), progress());
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - started;
        taken.push_back(time.count());
    }
    return median(std::move(taken));
}

std::vector<KernelTime> RegionLaboratory::kernel_times(std::size_t device,
                                                       const Image<std::uint8_t>& image,
                                                       const ThesisGrowOptions& options) {
    return kernel_times(
        device, [&](Queue& queue) { (void)region_grow_thesis(image, options, queue, progress()); });
}

const KernelTime* kernel_named(const std::vector<KernelTime>& times, std::string_view beginning) {
    for (const KernelTime& time : times)
        if (time.name.starts_with(beginning)) return &time;
    return nullptr;
}

double mean_us(const KernelTime& time) {
    return 1000 * time.total_ms / static_cast<double>(time.launches);
}

}  // namespace tesela::experiments
