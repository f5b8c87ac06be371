#include "experiments/slides/circle_laboratory.h"

#include <chrono>

namespace tesela::experiments {

std::vector<PrintedScene> CircleLaboratory::scenes() const {
    if (quick()) return {printed_scenes[0], printed_scenes[3]};
    return {printed_scenes.begin(), printed_scenes.end()};
}

double CircleLaboratory::milliseconds(std::size_t device, const SyntheticCircles& scene,
                                      const ThesisCircleOptions& options, int threads) {
    const auto call = [&] {
        (void)circles_thesis(scene.image, options, queue(device), threads, progress());
    };
    call();
    std::vector<double> taken;
    for (int i = 0; i < repetitions(); ++i) {
        const auto started = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - started;
        taken.push_back(time.count());
    }
    return median(std::move(taken));
}

SyntheticCircles drawn(const PrintedScene& scene) {
    return synthetic_circles(*circles_scene(scene.name));
}

}  // namespace tesela::experiments
