#include <cstdio>

int main() { std::puts("sotto"); }
