#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

namespace tesela::cli::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::string contents(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void redirect(const fs::path& path, int descriptor) {
    const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(99);
}

void limit(decltype(RLIMIT_AS) resource, std::int64_t most) {
    const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    if (most >= 0 && setrlimit(resource, &both) != 0) _exit(97);
}

// In a child, which becomes the starter, which starts the program (start.cpp).
[[noreturn]] void start_program(const std::vector<std::string>& arguments, const fs::path& folder,
                                const fs::path& outside, const RunOptions& options, int number_to) {
    for (const int handled : {SIGINT, SIGTERM, SIGHUP}) signal(handled, SIG_DFL);
    redirect(outside / "out", STDOUT_FILENO);
    redirect(outside / "err", STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(98);
    limit(RLIMIT_FSIZE, options.largest_file);
    limit(RLIMIT_AS, options.address_space);
    setenv("XDG_STATE_HOME", (outside / "state").c_str(), 1);  // not the user's own
    for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
    const std::string descriptor = std::to_string(number_to);
    std::vector<char*> raw;
    for (const char* word : {TESELA_STARTER, descriptor.c_str(), TESELA_PROGRAM})
        raw.push_back(const_cast<char*>(word));
    for (const std::string& argument : arguments)
        raw.push_back(const_cast<char*>(argument.c_str()));
    raw.push_back(nullptr);
    execv(TESELA_STARTER, raw.data());
    _exit(96);
}

// The number of the program's process, which is a child of this one.
pid_t start(const std::vector<std::string>& arguments, const fs::path& folder,
            const fs::path& outside, const RunOptions& options) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe to the program's starter");
    const pid_t starter = fork();
    if (starter == 0) {
        close(ends[0]);
        start_program(arguments, folder, outside, options, ends[1]);
    }
    close(ends[1]);
    pid_t program = -1;
    const ssize_t got = read(ends[0], &program, sizeof program);
    close(ends[0]);
    int status = 0;
    waitpid(starter, &status, 0);
    if (got != sizeof program || program < 0)
        throw std::runtime_error("the program did not start: " + std::to_string(status));
    return program;
}

// Gives up in the end, so that the test fails instead of hanging.
void wait_until(const std::function<bool()>& true_at_last) {
    for (int i = 0; i < 30000 && !true_at_last(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void interrupt(pid_t child, const RunOptions& options) {
    if (options.interrupt_when)
        wait_until(options.interrupt_when);
    else
        std::this_thread::sleep_for(std::chrono::duration<double>(options.interrupt_after));
    for (int i = 0; i < options.interrupts; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        kill(child, options.signal);
    }
}

fs::path new_folder(const std::string& name) {
    std::string path = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
    return path;
}

template <class T>
Image<T> flat_regions(const Shape& shape, const Geometry& geometry, double scale) {
    Image<T> image(shape, geometry);
    std::mt19937 random(7);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                for (int c = 0; c < shape.channels; ++c) {
                    const std::int64_t region = (x * 3 / shape.x + y * 2 / shape.y + z + c) % 4;
                    const double noise = static_cast<double>(random() % 5);
                    image(x, y, z, 0, c) =
                        static_cast<T>((30 + 50 * static_cast<double>(region) + noise) * scale);
                }
    return image;
}

}  // namespace

std::vector<std::string> Outcome::errors() const {
    std::vector<std::string> found;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("tesela: error: ")) found.push_back(line);
    return found;
}

ProgramTest::ProgramTest()
    : folder(new_folder("tesela-cli-test")), outside_(new_folder("tesela-cli-out")) {}

ProgramTest::~ProgramTest() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    fs::remove_all(outside_, ignored);
}

Outcome ProgramTest::run(const std::vector<std::string>& arguments,
                         const RunOptions& options) const {
    const auto started = Clock::now();
    const pid_t child = start(arguments, folder, outside_, options);
    // The child is reaped below, so its number stays its own while signals are sent.
    auto interrupted = started;
    if (options.interrupt_after >= 0 || options.interrupt_when) {
        interrupt(child, options);
        interrupted = Clock::now();
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    Outcome outcome;
    outcome.peak_bytes = std::int64_t{usage.ru_maxrss} * 1024;
    outcome.killed = WIFSIGNALED(status);
    outcome.code = outcome.killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    const auto seconds_since = [](Clock::time_point time) {
        return std::chrono::duration<double>(Clock::now() - time).count();
    };
    outcome.seconds = seconds_since(started);
    outcome.after_interrupt = seconds_since(interrupted);
    outcome.out = contents(outside_ / "out");
    outcome.err = contents(outside_ / "err");
    return outcome;
}

void ProgramTest::expect_failure(int code, const std::vector<std::string>& words,
                                 const std::vector<std::string>& arguments,
                                 const RunOptions& options) const {
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    SCOPED_TRACE(line);
    const std::vector<std::string> before = names();
    const Outcome outcome = run(arguments, options);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const std::vector<std::string> errors = outcome.errors();
    ASSERT_EQ(errors.size(), 1u) << outcome.err;
    for (const std::string& word : words)
        EXPECT_NE(errors.front().find(word), std::string::npos)
            << "no '" << word << "' in: " << errors.front();
    EXPECT_EQ(names(), before);
}

void ProgramTest::write_text(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
}

std::string ProgramTest::read_text(const std::string& name) const { return contents(file(name)); }

std::vector<std::string> ProgramTest::names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        found.push_back(entry.path().lexically_relative(folder).string());
    std::sort(found.begin(), found.end());
    return found;
}

Image<std::uint8_t> color_picture(std::int64_t width, std::int64_t height) {
    return flat_regions<std::uint8_t>({width, height, 1, 1, 3}, {}, 1);
}
Image<std::uint8_t> gray_picture(std::int64_t width, std::int64_t height) {
    return flat_regions<std::uint8_t>({width, height}, {}, 1);
}
Image<std::int16_t> volume(std::int64_t x, std::int64_t y, std::int64_t z,
                           const Geometry& geometry) {
    return flat_regions<std::int16_t>({x, y, z}, geometry, 4);
}

}  // namespace tesela::cli::testing
