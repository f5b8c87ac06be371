#include "viewer/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <future>
#include <random>
#include <thread>

#include "core/temporary_folder.h"
#include "tesela/error.h"
#include "tesela/io.h"
#include "viewer/bench/made_volume.h"
#include "viewer/bench/served.h"

namespace tesela::viewer::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

double time_of(const std::function<void()>& work) {
    const auto begin = Clock::now();
    work();
    return milliseconds(Clock::now() - begin);
}

// Of values, which are put in order for that.
double part_of(std::vector<double> values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                            share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

class Bench {
  public:
    Bench(const BenchSettings& settings, const Progress& progress)
        : settings_(settings), progress_(progress), folder_(std::filesystem::path("view")) {}

    std::vector<Measured> run() {
        report(0, "make volumes");
        write(large_, settings_.size);
        write(middle_, std::min(settings_.size, 256));
        if (settings_.file.empty()) write(seen_, std::min(settings_.size, 256));
        first_slice();
        const Served served(settings_.program, arguments({path(large_), path(middle_), seen()}));
        place_ = served.place();
        slices(0.3, "slice, 95th percentile", {40, 15});
        while_a_job_runs([&] { slices(0.4, "slice while a job runs, 95th percentile", {80, 30}); });
        clicks();
        // Small volumes are for trying whether it works.
        const int small = std::min(384, 4 * settings_.size);
        turns(small, "", {10, 20});
        turns(std::min(1024, 4 * settings_.size), "", {30, 60});
        while_a_job_runs([&] { turns(small, " while a job runs", {5, 10}); });
        strokes(small);
        cancels();
        viewers();
        return std::move(table_);
    }

  private:
    struct Targets {
        double must = 0, stretch = 0;
    };

    void report(double fraction, std::string_view stage) const {
        progress_.report(fraction, stage);
    }
    std::filesystem::path path(const char* name) const { return folder_.path() / name; }
    std::filesystem::path seen() const {
        return settings_.file.empty() ? path(seen_) : settings_.file;
    }
    void write(const char* name, int side) const { io::write_image(made_volume(side), path(name)); }
    std::vector<std::string> arguments(const std::vector<std::filesystem::path>& files) const {
        std::vector<std::string> words{"--device", settings_.device, "--threads",
                                       std::to_string(settings_.threads)};
        for (const auto& file : files) words.push_back(file.string());
        return words;
    }
    void add(std::string what, double value, std::string unit, const Targets& targets,
             std::size_t count) {
        table_.push_back({std::move(what), value, std::move(unit), targets.must, targets.stretch,
                          static_cast<int>(count)});
    }
    template <class Work>
    std::vector<double> times(int count, double fraction, const char* stage,
                              const Work& work) const {
        std::vector<double> all;
        for (int i = 0; i < count; ++i) {
            report(fraction, stage);
            all.push_back(work());
        }
        return all;
    }

    // As the page asks: session, image, slice.
    void first_slice() {
        const auto all = times(std::min(settings_.repetitions, 7), 0.1, "first slice", [&] {
            return time_of([&] {
                const Served served(settings_.program, arguments({seen()}));
                Client client(served.place());
                client.get("session");
                client.get("images/1");
                client.get("images/1/slice?axis=z");
            });
        });
        add("exec to first slice, server part", part_of(all, 0.5), "ms", {1500, 700}, all.size());
    }

    double slice(Client& client) {
        const std::string axis(1, "xyz"[random_() % 3]);
        const auto index = random_() % static_cast<unsigned>(settings_.size);
        return time_of(
            [&] { client.get("images/1/slice?axis=" + axis + "&index=" + std::to_string(index)); });
    }
    void slices(double fraction, const std::string& what, const Targets& targets) {
        Client client(place_);
        client.get("images/1");
        const auto all =
            times(10 * settings_.repetitions, fraction, "slices", [&] { return slice(client); });
        add(what, part_of(all, 0.95), "ms", targets, all.size());
    }

    // One that takes seconds.
    static Json long_job() {
        return {{"operation", "image smooth median"},
                {"view", "bench"},
                {"inputs", {{"input", {{"image", 1}}}}},
                {"options", {{"radius", "3px"}}}};
    }
    // Measures while a job runs; where that ended before, the row says so.
    void while_a_job_runs(const std::function<void()>& measure) {
        Client jobs(place_), events(place_);
        events.listen();
        const int job = Json::parse(jobs.post("jobs", long_job())).at("job");
        events.until(job, {"running"});
        measure();
        const bool ran =
            Json::parse(jobs.get("jobs/" + std::to_string(job))).at("state") == "running";
        jobs.remove("jobs/" + std::to_string(job));
        if (!ran) table_.back().what += " (the job ended before)";
        events.until(job, {"canceled", "done", "failed"});
    }

    // Until the slice of the labels is there, and how much of that the operation itself did not
    // take.
    void clicks() {
        Client client(place_), events(place_);
        events.listen();
        const int side = std::min(settings_.size, 256);
        std::vector<double> beyond;
        const auto all = times(settings_.repetitions, 0.5, "clicks", [&] {
            const std::string seed = std::to_string(side / 2 + static_cast<int>(random_() % 20)) +
                                     "," + std::to_string(side / 2) + "," +
                                     std::to_string(side / 2);
            const Json request{
                {"operation", "grow tolerance"},
                {"view", "bench"},
                {"inputs", {{"input", {{"image", 2}}}, {"seeds", {{"seeds", seed + "=1"}}}}},
                {"options", {{"tolerance", 100}}}};
            double operation = 0;
            const double whole = time_of([&] {
                const int job = Json::parse(client.post("jobs", request)).at("job");
                const Json state = events.until(job, {"done", "failed", "canceled"});
                client.get("images/" + state.at("outputs").at("labels").dump() + "/slice");
                operation = 1000 * state.at("seconds").get<double>();
            });
            beyond.push_back(whole - operation);
            return whole;
        });
        add("click to new labels, " + std::to_string(side) + "^3", part_of(all, 0.5), "ms",
            {200, 80}, all.size());
        const double operation = part_of(all, 0.5) - part_of(beyond, 0.5);
        add("of which beyond the operation", part_of(beyond, 0.5), "ms",
            {std::round(50 + 0.1 * operation), std::round(20 + 0.05 * operation)}, beyond.size());
    }

    void turns(int side, const std::string& when, const Targets& targets) {
        Client client(place_);
        const std::string size = std::to_string(side) + "x" + std::to_string(side);
        int turn = 0;
        const auto frame = [&] {
            const Json body{{"view", "bench"},
                            {"inputs", {{"input", {{"image", 3}}}}},
                            {"options", {{"size", size}, {"azimuth", 5 * turn++}}},
                            {"jpeg", 80}};
            return time_of([&] { client.post("views/frame", body); });
        };
        frame();  // takes the volume onto the device
        const auto all = times(2 * settings_.repetitions, 0.6, "turns", frame);
        double sum = 0;
        for (const double time : all) sum += time;
        add("turning in 3-D at " + std::to_string(side) + "^2, JPEG" + when,
            1000 * static_cast<double>(all.size()) / sum, "frames/s", targets, all.size());
    }

    // Until the labels are seen on the volume as they are then, as surfaces.
    void strokes(int pixels) {
        Client client(place_);
        const int side = std::min(settings_.size, 256);
        const int labels = Json::parse(client.post("labels", {{"of", 2}})).at("image");
        const std::string size = std::to_string(pixels) + "x" + std::to_string(pixels);
        const Json frame{{"view", "bench"},
                         {"inputs", {{"input", {{"image", 2}}}, {"labels", {{"image", labels}}}}},
                         {"options", {{"size", size}, {"mode", "isosurface"}}},
                         {"jpeg", 80}};
        int number = 0;
        const auto paint = [&] {
            const double x = side * (0.2 + 0.05 * (number % 12)), y = side * 0.4;
            const Json edit{{"edit", "stroke"},
                            {"revision", number},
                            {"label", 1 + number % 3},
                            {"points", {{x, y, y}, {x + side * 0.05, y + side * 0.05, y}}},
                            {"radius", side * 0.03}};
            ++number;
            return time_of([&] {
                client.post("labels/" + std::to_string(labels) + "/edits", edit);
                client.post("views/frame", frame);
            });
        };
        paint();  // takes the volume and the labels onto the device
        const auto all = times(settings_.repetitions, 0.7, "strokes", paint);
        add("stroke to picture in 3-D, " + std::to_string(side) + "^3", part_of(all, 0.5), "ms",
            {200, 80}, all.size());
    }

    void cancels() {
        Client client(place_), events(place_);
        events.listen();
        const auto all = times(settings_.repetitions, 0.75, "cancels", [&] {
            const int job = Json::parse(client.post("jobs", long_job())).at("job");
            events.until(job, {"running"});
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            return time_of([&] {
                client.remove("jobs/" + std::to_string(job));
                events.until(job, {"canceled", "done", "failed"});
            });
        });
        add("cancel to stopped, 95th percentile", part_of(all, 0.95), "ms", {300, 100}, all.size());
    }

    // Each at its own times, so that what is late counts.
    void viewers() {
        constexpr double seconds = 3;
        const auto count = static_cast<std::size_t>(settings_.viewers);
        const auto between = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(static_cast<double>(count) / settings_.requests));
        const auto requests = static_cast<int>(seconds * settings_.requests / settings_.viewers);
        const int side = std::min(settings_.size, 256);
        report(0.85, "viewers");
        const auto begin = Clock::now() + std::chrono::milliseconds(50);
        std::vector<std::future<std::vector<double>>> all;
        for (std::size_t viewer = 0; viewer < count; ++viewer)
            all.push_back(std::async(std::launch::async, [&, viewer] {
                std::vector<double> own;
                Client client(place_);
                for (int i = 0; i < requests; ++i) {
                    const auto due = begin + between * i +
                                     between * static_cast<int>(viewer) / static_cast<int>(count);
                    std::this_thread::sleep_until(due);
                    client.get("images/2/slice?axis=z&step=2&index=" + std::to_string(i % side));
                    own.push_back(milliseconds(Clock::now() - due));
                }
                return own;
            }));
        std::vector<double> times;
        for (auto& viewer : all) {
            const std::vector<double> own = viewer.get();
            times.insert(times.end(), own.begin(), own.end());
        }
        add(std::to_string(count) + " viewers, " + std::to_string(settings_.requests) +
                " requests a second, 95th percentile",
            part_of(times, 0.95), "ms", {100, 30}, times.size());
    }

    static constexpr const char *large_ = "large.nii", *middle_ = "middle.nii", *seen_ = "seen.nii";

    const BenchSettings& settings_;
    const Progress& progress_;
    detail::TemporaryFolder folder_;
    Place place_;
    std::mt19937 random_{1};
    std::vector<Measured> table_;
};

}  // namespace

std::vector<Measured> bench_view(const BenchSettings& settings, const Progress& progress) {
    return Bench(settings, progress).run();
}

}  // namespace tesela::viewer::bench
