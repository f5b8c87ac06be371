// Devices: what this machine has, what was rejected and why, and how one is chosen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tesela {

namespace detail {
class BackendDevice;
}

enum class BackEnd { cpu, cuda, opencl };
std::string_view back_end_name(BackEnd back_end);  // as in Device::id

// Properties of a device, as reported by `tesela devices`.
struct DeviceProperties {
    std::string name;
    std::string driver;  // version of the driver or platform; for the CPU its instruction-set level
    int compute_units = 0;
    int clock_mhz = 0;
    std::array<std::int64_t, 3> max_group_items{};  // longest axis of a group, x, y, z
    std::int64_t max_group_size = 0;                // items of a group
    std::int64_t global_memory = 0;                 // bytes
    std::int64_t constant_memory = 0;               // bytes
    std::int64_t local_memory = 0;                  // bytes for a group
    bool has_f64 = false;
    bool is_gpu = false;
    bool has_graphs = false;  // Queue::sequence launches as a whole: short launches cost little
};

// A cheap handle; devices live as long as the program.
class Device {
  public:
    struct Rejected {
        BackEnd back_end;
        std::string what;  // the loader, platform or device
        std::string why;   // and what to do about it
    };
    struct Choice;

    // Every usable device, in the order of BackEnd, the fastest of each first: GPUs before others,
    // then by compute units times clock.
    static std::vector<Device> all();
    // What was looked for and not usable.
    static std::vector<Rejected> rejected();
    // The first GPU of these, or else the CPU; never a CPU through OpenCL.
    static Device best();
    // "auto", "cpu", or a back end's name with or without a number, such as "cuda" or "opencl:0".
    // Throws InvalidArgument for other text and DeviceUnavailable, with the reason, for a device
    // that is not there.
    static Device parse(std::string_view text);
    // As parse, with a sentence that says what was taken and why.
    static Choice choose(std::string_view text);

    BackEnd back_end() const;
    int index() const;       // among the devices of its back end
    std::string id() const;  // "cpu", "cuda:0", "opencl:0"
    const DeviceProperties& properties() const;
    // Bytes that can be allocated now; -1 where the driver does not tell.
    std::int64_t free_memory() const;

    bool operator==(const Device& other) const { return device_ == other.device_; }

    explicit Device(std::shared_ptr<const detail::BackendDevice> device)
        : device_(std::move(device)) {}
    const detail::BackendDevice& backend() const { return *device_; }

  private:
    std::shared_ptr<const detail::BackendDevice> device_;
};

// Whether algorithms take the form made for groups of items, a GPU's, and not the one made for
// vectors. With TESELA_PREFERS_GROUPS in the environment all devices of OpenCL do: so tests run a
// GPU's forms on a CPU.
bool prefers_groups(const Device& device);

struct Device::Choice {
    Device device;
    std::string reason;
};

}  // namespace tesela
