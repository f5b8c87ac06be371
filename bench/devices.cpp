// What several devices of a machine gain over one, from memory alone: tissue on tiles that are
// decoded (row F31 of docs/tissue.md), whole slides of such tiles, and the flow of a sequence. For
// each back end that --device names, its first device, then two, four and all of them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/channel.h"
#include "harness.h"
#include "tesela/flow_sequence.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/synthetic_flow.h"
#include "tesela/synthetic_slide.h"
#include "tesela/tissue_slides.h"

#ifdef __GLIBC__
    #include <malloc.h>
#endif

namespace tesela::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<std::uint8_t>;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

int threads() { return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u)); }

// Two on a GPU, so that one transfers while the other computes.
std::vector<Queue> queues_of(const std::vector<Device>& devices) {
    std::vector<Queue> queues;
    for (const Device& device : devices)
        for (int i = 0; i < (device.properties().is_gpu ? 2 : 1); ++i) queues.emplace_back(device);
    return queues;
}

// What one job did: how fast, and the labels or fields by which runs are compared.
struct Run {
    double seconds = 0;
    std::vector<float> result;
    std::vector<StageLoad> stages = {};
    std::vector<DeviceLoad> devices = {};
};

// What a stage costs a unit of the work, on all of its threads, and how long these waited.
void print_stage(const StageLoad& stage, double count, const Run& run) {
    std::printf("; %s %.3f ms, waited %.0f %%", stage.name.c_str(),
                1e3 * stage.busy_seconds / count,
                100 * stage.waited_seconds / stage.threads / run.seconds);
}

// Measures `job` on one device, two, four and all, in turn, and prints rates and ratios.
template <class Job>
void compare(const Options& options, const std::vector<Device>& devices, const std::string& name,
             std::int64_t count, const char* unit, const Job& job) {
    if (name.find(options.filter) == std::string::npos) return;
    std::vector<std::size_t> numbers;
    for (std::size_t n = 1; n < devices.size(); n *= 2) numbers.push_back(n);
    numbers.push_back(devices.size());
    const auto first = [&](std::size_t n) {
        return std::vector<Device>(devices.begin(), devices.begin() + static_cast<long>(n));
    };
    std::vector<std::vector<double>> times(numbers.size());
    std::vector<Run> last(numbers.size());
    for (int round = 0; round < (options.smoke ? 1 : options.repetitions); ++round)
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            last[i] = job(first(numbers[i]));
            times[i].push_back(last[i].seconds);
        }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::sort(times[i].begin(), times[i].end());
        const double median = times[i][times[i].size() / 2];
        std::printf("%-10s x%zu  %-28s %9.1f %s/s  %8.3f s (%.3f to %.3f)  ratio %.2f  %s",
                    devices.front().id().c_str(), numbers[i], name.c_str(),
                    static_cast<double>(count) / median, unit, median, times[i].front(),
                    times[i].back(), times[0][times[0].size() / 2] / median,
                    last[i].result == last[0].result ? "same" : "OTHER results");
        for (const StageLoad& stage : last[i].stages)
            print_stage(stage, static_cast<double>(count), last[i]);
        for (const DeviceLoad& device : last[i].devices)
            std::printf("; %s %.1f %%, waited %.0f %%", device.name.c_str(),
                        100 * static_cast<double>(device.done) / static_cast<double>(count),
                        100 * device.waited_seconds / device.threads / last[i].seconds);
        if (last[i].devices.size() > 1) std::printf("; imbalance %.3f", imbalance(last[i].devices));
        std::printf("\n");
    }
    std::fflush(stdout);
}

// A slide of any size whose tiles are those of a small picture, again and again.
class RepeatedSlide : public TileSource {
  public:
    RepeatedSlide(const Image<std::uint8_t>& picture, std::int64_t width, std::int64_t height,
                  std::int64_t tile)
        : tile_(tile), columns_(picture.shape().x / tile), rows_(picture.shape().y / tile) {
        const AnyImage source = picture;
        for (std::int64_t row = 0; row < rows_; ++row)
            for (std::int64_t column = 0; column < columns_; ++column)
                tiles_.push_back(part_of(source, {column * tile, row * tile, tile, tile}));
        TileLevel level;
        level.shape = {width, height, 1, 1, 3};
        level.tile_width = level.tile_height = tile;
        facts_ = {"memory", PixelType::u8, {level}, {}, false, ""};
    }
    const TileSourceFacts& facts() const override { return facts_; }
    std::size_t different() const { return tiles_.size(); }
    const Bytes& pixels(std::size_t i) const {
        return std::get<Image<std::uint8_t>>(tiles_[i]).pixels();
    }

