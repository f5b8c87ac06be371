#include "transforms/packet_tree.h"

#include <algorithm>
#include <string>

namespace tesela {
namespace {

std::string text_of(const PacketTree& tree, const PacketLeaves& leaves, const PacketBand& band) {
    if (leaves[tree.first_cell(band)] == band.level) return "0";
    std::string text = "1";
    tree.for_parts(band, [&](const PacketBand& part) { text += text_of(tree, leaves, part); });
    return text;
}

[[noreturn]] void refuse() { throw InvalidArgument("its tree is none of this number of levels"); }

void read(const PacketTree& tree, const PacketBand& band, std::string_view text, std::size_t& at,
          PacketLeaves& leaves) {
    if (at == text.size()) refuse();
    const char next = text[at++];
    if (next == '0')
        tree.for_cells(
            band, [&](std::size_t cell) { leaves[cell] = static_cast<std::uint8_t>(band.level); });
    else if (next == '1' && band.level < tree.levels())
        tree.for_parts(band, [&](const PacketBand& part) { read(tree, part, text, at, leaves); });
    else
        refuse();
}

}  // namespace

Shape packet_shape(const Shape& shape, int levels) {
    WaveletOptions padded;
    padded.levels = levels;
    padded.border = WaveletBorder::periodic;
    return wavelet_shape(shape, padded);
}

int most_packet_levels(const Shape& shape) {
    const int axes = (shape.x > 1) + (shape.y > 1) + (shape.z > 1);
    return std::min(most_wavelet_levels(shape), axes > 0 ? 18 / axes : 0);
}

std::int64_t packet_count(const WaveletForm& form) {
    const PacketTree tree(form.shape, form.options.levels);
    std::int64_t count = 0;
    tree.for_leaves(form.leaves, tree.whole(), [&](const PacketBand&) { ++count; });
    return count;
}

std::string packet_tree(const WaveletForm& form) {
    const PacketTree tree(form.shape, form.options.levels);
    return text_of(tree, form.leaves, tree.whole());
}

PacketLeaves packet_leaves(std::string_view text, const Shape& shape, int levels) {
    if (levels < 0 || levels > most_packet_levels(shape)) refuse();
    const PacketTree tree(shape, levels);
    PacketLeaves leaves(static_cast<std::size_t>(tree.count()));
    std::size_t at = 0;
    read(tree, tree.whole(), text, at, leaves);
    if (at != text.size()) refuse();
    return leaves;
}

}  // namespace tesela
