#include "operations/registry.h"

#include <set>
#include <stdexcept>

#include "operations/all.h"
#include "operations/slides.h"
#include "tesela/error.h"

namespace tesela::operations {
namespace {

void require(bool holds, const std::string& operation, const std::string& sentence) {
    if (!holds) throw std::logic_error("operation '" + operation + "': " + sentence);
}

}  // namespace

std::string_view family_of(std::string_view operation) {
    const std::size_t blank = operation.rfind(' ');
    return blank == std::string_view::npos ? std::string_view{} : operation.substr(0, blank);
}

void Registry::add(Operation operation) {
    const std::string& name = operation.name;
    for (const Operation& other : operations_) require(other.name != name, name, "added twice");
    const std::string_view family_name = family_of(name);
    require(family_name.empty() || family(family_name), name, "its family is not there");
    require(!operation.outputs.empty() || operation.device.on_host, name, "it has no outputs");
    require(operation.run && operation.memory, name, "it cannot be run");
    std::set<std::string_view> names;
    for (const Output& output : operation.outputs)
        require(names.insert(output.name).second, name, "two outputs of one name");
    for (const Option& option : operation.options.described())
        require(names.insert(option.name).second, name,
                "two options, or an option and an output, of one name");
    for (const std::string_view basic : operation.command_line.basic)
        require(names.contains(basic), name, "there is no option '" + std::string(basic) + "'");
    if (operation.slides.halo)
        operation.slides.in_tiles = std::make_shared<const Operation>(in_tiles(operation));
    operations_.push_back(std::move(operation));
}

void Registry::add(Family added) {
    require(!family(added.name), added.name, "the family is there already");
    const std::string_view outer = family_of(added.name);
    require(outer.empty() || family(outer), added.name, "its family is not there");
    families_.push_back(std::move(added));
}

const Operation& Registry::find(std::string_view name) const {
    for (const Operation& operation : operations_)
        if (operation.name == name) return operation;
    throw InvalidArgument("there is no operation '" + std::string(name) + "'");
}

const Family* Registry::family(std::string_view name) const {
    for (const Family& family : families_)
        if (family.name == name) return &family;
    return nullptr;
}

const Registry& Registry::all() {
    static const Registry registry = [] {
        Registry made;
        add_segment(made);
        add_thresholds(made);
        add_edges(made);
        add_mean_shift(made);
        add_watershed(made);
        add_components(made);
        add_measure(made);
        add_nuclei(made);
        add_surface(made);
        add_split_merge(made);
        add_grow(made);
        add_wavelets(made);
        add_flow(made);
        add_theses(made);
        add_thesis_mean_shift(made);
        add_thesis_flow(made);
        add_thesis_circles(made);
        add_thesis_registration(made);
        add_thesis_level_set(made);
        add_thesis_texture(made);
        add_thesis_zernike(made);
        add_thesis_tridiagonal(made);
        add_thesis_wavelet(made);
        add_texture(made);
        add_stains(made);
        add_distance(made);
        add_morphology(made);
        add_masks(made);
        add_level_set(made);
        add_circles(made);
        add_zernike(made);
        add_match(made);
        add_registration(made);
        add_render(made);
        add_overlay(made);
        add_warp(made);
        add_transform(made);
        add_tridiagonal(made);
        add_evaluate(made);
        add_synthesize(made);
        add_tissue(made);
        add_image(made);
        add_image_math(made);
        add_image_merge(made);
        add_image_project(made);
        add_image_resample(made);
        add_image_smooth(made);
        add_slides(made);
        add_volumes(made);
        return made;
    }();
    return registry;
}

}  // namespace tesela::operations
