/* From a table to a fair and private model, in C. Run it beside people.csv:
 *   dpfermi datasets generate --out people.csv */
#include <dpfermi/dpfermi_c.h>
#include <stdio.h>

int main(void) {
  dpfermi_error* error = NULL;
  dpfermi_table* people = NULL;
  dpfermi_ledger* ledger = NULL;
  dpfermi_model* model = NULL;
  const char* options =
      "{\"target\": \"income\", \"positive\": \"high\", \"sensitive\": [\"group\"],"
      " \"sensitive_values\": {\"group\": [\"g0\", \"g1\"]}}";
  dpfermi_status status = dpfermi_table_read("people.csv", options, &people, &error);
  if (status == DPFERMI_OK) status = dpfermi_ledger_open("people_c.db", &ledger, &error);
  if (status == DPFERMI_OK) {
    status = dpfermi_train(people, ledger, "{\"epsilon\": 1, \"max_violation\": 0.05}", NULL, NULL,
                           &model, NULL, &error);
  }
  if (status == DPFERMI_OK) status = dpfermi_model_write(model, "people_c.model", &error);
  if (status != DPFERMI_OK) fprintf(stderr, "dpfermi: %s\n", dpfermi_error_message(error));
  dpfermi_error_free(error);
  dpfermi_model_free(model);
  dpfermi_ledger_free(ledger);
  dpfermi_table_free(people);
  return (int)status;
}
