// Made by make_scikit_image_vectors.py with scikit-image 0.19.3.
#pragma once

#include <cstdint>

namespace tesela::testing {

// graycomatrix of picture(13, 9, 4), distances 1 and 2, angles 0, 45, 90 and 135 degrees.
inline constexpr std::int64_t gray_matrices[2][4][16] = {
    {{10, 6, 10, 8, 8, 4, 6, 5, 8, 8, 4, 9, 6, 6, 7, 3},
     {9, 8, 4, 8, 4, 6, 6, 5, 9, 5, 7, 4, 5, 3, 7, 6},
     {3, 6, 14, 6, 12, 2, 4, 6, 6, 7, 5, 9, 7, 9, 5, 3},
     {7, 5, 11, 4, 6, 6, 5, 5, 7, 6, 4, 7, 8, 4, 6, 5}},
    {{10, 6, 10, 4, 3, 5, 5, 7, 9, 7, 8, 5, 8, 3, 2, 7},
     {9, 8, 4, 8, 4, 6, 6, 5, 9, 5, 7, 4, 5, 3, 7, 6},
     {6, 9, 6, 4, 2, 6, 7, 6, 11, 3, 5, 4, 8, 3, 6, 5},
     {7, 5, 11, 4, 6, 6, 5, 5, 7, 6, 4, 7, 8, 4, 6, 5}},
};

// graycoprops of picture(40, 30, 11), symmetric, distances 1 and 3, those angles:
// ASM, energy, contrast, dissimilarity, homogeneity, correlation.
inline constexpr double gray_properties[6][2][4] = {
    {{0.008814741763459744, 0.008957433817947863, 0.008682743757431631, 0.008770592599367869},
     {0.008763899034169284, 0.008776199191587996, 0.008849451303154992, 0.008958604217310182}},
    {{0.09388685618050988, 0.09464372043589507, 0.0931812414460745, 0.09365144205706535},
     {0.09361569865235897, 0.09368137056847532, 0.09407152227510189, 0.09464990341944456}},
    {{19.644444444444474, 19.132625994694965, 18.903448275862072, 19.664898320070733},
     {19.2243243243243, 20.573308270676705, 20.28796296296294, 20.10056390977442}},
    {{3.6632478632478676, 3.5393457117595055, 3.5017241379310327, 3.625994694960213},
     {3.5396396396396366, 3.6860902255639125, 3.6305555555555515, 3.6644736842105257}},
    {{0.21386928208721567, 0.24178229283227015, 0.24608548899263094, 0.22518009344865184},
     {0.24462348823047597, 0.23444011426368996, 0.23864609068075815, 0.22640551861750158}},
    {{0.0007397666725080946, 0.02991343894047243, 0.04244188222046596, 0.0027556802318324213},
     {0.02631168681953304, -0.03430941354186945, -0.03184415673096301, -0.015390602182161607}},
};

// local_binary_pattern of picture(31, 22, 256), 'uniform', without the border.
inline constexpr const char* patterns_8_of_256 =
    "jajihbihhjbgbaijjicbjhabjajbhgiajahabhaiaijjaiaiahaijibihafhjjiaihjjhjficbjjajjiahbiahjbah"
    "ajhjaiajeajijgbjhajhiajjabicjiaiajahjibiahibhaibajijihjgjdjjjbgbiabjjhjajibjjhbbahacbiajbh"
    "ijgbjiacibiajcgaijijajhjahfajagidabjiccjjhihjhbdijaijjijjijgajgfadhaiagdgajagjaijbieaiajbj"
    "jihbjidahbajgbiaijjajhbiahihjiabiaeihaijijabhajijahjjfjajajijjijbaiajaigjieaejjhaiaihhjaja"
    "ijibiaiijhcjajdfijahjbhabjdijgabhcibaijaijfhccijihjajhahajaggbajcgahgadhbhdajbbhjiahijijeh"
    "idfijbhjhaigajibgbjabijajajagajidijbajhjajicaijihjajjghafjbiafahieajbicjhhjgajjibabijggjbj"
    "jbgchibiaijdibajibjjijjaeijiaigecbjjjbja";
// local_binary_pattern of picture(31, 22, 6), 'uniform', without the border.
inline constexpr const char* patterns_8_of_6 =
    "ajfifbbjajjhbjijhjgdijdjbjicjdjjagijjiaijbiaiajijbiibijjjieiajbbjjhjjijiibjiaijihhajgicifg"
    "ghiiajhajaficiaibbjifijbjahjchegaibigghacijjiihafhbjfijibiajbijijhafejiaiajahcbhjehaibhibd"
    "gfebjfifjaijejijejibiibhjcjhibajbgidhaiaiidbdibhiajhicijjahiejjbjjhhjeibjcjjibhbjcijbighbi"
    "iggjbbiajhjijjjbihgjiadjhbaiiigagijchibjjhbijiajjbjaiajjafjdjbgjgcjjibiaiajijhijbiijjiajia"
    "iibiijfjicjjjajaghaiiibiciaijgajjjjjiaiiajiefbijcjjaibbijajihbifbbgiaiajigjjbijbhjfgbijjbi"
    "jcijhbjibiajfjijjjejiejbjbibjahjaibjbjhhahbijijiiajaihjhbijaehdbiijbijijaichajbhjjbbibjjii"
    "jibjgbicjjbjhajjjijijijajijgchciiajjbfii";
// local_binary_pattern of picture(31, 22, 256), 'uniform', without the border.
inline constexpr const char* patterns_16_of_256 =
    "parbrbrrapbqrrarrqarbrrparpprrqarnraqdrqrarrarrrrqrrararbrqpaqrrrarprrbrrrrrqarrarrqbrabbp"
    "rrrraqprraqrarrrqorrrrrarrqarrrrrarqarrqbbaorrarrqqrpbbqrrprqarrraprqqbaaqrbqbnqrbarqrrrbr"
    "qqrrbpqrbqqrrrrrarprarrarrrrrbrboobrqrarbrrrrpqarqrarbarrbqaprrqrrbpqprparparqrrrrqparoaaq"
    "prrrpaabrqrrnrrbqrrrqrrqbarrbraqorrarbrrrrqapqrrrrcdrrbqncqcfrrrrrarrrpaapparrrrrpqqrarrrq"
    "brarraarrrarnarqorrbrrrorqqfrrrqqrrqqbrrraqraarrrbbqprrarbrrroqqrbarrraaapqqprrrrnqbrrrrar"
    "brqrarrqcqroanrrrarqarrrbrrrrrporrcr";
// local_binary_pattern of picture(31, 22, 256), 'uniform', without the border.
inline constexpr const char* patterns_24_of_256 =
    "zbxayzzazczyzbzzazzzzzzzazbzzzayazzbzzzzzzzzzzyazzzzaxazazzzbzaxyzzbyzzzyzyzzzzazzyazzzzzz"
    "zyazzyaaaxazzxyzzzzyzzzzyazzzayzyzaxzzzbzyzaazyzzezyxzzzzzyzyzzzwzbzzzbzxazazzzazzzyzzavaz"
    "zzzxzzzyzbzaazzbyaxzzzzxyzzxbzzbzyzzzzyzbzzaazzzyaaazyzzzzzzydzzyzzxzaazayyzzazaxzzzyayxzx"
    "zzzzzzzzyabzzxzzzzzzyaazzzzzzzxzzazzzyazzzzaazzzzzzbzyzbzzzzzyyzzzzyyzzzxzzazbyzzzzabyyzza"
    "zbzczxzyzdazzzayxyzzbzzzxazzzzazzzzzazzz";

}  // namespace tesela::testing
