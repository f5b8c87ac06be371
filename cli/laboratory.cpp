#include "laboratory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "messages.h"
#include "option_binder.h"
#include "tesela/error.h"
#include "tesela/io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

std::vector<Device> devices_of(const std::string& text) {
    std::vector<Device> devices;
    if (text == "auto") {
        devices.push_back(Device::parse("cpu"));
        const Device best = Device::best();
        if (!(best == devices.front())) devices.push_back(best);
        return devices;
    }
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) devices.push_back(Device::parse(word));
    if (devices.empty())
        throw InvalidArgument("--device names no device; give some of 'tesela devices'");
    return devices;
}

fs::path folder_of_images(const BenchOptions& options) {
    const char* variable = std::getenv("TESELA_IMAGES");
    const fs::path folder =
        !options.images.empty() || !variable ? options.images : fs::path(variable);
    if (!folder.empty() && !fs::is_directory(folder))
        throw InvalidArgument("the folder of images " + folder.string() +
                              " does not exist; name another with --images");
    return folder;
}

void prepare_folder(const BenchOptions& options) {
    if (options.out.empty())
        throw InvalidArgument("--out is missing: name the folder for tables and charts");
    std::error_code error;
    fs::create_directories(options.out, error);
    if (error || !fs::is_directory(options.out))
        throw UnwritableOutput("cannot make the folder " + options.out.string() + ": " +
                               (error ? error.message() : "a file of this name is there"));
    if (!options.force && !fs::is_empty(options.out))
        throw InvalidArgument("the folder " + options.out.string() +
                              " is not empty; name another with --out, or write into it with "
                              "--force");
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

bool is_picture(const TestImage& image) { return shape_of(image.image).dimensions() == 2; }

}  // namespace

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

Laboratory::Laboratory(const BenchOptions& options, const std::vector<fs::path>& own,
                       const CancelToken& token)
    : options_(options), token_(token), devices_(devices_of(options.device)) {
    const fs::path folder = folder_of_images(options);
    std::vector<TestImage> own_images;
    for (const fs::path& path : own) own_images.push_back(own_image(path));
    prepare_folder(options);
    for (const Device& device : devices_)
        queues_.push_back(
            std::make_unique<Queue>(device, QueueOptions{.threads = options.threads}));
    images_ = stand_ins(folder, options.quick);
    for (const TestImage& image : own_images)
        std::erase_if(images_, [&](const TestImage& other) {
            return other.role != Role::own && is_picture(other) == is_picture(image);
        });
    images_.insert(images_.end(), own_images.begin(), own_images.end());
    for (const TestImage& image : images_) say("image {}: {}", image.name, image.source);
    for (const Device& device : devices_)
        say("device {}: {}", device.id(), device.properties().name);
}

std::vector<const TestImage*> Laboratory::pictures() const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (is_picture(image) && image.role != Role::mandrill) chosen.push_back(&image);
    return chosen;
}

std::vector<const TestImage*> Laboratory::images_of(Role role) const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (image.role == role) chosen.push_back(&image);
    return chosen;
}

std::vector<const TestImage*> Laboratory::volumes() const {
    std::vector<const TestImage*> chosen;
    for (const TestImage& image : images_)
        if (!is_picture(image)) chosen.push_back(&image);
    return chosen;
}

std::vector<std::size_t> Laboratory::picture_settings() const {
    if (options_.quick) return {0, 3, 5, 6, 7};
    std::vector<std::size_t> all(picture_bandwidths.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

Queue& Laboratory::queue(std::size_t device) { return *queues_[device]; }

MeanShiftOptions Laboratory::options_for(const TestImage& image, const Bandwidths& bandwidths) {
    return {.spatial_bandwidth = bandwidths.spatial,
            .range_bandwidth = bandwidths.range,
            .color_space = image.color_space,
            .fusion_range = 0,  // the thesis joins no regions
            .min_region = 0,
            .variant = MeanShiftVariant::thesis};
}

// One round: builds the kernels and takes the memory.
void Laboratory::warm_up(std::size_t device, const TestImage& image,
                         const MeanShiftOptions& options) {
    const std::string key = fmt::format("{} {} {}", device, image.name, enum_name(options.variant));
    if (std::exchange(warm_[key], true)) return;
    MeanShiftOptions one_round = options;
    one_round.spatial_bandwidth = 1.5;
    one_round.max_iterations = 1;
    (void)mean_shift(image.image, one_round, queue(device));
}

const Run& Laboratory::run(std::size_t device, const TestImage& image,
                           const MeanShiftOptions& options, MeanShiftOutput output) {
    const std::string key = fmt::format("{} {} {} {}", device, image.name,
                                        values_of(options).dump(), static_cast<int>(output));
    if (const auto known = runs_.find(key); known != runs_.end()) return known->second;
    throw_if_cancelled();
    warm_up(device, image, options);
    Run run;
    std::vector<double> seconds;
    for (int i = 0; i < options_.repetitions; ++i) {
        const auto started = std::chrono::steady_clock::now();
        run.result = mean_shift(image.image, options, queue(device), output, Progress({}, &token_));
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
        seconds.push_back(taken.count());
    }
    run.seconds = median(seconds);
    say("{}, {}, {} by the {} variant: {:.3f} s, {:.2f} iterations per point",
        devices_[device].id(), image.name,
        text_of({options.spatial_bandwidth.value, options.range_bandwidth}),
        enum_name(options.variant), run.seconds, run.iterations_per_point());
    return runs_.emplace(key, std::move(run)).first->second;
}

void Laboratory::write(const std::string& name, const Table& table) { write(name, table.csv()); }

void Laboratory::write(const std::string& name, const std::string& text) {
    written_.push_back(options_.out / name);
    write_text_file(written_.back(), text);
}

void Laboratory::write(const std::string& name, const AnyImage& image) {
    written_.push_back(options_.out / name);
    io::write_image(image, written_.back(), {.overwrite = true});
}

void Laboratory::find(Finding finding) { findings_.push_back(std::move(finding)); }

}  // namespace tesela::cli
