#include "batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>

#include "core/temporary_folder.h"
#include "io/dicom_segmentation.h"
#include "io/format.h"
#include "kinds.h"
#include "messages.h"
#include "operations/kinds/image.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/table.h"
#include "operations/kinds/tissue.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "shared_work.h"

namespace tesela::cli {
namespace {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;
using operations::Operation;

constexpr std::string_view stem = "{stem}";

bool has_stem(const fs::path& path) { return path.string().find(stem) != std::string::npos; }

// A folder may be named with a slash behind it.
fs::path named_for(const fs::path& pattern, const fs::path& input) {
    const fs::path name = input.has_filename() ? input : input.parent_path();
    std::string text = pattern.string();
    const std::string own = io::stem_of(name);
    for (std::size_t at = 0; (at = text.find(stem, at)) != std::string::npos; at += own.size())
        text.replace(at, stem.size(), own);
    return text;
}

void name_outputs(OperationSettings& settings) {
    for (OutputFile& file : settings.files.files)
        file.path = named_for(file.path, settings.input());
    fs::path& folder = settings.snapshots.snapshots;
    folder = named_for(folder, settings.input());
}

bool is_table(const Operation& operation, const OutputFile& file) {
    const operations::Output* output = operation.output(file.name);
    return output && output->kind == kinds::table;
}

// An output that may be named as a folder gets a file there for each input.
void name_in_folder(const Operation& operation, OutputFile& file,
                    const std::vector<fs::path>& inputs) {
    const operations::Output* output = operation.output(file.name);
    if (!output || output->suffix.empty() || file.path.empty() || file.path == "-" ||
        has_stem(file.path) || file.path.has_extension())
        return;
    make_result_folder({file.name, file.path}, true, inputs);
    file.path /= fmt::format("{}{}", stem, output->suffix);
}

// Tables that go into one file, with a column that names the input.
struct JoinedTable {
    std::string name;
    std::vector<operations::Table> parts = {};
    std::vector<std::string> inputs = {};  // of each part
    std::vector<std::int64_t> first = {};  // row of each part

