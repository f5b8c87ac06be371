#include "shared_work.h"

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "common_options.h"
#include "core/stages.h"
#include "messages.h"

namespace tesela::cli {
namespace {

using Work = std::function<void(std::int64_t, const Device&)>;
using Done = std::function<void(std::int64_t, std::exception_ptr)>;

std::vector<std::string> ids_of(const std::vector<Device>& devices) {
    std::vector<std::string> ids;
    for (const Device& device : devices)
        ids.insert(ids.end(), static_cast<std::size_t>(queues_on(device)), device.id());
    return ids;
}

class SharedWork {
  public:
    SharedWork(const std::vector<Device>& devices, const Work& work)
        : devices_(devices), work_(work), loads_(detail::device_loads(ids_of(devices))) {}

    std::vector<DeviceLoad> run(std::int64_t count, const Done& done) {
        for (std::int64_t piece = 0; piece < count; ++piece) open_.push(piece);
        {
            detail::StageThreads threads([this] { open_.abandon(); });
            for (const Device& device : devices_)
                for (int i = 0; i < queues_on(device); ++i)
                    threads.start([this, &device] { serve(device); });
            std::map<std::int64_t, std::exception_ptr> early;
            for (std::int64_t piece = 0; piece < count; ++piece) {
                while (!early.contains(piece)) early.insert(*ended_.pop());
                done(piece, early.extract(piece).mapped());
            }
        }
        return std::move(loads_);
    }

  private:
    void serve(const Device& device) {
        DeviceLoad& load = detail::load_of(loads_, device.id());
        detail::Shift shift(load, mutex_);
        while (const std::optional<std::int64_t> piece = shift.take(open_)) {
            if (has_failed(device)) return open_.push(*piece);
            try {
                detail::naming(device.id(), devices_.size() > 1, [&] { work_(*piece, device); });
                const std::lock_guard lock(mutex_);
                ++load.done;
            } catch (const DeviceUnavailable& error) {
                if (retires(device)) {
                    warn(std::string(error.what()) +
                         "; it gets no more work, the other devices take over");
                    return open_.push(*piece);
                }
                ended_.push({*piece, std::current_exception()});
                continue;
            } catch (...) {
                ended_.push({*piece, std::current_exception()});
                continue;
            }
            ended_.push({*piece, nullptr});
        }
    }

    bool has_failed(const Device& device) {
        const std::lock_guard lock(mutex_);
        return failed_.contains(device.id());
    }
    // The last one does not.
    bool retires(const Device& device) {
        const std::lock_guard lock(mutex_);
        if (failed_.contains(device.id())) return true;
        if (failed_.size() + 1 == devices_.size()) return false;
        failed_.insert(device.id());
        return true;
    }

    const std::vector<Device>& devices_;
    const Work& work_;
    detail::Channel<std::int64_t> open_;
    detail::Channel<std::pair<std::int64_t, std::exception_ptr>> ended_;
    std::mutex mutex_;  // guards what follows
    std::vector<DeviceLoad> loads_;
    std::set<std::string> failed_;
};

}  // namespace

int sharing_threads(const std::vector<Device>& devices) {
    return static_cast<int>(ids_of(devices).size());
}

std::vector<DeviceLoad> share_work(const std::vector<Device>& devices, std::int64_t count,
                                   const Work& work, const Done& done) {
    return SharedWork(devices, work).run(count, done);
}

}  // namespace tesela::cli
