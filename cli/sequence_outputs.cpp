#include "sequence_outputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tesela/flow_io.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;

// A folder for a file for each field. They are complete before they get their names.
class FolderOutput : public SequenceOutput {
  public:
    FolderOutput(fs::path folder, bool fields, const std::vector<std::string>& names,
                 const io::WriteOptions& how, WrittenFile& written)
        : folder_(std::move(folder)), fields_(fields), names_(names), how_(how), written_(written) {
        std::error_code error;
        made_ = fs::create_directory(folder_, error);
        if (error)
            throw UnwritableOutput(
                fmt::format("cannot make the folder '{}': {}", folder_.string(), error.message()));
        hidden_ = std::make_unique<detail::TemporaryFolder>(folder_, folder_);
    }
    ~FolderOutput() override {
        hidden_.reset();
        std::error_code not_empty;
        if (made_) fs::remove(folder_, not_empty);
    }

    std::function<void()> take(std::int64_t index, AnyImage image) override {
        const fs::path target = folder_ / name_of(index, image);
        write_in(hidden_->path(), target, [&](const fs::path& path) {
            if (fields_)
                io::write_flow(std::get<FlowField>(image), path);
            else
                io::write_image(image, path, how_);
        });
        return [this, from = hidden_->path() / target.filename(), target] {
            std::error_code error;
            const auto bytes = fs::file_size(from, error);
            if (!error) fs::rename(from, target, error);
            if (error)
                throw UnwritableOutput(
                    fmt::format("cannot write '{}': {}", target.string(), error.message()));
            written_.bytes += static_cast<std::int64_t>(bytes);
            ++fields_in_place_;
        };
    }

  private:
    std::string name_of(std::int64_t index, const AnyImage& image) const {
        const auto i = static_cast<std::size_t>(index);
        const std::string name = i < names_.size() ? names_[i] : fmt::format("{:06}", index);
        if (fields_) return name + ".flo";
        const PixelType type = pixel_type_of(image);
        return name + (type == PixelType::u8 || type == PixelType::u16 ? ".png" : ".tif");
    }

    fs::path folder_;
    bool fields_, made_ = false;
    std::vector<std::string> names_;
    io::WriteOptions how_;
    WrittenFile& written_;
    std::unique_ptr<detail::TemporaryFolder> hidden_;
};

class VideoOutput : public SequenceOutput {
  public:
    VideoOutput(std::string kind, fs::path path, FrameRate rate, OutputSet& videos)
        : kind_(std::move(kind)), path_(std::move(path)), videos_(videos) {
        if (path_ == "-") {
            video_ = io::create_video(path_, {rate});
            return;
        }
        hidden_ = std::make_unique<detail::TemporaryFolder>(folder_of(path_), path_);
        write_in(hidden_->path(), path_,
                 [&](const fs::path& hidden) { video_ = io::create_video(hidden, {rate}); });
    }

    std::function<void()> take(std::int64_t, AnyImage image) override {
        return [this, shared = std::make_shared<AnyImage>(std::move(image))] {
            write([&] { video_->write(*shared); });
            ++fields_in_place_;
        };
    }

    void finish() override {
        write([&] { video_->finish(); });
        if (!hidden_) return;
        videos_.stage(kind_, [&](const fs::path& staged) {
            fs::rename(hidden_->path() / path_.filename(), staged);
        });
    }

  private:
    void write(const std::function<void()>& work) {
        hidden_ ? write_in(hidden_->path(), path_, [&](const fs::path&) { work(); }) : work();
    }

    std::string kind_;
    fs::path path_;
    OutputSet& videos_;
    std::unique_ptr<detail::TemporaryFolder> hidden_;
    std::unique_ptr<FrameWriter> video_;
};

}  // namespace

