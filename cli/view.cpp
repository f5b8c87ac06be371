// tesela view
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "batch.h"
#include "child_attributes.h"
#include "common_options.h"
#include "core/temporary_folder.h"
#include "interrupt.h"
#include "io/format.h"
#include "messages.h"
#include "operation_verb.h"
#include "report.h"
#include "tesela/error.h"
#include "tesela/kept_images.h"
#include "tesela_version.h"
#include "verb_parser.h"
#include "verbs.h"
#ifdef TESELA_WITH_VIEWER
    #include "viewer/server/server.h"
#endif

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
    fs::path labels, save_to;
    bool read_only = false;
    bool open = true;
    int port = 0;
    std::string allow_host, allow_origin, base_path;
};
template <class V>
void describe(V&& v, ViewOptions& o) {
    v("labels", o.labels, "label map to show on the first image");
    v("save-to", o.save_to, "folder to save results and labels in",
      OptionRange{.automatic = "no saving"});
    v("read-only", o.read_only, "show images only: no computing, no saving");
    v("open", o.open, "open a browser where there is a display");
    v("port", o.port, "port on this machine; 0 takes a free one",
      OptionRange{.lowest = 0, .highest = 65535});
    v("allow-host", o.allow_host, "further host names of the address, as NAME,NAME");
    v("allow-origin", o.allow_origin, "further origins of the page, as URL,URL");
    v("base-path", o.base_path, "path that a proxy puts before the address, as /user/me");
}

struct ViewWork {
    std::string device = "auto";
    int threads = 0;
    ByteSize max_memory;
};
template <class V>
void describe(V&& v, ViewWork& o) {
    v("device", o.device, "where to compute, such as cpu or cuda");
    v("threads", o.threads, "CPU threads; 0 uses all", OptionRange{.lowest = 0, .highest = 4096});
    v("max-memory", o.max_memory, "limit of images, of jobs and of volumes in 3-D, each");
}

#ifdef TESELA_WITH_VIEWER

std::vector<std::string> words_of(std::string list) {
    std::transform(list.begin(), list.end(), list.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        std::string word = list.substr(begin, end - begin);
        while (word.ends_with('/')) word.pop_back();
        if (!word.empty()) words.push_back(std::move(word));
        begin = end + 1;
    }
    return words;
}

std::string base_path_of(std::string text) {
    while (text.ends_with('/')) text.pop_back();
    const bool is_plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    });
    if (!text.empty() && (!text.starts_with('/') || !is_plain))
        throw InvalidArgument("--base-path: '" + text +
                              "' must begin with a slash and be made of letters, digits, -_.~ and "
                              "slashes");
    return text;
}

// A folder of images is each of them; one without is a DICOM series.
std::vector<fs::path> files_of(const std::vector<fs::path>& inputs) {
    std::vector<fs::path> files;
    for (const fs::path& input : inputs) {
        std::error_code error;
        if (!fs::exists(input, error))
            throw UnreadableInput("'" + input.string() + "' does not exist");
        const bool is_folder = fs::is_directory(input, error) && !io::is_image_folder(input);
        const std::vector<fs::path> images = is_folder ? images_in(input) : std::vector<fs::path>{};
        if (images.empty())
            files.push_back(input);
        else
            files.insert(files.end(), images.begin(), images.end());
    }
    return files;
}

