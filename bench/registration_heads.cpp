// tesela_registration_heads known HEAD | brain HEAD BRAIN | others HEAD OTHER | moved HEAD OTHER |
// thick HEAD: how well registration of volumes does with its defaults. `known`: under motions of up
// to 20 degrees and 30 mm in other contrasts, with noise, a bias field or a cropped field; `brain`:
// the brain of the head alone. `others`: another head, also turned by half turns, in which
// positions only the outline fits. `moved`: an affine map between two heads from other starts;
// `thick`: slices of 4 mm. A number behind the files replaces that of the cases. Lines are those of
// the tables in docs/registration.md; seconds are those of the processor.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "quality_program.h"
#include "tesela/io.h"
#include "tesela/registration.h"
#include "tesela/warp.h"

namespace tesela::bench {
namespace {

constexpr double pi = 3.14159265358979323846;

double distance(const SpacePoint& a, const SpacePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// What a line says of a result.
std::string figures(const RegistrationResult& found, std::clock_t start) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "match %d, %d of %d parts, similarity %.3f, margin %.3f, overlap %.2f, %.1f s",
                  found.is_match, found.agreement.agreeing, found.agreement.parts,
                  found.coarse_similarity, found.margin, found.score.overlap,
                  static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    return text;
}

// Nothing is found where no position agrees at all.
RegistrationResult registered(const AnyImage& fixed, const AnyImage& moving, Queue& queue) {
    try {
        return register_images(fixed, moving, {.accept_poor = true}, queue);
    } catch (const NoMatch&) {
        RegistrationResult none;
        none.transform = {.dimensions = 3, .unit = Unit::millimeter};
        return none;
    }
}

LinearMap random_motion(std::mt19937& random, double degrees, double millimeters,
                        const SpacePoint& center) {
    const auto number = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
    SpacePoint axis{number(), number(), number()};
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    const double angle = degrees * pi / 180 * number();
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
    LinearMap map{
        LinearKind::rigid,
        {c + t * x * x, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, c + t * y * y,
         t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, c + t * z * z},
        {}};
    SpacePoint way{number(), number(), number()};
    const double reach = millimeters * std::abs(number()) / std::hypot(way[0], way[1], way[2]);
    const SpacePoint moved = map(center);
    for (std::size_t a = 0; a < 3; ++a) map.translation[a] = center[a] - moved[a] + reach * way[a];
    return map;
}

SpacePoint center_of(const AnyImage& image) {
    const Shape& shape = shape_of(image);
    return placement(grid_of(image))({0.5 * static_cast<double>(shape.x - 1),
                                      0.5 * static_cast<double>(shape.y - 1),
                                      0.5 * static_cast<double>(shape.z - 1)});
}

// The image elsewhere in space.
AnyImage carried(AnyImage image, const LinearMap& motion) {
    Geometry& geometry = geometry_of(image);
    const LinearMap placed = composed(placement(grid_of(image)), motion);
    const std::array<double, 3> spacing = geometry.spacing_mm();
    geometry.unit = Unit::millimeter;
    geometry.spacing = spacing;
    geometry.origin = placed.translation;
    for (std::size_t i = 0; i < 9; ++i) geometry.direction[i] = placed.matrix[i] / spacing[i % 3];
    return image;
}

double largest_difference(const AnyImage& image, const Transform& a, const Transform& b) {
    const Shape& shape = shape_of(image);
    const LinearMap placed = placement(grid_of(image));
    double largest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const SpacePoint p = placed({(corner & 1 ? 0.8 : 0.2) * static_cast<double>(shape.x),
                                     (corner & 2 ? 0.8 : 0.2) * static_cast<double>(shape.y),
                                     (corner & 4 ? 0.8 : 0.2) * static_cast<double>(shape.z)});
        largest = std::max(largest, distance(a(p), b(p)));
    }
    return largest;
}

// ---- Known motions ---------------------------------------------------------------------------

// Values from 0 to 1.
Image<float> read_head(const std::string& file) {
    const AnyImage image = io::read_image(file).image;
    Image<float> head(shape_of(image), geometry_of(image));
    std::visit(
        [&](const auto& voxels) {
            const auto& values = voxels.pixels();
            const auto highest =
                static_cast<float>(*std::max_element(values.begin(), values.end()));
            std::transform(values.begin(), values.end(), head.pixels().begin(), [&](auto value) {
                return std::max(static_cast<float>(value) / highest, 0.0f);
            });
        },
        image);
    return head;
}

struct Trial {
    const char* name;
    float (*contrast)(float);  // before the head is moved
    double noise = 0;          // of the range
    double bias = 0;           // the most that the logarithm changes along an axis, to either side
    double cropped = 0;        // share of slices, and half as much of one side
};
constexpr Trial trials[] = {
    {"darker", [](float value) { return std::pow(value, 1.7f); }},
    {"brighter", [](float value) { return std::pow(value, 0.6f); }},
    {"inverted", [](float value) { return 1 - value; }},
    {"tissue inverted", [](float value) { return value < 0.02f ? value : 1 - value; }},
    {"noise", [](float value) { return std::pow(value, 0.6f); }, 0.05},
    {"bias field", [](float value) { return std::pow(value, 1.7f); }, 0, 0.5},
    {"cropped field", [](float value) { return std::pow(value, 0.6f); }, 0, 0, 0.25},
};

void add_noise(Image<float>& head, double deviation, std::mt19937& random) {
    std::normal_distribution<double> noise(0, deviation);
    for (float& value : head.pixels()) value = std::abs(value + static_cast<float>(noise(random)));
}

void add_bias(Image<float>& head, double most, std::mt19937& random) {
    const auto slope = [&] { return most * (static_cast<double>(random()) / 2147483648.0 - 1); };
    const SpacePoint slopes{slope(), slope(), slope()};
    const Shape& shape = head.shape();
    const auto place = [](std::int64_t at, std::int64_t size) {
        return 2.0 * static_cast<double>(at) / static_cast<double>(size) - 1;
    };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                head(x, y, z) *= static_cast<float>(std::exp(slopes[0] * place(x, shape.x) +
                                                             slopes[1] * place(y, shape.y) +
                                                             slopes[2] * place(z, shape.z)));
}

// Without the lowest or highest slices and without one side.
Image<float> cropped(const Image<float>& head, double share, std::mt19937& random) {
    const Shape& full = head.shape();
    Shape shape = full;
    shape.z -= static_cast<std::int64_t>(share * static_cast<double>(full.z));
    shape.x -= static_cast<std::int64_t>(share / 2 * static_cast<double>(full.x));
    const std::int64_t left = random() % 2 ? full.x - shape.x : 0;
    const std::int64_t low = random() % 2 ? full.z - shape.z : 0;
    Geometry geometry = head.geometry;
    geometry.origin =
        placement(grid_of(head))({static_cast<double>(left), 0, static_cast<double>(low)});
    Image<float> part(shape, geometry);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) part(x, y, z) = head(x + left, y, z + low);
    return part;
}

