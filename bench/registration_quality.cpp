// tesela_registration_quality pairs FOLDER | turned FOLDER | synthetic | bent | unrelated |
// accepted: how well registration of sections does, one setting for all (that of volumes:
// tesela_registration_heads). `pairs` and `turned` take the two pairs of sections with landmarks in
// the repository of ANHIR's authors. A number behind the arguments replaces that of the cases.
// Lines are those of the tables in docs/registration.md; seconds are those of the processor.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "quality_program.h"
#include "tesela/evaluate_landmarks.h"
#include "tesela/io.h"
#include "tesela/registration.h"
#include "tesela/synthetic_sections.h"
#include "tesela/transform_io.h"
#include "tesela/warp.h"

namespace tesela::bench {
namespace {

constexpr double pi = 3.14159265358979323846;

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
// Of the processor, all cores together: other work on the machine counts little.
double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}
double diagonal(const AnyImage& image) {
    return std::hypot(static_cast<double>(shape_of(image).x),
                      static_cast<double>(shape_of(image).y));
}

// ---- Pairs with landmarks ----------------------------------------------------------------------

struct Pair {
    std::string name;
    AnyImage fixed, moving;
    Landmarks fixed_marks, moving_marks;
};
Pair load_pair(const std::string& folder, const std::string& fixed, const std::string& moving) {
    const auto picture = [&](const std::string& name) {
        AnyImage image = io::read_image(folder + "/" + name + ".jpg").image;
        geometry_of(image) = {};
        return image;
    };
    return {fixed, picture(fixed), picture(moving),
            io::read_landmarks(folder + "/" + fixed + ".csv"),
            io::read_landmarks(folder + "/" + moving + ".csv")};
}
std::vector<Pair> load_pairs(const std::string& folder) {
    std::vector<Pair> pairs;
    pairs.push_back(load_pair(folder, "Rat-Kidney_HE", "Rat-Kidney_PanCytokeratin"));
    pairs.push_back(load_pair(folder, "Izd2-29-041-w35_HE", "Izd2-29-041-w35_proSPC"));
    return pairs;
}
double median_rtre(const Pair& pair, const Transform& transform) {
    return evaluate_landmarks(paired(pair.fixed_marks, pair.moving_marks), transform,
                              diagonal(pair.fixed))
        .rtre->median;
}

void print_pairs(const std::string& folder, Queue& queue) {
    for (const Pair& pair : load_pairs(folder)) {
        const LandmarkPairs marks = paired(pair.fixed_marks, pair.moving_marks);
        const auto fit = [&](LandmarkFit kind) {
            return evaluate_landmarks(marks, kind, diagonal(pair.fixed)).rtre->median;
        };
        std::printf("| %s | %.4f | %.4f | %.4f |", pair.name.c_str(), median_rtre(pair, {}),
                    fit(LandmarkFit::affine), fit(LandmarkFit::cubic));
        for (const auto model : {RegistrationModel::affine, RegistrationModel::spline}) {
            const std::clock_t start = std::clock();
            const RegistrationResult found =
                register_images(pair.fixed, pair.moving, {.model = model}, queue);
            std::printf(" %.4f (%.2f s) |", median_rtre(pair, found.transform),
                        seconds_since(start));
        }
        std::printf("\n");
    }
}

// The moving image and its landmarks on a larger canvas, turned about their middle.
Pair turned(const Pair& pair, double degrees, bool mirrored, Queue& queue) {
    Pair result = pair;
    const auto side = static_cast<std::int64_t>(std::ceil(diagonal(pair.moving)));
    const double c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180),
                 m = mirrored ? -1 : 1;
    LinearMap map{LinearKind::rigid, {m * c, -s, 0, m * s, c, 0, 0, 0, 1}, {}};
    const double middle = 0.5 * static_cast<double>(side - 1);
    const SpacePoint moved = map({middle, middle, 0});
    const Shape& shape = shape_of(pair.moving);
    map.translation = {0.5 * static_cast<double>(shape.x - 1) - moved[0],
                       0.5 * static_cast<double>(shape.y - 1) - moved[1], 0};
    const Transform transform{.steps = {map}};
    result.moving = warp(pair.moving, transform, {{side, side}, {}}, {}, queue);
    result.moving_marks = warp_landmarks(pair.moving_marks, transform, false);
    return result;
}

void print_turned(const std::string& folder, Queue& queue) {
    int good = 0, all = 0;
    for (const Pair& pair : load_pairs(folder)) {
        double unturned = 0, worst = 0;
        for (const bool mirrored : {false, true})
            for (int degrees = 0; degrees < 360; degrees += 30) {
                const Pair other = turned(pair, degrees, mirrored, queue);
                const RegistrationResult found =
                    register_images(other.fixed, other.moving, {.accept_poor = true}, queue);
                const double error = median_rtre(other, found.transform);
                if (all++ % 24 == 0)
                    unturned = median_rtre(
                        pair, register_images(pair.fixed, pair.moving, {}, queue).transform);
                worst = std::max(worst, error);
                const bool is_good = found.is_match && error <= 1.2 * unturned;
                good += is_good;
                if (!is_good)
                    std::printf("%s %d %d: %.4f, match %d\n", pair.name.c_str(), degrees, mirrored,
                                error, found.is_match);
            }
        std::printf("| %s | unturned %.4f | worst %.4f |\n", pair.name.c_str(), unturned, worst);
        std::fflush(stdout);
    }
    std::printf("| turned and mirrored, within 1.2 times | %d of %d |\n", good, all);
}

