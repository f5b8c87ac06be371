#include "other_words.h"

#include <algorithm>
#include <array>

namespace tesela::cli {
namespace {

constexpr std::string_view brain =
    "'tesela level-set ftc' grows the brain from a ball inside of it, --seeds 'ball:x,y,z,r'";
constexpr std::string_view crop =
    "'tesela image crop' cuts a box out of an image, 'tesela slide region' a rectangle out of a "
    "slide, 'tesela decompress' with --box a box out of a compressed volume";
constexpr std::string_view measure =
    "'tesela measure' measures the objects of a label map, 'tesela zernike' and 'tesela texture "
    "glcm' moments and texture";
constexpr std::string_view smooth =
    "'tesela image smooth' filters by Gaussians and medians, 'tesela mean-shift' smooths and keeps "
    "edges, 'tesela wavelet denoise' removes noise";
constexpr std::string_view outline = "'tesela overlay' draws labels on their image";
constexpr std::string_view convert =
    "'tesela image convert' writes another format, 'tesela slide convert' an OME-TIFF, 'tesela "
    "compress' a compressed volume";
constexpr std::string_view channel =
    "--channel of every verb takes one channel, 'tesela image convert' writes it, 'tesela image "
    "merge' makes an image of several";
constexpr std::string_view flip = "'tesela image flip' reverses an axis";
constexpr std::string_view turn =
    "'tesela image rotate' turns by quarters, 'tesela warp' by any angle";
constexpr std::string_view resample =
    "'tesela image resample' makes pixels of another size or takes the grid of another image, "
    "'tesela slide thumbnail' makes a small picture of a slide";
constexpr std::string_view project =
    "'tesela image project' takes the maximum, mean or another value along an axis";
constexpr std::string_view merge =
    "'tesela image merge' makes channels, slices or time points of several images";
constexpr std::string_view binarize = "'tesela threshold' makes a mask";
constexpr std::string_view count =
    "'tesela components' counts and labels the objects of a mask, 'tesela measure' measures them";
constexpr std::string_view morphology =
    "'tesela morphology' dilates, erodes, opens, closes and thins masks, labels and images";
constexpr std::string_view holes =
    "'tesela mask' fills holes, splits touching objects and removes small ones or those at the "
    "border";
constexpr std::string_view cells =
    "'tesela nuclei' finds and counts cell nuclei, 'tesela segment' objects of any kind";
constexpr std::string_view mesh =
    "'tesela surface' makes meshes of the labels of a volume, 'tesela render' pictures of it";
constexpr std::string_view align = "'tesela register' aligns two images";
constexpr std::string_view classify =
    "'tesela tissue train' and 'tesela tissue classify' sort the tissue of slides into classes";
constexpr std::string_view stains =
    "'tesela stain normalize' and 'tesela stain separate' do this for stained sections";
constexpr std::string_view compare = "'tesela evaluate labels' compares label maps";
constexpr std::string_view track = "'tesela flow' finds the motion of every pixel";
constexpr std::string_view show =
    "'tesela view' shows images in a browser, 'tesela render' makes pictures of volumes, 'tesela "
    "info' prints what a file holds";

constexpr auto words = std::to_array<OtherWord>({
    {"brain", brain},
    {"bet", brain},
    {"skull-strip", brain},
    {"crop", crop},
    {"cut", crop},
    {"extract", crop},
    {"roi", crop},
    {"analyze", measure},
    {"regionprops", measure},
    {"statistics", measure},
    {"stats", measure},
    {"smooth", smooth},
    {"blur", smooth},
    {"denoise", smooth},
    {"gaussian", smooth},
    {"median", smooth},
    {"filter", smooth},
    {"outline", outline},
    {"contour", outline},
    {"convert", convert},
    {"channel", channel},
    {"channels", channel},
    {"split-channels", channel},
    {"flip", flip},
    {"mirror", flip},
    {"rotate", turn},
    {"resample", resample},
    {"resize", resample},
    {"rescale", resample},
    {"scale", resample},
    {"project", project},
    {"mip", project},
    {"z-project", project},
    {"merge", merge},
    {"stack", merge},
    {"binarize", binarize},
    {"otsu", binarize},
    {"dilate", morphology},
    {"erode", morphology},
    {"open", morphology},
    {"close", morphology},
    {"skeletonize", morphology},
    {"fill-holes", holes},
    {"clear-border", holes},
    {"split", holes},
    {"count", count},
    {"label", count},
    {"labels", count},
    {"connected-components", count},
    {"cells", cells},
    {"stardist", cells},
    {"cellpose", cells},
    {"cell-detection", cells},
    {"identify-primary-objects", cells},
    {"identifyprimaryobjects", cells},
    {"mesh", mesh},
    {"stl", mesh},
    {"isosurface", mesh},
    {"marching-cubes", mesh},
    {"align", align},
    {"registration", align},
    {"classify", classify},
    {"train", classify},
    {"normalize", stains},
    {"deconvolve", stains},
    {"unmix", stains},
    {"dice", compare},
    {"compare", compare},
    {"track", track},
    {"motion", track},
    {"viewer", show},
    {"show", show},
    {"display", show},
});

}  // namespace

std::span<const OtherWord> other_words() { return words; }

std::string_view verb_for(std::string_view word) {
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const OtherWord& other) { return other.word == word; });
    return found == words.end() ? std::string_view{} : found->advice;
}

}  // namespace tesela::cli
