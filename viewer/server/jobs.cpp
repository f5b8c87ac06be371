#include "viewer/server/jobs.h"

#include <algorithm>
#include <new>

#include "core/threads.h"
#include "operations/kinds/parts.h"
#include "tesela/error.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_waiting = 64;  // on one device
constexpr std::size_t most_kept = 64;     // that have ended and left nothing
constexpr std::chrono::milliseconds between_reports{50};

}  // namespace

int threads_of_jobs(int given, int of_machine) {
    const int most = std::max(of_machine - 1, 2);
    return std::min(given > 0 ? given : of_machine, most);
}

Jobs::~Jobs() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
        for (const auto& [id, job] : jobs_) job->token.cancel();
    }
    changed_.notify_all();
    for (const auto& [id, worker] : workers_) worker->thread.join();
}

Jobs::Worker& Jobs::worker_for(const Device& device) {
    if (const auto found = workers_.find(device.id()); found != workers_.end())
        return *found->second;
    auto worker = std::make_unique<Worker>(Worker{device});
    worker->thread = detail::start_thread([this, &own = *worker] { work(own); });
    return *workers_.emplace(device.id(), std::move(worker)).first->second;
}

int Jobs::submit(const Json& request) {
    const JobPointer job = job_of(request, settings_.registry, images_);
    if (writes_files(*job) && settings_.save_to.empty())
        throw Refused(507, "'" + job->slide()->name +
                               "' has no room in memory, so the result is written to a file: "
                               "start the viewer with --save-to FOLDER, or a larger --max-memory");
    if (job->goes_in_boxes() && job->is_automatic)
        throw Refused(409, "'" + job->slide()->name +
                               "' has no room in memory, so the job takes long: it begins when "
                               "you run it");
    const Device device = device_of(*job, settings_.device);
    const std::lock_guard lock(mutex_);
    if (!job->view.empty())
        for (const auto& [id, other] : jobs_)
            if (other->view == job->view) cancel(*other);
    Worker& worker = worker_for(device);
    if (worker.waiting.size() >= most_waiting)
        throw Refused(503, "too many jobs wait for " + device.id() + ": cancel some");
    drop_old();
    job->id = ++last_id_;
    jobs_[job->id] = job;
    worker.waiting.push_back(job);
    tell(*job);
    changed_.notify_all();
    return job->id;
}

Json Jobs::state(int id) const {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) throw Refused(404, "there is no job " + std::to_string(id));
    return json_of(*found->second);
}

void Jobs::cancel(int id) {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) throw Refused(404, "there is no job " + std::to_string(id));
    cancel(*found->second);
}

// One that runs is told so when it has stopped.
void Jobs::cancel(Job& job) {
    job.token.cancel();
    if (job.state != JobState::waiting) return;
    job.state = JobState::canceled;
    for (const auto& [id, worker] : workers_)
        std::erase_if(worker->waiting,
                      [&](const JobPointer& other) { return other.get() == &job; });
    tell(job);
}

std::shared_ptr<EventStream> Jobs::listen() {
    const std::lock_guard lock(mutex_);
    std::string first;
    for (const auto& [id, job] : jobs_)
        if (!job->has_ended() || has_results(*job)) first += Events::text("job", json_of(*job));
    return events_.open(first);
}

void Jobs::tell(const Job& job) { events_.publish("job", json_of(job)); }

bool Jobs::has_results(const Job& job) const {
    return std::any_of(job.outcome.outputs.begin(), job.outcome.outputs.end(),
                       [&](const auto& output) { return images_.has(output.second); });
}

void Jobs::drop_old() {
    std::size_t left = 0;
    for (auto it = jobs_.end(); it != jobs_.begin();) {
        --it;
        if (!it->second->has_ended() || has_results(*it->second) || ++left <= most_kept) continue;
        it = jobs_.erase(it);
    }
}

void Jobs::work(Worker& worker) {
    for (;;) {
        JobPointer job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return is_ending_ || !worker.waiting.empty(); });
            if (is_ending_) return;
            job = worker.waiting.front();
            worker.waiting.pop_front();
            job->state = JobState::running;
            tell(*job);
        }
        run(worker, *job);
    }
}

// Whatever goes wrong is told of this job, and the next one runs.
void Jobs::run(Worker& worker, Job& job) {
    const Clock::time_point begin = Clock::now();
    JobState end = JobState::failed;
    JobOutcome outcome;
    std::string error, field;
    try {
        outcome = compute(worker, job);
        error = outcome.failure;
        if (error.empty()) end = JobState::done;
    } catch (const Cancelled&) {
        end = JobState::canceled;
    } catch (const operations::InvalidInput& wrong) {
        error = wrong.what();
        field = wrong.input();
    } catch (const Error& failure) {
        error = failure.what();
        field = option_in(*job.operation, error);
        // A queue of a device that failed may be of no more use.
        if (failure.code() == ErrorCode::device_unavailable) worker.queue.reset();
    } catch (const std::bad_alloc&) {
        error = "this machine has not enough memory for the job";
    } catch (const std::exception& failure) {
        error = failure.what();
        worker.queue.reset();
    }
    const std::lock_guard lock(mutex_);
    job.outcome = std::move(outcome);
    job.values = {};
    job.inputs.clear();
    job.state = end;
    job.error = std::move(error);
    job.field = std::move(field);
    job.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    job.fraction = end == JobState::done ? 1 : job.fraction;
    tell(job);
}

JobOutcome Jobs::compute(Worker& worker, Job& job) {
    if (!worker.queue) worker.queue.emplace(worker.device, settings_.queue);
    Queue& queue = *worker.queue;
    const Progress progress(
        [&](double fraction, std::string_view stage) { report(job, fraction, stage); }, &job.token);
    operations::Call call{.inputs = job.values,
                          .options = job.options,
                          .wanted = job.wanted,
                          .threads = settings_.queue.threads};
    for (const JobInput& input : job.inputs)
        for (const ImagePointer& image : input.images)
            call.names[input.name].push_back(image->name);
    std::vector<MadeFile> files;
    if (job.goes_in_boxes()) files = files_of_boxes(job, settings_.save_to, call.parts);
    if (settings_.queue.max_memory > 0)
        call.parts.set(operations::part_room, operations::PartRoom{settings_.queue.max_memory});
    if (job.form().device.queues != operations::Queues::none) call.queues = {&queue};
    try {
        operations::Results results = operations::run(job.form(), call, queue, progress);
        progress.throw_if_cancelled();
        return take_results(job, std::move(results), files, device_to_name(job, worker.device),
                            images_);
    } catch (...) {
        std::error_code missing;
        for (const MadeFile& file : files) {
            std::filesystem::remove(file.path, missing);
            for (const auto& side : file.side_files) std::filesystem::remove(side, missing);
        }
        throw;
    }
}

void Jobs::report(Job& job, double fraction, std::string_view stage) {
    const std::lock_guard lock(mutex_);
    job.fraction = fraction;
    job.stage = stage;
    const bool is_shown_alone = !job.view.empty() && !job.goes_in_boxes();  // no file is left
    if (is_shown_alone && events_.unheard() > settings_.gone) job.token.cancel();
    const Clock::time_point now = Clock::now();
    if (now - job.told < between_reports) return;
    job.told = now;
    tell(job);
}

}  // namespace tesela::viewer
