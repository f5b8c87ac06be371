// Morphology point by point, with a list of the structuring element's points.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference {

enum class Element { ball, box, cross };

struct Offset {
    int x, y, z;
    double squared;  // of the distance in space
};

// `radius` in the unit of `spacing`; points on the surface belong to it. Of what reaches from a
// point of the shape to another one.
inline std::vector<Offset> structuring_element(Element element, double radius,
                                               const std::array<double, 3>& spacing,
                                               const Shape& shape) {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    std::array<int, 3> reach{};
    for (std::size_t a = 0; a < 3; ++a)
        reach[a] = std::min(static_cast<int>(std::floor(radius / spacing[a] + 1e-9)),
                            static_cast<int>(lengths[a] - 1));
    std::vector<Offset> offsets;
    for (int z = -reach[2]; z <= reach[2]; ++z)
        for (int y = -reach[1]; y <= reach[1]; ++y)
            for (int x = -reach[0]; x <= reach[0]; ++x) {
                const double squared = std::pow(x * spacing[0], 2) + std::pow(y * spacing[1], 2) +
                                       std::pow(z * spacing[2], 2);
                const int axes = (x != 0) + (y != 0) + (z != 0);
                if (element == Element::ball && squared > radius * radius * (1 + 1e-9)) continue;
                if (element == Element::cross && axes > 1) continue;
                offsets.push_back({x, y, z, squared});
            }
    return offsets;
}

// Calls `work` with the offset and the value of each point under the structuring element that is in
// the image.
template <class T, class Work>
void for_each_under(const Image<T>& image, std::int64_t x, std::int64_t y, std::int64_t z,
                    const std::vector<Offset>& offsets, const Work& work) {
    const Shape& s = image.shape();
    for (const Offset& o : offsets)
        if (x + o.x >= 0 && x + o.x < s.x && y + o.y >= 0 && y + o.y < s.y && z + o.z >= 0 &&
            z + o.z < s.z)
            work(o, image(x + o.x, y + o.y, z + o.z));
}

template <class T, class Value>
Image<T> mapped(const Image<T>& image, const Value& value) {
    Image<T> result(image.shape(), image.geometry);
    for (std::int64_t z = 0; z < image.shape().z; ++z)
        for (std::int64_t y = 0; y < image.shape().y; ++y)
            for (std::int64_t x = 0; x < image.shape().x; ++x) result(x, y, z) = value(x, y, z);
    return result;
}

template <class T>
Image<T> dilated(const Image<T>& image, const std::vector<Offset>& offsets) {
    return mapped(image, [&](auto x, auto y, auto z) {
        T highest = image(x, y, z);
        for_each_under(image, x, y, z, offsets,
                       [&](const Offset&, T value) { highest = std::max(highest, value); });
        return highest;
    });
}
template <class T>
Image<T> eroded(const Image<T>& image, const std::vector<Offset>& offsets) {
    return mapped(image, [&](auto x, auto y, auto z) {
        T lowest = image(x, y, z);
        for_each_under(image, x, y, z, offsets,
                       [&](const Offset&, T value) { lowest = std::min(lowest, value); });
        return lowest;
    });
}

// Points of label 0 get the nearest label, the lower one of equally near ones.
inline LabelImage dilated_labels(const LabelImage& image, const std::vector<Offset>& offsets) {
    return mapped(image, [&](auto x, auto y, auto z) {
        std::uint32_t label = 0;
        double nearest = std::numeric_limits<double>::infinity();
        for_each_under(image, x, y, z, offsets, [&](const Offset& o, std::uint32_t value) {
            const bool is_nearer =
                o.squared < nearest - 1e-9 || (o.squared < nearest + 1e-9 && value < label);
            if (value == 0 || !is_nearer) return;
            nearest = o.squared;
            label = value;
        });
        return label;
    });
}
// Points with another label under the structuring element, or with 0 alone, become 0.
inline LabelImage eroded_labels(const LabelImage& image, const std::vector<Offset>& offsets,
                                bool only_background = false) {
    return mapped(image, [&](auto x, auto y, auto z) {
        const std::uint32_t own = image(x, y, z);
        bool stays = true;
        for_each_under(image, x, y, z, offsets, [&](const Offset&, std::uint32_t value) {
            stays = stays && (only_background ? value != 0 : value == own);
        });
        return stays ? own : 0u;
    });
}

// a - b.
template <class T>
Image<T> difference(const Image<T>& a, const Image<T>& b) {
    return mapped(a, [&](auto x, auto y, auto z) {
        const auto d = static_cast<double>(a(x, y, z)) - static_cast<double>(b(x, y, z));
        return static_cast<T>(std::min(d, static_cast<double>(std::numeric_limits<T>::max())));
    });
}

}  // namespace tesela::reference
