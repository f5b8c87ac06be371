#include "io/zarr/ome_image.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "io/slide.h"
#include "io/tiff_pages.h"
#include "io/zarr/image_label.h"
#include "io/zarr/metadata.h"

namespace tesela::io::zarr {
namespace {

// Of an axis, from the index of a point to where it lies.
struct AxisPlace {
    double scale = 1, offset = 0;
    std::string unit = {};
};
using Places = std::map<char, AxisPlace>;

// ---- groups -------------------------------------------------------------------------------------

// The group of the image: the root, or the first of several images that Bio-Formats wrote.
Group image_group(const Store& store, std::vector<std::string>& warnings) {
    const auto root = find_group(store, "");
    if (root && has(root->attributes, "multiscales")) return *root;
    if (root && has(root->attributes, "plate"))
        throw unsupported(store.path(),
                          "it is a plate; name one of its images, as in PLATE.zarr/A/1/0");
    if (root && has(root->attributes, "well"))
        throw unsupported(store.path(), "it is a well; name one of its images, as in WELL/0");
    if (const auto first = find_group(store, "0"); first && has(first->attributes, "multiscales")) {
        if (find_group(store, "1"))
            warnings.push_back(
                "it holds several images, of which the first is read; name another by its folder, "
                "as in NAME.zarr/1");
        return *first;
    }
    throw unsupported(store.path(),
                      "it is a Zarr group without the 'multiscales' of OME-Zarr, so that nothing "
                      "says which of its arrays is the image");
}

// ---- axes and geometry --------------------------------------------------------------------------

Places places_of(const Json& multiscale, const std::string& axes) {
    Places places;
    if (!has(multiscale, "axes")) return places;
    for (std::size_t i = 0; i < axes.size(); ++i)
        places[axes[i]].unit = text_of(multiscale.at("axes").at(i), "unit");
    return places;
}

// What is known of an axis, then transformed.
void apply(const Json& transforms, const std::string& axes, Places& places,
           std::vector<std::string>& warnings) {
    for (const Json& transform : transforms) {
        const std::string type = transform.at("type");
        if (type == "identity") continue;
        const bool scales = type == "scale";
        if ((!scales && type != "translation") || !has(transform, type.c_str())) {
            warnings.push_back("its transform '" + printable(type) + "' is not applied");
            continue;
        }
        const auto values = transform.at(type).get<std::vector<double>>();
        if (values.size() != axes.size())
            throw InvalidArgument("its " + type + " has " + std::to_string(values.size()) +
                                  " numbers for " + std::to_string(axes.size()) + " axes");
        for (std::size_t i = 0; i < axes.size(); ++i) {
            AxisPlace& place = places[axes[i]];
            if (scales) place.scale *= values[i];
            place.offset = scales ? place.offset * values[i] : place.offset + values[i];
        }
    }
}

// Why the places of points do not say where they lie; empty where they do.
std::string missing_length(const std::string& axes, const Places& places) {
    for (const char axis : std::string_view("xyz")) {
        if (axes.find(axis) == std::string::npos) continue;
        const AxisPlace& place = places.at(axis);
        const bool is_length = !place.unit.empty() && micrometers_in(place.unit) > 0;
        if (!is_length)
            return place.unit.empty() ? "its axis " + std::string(1, axis) + " has no unit"
                                      : "the unit '" + printable(place.unit) + "' of its axis " +
                                            axis + " is no length";
        if (!(place.scale > 0) || !std::isfinite(place.scale) || !std::isfinite(place.offset))
            return "the scale of its axis " + std::string(1, axis) + " is no length";
    }
    return "";
}

Geometry geometry_of(const std::string& axes, Places& places, std::vector<std::string>& warnings) {
    Geometry geometry;
    if (axes.find('t') != std::string::npos) {
        const AxisPlace& time = places['t'];
        const double step = time.scale * (time.unit.empty() ? 1 : seconds_in(time.unit));
        if (step > 0 && std::isfinite(step))
            geometry.time_step = step;
        else
            warnings.push_back("its time step is not known: the unit of its axis t is '" +
                               printable(time.unit) + "'");
    }
    const bool is_scaled = std::any_of(axes.begin(), axes.end(), [&](char axis) {
        return axis != 't' && axis != 'c' && places[axis].scale != 1;
    });
    if (const std::string missing = missing_length(axes, places); !missing.empty()) {
        if (is_scaled)
            warnings.push_back("its pixels have no size in mm or um: " + missing +
                               "; give it by --spacing");
        return geometry;
    }
    constexpr double millimeter = 1000;
    const bool is_large = micrometers_in(places['x'].unit) >= millimeter;
    geometry.unit = is_large ? Unit::millimeter : Unit::micrometer;
    for (std::size_t i = 0; i < 3; ++i) {
        const char axis = "xyz"[i];
        if (axes.find(axis) == std::string::npos) continue;
        const double length = micrometers_in(places[axis].unit) / (is_large ? millimeter : 1);
        geometry.spacing[i] = places[axis].scale * length;
        geometry.origin[i] = places[axis].offset * length;
    }
    return geometry;
}

// ---- channels -----------------------------------------------------------------------------------

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return text;
}

// Three channels are red, green and blue where they have these colors, and no names of their own.
void find_channels(const Json& attributes, OmeImage& image) {
    const Array& array = image.levels.front();
    const int count = array.image_shape().channels;
    std::string colors;
    bool has_own_names = false;
    if (has(attributes, "omero") && has(attributes.at("omero"), "channels"))
        for (const Json& channel : attributes.at("omero").at("channels")) {
            const std::string name = text_of(channel, "label"), low = lower(name);
            has_own_names |= !(name.empty() || low == "red" || low == "green" || low == "blue" ||
                               low == "alpha" || low.starts_with("channel"));
            image.channel_names.push_back(name);
            colors += lower(text_of(channel, "color")) + " ";
        }
    else if (count == 3 && array.type == NumberType::u8)
        image.is_color = true;
    if (image.channel_names.size() != static_cast<std::size_t>(count)) image.channel_names.clear();
    const bool is_named = !image.channel_names.empty();
    image.has_alpha =
        is_named && (count == 2 || count == 4) && image.channel_names.back() == "alpha";
    const int shown = count - (image.has_alpha ? 1 : 0);
    if (is_named && shown == 3 && colors.starts_with("ff0000 00ff00 0000ff ") && !has_own_names)
        image.is_color = true;
    // Those that every color has say nothing.
    const bool has_names = std::any_of(image.channel_names.begin(), image.channel_names.end(),
                                       [](const std::string& name) { return !name.empty(); });
    if (image.is_color || image.has_alpha || !has_names) image.channel_names.clear();
}

// ---- levels -------------------------------------------------------------------------------------

// A level that is not smaller than the one before, or of another kind, is left out.
void add_level(Array level, OmeImage& image) {
    const Shape shape = level.image_shape(), above = image.levels.back().image_shape();
    const bool is_smaller = shape.x <= above.x && shape.y <= above.y && shape.z <= above.z &&
                            shape.x * shape.y < above.x * above.y;
    if (is_smaller && shape.channels == above.channels && shape.t == above.t &&
        level.type == image.levels.front().type)
        image.levels.push_back(std::move(level));
    else
        image.warnings.push_back("its level '" + printable(level.name) +
                                 "' was left out: it is no smaller image of the same kind");
}

void read_multiscale(const Store& store, const Group& group, std::size_t most_levels,
                     OmeImage& image) {
    const Json& multiscales = group.attributes.at("multiscales");
    if (!multiscales.is_array() || multiscales.empty())
        throw InvalidArgument("'multiscales' is empty");
    const Json& multiscale = multiscales.front();
    if (multiscales.size() > 1)
        image.warnings.push_back("the first of its " + std::to_string(multiscales.size()) +
                                 " multiscale images is read");
    const std::string axes = axes_of(store, multiscale);
    Places places = places_of(multiscale, axes);
    const Json& datasets = multiscale.at("datasets");
    if (!datasets.is_array() || datasets.empty()) throw InvalidArgument("'datasets' is empty");
    for (std::size_t i = 0; i < std::min(datasets.size(), most_levels); ++i) {
        const std::string path = datasets.at(i).at("path");
        check_inside(path);
        Array level = read_array(store, key_in(group.path, path), axes);
        if (i == 0)
            image.levels.push_back(std::move(level));
        else
            add_level(std::move(level), image);
    }
    for (const Json& whole : {datasets.front(), multiscale})
        apply(whole.value("coordinateTransformations", Json::array()), axes, places,
              image.warnings);
    image.geometry = geometry_of(axes, places, image.warnings);
    find_channels(group.attributes, image);
    if (has(group.attributes, "image-label"))
        image.label_table = label_table_of(group.attributes.at("image-label"));
}

}  // namespace