// ---- Synthetic sections ------------------------------------------------------------------------

// Rotation, mirror and place of a linear map as that of another, at the middle of a picture.
bool is_placed(const Transform& found, const Transform& truth, double side) {
    const SpacePoint middle{side / 2, side / 2, 0};
    const SpaceMatrix a = found.jacobian(middle), b = truth.jacobian(middle);
    if (determinant(a) * determinant(b) <= 0) return false;
    const auto angle = [](const SpaceMatrix& m, double sign) {
        return std::atan2(m[3] - sign * m[1], m[0] + sign * m[4]);
    };
    const double sign = determinant(a) > 0 ? 1 : -1;
    const double turn = std::remainder(angle(a, sign) - angle(b, sign), 2 * pi);
    return std::abs(turn) < pi / 180 && distance(found(middle), truth(middle)) < 0.02 * side;
}

void print_synthetic(int cases, Queue& queue) {
    int good = 0, refused = 0;
    for (int i = 0; i < cases; ++i) {
        constexpr std::int64_t side = 512;
        const SyntheticSectionsOptions series{.width = side,
                                              .height = side,
                                              .scale = 0.1,
                                              .shift = 0.4,
                                              .deformation = 0,
                                              .seed = static_cast<std::uint64_t>(i + 1)};
        const StackedSection first = synthetic_stack_section(series, 0);
        const StackedSection second = synthetic_stack_section(series, 1);
        const RegistrationResult found =
            register_images(first.picture, second.picture,
                            {.model = RegistrationModel::affine, .accept_poor = true}, queue);
        const bool is_good = is_placed(found.transform, second.transform, side);
        good += is_good && found.is_match;
        refused += !found.is_match;
        if (is_good && found.is_match) continue;
        const SpacePoint middle{side / 2, side / 2, 0};
        std::printf("seed %d: off %.1f px, match %d, similarity %.3f, margin %.3f, overlap %.2f\n",
                    i + 1, distance(found.transform(middle), second.transform(middle)),
                    found.is_match, found.coarse_similarity, found.margin, found.score.overlap);
        std::fflush(stdout);
    }
    std::printf("| synthetic pairs | %d of %d, %d refused |\n", good, cases, refused);
}

// Sections in all combinations of stains: whole, torn and folded, with much background, or in part
// missing. Those of one tissue match.
struct StainedPair {
    StackedSection first, second;
};
StainedPair stained_pair(int number, bool is_related) {
    constexpr SectionStains stains[] = {SectionStains::he, SectionStains::hdab,
                                        SectionStains::nuclear, SectionStains::pale};
    const int damage = number / 16 % 4;
    SyntheticSectionsOptions series{.width = damage == 2 ? 1280 : 512,
                                    .height = 512,
                                    .scale = 0.1,
                                    .deformation = number % 3 == 0 ? 0.035 : 0.01,
                                    .tear = damage == 1 ? 0.02 : 0,
                                    .fold = damage == 1 ? 0.02 : 0,
                                    .missing = damage == 3 ? 0.3 : 0,
                                    .seed = static_cast<std::uint64_t>(1000 + number)};
    series.stains = stains[number % 4];
    StackedSection first = synthetic_stack_section(series, 0);
    series.stains = stains[number / 4 % 4];
    if (!is_related) series.seed += 10000;
    return {std::move(first), synthetic_stack_section(series, 1)};
}

// Of places of the first section that the second one shows, in pixels.
double median_error(const StackedSection& section, const Transform& found) {
    std::vector<double> errors;
    const Shape& shape = section.remaining.shape();
    for (std::int64_t y = 0; y < shape.y; y += 16)
        for (std::int64_t x = 0; x < shape.x; x += 16) {
            const SpacePoint p{static_cast<double>(x), static_cast<double>(y), 0};
            if (section.remaining(x, y)) errors.push_back(distance(found(p), section.moved(p)));
        }
    if (errors.empty()) return 0;
    std::nth_element(errors.begin(), errors.begin() + std::ssize(errors) / 2, errors.end());
    return errors[errors.size() / 2];
}

