#include "measuring/part_map.h"

#include <type_traits>
#include <unordered_map>

#include "measuring/label_checks.h"

namespace tesela::measuring {

namespace {

// From labels of the map to those of a part: a list where labels are short, else a table.
template <class T, bool is_short = sizeof(T) <= 2>
class NumberOf {
  public:
    std::uint32_t& operator[](T label) { return numbers_[label]; }

  private:
    std::unordered_map<T, std::uint32_t> numbers_;
};
template <class T>
class NumberOf<T, true> {
  public:
    std::uint32_t& operator[](T label) {
        return numbers_[static_cast<std::make_unsigned_t<T>>(label)];
    }

  private:
    std::vector<std::uint32_t> numbers_ =
        std::vector<std::uint32_t>(std::size_t{1} << 8 * sizeof(T));
};

template <class T>
void renumber(const Image<T>& image, const Shape& whole, PartMap& map) {
    const Shape& shape = image.shape();
    NumberOf<T> number_of;
    T last{};
    std::uint32_t number = 0;
    std::int64_t run = 0;  // points of it
    const auto end_run = [&] {
        if (number > 0) map.points[number - 1] += run;
        run = 0;
    };
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        const T label = image.pixels()[i];
        if (label != last) {
            end_run();
            last = label;
            if (std::is_signed_v<T> && label < 0) {
                const auto at = static_cast<std::int64_t>(i);
                const std::int64_t x = map.box.begin[0] + at % shape.x,
                                   y = map.box.begin[1] + at / shape.x % shape.y,
                                   z = map.box.begin[2] + at / shape.x / shape.y;
                refuse_negative_label(label, whole, (z * whole.y + y) * whole.x + x);
            }
            number = 0;
            if (label != 0) {
                std::uint32_t& known = number_of[label];
                if (known == 0) {
                    map.of_map.push_back(static_cast<std::uint32_t>(label));
                    map.points.push_back(0);
                    known = static_cast<std::uint32_t>(map.of_map.size());
                }
                number = known;
            }
        }
        ++run;
        map.labels.pixels()[i] = number;
    }
    end_run();
}

}  // namespace

PartMap read_part(const VolumeInput& map, const PartGrid& grid, std::int64_t part,
                  std::int64_t halo) {
    const VoxelBox box = grid.box(part, halo);
    PartMap made{.labels = LabelImage({box.length(0), box.length(1), box.length(2)}),
                 .box = box,
                 .inside = grid.box(part),
                 .of_map = {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        made.inside.begin[axis] -= box.begin[axis];
        made.inside.end[axis] -= box.begin[axis];
    }
    std::visit(
        [&]<class T>(const Image<T>& image) {
            if constexpr (std::is_floating_point_v<T>)
                refuse_label_type(pixel_type_of<T>());
            else
                renumber(image, grid.shape(), made);
        },
        map.read(box, 0));
    return made;
}

}  // namespace tesela::measuring
