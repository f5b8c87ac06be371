// tesela_attack PROGRAM ROUNDS KEPT [--only ENDING] [FILE...]: damages a small file of each format,
// and the FILEs, in ROUNDS ways each (--only: those whose names end so) and gives them to the
// program. It must take each or refuse it as docs/command-line.md promises. What fails is left in
// the folder KEPT. ./dev check makes a few rounds; for many: scripts/dev/attack build/bin 2000.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "io/compressed_dicom.h"
#include "io/support.h"
#include "io/tiff_sample.h"
#include "mutation.h"
#include "tesela/io.h"
#include "text_samples.h"

namespace tesela::fuzz {
namespace {

namespace fs = std::filesystem;
using io::testing::read_bytes;
using io::testing::write_bytes;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr unsigned first_seed = 20261123;
constexpr double time_limit = 10;  // seconds

// A valid file. The files beside it are what it names or needs; they are not damaged.
struct Sample {
    std::string name;
    Bytes bytes;
    std::vector<std::pair<std::string, Bytes>> beside = {};
    Words arguments = {};  // that read it; empty for images
};

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

// Files in two parts, and settings.
std::vector<Sample> samples_of_several_files(const fs::path& scratch) {
    std::vector<Sample> samples;
    const auto volume = io::testing::pattern<std::int16_t>({6, 5, 4});
    for (const auto& [name, data] :
         {std::pair{"volume.nhdr", "volume.raw"}, {"volume.mhd", "volume.raw"}}) {
        io::write_image(volume, scratch / name);
        samples.push_back({name, read_bytes(scratch / name), {{data, read_bytes(scratch / data)}}});
        fs::remove(scratch / name);
        fs::remove(scratch / data);
    }
    io::write_image(volume, scratch / "volume.nii");
    Bytes header = read_bytes(scratch / "volume.nii");
    fs::remove(scratch / "volume.nii");
    const Bytes voxels(header.begin() + 352, header.end());
    header.resize(348);
    header[345] = 'i';                                         // "ni1"
    std::fill(header.begin() + 108, header.begin() + 112, 0);  // vox_offset
    samples.push_back({"volume.hdr", header, {{"volume.img", voxels}}});
    samples.push_back({"skip.nhdr",
                       bytes_of("NRRD0005\ntype: short\ndimension: 3\nsizes: 6 5 4\nendian: big\n"
                                "encoding: raw\nline skip: 1\nbyte skip: -1\ndata file: v.raw\n"),
                       {{"v.raw", voxels}}});
    io::write_image(io::testing::pattern<std::uint8_t>({13, 11}), scratch / "picture.png");
    const std::pair<std::string, Bytes> picture{"picture.png", read_bytes(scratch / "picture.png")};
    fs::remove(scratch / "picture.png");
    samples.push_back({"settings.toml",
                       bytes_of("# comment\nspacing = [0.5, 1]\nthreads = 2\n[threshold otsu]\n"
                                "progress = \"none\"\n[mean-shift]\nrange = 8\n"),
                       {picture}});
    samples.push_back({"settings.json",
                       bytes_of(R"({"spacing": [0.5, 1], "threads": 2, "profile": true,)"
                                R"( "threshold otsu": {"progress": "none"}})"),
                       {picture}});
    return samples;
}

// Text that verbs read, which need a volume and points.
std::vector<Sample> readers_of_text(const fs::path& scratch) {
    io::write_image(io::testing::pattern<std::int16_t>({6, 5, 4}), scratch / "volume.nii");
    const std::vector<std::pair<std::string, Bytes>> beside{
        {"volume.nii", read_bytes(scratch / "volume.nii")},
        {"spots.csv", bytes_of("name,X,Y\na,1,2\nb,3,4\n")}};
    fs::remove(scratch / "volume.nii");
    std::vector<Sample> samples;
    for (const TextSample& text : text_samples()) {
        Words arguments = text.arguments;
        arguments.insert(arguments.end(), {"--max-memory", "500M"});
        samples.push_back({text.name, bytes_of(text.text), beside, arguments});
    }
    return samples;
}

// DICOM files whose pixels foreign code decodes.
std::vector<Sample> compressed_dicom_samples() {
    using namespace io::testing;
    std::vector<Sample> samples;
    for (const std::string& syntax : {jpeg_baseline, jpeg_extended, jpeg_lossless, jpegls_lossless,
                                      jpegls_near, jpeg2000_lossless, jpeg2000_lossy, run_lengths})
        samples.push_back({"syntax" + syntax + ".packed.dcm",
                           dicom_bytes(compressed(smooth_sample(syntax), syntax))});
    return samples;
}

std::vector<Sample> all_samples(const fs::path& scratch, const std::vector<fs::path>& files) {
    std::vector<Sample> samples = samples_of_several_files(scratch);
    for (const auto& list :
         {io::testing::sample_files(scratch), io::testing::sample_header_files(scratch),
          io::testing::sample_flow_files(scratch), io::testing::sample_y4m_files(),
          io::testing::sample_stack_files(), io::testing::sample_piece_files(scratch)})
        for (const auto& [name, bytes] : list) samples.push_back({name, bytes});
    for (Sample& sample : compressed_dicom_samples()) samples.push_back(std::move(sample));
    for (Sample& sample : readers_of_text(scratch)) samples.push_back(std::move(sample));
    for (const fs::path& file : files) samples.push_back({file.filename(), read_bytes(file)});
    return samples;
}

bool is_settings(const std::string& name) { return name.starts_with("settings."); }

// Every tenth file is computed on, not only looked at.
Words arguments_for(const std::string& name, bool compute) {
    const Words threshold{"threshold", "otsu", "--json", "--device", "cpu", "--max-memory", "500M"};
    Words words = threshold;
    if (is_settings(name)) {
        words.insert(words.end(), {"picture.png", "--config", name});
        return words;
    }
    if (!compute) words = {"info", "--max-memory", "500M"};
    words.push_back(name);
    return words;
}

struct Outcome {
    int status = 0;  // as waitpid gives it
    bool late = false;
    std::string out, err;
};

std::string file_text(const fs::path& path) { return text_of(read_bytes(path)); }

// One damaged file, in a folder of its own.
class Trial {
  public:
    Trial(const fs::path& folder, const Sample& sample, std::size_t round)
        : folder_(folder), sample_(sample), compute_(round % 10 == 9) {
        const std::string seed =
            std::to_string(first_seed) + " " + sample.name + " " + std::to_string(round);
        std::seed_seq seeds(seed.begin(), seed.end());
        std::mt19937 random(seeds);
        bytes_ = damaged(sample.bytes, random);
        for (const char* name : {"work", "temporary"}) fs::create_directories(folder_ / name);
        for (const auto& [name, bytes] : sample.beside) write_bytes(work() / name, bytes);
        write_bytes(work() / sample.name, bytes_);
    }
    ~Trial() { fs::remove_all(folder_); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    const Bytes& bytes() const { return bytes_; }
    Words arguments() const {
        return sample_.arguments.empty() ? arguments_for(sample_.name, compute_)
                                         : sample_.arguments;
    }

    // What is wrong with the program's answer; empty where nothing is.
    std::string fault(const std::string& program) const {
        const Outcome outcome = run(program);
        const std::string wrong = fault_of_answer(outcome);
        return wrong.empty() ? fault_of_leftovers() : wrong + "\n    " + outcome.err;
    }

  private:
    fs::path work() const { return folder_ / "work"; }

    Outcome run(const std::string& program) const {
        Words words = arguments();
        words.insert(words.begin(), program);
        std::vector<char*> raw;
        for (std::string& word : words) raw.push_back(word.data());
        raw.push_back(nullptr);
        std::vector<std::string> variables{"TMPDIR=" + (folder_ / "temporary").string()};
        for (char** old = environ; *old; ++old)
            if (!std::string_view(*old).starts_with("TMPDIR=")) variables.push_back(*old);
        std::vector<char*> environment;
        for (std::string& variable : variables) environment.push_back(variable.data());
        environment.push_back(nullptr);

        const std::string out = folder_ / "out", err = folder_ / "err", place = work();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        constexpr int create = O_CREAT | O_TRUNC | O_WRONLY;
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), create, 0600);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), create, 0600);
        posix_spawn_file_actions_addchdir_np(&actions, place.c_str());
        pid_t child = 0;
        const int error =
            posix_spawn(&child, program.c_str(), &actions, nullptr, raw.data(), environment.data());
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) {
            std::fprintf(stderr, "cannot run %s: %s\n", program.c_str(), std::strerror(error));
            std::exit(2);
        }
        Outcome outcome;
        outcome.status = wait_for(child, outcome.late);
        outcome.out = file_text(out);
        outcome.err = file_text(err);
        return outcome;
    }

    static int wait_for(pid_t child, bool& late) {
        const auto started = Clock::now();
        int status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) {
            late = std::chrono::duration<double>(Clock::now() - started).count() > time_limit;
            if (late) kill(child, SIGKILL);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return status;
    }

    static std::string fault_of_answer(const Outcome& outcome) {
        if (outcome.late) return "it took more than 10 s";
        if (!WIFEXITED(outcome.status))
            return "signal " + std::to_string(WTERMSIG(outcome.status)) + " ended it";
        const int code = WEXITSTATUS(outcome.status);
        constexpr std::array promised{0, 1, 2, 3, 5};
        if (std::find(promised.begin(), promised.end(), code) == promised.end())
            return "exit code " + std::to_string(code);
        std::istringstream lines(outcome.err);
        int errors = 0;
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("tesela: ")) return "a line of another form";
            errors += line.starts_with("tesela: error: ");
        }
        if (errors != (code == 0 ? 0 : 1)) return std::to_string(errors) + " errors";
        if (code != 0 && !outcome.out.empty()) return "a failure wrote to standard output";
        return "";
    }

    std::string fault_of_leftovers() const {
        std::set<std::string> expected{sample_.name};
        for (const auto& [name, bytes] : sample_.beside) expected.insert(name);
        for (const auto& entry : fs::directory_iterator(work()))
            if (!expected.contains(entry.path().filename())) return "it left a file beside";
        if (!fs::is_empty(folder_ / "temporary")) return "it left a file in TMPDIR";
        return "";
    }

    fs::path folder_;
    const Sample& sample_;
    bool compute_;
    Bytes bytes_;
};