double degrees_between(const SpaceMatrix& a, const SpaceMatrix& b) {
    double trace = 0;
    for (std::size_t i = 0; i < 9; ++i) trace += a[i] * b[i];
    return std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0)) * 180 / pi;
}

// `shown` is the head, or its brain alone.
void print_known(const std::string& name, const Image<float>& head, const Image<float>& shown,
                 int cases, Queue& queue) {
    // A small animal moves as many voxels as a head of 1 mm.
    const double unit = std::min(1.0, 2 * head.geometry.spacing_mm()[0]);
    const SpacePoint center = center_of(AnyImage(head));
    int good = 0, wrong = 0;
    for (int i = 0; i < cases; ++i) {
        std::mt19937 random(static_cast<std::uint32_t>(i + 1));
        const Trial& trial = trials[static_cast<std::size_t>(i) % std::size(trials)];
        Image<float> moving = shown;
        for (float& value : moving.pixels()) value = trial.contrast(value);
        const LinearMap motion = random_motion(random, 20, 30 * unit, center);
        moving = std::get<Image<float>>(
            warp(AnyImage(moving), {.dimensions = 3, .unit = Unit::millimeter, .steps = {motion}},
                 grid_of(head), {.inverse = true, .outside = trial.contrast(0)}, queue));
        if (trial.noise > 0) add_noise(moving, trial.noise, random);
        if (trial.bias > 0) add_bias(moving, trial.bias, random);
        if (trial.cropped > 0) moving = cropped(moving, trial.cropped, random);
        const std::clock_t start = std::clock();
        const RegistrationResult found = registered(AnyImage(head), AnyImage(moving), queue);
        const double off = distance(found.transform(center), motion(center)) / unit;
        const double turn = degrees_between(found.transform.jacobian(center), motion.matrix);
        const bool is_near = off <= 1 && turn <= 1;
        good += is_near && found.is_match;
        wrong += !is_near && found.is_match;
        std::printf("%s %d, %s: off %.2f mm, %.2f degrees, %s\n", name.c_str(), i, trial.name, off,
                    turn, figures(found, start).c_str());
        std::fflush(stdout);
    }
    std::printf("| %s | within 1 mm and 1 degree | %d of %d | %d wrong and taken |\n", name.c_str(),
                good, cases, wrong);
}

