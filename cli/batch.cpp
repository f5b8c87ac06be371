#include "batch.h"

#include "file_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "core/temporary_folder.h"
#include "io/format.h"
#include "kinds.h"
#include "messages.h"
#include "outputs.h"
#include "report.h"

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
    fs::path& snapshots = settings.snapshots.snapshots;
    snapshots = named_for(snapshots, settings.input());
}

std::vector<fs::path> images_in(const fs::path& folder) {
    std::vector<fs::path> images;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') &&
            io::has_known_suffix(entry.path()))
            images.push_back(entry.path());
    if (images.empty())
        throw UnreadableInput(
            fmt::format("--each: the folder '{}' holds no images", folder.string()));
    std::sort(images.begin(), images.end());
    return images;
}

bool is_table(const Operation& operation, const OutputFile& file) {
    for (const operations::Output& output : operation.outputs)
        if (output.name == file.name) return output.kind == kinds::table;
    return false;
}

// Tables that go into one file, with a column that names the input.
struct JoinedTable {
    std::string name;
    std::vector<operations::Table> parts = {};
    std::vector<std::string> inputs = {};  // of each part
    std::vector<std::int64_t> first = {};  // row of each part

    void add(const operations::Values& outputs, const fs::path& input) {
        const auto& table = outputs.get<operations::Table>(name);
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
    for (const OperationSettings& job : jobs)
        for (const OutputFile& file : job.files.files) {
            if (file.path.empty()) continue;
            const auto [owner, is_new] = owners.emplace(file.path.lexically_normal(), &job);
            if (!is_new && owner->second != &job)
                throw InvalidArgument(fmt::format(
                    "--{}: '{}' and '{}' would both be written to '{}'; rename one, or run them "
                    "apart",
                    file.name, owner->second->input().string(), job.input().string(),
                    file.path.string()));
        }
}

// Throws InvalidArgument and UnwritableOutput for what can be known of all outputs before the work.
Jobs jobs_of(const Operation& operation, const OperationSettings& settings,
             const std::vector<fs::path>& inputs) {
    Jobs jobs{{}, {}, OutputSet(settings.job.force)};
    OperationSettings shared = settings;
    streamed_file(shared);  // refuses two
    shared.inputs = inputs;
    find_seed_file(operation, shared);
    for (OutputFile& file : shared.files.files) {
        if (file.path.empty() || !is_table(operation, file) || has_stem(file.path)) {
            require_stem(file.name, file.path, inputs.size());
            continue;
        }
        jobs.tables[file.name] = {file.name};
        shared.taken.insert(file.name);
        if (file.path != "-") jobs.outputs.add(file.name, file.path);
        file.path.clear();
    }
    require_stem("snapshots", shared.snapshots.snapshots, inputs.size());
    for (const fs::path& input : inputs) {
        OperationSettings& job = jobs.all.emplace_back(shared);
        job.inputs = {input};
        name_outputs(job);
    }
    refuse_clashes(jobs.all);
    OutputSet all(settings.job.force);
    for (const OperationSettings& job : jobs.all)
        for (const OutputFile& file : job.files.files) all.add(file.name, file.path);
    std::vector<fs::path> read = shared.inputs;
    read.insert(read.end(), settings.named_inputs.begin(), settings.named_inputs.end());
    all.check(read);
    jobs.outputs.check(read);
    return jobs;
}

// What `write` puts into a file of that suffix goes to standard output.
template <class Write>
void stream(const fs::path& beside, const std::string& suffix, const Write& write) {
    const detail::TemporaryFolder folder(beside);
    const fs::path path = folder.path() / ("output" + suffix);
    write(path);
    std::ifstream in(path, std::ios::binary);
    print(std::string(std::istreambuf_iterator<char>(in), {}));
}

void write_tables(Jobs& jobs, const fs::path& input) {
    for (const auto& [name, table] : jobs.tables) {
        operations::Values values;
        values.set(name, table.whole());
        const auto write = [&, &of = name](const fs::path& path) {
            files_of(kinds::table).write(values, of, path);
        };
        if (jobs.outputs.has(name))
            jobs.outputs.stage(name, write);
        else
            stream(input, ".csv", write);
    }
    for (const WrittenFile& file : jobs.outputs.commit())
        say("wrote {} ({})", file.path.string(), readable_bytes(file.bytes));
}

// Of the file that stands for standard output: pictures are PNGs.
std::string streamed_suffix(const Operation& operation, const OutputFile& file,
                            const fs::path& input) {
    if (is_table(operation, file)) return ".csv";
    for (const char* volume : {".nii", ".nii.gz", ".nrrd", ".nhdr", ".mha", ".mhd"})
        if (input.string().ends_with(volume)) return ".nii";
    std::error_code unreadable;
    return fs::is_directory(input, unreadable) ? ".nii" : ".png";
}

}  // namespace

bool takes_several(const Operation& operation) {
    return file_inputs(operation).size() == 1 && !operation.sequence && !is_file_job(operation);
}

std::vector<fs::path> inputs_in_turn(const OperationSettings& settings) {
    if (!settings.batch.each) return settings.inputs;
    std::vector<fs::path> inputs;
    for (const fs::path& input : settings.inputs) {
        std::error_code unreadable;
        if (!fs::is_directory(input, unreadable)) {
            inputs.push_back(input);
            continue;
        }
        const std::vector<fs::path> images = images_in(input);
        inputs.insert(inputs.end(), images.begin(), images.end());
    }
    return inputs;
}

int run_one(const Operation& operation, OperationSettings& settings, const RunJob& run) {
    name_outputs(settings);
    OutputFile* streamed = streamed_file(settings);
    if (!streamed || settings.job.dry_run) return run(settings);
    int code = exit_done;
    stream(settings.input(), streamed_suffix(operation, *streamed, settings.input()),
           [&](const fs::path& path) {
               streamed->path = path;
               code = run(settings);
           });
    return code;
}

int run_batch(const Operation& operation, const OperationSettings& settings,
              const std::vector<fs::path>& inputs, const RunJob& run) {
    Jobs jobs = jobs_of(operation, settings, inputs);
    std::size_t failed = 0;
    ReportList reports;
    for (OperationSettings& job : jobs.all) {
        job.take = [&](const operations::Values& outputs) {
            for (auto& [name, table] : jobs.tables) table.add(outputs, job.input());
        };
        const fs::path input = job.input();  // jobs may add files to theirs
        try {
            if (run(job) != exit_done) ++failed;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::cancelled) throw;
            complain(fmt::format("{}: {}", input.string(), error.what()));
            reports.add({{"input", {{"path", input.string()}}}, {"error", error.what()}});
            ++failed;
        }
    }
    if (!settings.job.dry_run && failed < inputs.size()) write_tables(jobs, inputs.front());
    if (settings.messages.json) {
        Json report = begin_report(operation.name);
        report["results"] = reports.take();
        report["failed"] = failed;
        print(json_text(std::move(report)));
    }
    if (failed > 0) say("{} of {} inputs failed", failed, inputs.size());
    return failed > 0 ? exit_some_failed : exit_done;
}

}  // namespace tesela::cli