  protected:
    AnyImage decode(int, const TileBox& box) const override {
        const std::int64_t column = box.x / tile_ % columns_, row = box.y / tile_ % rows_;
        const AnyImage& tile = tiles_[static_cast<std::size_t>(row * columns_ + column)];
        const Shape& shape = shape_of(tile);
        if (box.width == shape.x && box.height == shape.y) return tile;
        return part_of(tile, {0, 0, box.width, box.height});
    }

  private:
    std::int64_t tile_, columns_, rows_;
    std::vector<AnyImage> tiles_;
    TileSourceFacts facts_;
};

TissueModel trained(const SyntheticSection& section, const std::string& features, int side,
                    const Device& device) {
    constexpr int training_tile = 128;
    const RepeatedSlide slide(section.picture, section.picture.shape().x, section.picture.shape().y,
                              training_tile);
    TissueModel model;
    model.features = features;
    model.tile = side;
    TissueSamples samples;
    Annotations tissues;
    tissues.list = section.tissues;
    Queue queue(device);
    add_annotated_tiles(slide, tissues, "section", tissue_grid(slide, 0, training_tile), {},
                        FeatureSet(features), queue, samples);
    model.classes = samples.classes;
    model.classifier = train_classifier(samples, {.classifier = ClassifierKind::lda});
    return model;
}

// Counts, vectors and classes of tiles that lie decoded in memory, in batches: a thread for each
// queue takes the next batch, the others describe what is counted.
class Analysis {
  public:
    Analysis(const RepeatedSlide& slide, const TissueModel& model, std::int64_t tiles,
             std::int64_t in_batch)
        : model_(model), features_(model.features), tiles_(tiles), in_batch_(in_batch) {
        for (std::size_t t = 0; t + static_cast<std::size_t>(in_batch) <= slide.different();
             t += static_cast<std::size_t>(in_batch)) {
            Bytes& batch = batches_.emplace_back();
            for (std::size_t i = 0; i < static_cast<std::size_t>(in_batch); ++i)
                batch.insert(batch.end(), slide.pixels(t + i).begin(), slide.pixels(t + i).end());
        }
    }

    Run run(const std::vector<Device>& devices) const {
        std::vector<Queue> queues = queues_of(devices);
        for (Queue& queue : queues) count(queue, 0);  // builds kernels and allocates
        Run run{0, std::vector<float>(static_cast<std::size_t>(tiles_))};
        std::atomic<std::int64_t> next{0};
        detail::Channel<Counted> counted;
        const auto begin = Clock::now();
        std::vector<std::thread> counting, describing;
        for (Queue& queue : queues)
            counting.emplace_back([&] {
                for (std::int64_t b = next++; b * in_batch_ < tiles_; b = next++)
                    counted.push({b, count(queue, b)});
            });
        for (int t = 0; t < threads(); ++t)
            describing.emplace_back([&] {
                while (const auto batch = counted.pop()) describe(*batch, run.result);
            });
        for (std::thread& thread : counting) thread.join();
        counted.close();
        for (std::thread& thread : describing) thread.join();
        run.seconds = seconds_since(begin);
        return run;
    }

  private:
    struct Counted {
        std::int64_t batch;
        TileCounts counts;
    };
    TileCounts count(Queue& queue, std::int64_t batch) const {
        const Bytes& bytes = batches_[static_cast<std::size_t>(batch) % batches_.size()];
        const auto pixels = queue.lend(std::span<const std::uint8_t>(bytes), "tiles");
        return features_.count(queue, pixels, model_.tile, model_.tile, in_batch_, 3);
    }
    void describe(const Counted& counted, std::vector<float>& labels) const {
        std::vector<double> features(features_.size());
        for (std::int64_t i = 0; i < in_batch_; ++i) {
            const std::int64_t tile = counted.batch * in_batch_ + i;
            if (tile >= tiles_) return;
            features_.describe(counted.counts, i, features);
            labels[static_cast<std::size_t>(tile)] =
                static_cast<float>(most_probable(model_.classifier.probabilities(features)));
        }
    }

    const TissueModel& model_;
    const FeatureSet features_;
    const std::int64_t tiles_, in_batch_;
    std::vector<Bytes> batches_;
};

Run whole_slide(const TileSource& slide, const TissueModel& model,
                const std::vector<Device>& devices) {
    std::vector<Queue> queues = queues_of(devices);
    std::vector<Queue*> pointers;
    for (Queue& queue : queues) pointers.push_back(&queue);
    const auto begin = Clock::now();
    const TissueMap map = classify_slide(slide, model, pointers, {.threads = threads()});
    const double seconds = seconds_since(begin);
    return {seconds, {map.labels.begin(), map.labels.end()}, map.stages, map.devices};
}

