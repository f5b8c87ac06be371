// Runs when Tesela is built: prints what is generated from the descriptions.
#include "entry.h"

int main(int count, char** arguments) { return tesela_program(count, arguments); }
