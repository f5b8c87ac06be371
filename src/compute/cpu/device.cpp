#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "compute/back_ends.h"
#include "compute/cpu/level.h"
#include "compute/cpu/queue.h"
#include "core/threads.h"

namespace tesela::detail {
namespace {

// The text behind "key ... :" in a file of such lines; empty where there is none.
std::string field(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const std::size_t text = line.find_first_not_of(" \t", line.find(':') + 1);
        return text == std::string::npos ? "" : line.substr(text);
    }
    return "";
}

std::int64_t number_in(const char* path, std::int64_t otherwise) {
    std::ifstream file(path);
    std::int64_t value = 0;
    return file >> value ? value : otherwise;
}

std::int64_t physical_memory() {
    return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

int clock_mhz() {
    const std::int64_t khz = number_in("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0);
    if (khz > 0) return static_cast<int>(khz / 1000);
    return std::atoi(field("/proc/cpuinfo", "cpu MHz").c_str());
}

class CpuDevice final : public BackendDevice {
  public:
    explicit CpuDevice(const CpuLevel& level) : level_(level.index) {
        properties_.name = field("/proc/cpuinfo", "model name");
        if (properties_.name.empty()) properties_.name = "CPU";
        properties_.driver = "native, level " + level.name;
        properties_.compute_units = hardware_threads();
        properties_.clock_mhz = clock_mhz();
        // Limits of the dialect: the processor itself has none.
        properties_.max_group_items = {256, 256, 256};
        properties_.max_group_size = 256;
        properties_.local_memory = 32 << 10;
        properties_.global_memory = physical_memory();
        properties_.constant_memory = properties_.global_memory;
        properties_.has_f64 = true;
    }

    BackEnd back_end() const override { return BackEnd::cpu; }
    int index() const override { return 0; }
    const DeviceProperties& properties() const override { return properties_; }
    std::int64_t free_memory() const override { return available_host_memory(); }
    std::unique_ptr<BackendQueue> make_queue(const QueueOptions& options) const override {
        return std::make_unique<CpuQueue>(level_, options);
    }

  private:
    int level_;
    DeviceProperties properties_;
};

}  // namespace

std::int64_t available_host_memory() {
    const std::string text = field("/proc/meminfo", "MemAvailable");
    std::int64_t bytes = text.empty() ? physical_memory() : std::atoll(text.c_str()) * 1024;
    const std::int64_t limit = number_in("/sys/fs/cgroup/memory.max", -1);  // "max" reads as none
    if (limit > 0) bytes = std::min(bytes, limit - number_in("/sys/fs/cgroup/memory.current", 0));
    rlimit addresses{};  // of `ulimit -v`
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
        const std::int64_t used = number_in("/proc/self/statm", 0) * sysconf(_SC_PAGESIZE);
        bytes = std::min(bytes, static_cast<std::int64_t>(addresses.rlim_cur) - used);
    }
    return std::max<std::int64_t>(bytes, 0);
}

Discovery discover_cpu() {
    Discovery found;
    const CpuLevel level = choose_cpu_level();
    if (level.index >= 0)
        found.devices.push_back(std::make_shared<CpuDevice>(level));
    else
        found.rejected.push_back({BackEnd::cpu, "native CPU", level.why});
    return found;
}

}  // namespace tesela::detail
