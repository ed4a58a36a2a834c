/* One fit from C, for comparison with the others: prints the model's digest. Beside people.csv. */

#include "people.h"

int main(void) {
  dpfermi_table* table = NULL;
  dpfermi_ledger* ledger = NULL;
  dpfermi_model* model = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;
  must(dpfermi_table_read("people.csv", kOptions, &table, &error), error);
  must(dpfermi_ledger_open("c.db", &ledger, &error), error);
  must(dpfermi_train(table, ledger, kRequest, "{\"seed\": 3}", NULL, &model, NULL, &error), error);
  must(dpfermi_model_inspect(model, &text, &error), error);
  CHECK(holds(text, "digest"));
  printf("%s\n", value_of(text, "digest"));
  dpfermi_text_free(text);
  dpfermi_model_free(model);
  dpfermi_ledger_free(ledger);
  dpfermi_table_free(table);
  return 0;
}
