#include "function/handler.hpp"

int main() {
  return fwatchdog::serve(handle);
}
