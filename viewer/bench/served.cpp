#include "viewer/bench/served.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "child_attributes.h"
#include "tesela/error.h"

namespace tesela::viewer::bench {

Served::Served(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0)
        throw OutOfMemory("the system has no pipe for the server that is measured", 0, 0);
    std::vector<std::string> words{program.string(), "view", "--no-open", "--json", "--quiet"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    const cli::ChildAttributes attributes;
    const int failed = posix_spawn(&process_, program.c_str(), &actions, attributes.get(),
                                   pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe[1]);
    output_ = pipe[0];
    std::string line;
    std::array<char, 4096> part;
    for (ssize_t count = 0; !failed && line.find('\n') == std::string::npos;
         line.append(part.data(), static_cast<std::size_t>(count)))
        if ((count = read(output_, part.data(), part.size())) <= 0) break;
    if (line.find('\n') != std::string::npos) {
        const Json report = Json::parse(line);
        place_ = {report.at("port").get<std::uint16_t>(), report.at("token").get<std::string>()};
        return;
    }
    close(output_);
    if (!failed) waitpid(process_, nullptr, 0);
    throw Error(ErrorCode::device_unavailable, "'tesela view' does not start");
}

Served::~Served() {
    kill(process_, SIGTERM);  // who runs in the background of a shell does not hear Ctrl-C
    waitpid(process_, nullptr, 0);
    close(output_);
}

}  // namespace tesela::viewer::bench
