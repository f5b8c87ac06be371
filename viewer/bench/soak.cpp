#include "viewer/bench/soak.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "core/temporary_folder.h"
#include "tesela/io.h"
#include "viewer/bench/made_volume.h"
#include "viewer/bench/served.h"

namespace tesela::viewer::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// What a process has now.
struct Held {
    double mebibytes = 0;  // of memory that is no file
    double descriptors = 0, threads = 0;
};

Held held_by(pid_t process) {
    const fs::path folder = fs::path("/proc") / std::to_string(process);
    Held held;
    std::ifstream status(folder / "status");
    for (std::string word; status >> word;) {
        double value = 0;
        if (word == "RssAnon:" && status >> value) held.mebibytes = value / 1024;
        if (word == "Threads:" && status >> value) held.threads = value;
    }
    for (const auto& descriptor : fs::directory_iterator(folder / "fd")) {
        static_cast<void>(descriptor);
        ++held.descriptors;
    }
    return held;
}

class Soak {
  public:
    Soak(const BenchSettings& settings, const fs::path& volume)
        : side_(std::min(settings.size, 256)),
          served_(settings.program, {"--device", settings.device, "--threads",
                                     std::to_string(settings.threads), volume.string()}),
          events_(served_.place()) {
        events_.listen();
        labels_ = new_labels();
    }

    // Some seconds of all that a user does.
    void round() {
        Client client(served_.place());
        for (int i = 0; i < 60; ++i) slice(client, 1);
        strokes(client);
        grow(client);
        cancel(client);
        for (int i = 0; i < 5; ++i) picture(client);
        const int others = new_labels();
        slice(client, others);
        client.remove("images/" + std::to_string(others));
        ++rounds_;
    }
    // Nobody is to find the labels that were painted.
    void forget_labels() { Client(served_.place()).remove("images/" + std::to_string(labels_)); }
    Held held() const { return held_by(served_.process()); }
    int rounds() const { return rounds_; }

  private:
    int any(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

    int new_labels() {
        Client client(served_.place());
        return Json::parse(client.post("labels", {{"of", 1}})).at("image");
    }
    void slice(Client& client, int image) {
        client.get("images/" + std::to_string(image) + "/slice?axis=" + "xyz"[any(3)] +
                   "&index=" + std::to_string(any(side_)));
    }
    void edit(Client& client, Json change) {
        change["revision"] = revision_;
        const Json answer = Json::parse(
            client.post("labels/" + std::to_string(labels_) + "/edits", std::move(change)));
        revision_ = answer.at("revision");
    }
    void strokes(Client& client) {
        for (int i = 0; i < 20; ++i) {
            const std::array at{any(side_), any(side_), any(side_)};
            edit(client, {{"edit", "stroke"},
                          {"label", 1 + any(5)},
                          {"points", {at, {any(side_), at[1], at[2]}}},
                          {"radius", 5}});
            slice(client, labels_);
        }
        for (int i = 0; i < 5; ++i) edit(client, {{"edit", "undo"}});
        for (int i = 0; i < 2; ++i) edit(client, {{"edit", "redo"}});
    }
    int begin(Client& client, const Json& job) {
        return Json::parse(client.post("jobs", job)).at("job");
    }
    void grow(Client& client) {
        const std::string seed = std::to_string(side_ / 2 + any(10)) + "," +
                                 std::to_string(side_ / 2) + "," + std::to_string(side_ / 2);
        const int job = begin(
            client, {{"operation", "grow tolerance"},
                     {"view", "soak"},
                     {"inputs", {{"input", {{"image", 1}}}, {"seeds", {{"seeds", seed + "=1"}}}}},
                     {"options", {{"tolerance", 100}}}});
        const Json state = events_.until(job, {"done", "failed", "canceled"});
        slice(client, state.at("outputs").at("labels"));
        edit(client, {{"edit", "take"}, {"from", state.at("outputs").at("labels")}});
    }
    void cancel(Client& client) {
        const int job = begin(client, {{"operation", "image smooth median"},
                                       {"inputs", {{"input", {{"image", 1}}}}},
                                       {"options", {{"radius", "3px"}}}});
        events_.until(job, {"running"});
        std::this_thread::sleep_for(std::chrono::milliseconds(any(200)));
        client.remove("jobs/" + std::to_string(job));
        events_.until(job, {"done", "failed", "canceled"});
    }
    void picture(Client& client) {
        client.post("views/frame",
                    {{"view", "soak"},
                     {"inputs", {{"input", {{"image", 1}}}, {"labels", {{"image", labels_}}}}},
                     {"options", {{"size", "256x256"}, {"azimuth", any(360)}}},
                     {"jpeg", 80}});
    }

    const int side_;
    Served served_;
    Client events_;
    int labels_ = 0;
    std::int64_t revision_ = 0;
    int rounds_ = 0;
    std::mt19937 random_{1};
};

// The highest of each third.
template <class Of>
std::array<double, 3> thirds(const std::vector<Held>& all, Of of) {
    std::array<double, 3> highest{};
    for (std::size_t i = 0; i < all.size(); ++i) {
        double& third = highest[3 * i / all.size()];
        third = std::max(third, of(all[i]));
    }
    return highest;
}

}  // namespace

std::vector<Measured> soak_view(const BenchSettings& settings, double minutes,
                                const Progress& progress) {
    const detail::TemporaryFolder folder{fs::path("view")};
    const fs::path volume = folder.path() / "volume.nii";
    progress.report(0, "make volumes");
    io::write_image(made_volume(std::min(settings.size, 256)), volume);
    Soak soak(settings, volume);
    std::vector<Held> all;
    const auto begin = Clock::now();
    for (double passed = 0; passed < 1 || all.size() < 3;
         passed = std::chrono::duration<double, std::ratio<60>>(Clock::now() - begin).count() /
                  minutes) {
        progress.report(std::min(passed, 1.0), "soak");
        soak.round();
        all.push_back(soak.held());
    }
    soak.forget_labels();
    std::vector<Measured> table;
    const auto add = [&](const std::string& what, const std::string& unit, double spare, auto of) {
        const auto [first, before, last] = thirds(all, of);
        static_cast<void>(first);  // caches and steps back fill
        table.push_back(
            {.what = what + ", last third of " + std::to_string(soak.rounds()) + " rounds",
             .value = last,
             .unit = unit,
             .target = std::round(1.05 * before + spare),
             .stretch = std::round(before),
             .count = soak.rounds()});
    };
    add("memory", "MiB", 16, [](const Held& held) { return held.mebibytes; });
    add("open files and sockets", "files", 2, [](const Held& held) { return held.descriptors; });
    add("threads", "threads", 2, [](const Held& held) { return held.threads; });
    return table;
}

}  // namespace tesela::viewer::bench