void measure_tissue(const Options& options, const std::vector<Device>& devices) {
    const bool small = options.smoke || !devices.front().properties().is_gpu;
    const std::int64_t side = small ? 128 : 1024;
    const std::int64_t columns = small ? 8 : 107, rows = small ? 8 : 79;  // 8,453 tiles
    const SyntheticSection section = synthetic_section(8 * side);
    const RepeatedSlide slide(section.picture, columns * side, rows * side, side);
    const std::int64_t tiles = columns * rows;
    for (const std::string features : {"thesis", "default"}) {
        const TissueModel model =
            trained(section, features, static_cast<int>(side), devices.front());
        for (const std::int64_t in_batch : {1, 4}) {
            const Analysis analysis(slide, model, tiles, in_batch);
            compare(options, devices,
                    "tissue " + features + ", batches of " + std::to_string(in_batch), tiles,
                    "tiles", [&](const auto& on) { return analysis.run(on); });
        }
        compare(options, devices, "slide " + features, tiles, "tiles",
                [&](const auto& on) { return whole_slide(slide, model, on); });
    }
}

// Frames of a film in memory, few of them again and again.
class Loop : public FrameReader {
  public:
    Loop(const std::vector<AnyImage>& frames, int count) : frames_(frames), left_(count) {}
    const FrameStreamFacts& facts() const override { return facts_; }
    std::string frame_name(std::int64_t index) const override {
        return "frame " + std::to_string(index);
    }
    std::optional<AnyImage> next() override {
        if (left_-- == 0) return {};
        return frames_[static_cast<std::size_t>(left_) % frames_.size()];
    }

  private:
    FrameStreamFacts facts_;
    const std::vector<AnyImage>& frames_;
    int left_;
};

std::vector<AnyImage> film(std::int64_t width, std::int64_t height) {
    SyntheticScene scene;
    scene.texture = SyntheticTexture::broadband;
    scene.width = width;
    scene.height = height;
    scene.motion.zoom = 0.004;
    std::vector<AnyImage> frames;
    for (int i = 0; i < 8; ++i) {
        const Image<float> values = synthetic_frame(scene, i);
        Image<std::uint8_t> frame(values.shape());
        std::transform(
            values.pixels().begin(), values.pixels().end(), frame.pixels().begin(),
            [](float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.f, 255.f)); });
        frames.emplace_back(std::move(frame));
    }
    return frames;
}

Run flow_of(const std::vector<AnyImage>& frames, int count, int batch, const FlowMethod& method,
            const std::vector<Device>& devices) {
    Loop reader(frames, count);
    std::vector<Queue> queues = queues_of(devices);
    Run run{0, std::vector<float>(static_cast<std::size_t>(count - 1))};
    const FlowSink sink = [&](FlowStep&& step) {
        const auto& values = step.field.pixels();
        run.result[static_cast<std::size_t>(step.index)] = values[values.size() / 2];
        return std::function<void()>();
    };
    FlowSequenceReport report = flow_sequence(reader, method, sink, queues, {.batch = batch});
    run.seconds = report.seconds;
    run.stages = std::move(report.stages);
    run.devices = std::move(report.devices);
    return run;
}

void measure_flow(const Options& options, const std::vector<Device>& devices) {
    const bool small = options.smoke || !devices.front().properties().is_gpu;
    const std::vector<AnyImage> frames = small ? film(128, 96) : film(1920, 1080);
    const int count = small ? 12 : 501;
    const FlowMethod horn = [](auto f, Queue& q, const Progress& p) {
        return horn_schunck(f, {}, q, p);
    };
    const FlowMethod lucas = [](auto f, Queue& q, const Progress& p) {
        return lucas_kanade(f, {}, q, p);
    };
    for (const int batch : {2, 8}) {
        const std::string batches = ", batches of " + std::to_string(batch);
        for (const auto& [name, method] :
             {std::pair{"flow Horn-Schunck", &horn}, std::pair{"flow Lucas-Kanade", &lucas}})
            compare(options, devices, name + batches, count - 1, "fields",
                    [&, method = method](const auto& on) {
                        return flow_of(frames, count, batch, *method, on);
                    });
    }
}

int run(const Options& options) {
#ifdef __GLIBC__
    // As `tesela flow` does for sequences (cli/common/memory_plan.h).
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
    std::vector<BackEnd> seen;
    for (const Device& named : options.devices) {
        if (std::find(seen.begin(), seen.end(), named.back_end()) != seen.end()) continue;
        seen.push_back(named.back_end());
        std::vector<Device> devices;
        for (const Device& device : Device::all())
            if (device.back_end() == named.back_end()) devices.push_back(device);
        std::printf("%s: %zu %s, %d threads of the host\n",
                    std::string(back_end_name(named.back_end())).c_str(), devices.size(),
                    devices.size() == 1 ? "device, so that there is no ratio" : "devices",
                    threads());
        measure_tissue(options, devices);
        measure_flow(options, devices);
    }
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    try {
        return tesela::bench::run(tesela::bench::read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_bench_devices: %s\n", error.what());
        return 1;
    }
}