// ---- Two heads ---------------------------------------------------------------------------------

void print_others(const AnyImage& head, const AnyImage& other, Queue& queue) {
    struct Turn {
        const char* name;
        SpaceMatrix matrix;
    };
    for (const auto& [name, matrix] : {Turn{"as it is", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                       Turn{"upside down", {1, 0, 0, 0, -1, 0, 0, 0, -1}},
                                       Turn{"back to front", {-1, 0, 0, 0, -1, 0, 0, 0, 1}}}) {
        LinearMap motion{LinearKind::rigid, matrix, {}};
        const SpacePoint center = center_of(other), turned = motion(center);
        for (std::size_t a = 0; a < 3; ++a) motion.translation[a] = center[a] - turned[a];
        const std::clock_t start = std::clock();
        const RegistrationResult found = registered(head, carried(other, motion), queue);
        std::printf("| %s | %s |\n", name, figures(found, start).c_str());
        std::fflush(stdout);
    }
}

void print_moved_heads(const AnyImage& fixed, const AnyImage& moving, int cases, Queue& queue) {
    const RegistrationOptions options{.model = RegistrationModel::affine, .accept_poor = true};
    const Transform unmoved = register_images(fixed, moving, options, queue).transform;
    std::mt19937 random(1);
    int good = 0;
    for (int i = 0; i < cases; ++i) {
        const LinearMap motion = random_motion(random, 45, 50, center_of(moving));
        const std::clock_t start = std::clock();
        const RegistrationResult found =
            register_images(fixed, carried(moving, motion), options, queue);
        Transform wanted = unmoved;
        wanted.steps.emplace_back(motion);
        const double off = largest_difference(fixed, found.transform, wanted);
        good += off <= 1;
        std::printf("head %d: off %.2f mm, %s\n", i, off, figures(found, start).c_str());
        std::fflush(stdout);
    }
    std::printf("| moved heads within 1 mm | %d of %d |\n", good, cases);
}

// Means of four slices.
AnyImage thick(const AnyImage& image) {
    const auto& fine = std::get<Image<std::uint8_t>>(image);
    Shape shape = fine.shape();
    shape.z /= 4;
    Geometry geometry = fine.geometry;
    const LinearMap placed = placement(grid_of(fine));
    geometry.origin = placed({0, 0, 1.5});
    geometry.spacing[2] *= 4;
    Image<std::uint8_t> slices(shape, geometry);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                int sum = 2;
                for (std::int64_t k = 0; k < 4; ++k) sum += fine(x, y, 4 * z + k);
                slices(x, y, z) = static_cast<std::uint8_t>(sum / 4);
            }
    return slices;
}

void print_thick(const AnyImage& head, Queue& queue) {
    std::mt19937 random(2);
    for (int i = 0; i < 3; ++i) {
        const LinearMap motion = random_motion(random, 20, 20, center_of(head));
        const Transform truth{.dimensions = 3, .unit = Unit::millimeter, .steps = {motion}};
        const AnyImage moving = thick(warp(head, truth, grid_of(head), {.inverse = true}, queue));
        const RegistrationResult found =
            register_images(head, moving, {.accept_poor = true}, queue);
        std::printf("| slices of 4 mm | off %.3f mm |\n",
                    largest_difference(head, found.transform, truth));
        std::fflush(stdout);
    }
}

int run(const std::vector<std::string>& arguments) {
    const std::string what = arguments.empty() ? "" : arguments[0];
    const std::size_t files = what == "known" || what == "thick" ? 1 : 2;
    if (arguments.size() <= files) throw InvalidArgument("give what to measure, and its files");
    const auto cases = [&](int usual) {
        return arguments.size() > files + 1 ? std::max(1, std::atoi(arguments[files + 1].c_str()))
                                            : usual;
    };
    const auto read = [&](std::size_t i) { return io::read_image(arguments[i]).image; };
    Queue queue(Device::choose("auto").device);
    if (what == "known" || what == "brain") {
        const std::string& file = arguments[files];
        print_known(file.substr(file.rfind('/') + 1), read_head(arguments[1]), read_head(file),
                    cases(40), queue);
    }
    if (what == "others") print_others(read(1), read(2), queue);
    if (what == "moved") print_moved_heads(read(1), read(2), cases(50), queue);
    if (what == "thick") print_thick(read(1), queue);
    return 0;
}

}  // namespace
}  // namespace tesela::bench

int main(int argc, char** argv) {
    using namespace tesela::bench;
    return run_quality_program(argc, argv, "tesela_registration_heads", run);
}