    void add(const operations::Table& table, const fs::path& input) {
        if (!parts.empty() && table.columns != parts.front().columns)
            throw InvalidArgument(fmt::format(
                "its table has other columns than those of the inputs before; write '{}' into the "
                "name of --{} for a file of its own",
                stem, name));
        first.push_back(parts.empty() ? 0 : first.back() + parts.back().rows);
        parts.push_back(table);
        inputs.push_back(input.string());
    }
    operations::Table whole() const {
        operations::Table table{{"input"}, first.back() + parts.back().rows, {}};
        const std::vector<std::string>& columns = parts.front().columns;
        table.columns.insert(table.columns.end(), columns.begin(), columns.end());
        table.cell = [this](std::int64_t row, std::size_t column) -> operations::Table::Cell {
            const auto part = static_cast<std::size_t>(
                std::upper_bound(first.begin(), first.end(), row) - first.begin() - 1);
            if (column == 0) return inputs[part];
            return parts[part].cell(row - first[part], column - 1);
        };
        return table;
    }
};

// Settings of each input, and the tables that are joined.
struct Jobs {
    std::vector<OperationSettings> all;
    std::map<std::string, JoinedTable> tables;
    OutputSet outputs;
};

// The one that goes to standard output, if any.
OutputFile* streamed_file(OperationSettings& settings) {
    OutputFile* streamed = nullptr;
    for (OutputFile& file : settings.files.files) {
        if (file.path != "-") continue;
        if (streamed || settings.messages.json)
            throw InvalidArgument(
                fmt::format("--{} and --{} both write to standard output; name a file for one",
                            streamed ? streamed->name : "json", file.name));
        streamed = &file;
    }
    return streamed;
}

void require_stem(const std::string& flag, const fs::path& path, std::size_t inputs) {
    if (path.empty() || has_stem(path)) return;
    throw InvalidArgument(
        fmt::format("--{}: '{}' is one name for {} inputs; write {} into it, as in 'out/{}.png'",
                    flag, path.string(), inputs, stem, stem));
}

void refuse_clashes(const std::vector<OperationSettings>& jobs) {
    std::map<fs::path, const OperationSettings*> owners;
    for (const OperationSettings& job : jobs) {
        const auto claim = [&](std::string_view flag, const fs::path& path) {
            if (path.empty()) return;
            const auto [owner, is_new] = owners.emplace(path.lexically_normal(), &job);
            if (!is_new && owner->second != &job)
                throw InvalidArgument(fmt::format(
                    "--{}: '{}' and '{}' would both be written to '{}'; rename one, or run them "
                    "apart",
                    flag, owner->second->input().string(), job.input().string(), path.string()));
        };
        for (const OutputFile& file : job.files.files) claim(file.name, file.path);
        claim(snapshots, job.snapshots.snapshots);
    }
}

void add_outputs(OutputSet& all, const Operation& operation, const OperationSettings& job) {
    for (const OutputFile& file : job.files.files) {
        const operations::Output* output = operation.output(file.name);
        if (output && is_folder(output->kind))
            all.add_folder(file.name, file.path);
        else
            all.add(file.name, file.path);
    }
    all.add_folder(std::string(snapshots), job.snapshots.snapshots);
}

// Throws InvalidArgument and UnwritableOutput for what can be known of all outputs before the work.
Jobs jobs_of(const Operation& operation, const OperationSettings& settings,
             const std::vector<fs::path>& inputs) {
    Jobs jobs{{}, {}, OutputSet(settings.job.force)};
    OperationSettings shared = settings;
    streamed_file(shared);  // refuses two
    shared.inputs = inputs;
    shared.one_of_several = true;
    for (OutputFile& file : shared.files.files) {
        name_in_folder(operation, file, inputs);
        if (file.path.empty() || !is_table(operation, file) || has_stem(file.path)) {
            require_stem(file.name, file.path, inputs.size());
            continue;
        }
        jobs.tables[file.name] = {file.name};
        shared.taken.insert(file.name);
        if (file.path != "-") jobs.outputs.add(file.name, file.path);
        file.path.clear();
    }
    require_stem(std::string(snapshots), shared.snapshots.snapshots, inputs.size());
    for (const fs::path& input : inputs) {
        OperationSettings& job = jobs.all.emplace_back(shared);
        job.inputs = {input};
        name_outputs(job);
    }
    refuse_clashes(jobs.all);
    OutputSet all(settings.job.force);
    for (const OperationSettings& job : jobs.all) add_outputs(all, operation, job);
    const std::vector<fs::path> read = shared.files_read();
    all.check(read);
    jobs.outputs.check(read);
    return jobs;
}

// Outputs that cannot be used without the file beside them do not go to standard output. Colors of
// labels are no such file.
void require_alone(const Operation& operation, const OutputFile& file) {
    const operations::Output* output = operation.output(file.name);
    if (!output || !output_kind(output->kind).side_files || output->kind == kinds::labels ||
        output->kind == kinds::classes)
        return;
    const fs::path side = output_kind(output->kind).side_files("NAME").front();
    throw InvalidArgument(fmt::format(
        "--{}: {} is written beside it, so it cannot go to standard output; name a file", file.name,
        side.string()));
}

// What `write` puts into a file of that suffix goes to standard output. Errors do not speak of that
// file.
template <class Write>
void stream(const fs::path& beside, const std::string& suffix, const Write& write) {
    const detail::TemporaryFolder folder(beside);
    const fs::path path = folder.path() / ("output" + suffix);
    try {
        write(path);
    } catch (const Error& error) {
        std::string sentence = error.what();
        const std::string hidden = "'" + path.string() + "'";
        const std::size_t at = sentence.find(hidden);
        if (at == std::string::npos) throw;
        sentence.replace(at, hidden.size(), "to standard output");
        throw Error(error.code(), sentence + "; name a file with -o");
    }
    std::ifstream in(path, std::ios::binary);
    print(std::string(std::istreambuf_iterator<char>(in), {}));
}

void write_tables(Jobs& jobs, const fs::path& input) {
    for (const auto& [name, table] : jobs.tables) {
        operations::Values values;
        values.set(name, table.whole());
        const auto write = [&, &of = name](const fs::path& path) {
            output_kind(kinds::table).write(values, of, path, {});
        };
        if (jobs.outputs.has(name))
            jobs.outputs.stage(name, write);
        else
            stream(input, ".csv", write);
    }
    for (const WrittenFile& file : jobs.outputs.commit()) say("wrote {}", written_text(file));
}

// Of the file that stands for standard output: pictures are PNGs.
std::string streamed_suffix(const Operation& operation, const OutputFile& file,
                            const fs::path& input) {
    if (is_table(operation, file)) return ".csv";
    for (const char* volume :
         {".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd", ".mgh", ".mgz", ".npz"})
        if (input.string().ends_with(volume)) return ".nii";
    std::error_code unreadable;
    const bool is_series = fs::is_directory(input, unreadable) && !io::is_image_folder(input);
    return is_series ? ".nii" : ".png";
}

// What the job of an input came to.
struct Ended {
    Json reports = Json::array();
    std::map<std::string, operations::Table> tables = {};
    HeldMessages::Kept messages = {};
    bool done = false;
};

// The jobs of all inputs, one after the other, or at the same time where devices share them; they
// are told, and their tables joined, in the order of the inputs.
class Batch {
  public:
    Batch(const Operation& operation, const OperationSettings& settings,
          const std::vector<fs::path>& inputs, const RunJob& run, const CancelToken& token)
        : operation_(operation),
          settings_(settings),
          inputs_(inputs),
          run_(run),
          jobs_(jobs_of(operation, settings, inputs)),
          ended_(inputs.size()),
          progress_(settings.job.progress, settings.messages.quiet, token) {}