class Attack {
  public:
    Attack(std::string program, std::size_t first, std::size_t last, fs::path kept)
        : program_(std::move(program)), first_(first), last_(last), kept_(std::move(kept)) {}

    // The number of faults.
    int run(const fs::path& scratch, const std::vector<Sample>& samples) {
        std::vector<std::thread> workers;
        const unsigned count = std::max(1u, std::thread::hardware_concurrency());
        for (unsigned i = 0; i < count; ++i)
            workers.emplace_back([&, i] { work(scratch / std::to_string(i), samples); });
        for (std::thread& worker : workers) worker.join();
        return faults_;
    }

  private:
    void work(const fs::path& folder, const std::vector<Sample>& samples) {
        // Round by round, so that a search cut short has tried every format.
        for (std::size_t i = next_++; i < samples.size() * (last_ - first_); i = next_++) {
            const Sample& sample = samples[i % samples.size()];
            const std::size_t round = first_ + i / samples.size();
            const Trial trial(folder, sample, round);
            const std::string fault = trial.fault(program_);
            if (!fault.empty()) report(sample.name, round, trial, fault);
        }
    }

    void report(const std::string& name, std::size_t round, const Trial& trial,
                const std::string& fault) {
        const std::lock_guard lock(reporting_);
        ++faults_;
        const fs::path place = kept_ / std::to_string(round);
        fs::create_directories(place);
        write_bytes(place / name, trial.bytes());
        std::string line = "tesela";
        for (const std::string& word : trial.arguments()) line += " " + word;
        std::printf("%s: %s: %s\n", (place / name).c_str(), line.c_str(), fault.c_str());
        std::fflush(stdout);
    }

