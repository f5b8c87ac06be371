// Where main.cpp enters the library that it loads.
#pragma once

extern "C" int tesela_program(int count, char** arguments);