    int run() {
        std::vector<DeviceLoad> loads;
        if (names_several(settings_.job.device) &&
            operation_.device.queues != operations::Queues::of_devices) {
            loads = run_on(devices_of(settings_.job.device));
        } else {
            for (std::size_t i = 0; i < inputs_.size(); ++i) finish(i, compute(i));
        }
        progress_.finish();
        if (!settings_.job.dry_run && failed_ < inputs_.size())
            write_tables(jobs_, inputs_.front());
        report(loads);
        return failed_ > 0 ? exit_some_failed : exit_done;
    }

  private:
    std::vector<DeviceLoad> run_on(const std::vector<Device::Choice>& choices) {
        std::vector<Device> devices;
        for (const Device::Choice& choice : choices) {
            // A device that these options cannot run on is refused before any input is.
            if (operation_.device.choose)
                operation_.device.choose(jobs_.all.front().options, choice.device.id());
            devices.push_back(choice.device);
        }
        const int threads = sharing_threads(devices);
        for (OperationSettings& job : jobs_.all) {
            job.job.progress = ProgressStyle::none;
            std::int64_t& limit = job.memory.max_memory.bytes;  // that all jobs have together
            if (limit > 0) limit = std::max<std::int64_t>(limit / threads, 1);
        }
        return share_work(
            devices, static_cast<std::int64_t>(inputs_.size()),
            [&](std::int64_t i, const Device& device) {
                const auto at = static_cast<std::size_t>(i);
                jobs_.all[at].job.device = device.id();
                HeldMessages messages;
                const std::exception_ptr error = compute(at);
                ended_[at].messages = messages.take();
                if (error) std::rethrow_exception(error);
            },
            [&](std::int64_t i, const std::exception_ptr& error) {
                finish(static_cast<std::size_t>(i), error);
                const auto done = static_cast<double>(i + 1);
                progress_.part(0, 1).report(done / static_cast<double>(inputs_.size()),
                                            fmt::format("{} of {} inputs", i + 1, inputs_.size()));
            });
    }

    // Gives what the job threw.
    std::exception_ptr compute(std::size_t i) {
        Ended& ended = ended_[i] = {};
        OperationSettings job = jobs_.all[i];  // it may add files to its own
        job.take = [&](const operations::Values& outputs) {
            for (const auto& [name, table] : jobs_.tables)
                ended.tables[name] = outputs.get<operations::Table>(name);
        };
        ReportList reports;
        std::exception_ptr error;
        try {
            ended.done = run_(job) == exit_done;
        } catch (...) {
            error = std::current_exception();
        }
        ended.reports = reports.take();
        return error;
    }

    // In the order of the inputs.
    void finish(std::size_t i, const std::exception_ptr& error) {
        progress_.finish();
        Ended ended = std::move(ended_[i]);
        for (const auto& message : ended.messages) message();
        try {
            if (error) std::rethrow_exception(error);
            for (const auto& [name, table] : ended.tables)
                jobs_.tables[name].add(table, inputs_[i]);
            for (Json& report : ended.reports) results_.push_back(std::move(report));
            if (!ended.done) ++failed_;
        } catch (const Error& failure) {
            if (failure.code() == ErrorCode::cancelled) throw;
            complain(fmt::format("{}: {}", inputs_[i].string(), failure.what()));
            results_.push_back(
                {{"input", {{"path", inputs_[i].string()}}}, {"error", failure.what()}});
            ++failed_;
        }
    }

