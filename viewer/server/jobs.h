// The jobs of a viewer: for each device a queue with a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tesela/compute/queue.h"
#include "viewer/server/events.h"
#include "viewer/server/images.h"
#include "viewer/server/job.h"

namespace tesela::viewer {

struct JobSettings {
    const operations::Registry& registry;
    std::string device = "auto";  // of jobs that name none
    QueueOptions queue = {};
    std::filesystem::path save_to = {};  // of what is made of large slides; empty: nothing is
    // Without anybody who listens, after which jobs of a view stop: its page is gone. Those that
    // write files go on.
    std::chrono::milliseconds gone{10'000};
};

// Of the CPU, for jobs, where the user allows `given`, 0: all: one of the machine's is left to
// slices and volumes, which are shown while jobs run. Two threads are not parted, since a job on
// one takes twice as long.
int threads_of_jobs(int given, int of_machine);

class Jobs {
  public:
    Jobs(const JobSettings& settings, Images& images, Events& events)
        : settings_(settings), images_(images), events_(events) {}
    // Cancels all and waits for them.
    ~Jobs();
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;

    // Begins a job, as soon as its device is free, and cancels those of the same view that have not
    // ended. Gives its number. Throws Refused, with 409 for an automatic one that goes in boxes.
    int submit(const Json& request);
    // Throws Refused (404) for a number that stands for no job, or one that ended long ago.
    Json state(int id) const;
    // One that has ended stays as it is.
    void cancel(int id);
    // The events from now on, behind one for each job that goes on or whose results are there.
    std::shared_ptr<EventStream> listen();

  private:
    using JobPointer = std::shared_ptr<Job>;

    // What computes on one device, in the order in which it was asked to.
    struct Worker {
        Device device;
        std::deque<JobPointer> waiting = {};
        std::optional<Queue> queue = {};  // the thread's own
        std::thread thread = {};
    };

    Worker& worker_for(const Device& device);
    void cancel(Job& job);
    void tell(const Job& job);
    void drop_old();
    bool has_results(const Job& job) const;

    void work(Worker& worker);
    void run(Worker& worker, Job& job);
    JobOutcome compute(Worker& worker, Job& job);
    void report(Job& job, double fraction, std::string_view stage);

    const JobSettings settings_;
    Images& images_;
    Events& events_;

    mutable std::mutex mutex_;  // guards what follows, and all jobs but for their values
    std::condition_variable changed_;
    std::map<int, JobPointer> jobs_;
    std::map<std::string, std::unique_ptr<Worker>> workers_;  // by the ids of their devices
    int last_id_ = 0;
    bool is_ending_ = false;
};

}  // namespace tesela::viewer
