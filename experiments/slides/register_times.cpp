// The thesis's experiment on windows, times and devices: E11.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "experiments/slides/register_laboratory.h"
#include "kernels/transforms/match.kernel.h"
#include "tesela/compute/fft.h"

namespace tesela::experiments {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::string name_of(const PrintedSetting& setting) {
    return fmt::format("{} {}", printed_organs[setting.organ].name, setting.size);
}
ThesisRegisterOptions options_of(const PrintedSetting& setting) {
    return {.window = setting.window, .search = setting.search};
}

// ---- Tables 5.1 and 5.2 ------------------------------------------------------------------------

// Seconds of both forward transforms, of the product and of the inverse one, of a batch.
std::array<double, 3> phases_of(Queue& queue, std::int64_t padded, std::int64_t batch,
                                int repetitions) {
    const FftShape shape{{padded, padded, 1}, batch};
    auto planes = queue.allocate_filled<float>(shape.values(), 1.0f, "windows");
    auto first = queue.allocate<float>(2 * shape.half_values(), "spectra of windows");
    auto second = queue.allocate<float>(2 * shape.half_values(), "spectra");
    const auto seconds = [&](const auto& work) {
        work();  // tables and plans
        queue.finish();
        std::vector<double> taken;
        for (int i = 0; i < repetitions; ++i) {
            const auto started = std::chrono::steady_clock::now();
            work();
            queue.finish();
            taken.push_back(
                std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
        }
        return median(std::move(taken));
    };
    return {seconds([&] {
                fft_forward(queue, shape, planes, first);
                fft_forward(queue, shape, planes, second);
            }),
            seconds([&] {
                queue.launch(kernels::match_products, Range{shape.half_values()}, first, second);
            }),
            seconds([&] { fft_inverse(queue, shape, second, planes); })};
}

void tell_phases(RegisterLaboratory& laboratory) {
    std::vector<std::string> header{"phase", "thesis_cpu", "thesis_gpu"};
    std::vector<std::array<double, 3>> shares;
    for (std::size_t device = 0; device < laboratory.device_count(); ++device) {
        header.push_back(laboratory.device(device).id());
        std::array<double, 3> mean{};
        for (const PrintedSetting& setting : laboratory.settings()) {
            const auto phases = phases_of(laboratory.queue(device), setting.padded,
                                          laboratory.device(device).properties().is_gpu ? 16 : 2,
                                          std::max(3, laboratory.repetitions()));
            const double all = phases[0] + phases[1] + phases[2];
            for (std::size_t k = 0; k < 3; ++k)
                mean[k] += phases[k] / all / static_cast<double>(laboratory.settings().size());
        }
        shares.push_back(mean);
    }
    Table table(header);
    for (std::size_t k = 0; k < printed_phases.size(); ++k) {
        const PrintedPhase& printed = printed_phases[k];
        std::vector<std::string> row{std::string(printed.name), cell(printed.cpu),
                                     cell(printed.gpu)};
        for (const auto& share : shares) row.push_back(cell(share[k]));
        table.add(row);
    }
    laboratory.write("E11-phases.csv", table);
    const auto& main = shares[laboratory.main_device()];
    laboratory.find(
        {"E11", "forward transforms and product, of a correlation's time", "68 to 74 %, 2 to 3 %",
         fmt::format("{:.0f} %, {:.0f} %", 100 * main[0], 100 * main[1]), std::nullopt});
}

void tell_sizes(RegisterLaboratory& laboratory) {
    Table table({"setting", "window", "search", "thesis_padded", "padded", "is_fast",
                 "padded_by_tesela_register"});
    std::string sides;
    bool same = true;
    for (const PrintedSetting& setting : printed_settings) {
        const std::int64_t padded = thesis_windows(options_of(setting)).padded();
        table.add({name_of(setting), std::to_string(setting.window), std::to_string(setting.search),
                   std::to_string(setting.padded), std::to_string(padded),
                   good_fft_size(padded) == padded ? "yes" : "no",
                   std::to_string(good_fft_size(setting.search))});
        sides += (sides.empty() ? "" : ", ") + std::to_string(padded);
        same = same && padded == setting.padded;
    }
    laboratory.write("E11-windows.csv", table);
    laboratory.find(
        {"F37", "sides of transforms", "512, 749, 1024, 1024, 1499, 2048", sides, same});
}

// Table 5.3.
void tell_sections(RegisterLaboratory& laboratory) {
    Table table({"organ", "thesis_width", "thesis_height", "thesis_sections", "width", "height",
                 "sections"});
    for (std::size_t organ = 0; organ < printed_organs.size(); ++organ) {
        const PrintedOrgan& printed = printed_organs[organ];
        const std::vector<TestSection>& made = laboratory.sections(organ);
        const Shape& shape = made.front().made.picture.shape();
        table.add({std::string(printed.name), std::to_string(printed.width),
                   std::to_string(printed.height), std::to_string(printed.sections),
                   std::to_string(shape.x), std::to_string(shape.y), std::to_string(made.size())});
    }
    laboratory.write("E11-sections.csv", table);
}

// ---- Pairs of sections -------------------------------------------------------------------------

// What all pairs of a setting gave, by one worker.
struct Pairs {
    double seconds = 0;  // mean
    std::vector<double> each;
    std::vector<ThesisRegistration> found;
};

Pairs registered(RegisterLaboratory& laboratory, const PrintedSetting& setting,
                 const Workers& workers) {
    const std::vector<TestSection>& sections = laboratory.sections(setting.organ);
    Pairs pairs;
    for (std::size_t i = 0; i + 1 < sections.size(); ++i) {
        auto measured =
            laboratory.measured(sections[i], sections[i + 1], options_of(setting), workers);
        pairs.seconds += measured.seconds / static_cast<double>(sections.size() - 1);
        pairs.each.push_back(measured.seconds);
        pairs.found.push_back(std::move(measured.found));
    }
    return pairs;
}

double kept_share(const ThesisRegistration& found) {
    return static_cast<double>(found.matches.size()) / static_cast<double>(found.tiles);
}

// The share of places of windows that two devices found alike.
double equal_matches(const Pairs& a, const Pairs& b) {
    double equal = 0, all = 0;
    for (std::size_t pair = 0; pair < a.found.size(); ++pair)
        for (std::size_t i = 0; i < a.found[pair].matches.size(); ++i) {
            const ThesisMatch &here = a.found[pair].matches[i], &there = b.found[pair].matches[i];
            all += 1;
            equal += here.state == there.state &&
                     (here.state != ThesisMatchState::accepted || here.moving == there.moving);
        }
    return all > 0 ? equal / all : 1;
}

// How the rigid starts and the polynomials of pairs compare with what is known.
class Accuracy {
  public:
    void add(const PrintedSetting& setting, const TestSection& fixed, const TestSection& moving,
             const ThesisRegistration& found) {
        const auto angle_of = [](const LinearMap& map) {
            return std::atan2(map.matrix[3], map.matrix[0]);
        };
        const auto linear = [](const TestSection& section) {
            return std::get<LinearMap>(section.made.transform.steps.back());
        };
        const double turn = angle_of(composed(linear(fixed).inverse(), linear(moving)));
        constexpr double pi = std::numbers::pi;
        const double off = std::abs(std::remainder(angle_of(found.rigid) - turn, 2 * pi));
        angle_ = std::max(angle_, 180 / pi * off);
        const KnownPlaces places = known_places(fixed, moving);
        const double rigid = median_error({.steps = {found.rigid}}, places);
        shift_ = std::max(shift_, rigid / (setting.window / 4.0));
        error_ = std::max(error_, median_error(found.transform, places));
        voted_ += found.is_voted;
        ++pairs_;
    }
    void tell(RegisterLaboratory& laboratory) const {
        laboratory.find({"F34", "rigid starts, farthest from the known angle and median place",
                         "1 degree, W1 / 4 (must)",
                         fmt::format("{:.2f} degrees, {:.2f} W1 / 4, {} of {} by votes", angle_,
                                     shift_, voted_, pairs_),
                         angle_ <= 1 && shift_ <= 1});
        laboratory.find({"F40", "worst median error of a pair, pixels", "about 10",
                         fmt::format("{:.2f}", error_), error_ <= 10});
    }

  private:
    double angle_ = 0, shift_ = 0, error_ = 0;
    int voted_ = 0, pairs_ = 0;
};

// Tables 5.3 to 5.5 and figures 5.7 to 5.11, filled setting by setting.
class Report {
  public:
    explicit Report(RegisterLaboratory& laboratory) : laboratory_(laboratory) {}

    void add(const PrintedSetting& setting) {
        const std::vector<TestSection>& sections = laboratory_.sections(setting.organ);
        settings_.push_back(name_of(setting));
        std::optional<Pairs> first;
        double cpu = nothing, alone = nothing;
        for (const Workers& workers : laboratory_.workers()) {
            Pairs pairs = registered(laboratory_, setting, workers);
            if (workers.is_cpu()) cpu = pairs.seconds;
            const bool together = workers.queues.size() > 1;
            const double thesis = workers.is_cpu() ? setting.cpu
                                  : together       ? setting.two_gpus
                                                   : setting.gpu;
            const double over_one = together ? alone / pairs.seconds : nothing;
            if (!together && !workers.is_cpu()) alone = pairs.seconds;
            times_.add({name_of(setting), workers.name, cell(pairs.seconds), cell(thesis),
                        cell(cpu / pairs.seconds), cell(setting.cpu / thesis), cell(over_one),
                        cell(together ? setting.gpu / setting.two_gpus : nothing)});
            say("{}, {}: {:.2f} s a pair", name_of(setting), workers.name, pairs.seconds);
            remember(workers.name, pairs.seconds);
            if (!workers.is_cpu() && !together && setting.size != 'M')
                least_gain_ = std::min(least_gain_, cpu / pairs.seconds);
            if (together) gains_.push_back(over_one);
            if (first)
                least_equal_ = std::min(least_equal_, equal_matches(*first, pairs));
            else
                first = std::move(pairs);
        }
        for (std::size_t i = 0; i < first->found.size(); ++i) {
            const ThesisRegistration& found = first->found[i];
            accuracy_.add(setting, sections[i], sections[i + 1], found);
            const bool is_printed = setting.organ == 1 && i < printed_sections.size();
            const std::size_t size = setting.size == 'S' ? 0 : setting.size == 'M' ? 1 : 2;
            features_.add({name_of(setting), std::to_string(i + 1), std::to_string(found.tiles),
                           std::to_string(found.matches.size()), cell(100 * kept_share(found)),
                           std::to_string(found.accepted()),
                           is_printed ? std::to_string(printed_sections[i].features[size]) : "",
                           cell(first->each[i]),
                           is_printed ? cell(printed_sections[i].without_files) : "",
                           is_printed ? cell(printed_sections[i].with_files) : ""});
            if (setting.size == 'S') kept_[setting.organ].push_back(100 * kept_share(found));
        }
    }

    void write() {
        laboratory_.write("E11-features.csv", features_);
        laboratory_.write("E11-times.csv", times_);
        std::vector<Bars> bars;
        for (const auto& [name, seconds] : seconds_) bars.push_back({name, seconds});
        laboratory_.write("E11-times.svg",
                          bar_chart("A pair of sections", {"seconds", true}, settings_, bars));
        write_kept();
        accuracy_.tell(laboratory_);
        if (laboratory_.workers().size() > 1)
            laboratory_.find({"F41", "matches that all devices have alike", "at least 99 % (must)",
                              fmt::format("{:.2f} %", 100 * least_equal_), least_equal_ >= 0.99});
        if (std::isfinite(least_gain_))
            laboratory_.find({"F42", "a device against the CPU, windows S and L, least",
                              "2.00 to 4.11", fmt::format("{:.2f}", least_gain_),
                              least_gain_ >= 3});
        if (gains_.empty()) return;
        laboratory_.write("E11-two.svg",
                          bar_chart("Several devices over one", {"times"}, settings_,
                                    {{"here", gains_}, {"thesis", printed_gains()}}));
        const auto [least, most] = std::minmax_element(gains_.begin(), gains_.end());
        laboratory_.find({"F43", "several devices over one", "1.09 to 1.94",
                          fmt::format("{:.2f} to {:.2f}", *least, *most), std::nullopt});
    }

  private:
    void remember(const std::string& name, double seconds) {
        for (auto& [known, list] : seconds_)
            if (known == name) return list.push_back(seconds);
        seconds_.push_back({name, {seconds}});
    }
    std::vector<double> printed_gains() const {
        std::vector<double> gains;
        for (const PrintedSetting& setting : laboratory_.settings())
            gains.push_back(setting.gpu / setting.two_gpus);
        return gains;
    }
    // Figure 5.7.
    void write_kept() {
        std::vector<std::string> names;
        std::vector<double> values;
        for (std::size_t organ = 0; organ < kept_.size(); ++organ) {
            const std::vector<double>& kept = kept_[organ];
            for (std::size_t i = 0; i < kept.size(); ++i)
                names.push_back(fmt::format("{} {}", printed_organs[organ].name, i + 1));
            values.insert(values.end(), kept.begin(), kept.end());
            const auto [least, most] = std::minmax_element(kept.begin(), kept.end());
            const PrintedKept& printed = printed_kept[organ];
            laboratory_.find(
                {"F35", fmt::format("windows that are kept, {} S", printed_organs[organ].name),
                 fmt::format("{} to {} %, mean {}", printed.least, printed.most, printed.mean),
                 fmt::format("{:.1f} to {:.1f} %", *least, *most), std::nullopt});
        }
        laboratory_.write("E11-kept.svg", bar_chart("Windows with enough variance", {"percent"},
                                                    names, {{"kept", values}}));
    }

    RegisterLaboratory& laboratory_;
    Table features_{{"setting", "section", "tested", "processed", "percent", "accepted",
                     "thesis_processed", "seconds", "thesis_seconds", "thesis_seconds_with_files"}};
    Table times_{{"setting", "device", "seconds", "thesis_seconds", "over_cpu", "thesis_over_cpu",
                  "over_one", "thesis_over_one"}};
    std::vector<std::string> settings_;
    std::vector<std::pair<std::string, std::vector<double>>> seconds_;
    std::array<std::vector<double>, printed_organs.size()> kept_;
    std::vector<double> gains_;
    double least_gain_ = std::numeric_limits<double>::infinity(), least_equal_ = 1;
    Accuracy accuracy_;
};

// ---- Table 5.6 ---------------------------------------------------------------------------------

// How two queues share the windows of the oblong sections.
void tell_shares(RegisterLaboratory& laboratory) {
    const PrintedSetting setting = laboratory.quick() ? printed_settings[3] : printed_settings[5];
    const std::vector<TestSection>& sections = laboratory.sections(setting.organ);
    const Workers workers = laboratory.two_workers();
    Table table({"section", "sharing", "queue", "tested", "processed", "imbalance", "seconds",
                 "thesis_tested", "thesis_processed", "thesis_imbalance"});
    bool same = true;
    std::array<double, 2> worst{};
    for (std::size_t i = 0; i + 1 < sections.size(); ++i) {
        std::optional<ThesisRegistration> first;
        for (const auto& [sharing, name] : enum_names(ThesisSharing{})) {
            ThesisRegisterOptions options = options_of(setting);
            options.sharing = sharing;
            ThesisRegistration found =
                laboratory.measured(sections[i], sections[i + 1], options, workers).found;
            const bool is_printed = sharing == ThesisSharing::blocks && i < printed_shares.size();
            for (std::size_t k = 0; k < found.shares.size(); ++k) {
                const ThesisShare& share = found.shares[k];
                const bool has_print = is_printed && k < 2;
                table.add({std::to_string(i + 1), std::string(name), std::to_string(k + 1),
                           std::to_string(share.tested), std::to_string(share.processed),
                           cell(100 * found.imbalance()), cell(share.seconds),
                           has_print ? std::to_string(printed_shares[i].tested[k]) : "",
                           has_print ? std::to_string(printed_shares[i].processed[k]) : "",
                           has_print ? cell(printed_shares[i].imbalance) : ""});
            }
            double& most = worst[static_cast<std::size_t>(sharing)];
            most = std::max(most, 100 * found.imbalance());
            if (first)
                for (std::size_t k = 0; k < found.matches.size(); ++k)
                    same = same && found.matches[k].score == first->matches[k].score &&
                           found.matches[k].moving == first->matches[k].moving;
            else
                first = std::move(found);
        }
    }
    laboratory.write("E11-shares.csv", table);
    laboratory.find({"F43", "most imbalance, in blocks and in turn", "13.33 %, not used",
                     fmt::format("{:.1f} %, {:.1f} %", worst[0], worst[1]), std::nullopt});
    laboratory.find({"F43", "matches are the same, whatever the sharing (" + workers.name + ")",
                     "-", same ? "yes" : "no", same});
}

}  // namespace

void run_window_settings(RegisterLaboratory& laboratory) {
    tell_phases(laboratory);
    tell_sizes(laboratory);
    tell_sections(laboratory);
    Report report(laboratory);
    for (const PrintedSetting& setting : laboratory.settings()) report.add(setting);
    report.write();
    tell_shares(laboratory);
}

}  // namespace tesela::experiments
