#include <iostream>

#include "watchdog/config/options.hpp"

/// Prints README.md's table of options, for check_readme.py.
int main() {
  std::cout << fwd::readme_table();
  return std::cout.flush() ? 0 : 1;
}
