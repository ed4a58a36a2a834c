#include <dpfermi/core/version.h>
#include <dpfermi/data/table_reader.h>

#include <cstdio>

int main() {
  const dpfermi::TableRequest request{.files = {"absent.csv"}};
  const auto table = dpfermi::read_table(request);
  std::printf("dpfermi %s: %s\n", dpfermi::version().data(), table.error().message.c_str());
  return table ? 1 : 0;
}