void SequenceOutputs::add(const std::string& kind, const fs::path& path) {
    if (path.empty()) return;
    if (io::is_video_name(path)) {
        if (path != "-") videos_.add(kind, path);
        wanted_.push_back({kind, path});
        return;
    }
    const fs::path folder = path.has_filename() ? path : path.parent_path();
    std::error_code ignored;
    if (path.has_extension() && !fs::is_directory(path, ignored))
        throw InvalidArgument(fmt::format(
            "--{}: '{}' is one file, and a sequence has many fields: name a folder, or a video "
            "(.mp4, .mkv, .mov, .avi, .gif, .y4m); or give two FRAMEs",
            kind, path.string()));
    wanted_.push_back({kind, folder});
}

bool SequenceOutputs::wants(const std::string& kind) const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [&](const Output& output) { return output.kind == kind; });
}

bool SequenceOutputs::has_standard_output() const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [](const Output& output) { return output.path == "-"; });
}

void SequenceOutputs::check_folder(const Output& output, const InputPlaces& inputs) const {
    check_result_folder(output, replace_, inputs);
    const fs::path& folder = output.path;
    for (const Output& other : wanted_) {
        if (&other == &output) break;
        if (other.kind != "flow" && place_of(other.path) == place_of(folder))
            throw InvalidArgument(fmt::format("--{} and --{} both write pictures into '{}'",
                                              other.kind, output.kind, folder.string()));
    }
    std::error_code error;
    const fs::path parent = folder_of(folder);
    if (!fs::exists(folder, error) &&
        (!fs::is_directory(parent, error) || access(parent.c_str(), W_OK | X_OK) != 0))
        throw UnwritableOutput(
            fmt::format("cannot make the folder '{}' in '{}'", folder.string(), parent.string()));
}

void SequenceOutputs::check(const InputPlaces& inputs) const {
    videos_.check(inputs);
    int standard = 0;
    for (const Output& output : wanted_) {
        if (!io::is_video_name(output.path)) check_folder(output, inputs);
        standard += output.path == "-";
    }
    if (standard > 1) throw InvalidArgument("only one output can be '-', standard output");
}

void SequenceOutputs::open(const std::vector<std::string>& names, FrameRate rate) {
    for (const Output& output : wanted_) {
        const std::string& kind = output.kind;
        const fs::path& path = output.path;
        WrittenFile& written = written_[kind] = {kind, path, 0};
        if (io::is_video_name(path)) {
            outputs_[kind] = std::make_unique<VideoOutput>(kind, path, rate, videos_);
            continue;
        }
        outputs_[kind] = std::make_unique<FolderOutput>(path, kind == "flow", names, how_, written);
        for (const std::string& name : names) status_of_output(path / (name + ".flo"));
    }
}

// An output that fails here is gone, and nothing of it is kept.
void SequenceOutputs::complete(const std::string& kind) {
    const auto output = outputs_.extract(kind);
    if (output.empty() || output.mapped()->fields_in_place() == 0) return;
    output.mapped()->finish();
    kept_.push_back({written_[kind].path, output.mapped()->fields_in_place()});
}

// Once: what could not be named then is not there to be named later.
void SequenceOutputs::name_videos() {
    if (std::exchange(named_, true)) return;
    try {
        for (const WrittenFile& video : videos_.commit()) written_[video.kind] = video;
    } catch (const Error&) {
        std::erase_if(kept_, [](const Kept& kept) {
            return io::is_video_name(kept.path) && kept.path != "-";
        });
        throw;
    }
}

void SequenceOutputs::finish() {
    for (const Output& output : wanted_) complete(output.kind);
    name_videos();
}

std::vector<SequenceOutputs::Kept> SequenceOutputs::keep() {
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const std::exception&) {  // that something failed was said already
        }
    };
    for (const Output& output : wanted_) attempt([&] { complete(output.kind); });
    attempt([&] { name_videos(); });
    return kept_;
}

std::vector<WrittenFile> SequenceOutputs::written() const {
    std::vector<WrittenFile> files;
    for (const auto& entry : written_) files.push_back(entry.second);
    return files;
}

}  // namespace tesela::cli
