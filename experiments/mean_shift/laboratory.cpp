#include "experiments/mean_shift/laboratory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "messages.h"
#include "option_binder.h"
#include "tesela/error.h"
#include "tesela/io.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

bool is_picture(const TestImage& image) { return shape_of(image.image).dimensions() == 2; }

}  // namespace

fs::path folder_of_images(const MeanShiftBenchOptions& options) {
    const char* variable = std::getenv("TESELA_IMAGES");
    const fs::path folder =
        !options.images.empty() || !variable ? options.images : fs::path(variable);
    if (!folder.empty() && !fs::is_directory(folder))
        throw InvalidArgument("the folder of images " + folder.string() +
                              " does not exist; name another with --images");
    return folder;
}

std::string text_of(const Bandwidths& bandwidths) {
    return fmt::format("({:g}, {:g})", bandwidths.spatial, bandwidths.range);
}

double Run::stage_seconds(std::string_view name) const {
    double milliseconds = 0;
    for (const StageTime& stage : result.stages)
        if (stage.name == name) milliseconds += stage.milliseconds;
    return milliseconds / 1000;
}

double Run::iterations_per_point() const {
    return static_cast<double>(result.iterations) /
           static_cast<double>(shape_of(result.filtered).points());
}

std::vector<TestImage> experiment_images(const MeanShiftBenchOptions& options,
                                         const std::vector<fs::path>& own, bool quick) {
    std::vector<TestImage> own_images;
    for (const fs::path& path : own) own_images.push_back(own_image(path));
    std::vector<TestImage> images = stand_ins(folder_of_images(options), quick);
    for (const TestImage& image : own_images)
        std::erase_if(images, [&](const TestImage& other) {
            return other.role != Role::own && is_picture(other) == is_picture(image);
        });
    images.insert(images.end(), own_images.begin(), own_images.end());
    return images;
}

MeanShiftLaboratory::MeanShiftLaboratory(const LaboratoryOptions& options, fs::path edison,
                                         std::vector<TestImage> images, const CancelToken& token)
    : Laboratory(options, token), edison_(std::move(edison)), images_(std::move(images)) {
    for (const TestImage& image : images_) say("image {}: {}", image.name, image.source);
}

std::vector<const TestImage*> MeanShiftLaboratory::pictures() const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (is_picture(image) && image.role != Role::mandrill) chosen.push_back(&image);
    return chosen;
}

std::vector<const TestImage*> MeanShiftLaboratory::images_of(Role role) const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (image.role == role) chosen.push_back(&image);
    return chosen;
}

std::vector<const TestImage*> MeanShiftLaboratory::volumes() const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (!is_picture(image)) chosen.push_back(&image);
    return chosen;
}

std::vector<std::size_t> MeanShiftLaboratory::picture_settings() const {
    if (quick()) return {0, 3, 5, 6, 7};
    std::vector<std::size_t> all(picture_bandwidths.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

MeanShiftOptions MeanShiftLaboratory::options_for(const TestImage& image,
                                                  const Bandwidths& bandwidths) {
    return {.spatial_bandwidth = bandwidths.spatial,
            .range_bandwidth = bandwidths.range,
            .color_space = image.color_space,
            .fusion_range = 0,  // the thesis joins no regions
            .min_region = 0,
            .variant = MeanShiftVariant::thesis};
}

// One round: builds the kernels and takes the memory.
void MeanShiftLaboratory::warm_up(std::size_t device, const TestImage& image,
                                  const MeanShiftOptions& options) {
    const std::string key = fmt::format("{} {} {}", device, image.name, enum_name(options.variant));
    if (std::exchange(warm_[key], true)) return;
    MeanShiftOptions one_round = options;
    one_round.spatial_bandwidth = 1.5;
    one_round.max_iterations = 1;
    (void)mean_shift(image.image, one_round, queue(device));
}

const Run& MeanShiftLaboratory::run(std::size_t device, const TestImage& image,
                                    const MeanShiftOptions& options, MeanShiftOutput output) {
    const std::string key = fmt::format("{} {} {} {}", device, image.name,
                                        cli::values_of(options).dump(), static_cast<int>(output));
    if (const auto known = runs_.find(key); known != runs_.end()) return known->second;
    progress().throw_if_cancelled();
    warm_up(device, image, options);
    Run run;
    std::vector<double> seconds;
    for (int i = 0; i < repetitions(); ++i) {
        const auto started = std::chrono::steady_clock::now();
        run.result = mean_shift(image.image, options, queue(device), output, progress());
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
        seconds.push_back(taken.count());
    }
    run.seconds = median(seconds);
    say("{}, {}, {} by the {} variant: {:.3f} s, {:.2f} iterations per point",
        this->device(device).id(), image.name,
        text_of({options.spatial_bandwidth->value, *options.range_bandwidth}),
        enum_name(options.variant), run.seconds, run.iterations_per_point());
    return runs_.emplace(key, std::move(run)).first->second;
}

}  // namespace tesela::experiments
