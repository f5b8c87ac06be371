// A video of 1080p in, its flow as a video out, end to end; and each part of that alone, which
// shows what limits the whole: reading and decoding, computing, or encoding and writing. Made where
// Tesela reads files; H.264 where it was built with FFmpeg's libraries, else Y4M.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness.h"
#include "tesela/flow_picture.h"
#include "tesela/flow_sequence.h"
#include "tesela/horn_schunck.h"
#include "tesela/lucas_kanade.h"
#include "tesela/synthetic_flow.h"
#include "tesela/video_io.h"

namespace tesela::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Film {
    std::int64_t width, height;
    int frames;
    fs::path input, output;
};

constexpr double max_motion = 8;  // pixels, of full color

double per_second(std::int64_t count, Clock::time_point begin) {
    return static_cast<double>(count) / std::chrono::duration<double>(Clock::now() - begin).count();
}

// The texture is moved by whole pixels, forth and back, so that few pictures make a long film.
void make(const Film& film) {
    constexpr int different = 16;
    SyntheticScene scene;
    scene.texture = SyntheticTexture::broadband;
    scene.width = film.width + 4 * different;
    scene.height = film.height + 2 * different;
    const Image<float> texture = synthetic_frame(scene, 0);
    const auto video = io::create_video(film.input, {.rate = {60, 1}});
    for (int i = 0; i < film.frames; ++i) {
        const int phase = i % (2 * different);
        const int shift = phase < different ? phase : 2 * different - phase;
        Image<std::uint8_t> frame({film.width, film.height, 1, 1, 3});
        for (std::int64_t y = 0; y < film.height; ++y)
            for (std::int64_t x = 0; x < film.width; ++x)
                for (int c = 0; c < 3; ++c)
                    frame(x, y, 0, 0, c) = static_cast<std::uint8_t>(std::clamp(
                        texture(x + 4 * shift, y + 2 * shift) + static_cast<float>(20 * c), 0.0f,
                        255.0f));
        video->write(frame);
    }
    video->finish();
}

// Reading and decoding alone.
double decode_rate(const Film& film) {
    const Clock::time_point begin = Clock::now();
    const auto reader = io::open_frames(film.input);
    std::int64_t count = 0;
    while (reader->next()) ++count;
    return per_second(count, begin);
}

// Encoding and writing alone, of a few pictures again and again.
double encode_rate(const Film& film) {
    SyntheticMotion motion;
    motion.zoom = 0.005;
    std::vector<Image<std::uint8_t>> pictures;
    for (int i = 0; i < 4; ++i) {
        motion.rotation = 0.001 * i;
        pictures.push_back(
            flow_colors(synthetic_truth({"", {}, film.width, film.height, motion}), max_motion)
                .picture);
    }
    const Clock::time_point begin = Clock::now();
    const auto video = io::create_video(film.output, {.rate = {60, 1}});
    for (int i = 0; i < film.frames; ++i) video->write(pictures[static_cast<std::size_t>(i % 4)]);
    video->finish();
    return per_second(film.frames, begin);
}

// A film of few frames in memory, so that nothing but the method limits.
class Loop : public FrameReader {
  public:
    explicit Loop(const Film& film) : left_(film.frames) {
        const auto reader = io::open_frames(film.input);
        for (int i = 0; i < 4; ++i) frames_.push_back(*reader->next());
    }
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
    std::vector<AnyImage> frames_;
    int left_;
};

std::vector<Queue> queues_of(const Device& device) {
    std::vector<Queue> queues;
    for (int i = 0; i < (device.properties().is_gpu ? 2 : 1); ++i) queues.emplace_back(device);
    return queues;
}

double compute_rate(const Film& film, const FlowMethod& method, const Device& device, int batch) {
    Loop frames(film);
    std::vector<Queue> queues = queues_of(device);
    const FlowSink nowhere = [](FlowStep&&) { return std::function<void()>(); };
    const FlowSequenceReport report =
        flow_sequence(frames, method, nowhere, queues, {.batch = batch});
    return static_cast<double>(report.fields) / report.seconds;
}

FlowSequenceReport end_to_end(const Film& film, const FlowMethod& method, const Device& device,
                              int batch) {
    const auto reader = io::open_frames(film.input);
    const auto video = io::create_video(film.output, {.rate = {60, 1}});
    const FlowSink sink = [&](FlowStep&& step) {
        auto picture = std::make_shared<AnyImage>(flow_colors(step.field, max_motion).picture);
        return [&, picture] { video->write(*picture); };
    };
    std::vector<Queue> queues = queues_of(device);
    const FlowSequenceReport report =
        flow_sequence(*reader, method, sink, queues, {.batch = batch});
    video->finish();
    return report;
}

void measure(const Film& film, const Device& device, const std::string& name,
             const FlowMethod& method, const Options& options) {
    if (name.find(options.filter) == std::string::npos) return;
    for (const int batch : {2, 8}) {
        const double compute = compute_rate(film, method, device, batch);
        const FlowSequenceReport report = end_to_end(film, method, device, batch);
        const double whole = static_cast<double>(report.fields) / report.seconds;
        std::printf("%-9s %-22s %5d %10.1f %10.1f  ", device.id().c_str(), name.c_str(), batch,
                    compute, whole);
        for (const StageLoad& stage : report.stages)
            std::printf(" %s %.0f%%", stage.name.c_str(),
                        100 * stage.busy_seconds / report.seconds / stage.threads);
        std::printf("\n");
    }
}

int run(const Options& options) {
    const std::string suffix = io::has_video_codecs() ? ".mp4" : ".y4m";
    const fs::path folder = fs::temp_directory_path() / "tesela-bench-video";
    fs::create_directories(folder);
    // A processor alone takes seconds for a frame.
    const bool fast = std::any_of(options.devices.begin(), options.devices.end(),
                                  [](const Device& d) { return d.properties().is_gpu; });
    Film film{1920, 1080, fast ? 480 : 24, folder / ("in" + suffix), folder / ("out" + suffix)};
    if (options.smoke) film.width = 64, film.height = 48, film.frames = 6;
    make(film);
    std::printf("%lld x %lld, %d frames, %s; frames per second\n",
                static_cast<long long>(film.width), static_cast<long long>(film.height),
                film.frames, io::has_video_codecs() ? "H.264 in mp4" : "Y4M");
    std::printf("decoding alone %.1f, encoding alone %.1f\n", decode_rate(film), encode_rate(film));
    std::printf("%-9s %-22s %5s %10s %10s   how busy each stage is, of its threads\n", "device",
                "method", "batch", "computing", "whole");
    HornSchunckOptions light;
    light.variant = HornSchunckVariant::thesis;
    for (const Device& device : options.devices) {
        measure(
            film, device, "Horn-Schunck",
            [](auto f, Queue& q, const Progress& p) { return horn_schunck(f, {}, q, p); }, options);
        measure(
            film, device, "Horn-Schunck thesis",
            [&](auto f, Queue& q, const Progress& p) { return horn_schunck(f, light, q, p); },
            options);
        measure(
            film, device, "Lucas-Kanade",
            [](auto f, Queue& q, const Progress& p) { return lucas_kanade(f, {}, q, p); }, options);
    }
    fs::remove_all(folder);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    try {
        return tesela::bench::run(tesela::bench::read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tesela_bench_video: %s\n", error.what());
        return 1;
    }
}
