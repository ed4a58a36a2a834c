#include "program.h"

int main(int count, char** words) {
  return dpfermi::deep::run_program(count, words, dpfermi::deep::known_networks());
}