bool has_display() { return std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY"); }

// Opens the address by way of a file that only this user can read: the arguments of a process are
// read by all users of the machine.
class Browser {
  public:
    explicit Browser(const std::string& address) : folder_(fs::path("view")) {
        const fs::path file = folder_.path() / "open.html";
        std::ofstream(file) << "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0;url="
                            << address << "\">\n";
        std::string program = "xdg-open", name = file.string();
        char* const arguments[] = {program.data(), name.data(), nullptr};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        const ChildAttributes attributes;
        for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
        pid_t child = 0;
        if (posix_spawnp(&child, "xdg-open", &actions, attributes.get(), arguments, environ) != 0)
            say("no browser was opened: there is no xdg-open");
        posix_spawn_file_actions_destroy(&actions);
    }

  private:
    detail::TemporaryFolder folder_;
};

// As the XDG Base Directory Specification 0.8 has it; where there is no home, beside other
// temporary files.
fs::path state_folder() {
    const auto in = [](const char* variable, const fs::path& below) -> fs::path {
        const char* value = std::getenv(variable);
        const fs::path base = value ? value : "";
        return base.is_absolute() ? base / below / "tesela" : fs::path();
    };
    fs::path folder = in("XDG_STATE_HOME", "");
    if (folder.empty()) folder = in("HOME", fs::path(".local") / "state");
    return folder.empty() ? fs::temp_directory_path() / "tesela" : folder;
}

void rescue_labels(viewer::Viewer& viewer) {
    for (const auto& [name, path, error] : viewer.rescue_labels(state_folder()))
        if (error.empty())
            warn(fmt::format("'{}' was not saved: it is in '{}'; --labels opens it", name,
                             path.string()));
        else
            complain(fmt::format("'{}' was not saved, and could not be kept: {}", name, error));
}

int serve(const viewer::ViewerSettings& settings, bool opens_browser, bool as_json,
          const CancelToken& token) {
    keep_images(images_kept);  // a job follows another
    viewer::Viewer viewer(settings);
    if (settings.page.empty()) warn(std::string(viewer::no_page));
    Json report = begin_report("view");
    report["address"] = viewer.address();
    report["port"] = viewer.port();
    report["token"] = viewer.token();
    print((as_json ? json_text(std::move(report), -1) : viewer.address()) + "\n");
    say("Ctrl-C ends the viewer");
    std::optional<Browser> browser;
    if (opens_browser && has_display()) try {
            browser.emplace(viewer.address());
        } catch (const Error& error) {
            say("no browser was opened: {}", error.what());
        }
    viewer.run(token);
    rescue_labels(viewer);
    return exit_done;
}

#endif

}  // namespace

int run_view(const Arguments& arguments) {
    std::vector<fs::path> inputs;
    ViewOptions options;
    ViewWork work;
    MessageOptions messages;
    VerbParser parser("view", "Shows images in a browser, and segments them as you mark and move.");
    parser.add_inputs(
        inputs, {{"FILE", "slide, picture, volume, folder, or .geojson of the slide before", true}},
        1, 1000);
    parser.add(options, "Options");
    parser.add(work, "Computing");
    parser.add(messages, "Messages", message_aliases());
    parser.add_examples({"view head.nii.gz", "view head.nii.gz --labels regions.nii.gz",
                         "view scans --save-to results --port 8080 --no-open"});
    if (!parser.parse(arguments)) return exit_done;
    set_up_messages(messages.quiet, messages.verbose);
#ifdef TESELA_WITH_VIEWER
    const CancelToken& token = handle_interrupts();
    if (std::error_code error; !options.labels.empty() && !fs::exists(options.labels, error))
        throw UnreadableInput(
            fmt::format("--labels: there is no file '{}'", options.labels.string()));
    if (work.device != "auto") Device::choose(work.device);  // says what is wrong with it
    viewer::ViewerSettings settings{.files = files_of(inputs),
                                    .labels = options.labels,
                                    .save_to = options.save_to,
                                    .hosts = words_of(options.allow_host),
                                    .origins = words_of(options.allow_origin),
                                    .read_only = options.read_only,
                                    .device = work.device,
                                    .threads = work.threads,
                                    .max_memory = work.max_memory.bytes,
                                    .version = TESELA_VERSION,
                                    .describe = description_of_verb};
    settings.http.port = static_cast<std::uint16_t>(options.port);
    settings.http.base_path = base_path_of(options.base_path);
    return serve(settings, options.open, messages.json, token);
#else
    throw InvalidArgument(
        "this tesela was built without the viewer: install libboost1.81-dev and build it again");
#endif
}

}  // namespace tesela::cli
