// A job: an operation on images of the viewer, from the request to its results.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operations/operation.h"
#include "operations/registry.h"
#include "viewer/server/images.h"

namespace tesela::viewer {

// What an input was given: images of the viewer, or a text.
struct JobInput {
    std::string name;
    std::vector<ImagePointer> images = {};
    std::string text = {};
};

enum class JobState { waiting, running, done, failed, canceled };

// What a job has made.
struct JobOutcome {
    std::map<std::string, int> outputs = {};  // numbers of images
    Json tables = Json::object();
    std::string summary = {}, text = {}, failure = {};
    Json figures = Json::object();
    std::vector<std::string> warnings = {}, commands = {}, python = {};
};

struct Job {
    int id = 0;
    const operations::Operation* operation = nullptr;
    std::string view = {};
    bool is_automatic = false;  // a change began it, not the user
    std::string device = {};    // as asked for
    operations::Options options = {};
    std::set<std::string, std::less<>> wanted = {};
    std::vector<JobInput> inputs = {};
    operations::Values values = {};  // of the inputs

    CancelToken token = {};
    JobState state = JobState::waiting;
    std::string stage = {};
    double fraction = 0;
    std::chrono::steady_clock::time_point told = {};  // when progress was
    // Of a job that has ended.
    JobOutcome outcome = {};
    std::string error = {}, field = {};
    double seconds = 0;

    // The first slide that has no room in memory; null: all have.
    const Image* slide() const {
        for (const JobInput& input : inputs)
            for (const ImagePointer& image : input.images)
                if (image->slide) return image.get();
        return nullptr;
    }
    // Whether it goes over slides in boxes, for which the operation has another form.
    bool goes_in_boxes() const { return slide() != nullptr; }
    const operations::Operation& form() const {
        return goes_in_boxes() ? *operation->slides.in_tiles : *operation;
    }
    bool has_ended() const { return state > JobState::running; }
};

// Whether a job can give the operation all that it needs.
bool is_offered(const operations::Operation& operation);

// From the body of a request. Throws Refused that names the field.
std::unique_ptr<Job> job_of(const Json& request, const operations::Registry& registry,
                            Images& images);
// The same without values of the inputs, which are not looked at.
std::unique_ptr<Job> parsed_job(const Json& request, const operations::Registry& registry,
                                Images& images);

// That it asks for, or the usual one. Throws Refused.
Device device_of(const Job& job, const std::string& usual);

// How a command line has to name the device of a job; empty: it need not.
std::string device_to_name(const Job& job, const Device& device);
// `device`: as above.
RecipeCall recipe_of(const Job& job, const std::string& device);

// As events tell it.
Json json_of(const Job& job);

// What a job that goes in boxes writes.
struct MadeFile {
    std::string output;
    std::filesystem::path path;
    std::vector<std::filesystem::path> side_files = {};
};
// Whether it writes any.
bool writes_files(const Job& job);
// Names of files in the folder that are not there, and that no other job takes, since its number is
// in them; and what opens them, which goes to `parts`.
std::vector<MadeFile> files_of_boxes(const Job& job, const std::filesystem::path& folder,
                                     operations::Values& parts);

// Keeps the images among the results, and says of the others what can be said. `device`: as for
// recipe_of. Throws OutOfMemory, and keeps nothing then.
JobOutcome take_results(const Job& job, operations::Results results,
                        const std::vector<MadeFile>& files, const std::string& device,
                        Images& images);

// The option that a sentence begins with, as in "--sigma is -1; it must be ...", or empty.
std::string option_in(const operations::Operation& operation, std::string_view sentence);

}  // namespace tesela::viewer