// Which pairs are taken. Constants were chosen on numbers below 100, those from 100 on are
// reported.
void print_accepted(int cases, Queue& queue) {
    constexpr double near = 8;  // pixels
    int taken[2][2]{}, wrong[2]{};
    for (int i = 0; i < cases; ++i)
        for (const bool is_related : {true, false}) {
            const StainedPair pair = stained_pair(i, is_related);
            RegistrationResult found;
            try {
                found = register_images(pair.first.picture, pair.second.picture,
                                        {.model = RegistrationModel::affine, .accept_poor = true},
                                        queue);
            } catch (const NoMatch&) {
            }
            const double error = is_related ? median_error(pair.second, found.transform) : 0;
            taken[i >= 100][is_related] += found.is_match;
            wrong[i >= 100] += found.is_match && error > near;
            std::printf(
                "%s %d: match %d, %d of %d parts, similarity %.3f, margin %.3f, off %.1f px\n",
                is_related ? "pair" : "unrelated", i, found.is_match, found.agreement.agreeing,
                found.agreement.parts, found.coarse_similarity, found.margin, error);
            std::fflush(stdout);
        }
    const int chosen = std::min(cases, 100);
    for (const bool is_reported : {false, true})
        std::printf("| %s | pairs taken | %d of %d, %d of them wrong | unrelated taken | %d |\n",
                    is_reported ? "reported" : "chosen on", taken[is_reported][1],
                    is_reported ? cases - chosen : chosen, wrong[is_reported],
                    taken[is_reported][0]);
}

struct BentCase {
    const char* name;
    SectionStains stains;
    double damage;
};

void print_bent(int cases, Queue& queue) {
    constexpr std::int64_t side = 2048;
    for (const auto& [name, stains, damage] :
         {BentCase{"one stain", SectionStains::he, 0},
          BentCase{"between stains", SectionStains::swapped, 0},
          BentCase{"torn and folded, between stains", SectionStains::swapped, 0.01}}) {
        double mean = 0, within = 0;
        for (int i = 0; i < cases; ++i) {
            const SyntheticSectionsOptions series{.width = side,
                                                  .height = side,
                                                  .stains = stains,
                                                  .deformation = 0.02,
                                                  .tear = damage,
                                                  .fold = damage,
                                                  .seed = static_cast<std::uint64_t>(i + 1)};
            const StackedSection first = synthetic_stack_section(series, 0);
            const StackedSection second = synthetic_stack_section(series, 1);
            const std::clock_t start = std::clock();
            const RegistrationResult found =
                register_images(first.picture, second.picture, {.accept_poor = true}, queue);
            double sum = 0, count = 0, near = 0;
            for (std::int64_t y = 0; y < side; y += 16)
                for (std::int64_t x = 0; x < side; x += 16) {
                    if (!second.remaining(x, y)) continue;
                    const SpacePoint p{static_cast<double>(x), static_cast<double>(y), 0};
                    const double error = distance(found.transform(p), second.moved(p));
                    sum += error;
                    near += error <= 3;
                    count += 1;
                }
            std::printf(
                "%s, seed %d: mean %.2f px, %.1f %% within 3 px, estimated %.2f, least "
                "Jacobian %.2f, %.1f s\n",
                name, i + 1, sum / count, 100 * near / count, found.estimated_error,
                found.least_jacobian, seconds_since(start));
            std::fflush(stdout);
            mean += sum / count / cases;
            within += 100 * near / count / cases;
        }
        std::printf("| %s | mean error %.2f px | within 3 px %.1f %% |\n", name, mean, within);
    }
}

void print_unrelated(int cases, Queue& queue) {
    int refused = 0;
    for (int i = 0; i < cases; ++i) {
        const auto section = [&](std::uint64_t seed, int index) {
            return AnyImage(
                synthetic_stack_section({.width = 512, .height = 512, .seed = seed}, index)
                    .picture);
        };
        const auto seed = static_cast<std::uint64_t>(i);
        try {
            const RegistrationResult found = register_images(
                section(2 * seed + 1, 0), section(2 * seed + 2, 1), {.accept_poor = true}, queue);
            refused += !found.is_match;
            std::printf("unrelated %d: match %d, similarity %.3f, margin %.3f\n", i, found.is_match,
                        found.coarse_similarity, found.margin);
            std::fflush(stdout);
        } catch (const NoMatch&) {
            ++refused;
        }
    }
    std::printf("| unrelated pairs refused | %d of %d |\n", refused, cases);
}

int run(const std::vector<std::string>& arguments) {
    const std::string what = arguments.empty() ? "" : arguments[0];
    const std::size_t files = what == "pairs" || what == "turned" ? 1 : 0;
    if (arguments.size() <= files && !what.empty())
        throw InvalidArgument(what + " needs its files");
    const std::size_t next = files + 1;
    const auto cases = [&](int usual) {
        return arguments.size() > next ? std::max(1, std::atoi(arguments[next].c_str())) : usual;
    };
    Queue queue(Device::choose("auto").device);
    if (what == "pairs") print_pairs(arguments[1], queue);
    if (what == "turned") print_turned(arguments[1], queue);
    if (what == "synthetic") print_synthetic(cases(200), queue);
    if (what == "accepted") print_accepted(cases(16), queue);
    if (what == "bent") print_bent(cases(3), queue);
    if (what == "unrelated") print_unrelated(cases(20), queue);
    return what.empty() ? 2 : 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_quality_program(argc, argv, "tesela_registration_quality", run);
}
