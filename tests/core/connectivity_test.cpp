#include "tesela/connectivity.h"

#include <gtest/gtest.h>

namespace tesela {
namespace {

const Shape picture{8, 8};
const Shape volume{8, 8, 8};
const Shape film{8, 8, 1, 5};
const Shape volumes{8, 8, 8, 5};

TEST(ConnectivityOption, AutomaticIsTheFullNeighborhood) {
    EXPECT_EQ(resolve(Connectivity::automatic, picture), Connectivity::eight);
    EXPECT_EQ(resolve(Connectivity::automatic, volume), Connectivity::twenty_six);
    EXPECT_EQ(resolve(Connectivity::automatic, film), Connectivity::eighty);
    EXPECT_EQ(resolve(Connectivity::automatic, volumes), Connectivity::eighty);
    EXPECT_EQ(resolve(Connectivity::six, volume), Connectivity::six);
}

TEST(ConnectivityOption, AxesOfNeighbors) {
    EXPECT_EQ(axes_of_neighbors(Connectivity::four, picture), 1);
    EXPECT_EQ(axes_of_neighbors(Connectivity::eight, picture), 2);
    EXPECT_EQ(axes_of_neighbors(Connectivity::six, volume), 1);
    EXPECT_EQ(axes_of_neighbors(Connectivity::eighteen, volume), 2);
    EXPECT_EQ(axes_of_neighbors(Connectivity::automatic, volume), 3);
    EXPECT_EQ(axes_of_neighbors(Connectivity::eight, volumes), 1);
    EXPECT_EQ(axes_of_neighbors(Connectivity::thirty_two, volumes), 2);
    EXPECT_EQ(axes_of_neighbors(Connectivity::sixty_four, film), 3);
    EXPECT_EQ(axes_of_neighbors(Connectivity::automatic, volumes), 4);
}

TEST(ConnectivityOption, OfTheOtherDimensionIsRefused) {
    for (const Connectivity c : {Connectivity::four, Connectivity::eight})
        EXPECT_THROW(axes_of_neighbors(c, volume), InvalidArgument);
    for (const Connectivity c :
         {Connectivity::six, Connectivity::eighteen, Connectivity::twenty_six})
        EXPECT_THROW(axes_of_neighbors(c, picture), InvalidArgument);
    for (const Connectivity c : {Connectivity::four, Connectivity::six, Connectivity::twenty_six})
        EXPECT_THROW(axes_of_neighbors(c, volumes), InvalidArgument);
    EXPECT_THROW(axes_of_neighbors(Connectivity::eighty, volume), InvalidArgument);
    try {
        (void)axes_of_neighbors(Connectivity::twenty_six, film);
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(),
                     "--connectivity 26 is not one of an image with a time axis: use 8, 32, 64 or "
                     "80");
    }
}

}  // namespace
}  // namespace tesela
