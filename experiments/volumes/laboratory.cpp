#include "experiments/volumes/laboratory.h"

namespace tesela::experiments {
namespace {

const LaboratoryOptions& with_brainweb(const LaboratoryOptions& options,
                                       const std::filesystem::path& folder) {
    if (!folder.empty()) require_brainweb(folder);
    return options;
}

}  // namespace

VolumeLaboratory::VolumeLaboratory(const LaboratoryOptions& options, const VolumeBenchOptions& more,
                                   const CancelToken& token)
    : Laboratory(with_brainweb(options, more.brainweb), token), brainweb_(more.brainweb) {}

std::vector<std::int64_t> VolumeLaboratory::lengths(int count) const {
    std::vector<std::int64_t> list;
    for (int i = 0; i < (quick() ? 2 : count); ++i) list.push_back(std::int64_t{1024} << (2 * i));
    return list;
}

}  // namespace tesela::experiments
