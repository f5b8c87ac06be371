#include "experiments/laboratory.h"

#include <algorithm>

#include "outputs.h"
#include "tesela/compute/device_list.h"
#include "tesela/io.h"

namespace tesela::experiments {
namespace {

namespace fs = std::filesystem;

std::vector<Device> devices_of(const std::string& text) {
    std::vector<Device> devices;
    if (text == "auto") {
        devices.push_back(Device::parse("cpu"));
        const Device best = Device::best();
        if (!(best == devices.front())) devices.push_back(best);
        return devices;
    }
    for (const Device::Choice& choice : choose_devices(text)) devices.push_back(choice.device);
    return devices;
}

}  // namespace

Laboratory::Laboratory(const LaboratoryOptions& options, const CancelToken& token)
    : options_(options), token_(token), devices_(devices_of(options.device)) {
    if (options.out.empty())
        throw InvalidArgument("--out is missing: name the folder for tables and charts");
    cli::make_result_folder({"out", options.out}, options.force, options.inputs);
    for (const Device& device : devices_) {
        queues_.push_back(
            std::make_unique<Queue>(device, QueueOptions{.threads = options.threads}));
        say("device {}: {}", device.id(), device.properties().name);
    }
}

void Laboratory::write(const std::string& name, const Table& table) { write(name, table.csv()); }

void Laboratory::write(const std::string& name, const std::string& text) {
    written_.push_back(path_of(name));
    write_text_file(written_.back(), text);
}

void Laboratory::write(const std::string& name, const AnyImage& image) {
    written_.push_back(path_of(name));
    io::write_image(image, written_.back());
}

Table Laboratory::findings_table() const {
    Table table({"row", "claim", "thesis", "here", "holds"});
    for (const Finding& finding : findings_)
        table.add({finding.row, finding.claim, finding.thesis, finding.here,
                   finding.holds ? *finding.holds ? "yes" : "no" : "-"});
    return table;
}

Json Laboratory::report(const std::string& verb, const Json& parameters) const {
    Json report = cli::begin_report(verb);
    report["parameters"] = parameters;
    report["devices"] = Json::array();
    for (const Device& device : devices_)
        report["devices"].push_back({{"id", device.id()}, {"name", device.properties().name}});
    report["findings"] = Json::array();
    for (const Finding& finding : findings_)
        report["findings"].push_back({{"row", finding.row},
                                      {"claim", finding.claim},
                                      {"thesis", finding.thesis},
                                      {"here", finding.here},
                                      {"holds", finding.holds ? Json(*finding.holds) : Json()}});
    report["outputs"] = Json::array();
    for (const auto& path : written_) report["outputs"].push_back(path.string());
    return report;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace tesela::experiments