// Before version 0.4 names of axes are texts, before 0.3 there are none.
std::string axes_of(const Store& store, const Json& multiscale) {
    if (!has(multiscale, "axes")) return std::string(axis_letters);
    std::string axes;
    for (const Json& axis : multiscale.at("axes")) {
        const std::string name = (axis.is_string() ? axis : axis.at("name")).get<std::string>();
        if (name.size() != 1 || axis_letters.find(name) == std::string_view::npos)
            throw unsupported(store.path(), "it has an axis '" + printable(name) +
                                                "'; axes t, c, z, y and x are supported");
        if (axes.find(name) != std::string::npos)
            throw InvalidArgument("it has the axis '" + name + "' twice");
        axes += name;
    }
    if (axes.find('x') == std::string::npos || axes.find('y') == std::string::npos)
        throw unsupported(store.path(), "it has no axes y and x");
    return axes;
}

OmeImage read_ome_image(const Store& store, std::size_t most_levels) {
    OmeImage image;
    const auto root = find_json(store, "zarr.json");
    if (store.find(".zarray", 1 << 26) ||
        (root && root->is_object() && root->value("node_type", Json()) == "array")) {
        image.format = "Zarr";
        image.levels = {read_array(store, "", "")};
        find_channels({}, image);
        return image;
    }
    image.format = "OME-Zarr";
    const Group group = image_group(store, image.warnings);
    from_json(store.path() / group.file, group.attributes, [&](const Json&) {
        read_multiscale(store, group, most_levels, image);
        return true;
    });
    return image;
}

}  // namespace tesela::io::zarr