    void report(const std::vector<DeviceLoad>& loads) {
        if (!loads.empty()) say("{}", devices_text(loads, "input"));
        if (failed_ > 0) say("{} of {} inputs failed", failed_, inputs_.size());
        if (!settings_.messages.json) return;
        Json report = begin_report(operation_.name);
        report["results"] = std::move(results_);
        report["failed"] = failed_;
        if (!loads.empty()) report["shared"] = json_of(loads);
        print(json_text(std::move(report)));
    }

    const Operation& operation_;
    const OperationSettings& settings_;
    const std::vector<fs::path>& inputs_;
    const RunJob& run_;
    Jobs jobs_;
    std::vector<Ended> ended_;  // of each input
    ProgressReporter progress_;
    Json results_ = Json::array();
    std::size_t failed_ = 0;
};

}  // namespace

std::vector<fs::path> images_in(const fs::path& folder) {
    std::vector<fs::path> images;
    for (const auto& entry : fs::directory_iterator(folder))
        if ((entry.is_regular_file() || io::is_image_folder(entry.path())) &&
            !entry.path().filename().string().starts_with('.') &&
            io::has_known_suffix(entry.path()))
            images.push_back(entry.path());
    // Slices are no images of their own, as segmentations are.
    const bool has_slices = std::any_of(images.begin(), images.end(), [](const fs::path& path) {
        return io::is_dicom_name(path) && !io::is_dicom_segmentation(path);
    });
    if (has_slices) std::erase_if(images, io::is_dicom_name);
    std::sort(images.begin(), images.end());
    return images;
}

bool takes_several(const Operation& operation) {
    const auto files = file_inputs(operation);
    return files.size() == 1 && !files.front()->several && !operation.sequence &&
           !operation.device.on_host &&
           (is_image_job(operation) || files.front()->kind == kinds::slide);
}

std::vector<fs::path> inputs_in_turn(const OperationSettings& settings) {
    if (!settings.batch.each) return settings.inputs;
    std::vector<fs::path> inputs;
    for (const fs::path& input : settings.inputs) {
        std::error_code unreadable;
        if (!fs::is_directory(input, unreadable) || io::is_image_folder(input)) {
            inputs.push_back(input);
            continue;
        }
        const std::vector<fs::path> images = images_in(input);
        if (images.empty())
            throw UnreadableInput(
                fmt::format("--each: the folder '{}' holds no images", input.string()));
        inputs.insert(inputs.end(), images.begin(), images.end());
    }
    return inputs;
}

void fill_stems(const Operation& operation, OperationSettings& settings) {
    if (settings.inputs.size() == 1) {
        name_outputs(settings);
        return;
    }
    const auto refuse = [&](std::string_view flag, const fs::path& path) {
        if (!has_stem(path)) return;
        throw InvalidArgument(fmt::format(
            "--{}: {} in '{}' stands for the name of the one input, and '{}' has {}; write a name",
            flag, stem, path.string(), operation.name,
            settings.inputs.empty() ? "none" : std::to_string(settings.inputs.size())));
    };
    for (const OutputFile& file : settings.files.files) refuse(file.name, file.path);
    refuse(snapshots, settings.snapshots.snapshots);
}

int run_one(const Operation& operation, OperationSettings& settings, const RunJob& run) {
    fill_stems(operation, settings);
    OutputFile* streamed = streamed_file(settings);
    if (streamed) require_alone(operation, *streamed);
    if (!streamed || settings.job.dry_run) return run(settings);
    int code = exit_done;
    settings.streamed = streamed->name;
    stream(settings.input(), streamed_suffix(operation, *streamed, settings.input()),
           [&](const fs::path& path) {
               streamed->path = path;
               code = run(settings);
           });
    return code;
}

int run_batch(const Operation& operation, const OperationSettings& settings,
              const std::vector<fs::path>& inputs, const RunJob& run, const CancelToken& token) {
    return Batch(operation, settings, inputs, run, token).run();
}

}  // namespace tesela::cli