    const std::string program_;
    const std::size_t first_, last_;  // rounds; without the last
    const fs::path kept_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex reporting_;
    int faults_ = 0;
};

}  // namespace
}  // namespace tesela::fuzz

int main(int count, char** arguments) {
    using namespace tesela::fuzz;
    Words words(arguments + 1, arguments + count);
    std::string ending;
    if (words.size() > 4 && words[3] == "--only") {
        ending = words[4];
        words.erase(words.begin() + 3, words.begin() + 5);
    }
    int first = 0, last = 0;
    if (words.size() > 1 && std::sscanf(words[1].c_str(), "%d-%d", &first, &last) == 1)
        last = std::exchange(first, 0);
    if (words.size() < 3 || first < 0 || last <= first) {
        std::fprintf(stderr,
                     "usage: tesela_attack PROGRAM ROUNDS|FIRST-LAST KEPT [--only ENDING] "
                     "[FILE...]\n");
        return 2;
    }
    std::string scratch = (fs::temp_directory_path() / "tesela-attack-XXXXXX").string();
    if (!mkdtemp(scratch.data())) {
        std::fprintf(stderr, "no temporary folder can be made\n");
        return 2;
    }
    std::vector<Sample> samples = all_samples(scratch, {words.begin() + 3, words.end()});
    std::erase_if(samples, [&](const Sample& s) { return !s.name.ends_with(ending); });
    Attack attack(fs::absolute(words[0]), static_cast<std::size_t>(first),
                  static_cast<std::size_t>(last), words[2]);
    const int faults = attack.run(scratch, samples);
    fs::remove_all(scratch);
    std::printf("%zu formats, damaged files %d to %d of each from seed %u: %d wrong answers\n",
                samples.size(), first + 1, last, first_seed, faults);
    return faults == 0 ? 0 : 1;
}
