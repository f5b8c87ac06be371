#include "operations/level_sets.h"

namespace tesela::operations {
namespace {

Figure::Value value_of(const std::optional<double>& value) {
    if (value) return *value;
    return std::monostate{};
}

std::vector<Figures> figures_of(const std::vector<LevelSetObject>& objects) {
    std::vector<Figures> records;
    for (const LevelSetObject& object : objects) {
        records.push_back({{"label", std::int64_t{object.label}},
                           {"points", object.points},
                           {"volume_mm3", value_of(object.volume)},
                           {"mean", value_of(object.mean)},
                           {"deviation", value_of(object.deviation)}});
        if (!object.found) continue;
        const Figures found{{"lower", value_of(object.found->lower)},
                            {"upper", value_of(object.found->upper)},
                            {"neck", object.found->neck.to_string()}};
        records.back().insert(records.back().end(), found.begin(), found.end());
    }
    return records;
}

// As they would be given.
std::string text_of(const LevelSetLimits& found) {
    std::string text = ", found:";
    if (found.lower) text += printed(" --lower %.6g", *found.lower);
    if (found.upper) text += printed(" --upper %.6g", *found.upper);
    if (!found.lower && !found.upper) text += " no limits";
    if (found.neck.value > 0) text += " --neck " + found.neck.to_string();
    return text;
}

std::string text_of(const std::vector<LevelSetObject>& objects) {
    std::string text;
    for (const LevelSetObject& object : objects) {
        text +=
            printed("label %u: %lld pixels", object.label, static_cast<long long>(object.points));
        if (object.volume) text += ", " + volume_text(*object.volume);
        if (object.mean)
            text += printed(", mean %.6g, deviation %.4g", *object.mean, *object.deviation);
        if (object.found) text += text_of(*object.found);
        text += "\n";
    }
    return text;
}

}  // namespace

LevelSetStart level_set_start(const Call& call) {
    if (!call.inputs.has("seeds") && !call.inputs.has("from"))
        throw InvalidArgument(
            "--seeds is missing: say where objects begin, or go on --from labels");
    LevelSetStart start;
    start.from = call.inputs.find_labels("from");
    start.mask = call.inputs.find_view("mask");
    if (call.inputs.has("against")) start.background = call.inputs.get<Seeds>("against");
    if (call.inputs.has("erase")) start.erase = call.inputs.get<Seeds>("erase");
    return start;
}

Results level_set_results(const Call& call, LevelSetReport& report) {
    std::int64_t labeled = 0;
    for (const LevelSetObject& object : report.objects) labeled += object.points;
    Results results;
    results.summary = printed(
        "level set: %s, %s, %s, end: %s", counted(std::ssize(report.objects), "object").c_str(),
        counted(labeled, "pixel").c_str(), counted(report.iterations, "iteration").c_str(),
        std::string(enum_name(report.end)).c_str());
    results.figures = {{"object_count", std::int64_t{std::ssize(report.objects)}},
                       {"points", call.shape().points()},
                       {"labeled_points", labeled},
                       {"iterations", report.iterations},
                       {"end", std::string(enum_name(report.end))},
                       {"period", std::int64_t{report.period}}};
    results.details = {{"objects", figures_of(report.objects)}};
    results.text = text_of(report.objects);
    results.used = {{"speed", std::string(enum_name(report.speed))}};
    if (report.objects.size() == 1 && report.objects[0].found) {
        const LevelSetLimits& found = *report.objects[0].found;
        if (found.lower) results.used.emplace_back("lower", *found.lower);
        if (found.upper) results.used.emplace_back("upper", *found.upper);
        results.used.emplace_back("neck", found.neck);
    }
    results.stages = std::move(report.stages);
    results.warnings = std::move(report.warnings);
    return results;
}

}  // namespace tesela::operations
