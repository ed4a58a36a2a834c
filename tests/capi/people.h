/* What the C tests share: synthetic people as columns, and what must hold. */
#ifndef DPFERMI_TESTS_CAPI_PEOPLE_H
#define DPFERMI_TESTS_CAPI_PEOPLE_H

#include <dpfermi/dpfermi_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 2000

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

static inline void must(dpfermi_status status, dpfermi_error* error) {
  if (status == DPFERMI_OK) return;
  fprintf(stderr, "failed: %s\n", error == NULL ? "?" : dpfermi_error_message(error));
  exit(1);
}

static inline int holds(const dpfermi_text* text, const char* part) {
  return strstr(dpfermi_text_data(text), part) != NULL;
}

/* The value of a key whose value is a text, in a static buffer. */
static inline const char* value_of(const dpfermi_text* text, const char* key) {
  static char value[256];
  char pattern[64];
  const char* found;
  snprintf(pattern, sizeof pattern, "\"%s\": \"", key);
  found = strstr(dpfermi_text_data(text), pattern);
  CHECK(found != NULL);
  found += strlen(pattern);
  snprintf(value, sizeof value, "%.*s", (int)strcspn(found, "\""), found);
  return value;
}

static double age[ROWS], income_share[ROWS];
static int32_t job[ROWS], sex[ROWS], income[ROWS];
static const char* const jobs[] = {"clerk", "smith, \"the\" first", " teacher", "nurse\nat night"};
static const char* const sexes[] = {"female", "male"};
static const char* const incomes[] = {"low", "high"};

static inline double draw(void) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1.0p-53;
}

static inline void make_people(void) {
  size_t i;
  for (i = 0; i < ROWS; ++i) {
    sex[i] = draw() < 0.4;
    job[i] = (int32_t)(4 * draw());
    age[i] = 20 + floor(50 * draw());
    income_share[i] = floor(1000 * (draw() + 0.2 * sex[i])) / 1000;
    income[i] = income_share[i] + 0.3 * draw() > 0.75;
    if (i % 17 == 0) age[i] = NAN;
    if (i % 19 == 0) job[i] = -1;
    if (i % 23 == 0) sex[i] = 9; /* outside the levels: undeclared */
  }
}

static inline void columns_of(const char* name, dpfermi_column* into, dpfermi_columns* table) {
  const dpfermi_column all[] = {{"age", age, NULL, NULL, 0},
                                {"income_share", income_share, NULL, NULL, 0},
                                {"job", NULL, job, jobs, 4},
                                {"sex", NULL, sex, sexes, 2},
                                {"income", NULL, income, incomes, 2}};
  memcpy(into, all, sizeof all);
  table->name = name;
  table->rows = ROWS;
  table->columns = into;
  table->column_count = 5;
}

static const char* const kOptions =
    "{\"target\": \"income\", \"positive\": \"high\", \"sensitive\": [\"sex\"],"
    " \"sensitive_values\": {\"sex\": [\"female\", \"male\"]}, \"test_fraction\": 0}";
static const char* const kRequest =
    "{\"method\": \"dp-fermi\", \"epsilon\": 1, \"delta\": 1e-6, \"lambda\": 1, \"epochs\": 3}";

#endif
