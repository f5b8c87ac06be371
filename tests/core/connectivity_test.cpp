#include "tesela/connectivity.h"

#include <gtest/gtest.h>

namespace tesela {
namespace {

const Shape picture{8, 8};
const Shape volume{8, 8, 8};

TEST(ConnectivityOption, AutomaticIsTheFullNeighborhood) {
    EXPECT_EQ(resolve(Connectivity::automatic, picture), Connectivity::eight);
    EXPECT_EQ(resolve(Connectivity::automatic, volume), Connectivity::twenty_six);
    EXPECT_EQ(resolve(Connectivity::six, volume), Connectivity::six);
}

TEST(ConnectivityOption, AxesOfNeighbors) {
    EXPECT_EQ(axes_of_neighbors(Connectivity::four, picture), 1);
    EXPECT_EQ(axes_of_neighbors(Connectivity::eight, picture), 2);
    EXPECT_EQ(axes_of_neighbors(Connectivity::six, volume), 1);
    EXPECT_EQ(axes_of_neighbors(Connectivity::eighteen, volume), 2);
    EXPECT_EQ(axes_of_neighbors(Connectivity::automatic, volume), 3);
}

TEST(ConnectivityOption, OfTheOtherDimensionIsRefused) {
    for (const Connectivity c : {Connectivity::four, Connectivity::eight})
        EXPECT_THROW(axes_of_neighbors(c, volume), InvalidArgument);
    for (const Connectivity c :
         {Connectivity::six, Connectivity::eighteen, Connectivity::twenty_six})
        EXPECT_THROW(axes_of_neighbors(c, picture), InvalidArgument);
}

}  // namespace
}  // namespace tesela
