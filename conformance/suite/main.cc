#include "conformance/suite/conform.h"

int main(int argc, char** argv) {
  return berth::conformance::ConformMain(argc, argv, &berth::conformance::MakeSuite);
}
