// A viewer of files in a folder of its own, which runs as long as the test.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "client.h"
#include "operation_verb.h"
#include "program.h"
#include "viewer/server/server.h"

namespace tesela::viewer::testing {

namespace fs = std::filesystem;

class Running {
  public:
    explicit Running(const ViewerSettings& settings)
        : viewer_(settings), thread_([this] { viewer_.run(token_); }) {}
    ~Running() {
        token_.cancel();
        thread_.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    Client client() const { return {viewer_.port(), viewer_.token()}; }
    const Viewer& viewer() const { return viewer_; }

  private:
    CancelToken token_;
    Viewer viewer_;
    std::thread thread_;
};

class ViewerTest : public cli::testing::ProgramTest {
  protected:
    ~ViewerTest() override {
        if (!before_.empty()) fs::current_path(before_);
    }
    ViewerSettings settings(const std::vector<std::string>& names) const {
        ViewerSettings made{.files = {}, .device = "cpu", .describe = cli::description_of_verb};
        for (const std::string& name : names) made.files.push_back(file(name));
        return made;
    }
    void start(const ViewerSettings& settings) { running_ = std::make_unique<Running>(settings); }
    void start(const std::vector<std::string>& names) { start(settings(names)); }

    Client client() const { return running_->client(); }
    const Viewer& viewer() const { return running_->viewer(); }
    // Names as the user wrote them are those of the folder that the viewer was started in.
    void start_there(const std::vector<std::string>& names) {
        before_ = fs::current_path();
        fs::current_path(folder);
        ViewerSettings made = settings({});
        made.files.assign(names.begin(), names.end());
        start(made);
    }
    // Ends it, as Ctrl-C does.
    void stop() { running_ = nullptr; }

    // Whether a shell runs the lines, in a folder that has the images alone.
    bool runs(const std::string& lines) const {
        fs::remove_all(again());
        fs::create_directory(again());
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.is_regular_file()) fs::copy_file(entry, again() / entry.path().filename());
        const std::string bin = fs::path(TESELA_PROGRAM).parent_path().string();
        write_text("again/run.sh", "set -e\ncd '" + again().string() + "'\nPATH=" + bin +
                                       ":$PATH\n" + lines + "\n");
        return std::system(
                   ("sh '" + (again() / "run.sh").string() + "' >/dev/null 2>&1").c_str()) == 0;
    }
    fs::path again() const { return folder / "again"; }

    // The number of a job that is begun.
    int begin(const Json& request) const {
        const Answer answer = client().post("/api/jobs", request);
        EXPECT_EQ(answer.status, 202) << answer.body;
        return answer.status == 202 ? answer.json().at("job").get<int>() : 0;
    }
    // The last event of a job that is begun and ends well.
    Json done(const Json& request) const {
        EventReader events(client());
        const Json state = events.until(begin(request), {"done", "failed", "canceled"});
        EXPECT_EQ(state.at("state"), "done") << state;
        return state;
    }
    // All samples of an image of one channel, as slices along z give them.
    template <class T>
    std::vector<T> samples(int id) const {
        const Json shape = client().get("/api/images/" + std::to_string(id)).json().at("shape");
        std::vector<T> all;
        for (int z = 0; z < shape.at("z").get<int>(); ++z) {
            const Answer answer = client().get("/api/images/" + std::to_string(id) +
                                               "/slice?axis=z&index=" + std::to_string(z));
            EXPECT_EQ(answer.status, 200) << answer.body;
            const auto* begin = reinterpret_cast<const T*>(answer.body.data());
            all.insert(all.end(), begin, begin + answer.body.size() / sizeof(T));
        }
        return all;
    }

  private:
    std::unique_ptr<Running> running_;
    fs::path before_;
};

// Within its life files cannot be written.
class FullDisk {
  public:
    FullDisk() : handler_(signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit none = before_;
        none.rlim_cur = 0;
        setrlimit(RLIMIT_FSIZE, &none);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit before_{};
    void (*handler_)(int);
};

// {"operation": "grow tolerance", ...} of image 1 with seeds.
inline Json growth(const std::string& seeds, double tolerance, const std::string& view = "") {
    return {{"operation", "grow tolerance"},
            {"view", view},
            {"inputs", {{"input", {{"image", 1}}}, {"seeds", {{"seeds", seeds}}}}},
            {"options", {{"tolerance", tolerance}}}};
}

}  // namespace tesela::viewer::testing
