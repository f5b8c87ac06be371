#include "experiments/slides/register_laboratory.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/threads.h"
#include "tesela/picture_source.h"

namespace tesela::experiments {

std::vector<TestSection> made_sections(const SyntheticSectionsOptions& options) {
    std::vector<TestSection> sections(static_cast<std::size_t>(options.count));
    detail::for_each_index(options.count, 0, [&](std::int64_t i) {
        TestSection& section = sections[static_cast<std::size_t>(i)];
        section.made = synthetic_stack_section(options, static_cast<int>(i));
        section.source = picture_source(AnyImageView(section.made.picture));
    });
    return sections;
}

KnownPlaces known_places(const TestSection& fixed, const TestSection& moving) {
    const Shape& shape = fixed.made.remaining.shape();
    const std::int64_t step = std::max<std::int64_t>(1, std::min(shape.x, shape.y) / 64);
    KnownPlaces places;
    for (std::int64_t y = 0; y < shape.y; y += step)
        for (std::int64_t x = 0; x < shape.x; x += step) {
            if (!fixed.made.remaining(x, y) || !moving.made.remaining(x, y)) continue;
            const SpacePoint at{static_cast<double>(x), static_cast<double>(y), 0};
            places.fixed.push_back(fixed.made.moved(at));
            places.moving.push_back(moving.made.moved(at));
        }
    return places;
}

double median_error(const Transform& transform, const KnownPlaces& places) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < places.fixed.size(); ++i) {
        const SpacePoint found = transform(places.fixed[i]), &truth = places.moving[i];
        errors.push_back(std::hypot(found[0] - truth[0], found[1] - truth[1]));
    }
    return median(std::move(errors));
}

bool Workers::is_cpu() const {
    return queues.size() == 1 && queues[0]->device().back_end() == BackEnd::cpu;
}
bool Workers::is_gpu() const { return queues[0]->device().properties().is_gpu; }

RegisterLaboratory::RegisterLaboratory(const LaboratoryOptions& options,
                                       const RegisterBenchOptions& more, const CancelToken& token)
    : SlideLaboratory(options, token, more.scale), more_(more) {
    validate_options(more_);
}

std::vector<Workers> RegisterLaboratory::workers() {
    std::vector<Workers> workers;
    Workers others;
    for (std::size_t i = 0; i < device_count(); ++i) {
        workers.push_back({device(i).id(), {&queue(i)}});
        if (workers.back().is_cpu()) continue;
        others.name += (others.name.empty() ? "" : "+") + device(i).id();
        others.queues.push_back(&queue(i));
    }
    if (others.queues.size() > 1) workers.push_back(std::move(others));
    return workers;
}

Workers RegisterLaboratory::two_workers() {
    const std::vector<Workers> all = workers();
    if (all.back().queues.size() > 1) return all.back();
    if (!second_)
        second_ =
            std::make_unique<Queue>(device(main_device()), QueueOptions{.threads = threads()});
    return {"two queues of " + all.back().name, {&queue(main_device()), second_.get()}};
}

const std::vector<TestSection>& RegisterLaboratory::sections(std::size_t organ) {
    std::vector<TestSection>& made = sections_[organ];
    if (!made.empty()) return made;
    const PrintedOrgan& printed = printed_organs[organ];
    const auto side = [&](std::int64_t pixels) {
        return static_cast<std::int64_t>(std::lround(scale() * static_cast<double>(pixels)));
    };
    // Windows of the smallest setting reach half of their side.
    made = made_sections({.width = side(printed.width),
                          .height = side(printed.height),
                          .count = section_count(),
                          .stains = SectionStains::he,
                          .mirror = SectionMirror::no,
                          .scale = 0,
                          .shift = 0.05,
                          .deformation = 0.004,
                          .landmarks = 0,
                          .seed = 3 + organ});
    say("{} sections of {} x {} pixels stand in for {}", made.size(), side(printed.width),
        side(printed.height), printed.name);
    return made;
}

std::vector<PrintedSetting> RegisterLaboratory::settings() const {
    if (quick()) return {printed_settings[0], printed_settings[3]};
    return {printed_settings.begin(), printed_settings.end()};
}

RegisterLaboratory::Measured RegisterLaboratory::measured(const TestSection& fixed,
                                                          const TestSection& moving,
                                                          const ThesisRegisterOptions& options,
                                                          const Workers& workers) {
    Measured result;
    const auto call = [&] {
        const auto started = std::chrono::steady_clock::now();
        result.found = register_thesis(*fixed.source, *moving.source, options, workers.queues,
                                       threads(), progress());
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    };
    if (workers.is_gpu()) call();  // plans of transforms
    std::vector<double> taken;
    for (int i = 0; i < repetitions(); ++i) taken.push_back(call());
    result.seconds = median(std::move(taken));
    return result;
}

}  // namespace tesela::experiments
