/* The C interface from C: the same table in memory and in a file, a budget that runs out, errors,
 * progress and the wish to stop. Argument: a folder to work in. */

#include <pthread.h>

#include "people.h"

static void write_quoted(FILE* file, const char* text) {
  fputc('"', file);
  for (; *text != '\0'; ++text) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

/* The same table as text; numbers by their 17 digits read back as the same doubles, but only the
 * shortest decimal gives the same fingerprint, so that shares are cut to three places first. */
static void write_people(const char* path) {
  FILE* file = fopen(path, "wb");
  size_t i;
  CHECK(file != NULL);
  fprintf(file, "age,income_share,job,sex,income\n");
  for (i = 0; i < ROWS; ++i) {
    if (!isnan(age[i])) fprintf(file, "%g", age[i]);
    fprintf(file, ",%g,", income_share[i]);
    if (job[i] >= 0) write_quoted(file, jobs[job[i]]);
    fprintf(file, ",%s,%s\n", sex[i] < 2 ? sexes[sex[i]] : "", incomes[income[i]]);
  }
  CHECK(fclose(file) == 0);
}

struct watch {
  int notes, steps, stop_after;
};
static void on_note(void* context, const char* remark) {
  struct watch* watch = context;
  watch->notes += remark[0] != '\0';
}
static void on_progress(void* context, const char* task, double done, double total) {
  struct watch* watch = context;
  CHECK(strlen(task) > 0 && done >= 0 && total >= 0);
  watch->steps += strcmp(task, "training") == 0;
}
static int on_interrupted(void* context) {
  struct watch* watch = context;
  return watch->steps > watch->stop_after;
}

static void test_memory_equals_file(const char* path, const dpfermi_ledger* ledger) {
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table *memory = NULL, *file = NULL;
  dpfermi_model *first = NULL, *second = NULL;
  dpfermi_text *text = NULL, *report = NULL;
  dpfermi_error* error = NULL;
  struct watch watch = {0, 0, 1 << 30};
  dpfermi_observer observer;
  char digest[256];

  observer.context = &watch;
  observer.note = on_note;
  observer.progress = on_progress;
  observer.interrupted = on_interrupted;
  columns_of(path, columns, &people);
  must(dpfermi_table_load(&people, kOptions, &memory, &error), error);
  must(dpfermi_table_read(path, kOptions, &file, &error), error);
  must(dpfermi_table_describe(memory, &text, &error), error);
  CHECK(holds(text, "\"training_rows\": 2000") && holds(text, "\"female\""));
  dpfermi_text_free(text);

  must(dpfermi_plan(memory, kRequest, &text, &error), error);
  CHECK(holds(text, "\"method\": \"dp-fermi\""));
  dpfermi_text_free(text);

  must(dpfermi_train(memory, ledger, kRequest, "{\"seed\": 3}", &observer, &first, &report, &error),
       error);
  CHECK(watch.steps > 10 && holds(report, "\"recorded\": {"));
  dpfermi_text_free(report);
  must(dpfermi_train(file, ledger, kRequest, "{\"seed\": 3}", NULL, &second, NULL, &error), error);
  must(dpfermi_model_inspect(first, &text, &error), error);
  strcpy(digest, value_of(text, "digest"));
  CHECK(holds(text, "\"card\": ") && holds(text, "\"private\": false")); /* a fixed seed */
  dpfermi_text_free(text);
  must(dpfermi_model_inspect(second, &text, &error), error);
  CHECK(strcmp(digest, value_of(text, "digest")) == 0);
  dpfermi_text_free(text);

  /* One table, one budget. */
  must(dpfermi_ledger_state(ledger, &text, &error), error);
  CHECK(holds(text, "\"charges\": 2"));
  dpfermi_text_free(text);

  dpfermi_model_free(first);
  dpfermi_model_free(second);
  dpfermi_table_free(memory);
  dpfermi_table_free(file);
}

static void test_models_and_sketches(const char* folder, const dpfermi_ledger* ledger) {
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_model *model = NULL, *again = NULL;
  dpfermi_sketch *sketch = NULL, *copy = NULL;
  dpfermi_text *text = NULL, *bytes = NULL;
  dpfermi_error* error = NULL;
  static float probabilities[2 * ROWS];
  static uint32_t decisions[ROWS], repeated[ROWS];
  char path[512];
  size_t i, right = 0;

  columns_of("people", columns, &people);
  must(dpfermi_table_load(&people, kOptions, &table, &error), error);
  must(dpfermi_sketch_make(table, ledger, "{\"epsilon\": 0.5, \"delta\": 1e-6}",
                           "{\"budget\": \"study\", \"part_of_budget\": true}", &sketch, NULL,
                           &error),
       error);
  must(dpfermi_sketch_encode(sketch, &bytes, &error), error);
  must(dpfermi_sketch_decode(dpfermi_text_data(bytes), dpfermi_text_size(bytes), &copy, &error),
       error);
  dpfermi_text_free(bytes);
  must(dpfermi_sketch_inspect(copy, &text, &error), error);
  CHECK(holds(text, "\"private\": true") && holds(text, "\"male\""));
  dpfermi_text_free(text);
  must(dpfermi_train_from_sketch(table, copy, "{\"method\": \"sketch\", \"max_violation\": 0.1}",
                                 NULL, NULL, &model, NULL, &error),
       error);

  snprintf(path, sizeof path, "%s/people.model", folder);
  must(dpfermi_model_write(model, path, &error), error);
  must(dpfermi_model_read(path, &again, &error), error);
  must(dpfermi_predict(model, &people, probabilities, decisions, &error), error);
  must(dpfermi_predict(again, &people, NULL, repeated, &error), error);
  CHECK(memcmp(decisions, repeated, sizeof decisions) == 0);
  for (i = 0; i < ROWS; ++i) {
    CHECK(fabsf(probabilities[2 * i] + probabilities[2 * i + 1] - 1) < 1e-5f);
    right += decisions[i] == (uint32_t)(1 - income[i]); /* classes in order: high, low */
  }
  CHECK(right > ROWS * 6 / 10);

  must(dpfermi_evaluate_exactly(model, &people, &text, &error), error);
  CHECK(holds(text, "\"exact_not_private\": true"));
  dpfermi_text_free(text);
  must(dpfermi_evaluate_privately(model, &people, ledger, "{\"epsilon\": 0.25, \"delta\": 1e-6}",
                                  "{\"budget\": \"study\", \"part_of_budget\": true}", &text,
                                  &error),
       error);
  CHECK(holds(text, "\"exact_not_private\": false"));
  dpfermi_text_free(text);

  /* The budget has 0.25 left, of which a part of the rows asks for more. */
  dpfermi_table_free(table);
  table = NULL;
  people.rows = ROWS / 2;
  must(dpfermi_table_load(&people, kOptions, &table, &error), error);
  CHECK(dpfermi_sketch_make(table, ledger, "{\"epsilon\": 0.5, \"delta\": 1e-6}",
                            "{\"budget\": \"study\", \"part_of_budget\": true}", &sketch, NULL,
                            &error) == DPFERMI_BUDGET_REFUSED);
  CHECK(dpfermi_error_status(error) == DPFERMI_BUDGET_REFUSED);
  dpfermi_error_free(error);
  error = NULL;
  dpfermi_sketch_free(sketch);
  must(dpfermi_sketch_make(table, ledger, "{\"epsilon\": 0.2, \"delta\": 1e-6}",
                           "{\"budget\": \"study\", \"part_of_budget\": true}", &sketch, NULL,
                           &error),
       error);
  dpfermi_sketch_free(sketch);
  dpfermi_sketch_free(copy);
  dpfermi_model_free(model);
  dpfermi_model_free(again);
  dpfermi_table_free(table);
}

/* Figures are about the groups of the rows, of which there may be one more than the model has. */
static void test_figures_of_groups_that_were_read_from_the_data(const dpfermi_ledger* ledger) {
  static int32_t known[ROWS]; /* no row is in another group */
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_model* model = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;
  size_t i;

  columns_of("people", columns, &people);
  for (i = 0; i < ROWS; ++i) known[i] = sex[i] == 1;
  columns[3].codes = known;
  must(dpfermi_table_load(&people,
                          "{\"target\": \"income\", \"sensitive\": [\"sex\"],"
                          " \"groups_from_data\": true, \"test_fraction\": 0}",
                          &table, &error),
       error);
  must(dpfermi_train(table, ledger, kRequest, NULL, NULL, &model, NULL, &error), error);
  dpfermi_table_free(table);
  must(dpfermi_evaluate_exactly(model, &people, &text, &error), error);
  CHECK(holds(text, "\"name\": \"other\""));
  dpfermi_text_free(text);
  must(dpfermi_evaluate_privately(model, &people, ledger, "{\"epsilon\": 1, \"delta\": 1e-6}", NULL,
                                  &text, &error),
       error);
  CHECK(holds(text, "\"name\": \"other\""));
  dpfermi_text_free(text);
  dpfermi_model_free(model);
}

static void expect(dpfermi_status status, dpfermi_error** error, const char* field,
                   const char* part) {
  CHECK(status == DPFERMI_USAGE);
  if (strcmp(dpfermi_error_field(*error), field) != 0 ||
      strstr(dpfermi_error_message(*error), part) == NULL) {
    fprintf(stderr, "field '%s': %s\n", dpfermi_error_field(*error), dpfermi_error_message(*error));
    exit(1);
  }
  dpfermi_error_free(*error);
  *error = NULL;
}

static void test_errors(const dpfermi_ledger* ledger) {
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_model* model = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;
  struct watch watch = {0, 0, 5};
  dpfermi_observer observer = {&watch, on_note, on_progress, on_interrupted};

  columns_of("people", columns, &people);
  expect(dpfermi_table_load(&people, "{\"target\": 3}", &table, &error), &error, "target",
         "takes a text, not 3");
  expect(dpfermi_table_load(&people, "{\"targt\": \"income\"}", &table, &error), &error, "targt",
         "did you mean `target`?");
  expect(dpfermi_table_load(NULL, NULL, &table, &error), &error, "columns", "is NULL");
  CHECK(dpfermi_table_load(&people, "no JSON", &table, &error) == DPFERMI_USAGE);
  dpfermi_error_free(error);
  CHECK(dpfermi_table_load(&people, "no JSON", &table, NULL) == DPFERMI_USAGE);
  CHECK(table == NULL);
  must(dpfermi_table_load(&people, kOptions, &table, &error), error);
  expect(dpfermi_train(table, ledger, "{\"epsilon\": -1}", NULL, NULL, &model, NULL, &error),
         &error, "epsilon", "must");
  expect(dpfermi_train(table, NULL, NULL, NULL, NULL, &model, NULL, &error), &error, "method",
         "reads protected data");
  expect(dpfermi_train(table, ledger, kRequest, "{\"part_of_budget\": true}", NULL, &model, NULL,
                       &error),
         &error, "part_of_budget", "name a `budget`");
  expect(dpfermi_train(table, ledger, kRequest, "{\"checkpoint\": {\"every\": 2}}", NULL, &model,
                       NULL, &error),
         &error, "checkpoint.file", "belong together");
  expect(dpfermi_train(table, ledger, kRequest, "{\"checkpoint\": {\"evry\": 2}}", NULL, &model,
                       NULL, &error),
         &error, "checkpoint.evry", "did you mean `every`?");
  expect(dpfermi_train(table, ledger, "{\"hidden\": [1.5]}", NULL, NULL, &model, NULL, &error),
         &error, "hidden", "a whole number");
  expect(dpfermi_train(table, ledger, "{\"hidden\": [4, 0]}", NULL, NULL, &model, NULL, &error),
         &error, "hidden", "from 1 to 65536, not 0");
  expect(dpfermi_train(table, ledger, "{\"method\": \"fermi\", \"hidden\": [0]}", NULL, NULL,
                       &model, NULL, &error),
         &error, "hidden", "from 1 to 65536, not 0");
  CHECK(dpfermi_train(table, ledger, kRequest, "{\"seed\": 3}", &observer, &model, NULL, &error) ==
        DPFERMI_FAILED);
  CHECK(strstr(dpfermi_error_message(error), "interrupted at step") != NULL);
  CHECK(strstr(dpfermi_error_message(error), "stays charged") != NULL);
  dpfermi_error_free(error);
  error = NULL;
  CHECK(model == NULL);

  /* Without s nothing is charged, and no ledger is needed. */
  must(dpfermi_train(table, NULL, "{\"method\": \"erm\", \"notion\": \"none\"}", NULL, NULL, &model,
                     NULL, &error),
       error);
  dpfermi_model_free(model);
  dpfermi_table_free(table);

  must(dpfermi_account("{\"event\": {\"adjacency\": \"sensitive\", \"kind\": \"gaussian\","
                       " \"sigma_over_distance\": 10}, \"delta\": 1e-5}",
                       &text, &error),
       error);
  CHECK(holds(text, "\"of\": \"epsilon\""));
  dpfermi_text_free(text);
  must(dpfermi_calibrate("{\"event\": {\"adjacency\": \"sensitive\", \"kind\": \"repetition\","
                         " \"count\": 100, \"part\": {\"kind\": \"poisson-gaussian\", \"q\": 0.01,"
                         " \"noise_multiplier\": 1}}, \"epsilon\": 1, \"delta\": 1e-5}",
                         &text, &error),
       error);
  CHECK(holds(text, "\"value\": "));
  dpfermi_text_free(text);
  expect(dpfermi_calibrate("{\"event\": {\"adjacency\": \"sensitive\", \"kind\": \"gaussian\","
                           " \"sigma_over_distance\": 1}, \"find\": \"q\", \"epsilon\": 1,"
                           " \"delta\": 1e-5}",
                           &text, &error),
         &error, "find", "no sampling rate");
  must(dpfermi_methods(&text, &error), error);
  CHECK(holds(text, "\"name\": \"dp-fermi\""));
  dpfermi_text_free(text);
}

/* One table, one model and one ledger, used by several threads at once. */
struct shared {
  const dpfermi_table* table;
  const dpfermi_ledger* ledger;
  const dpfermi_columns* people;
  const dpfermi_model* model;
};
#define THREADS 4

static void* train_and_predict(void* given) {
  const struct shared* shared = given;
  static _Thread_local uint32_t decisions[ROWS];
  char* digest = malloc(256);
  dpfermi_model* model = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;
  char pattern[] = "\"digest\": \"";
  const char* found;
  must(dpfermi_train(shared->table, shared->ledger, kRequest, "{\"seed\": 3}", NULL, &model, NULL,
                     &error),
       error);
  must(dpfermi_predict(shared->model, shared->people, NULL, decisions, &error), error);
  must(dpfermi_model_inspect(model, &text, &error), error);
  found = strstr(dpfermi_text_data(text), pattern);
  CHECK(digest != NULL && found != NULL);
  snprintf(digest, 256, "%.64s", found + strlen(pattern));
  dpfermi_text_free(text);
  dpfermi_model_free(model);
  return digest;
}

static void test_threads_share_handles(const char* folder) {
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_ledger* ledger = NULL;
  dpfermi_model* model = NULL;
  dpfermi_text* state = NULL;
  dpfermi_error* error = NULL;
  struct shared shared;
  pthread_t threads[THREADS];
  void* digests[THREADS];
  char path[512];
  int i;

  columns_of("people", columns, &people);
  must(dpfermi_table_load(&people, kOptions, &table, &error), error);
  snprintf(path, sizeof path, "%s/threads.db", folder);
  must(dpfermi_ledger_open(path, &ledger, &error), error);
  must(dpfermi_train(table, ledger, kRequest, NULL, NULL, &model, NULL, &error), error);
  shared.table = table;
  shared.ledger = ledger;
  shared.people = &people;
  shared.model = model;
  for (i = 0; i < THREADS; ++i) {
    CHECK(pthread_create(&threads[i], NULL, train_and_predict, &shared) == 0);
  }
  for (i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], &digests[i]) == 0);
  for (i = 1; i < THREADS; ++i) CHECK(strcmp(digests[0], digests[i]) == 0);
  for (i = 0; i < THREADS; ++i) free(digests[i]);
  must(dpfermi_ledger_state(ledger, &state, &error), error);
  CHECK(holds(state, "\"charges\": 5"));
  dpfermi_text_free(state);
  dpfermi_model_free(model);
  dpfermi_ledger_free(ledger);
  dpfermi_table_free(table);
}

/* Every pointer that is needed is missing once. */
static void test_null_pointers(const dpfermi_ledger* ledger) {
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_model* model = NULL;
  dpfermi_sketch* sketch = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;

  columns_of("people", columns, &people);
  must(dpfermi_table_load(&people, kOptions, &table, &error), error);
#define NEEDS(call, name) expect(call, &error, name, "is NULL")
  NEEDS(dpfermi_ledger_open(NULL, NULL, &error), "ledger");
  NEEDS(dpfermi_ledger_init(NULL, NULL, &error), "ledger");
  NEEDS(dpfermi_ledger_state(NULL, &text, &error), "ledger");
  NEEDS(dpfermi_ledger_state(ledger, NULL, &error), "state");
  NEEDS(dpfermi_table_load(&people, kOptions, NULL, &error), "table");
  NEEDS(dpfermi_table_read(NULL, kOptions, &table, &error), "path");
  NEEDS(dpfermi_table_describe(NULL, &text, &error), "table");
  NEEDS(dpfermi_table_describe(table, NULL, &error), "answer");
  NEEDS(dpfermi_plan(NULL, NULL, &text, &error), "table");
  NEEDS(dpfermi_plan(table, NULL, NULL, &error), "plan");
  NEEDS(dpfermi_train(NULL, ledger, NULL, NULL, NULL, &model, NULL, &error), "table");
  NEEDS(dpfermi_train(table, ledger, NULL, NULL, NULL, NULL, NULL, &error), "model");
  NEEDS(dpfermi_train_from_sketch(table, NULL, NULL, NULL, NULL, &model, NULL, &error), "sketch");
  NEEDS(dpfermi_sketch_make(table, NULL, NULL, NULL, &sketch, NULL, &error), "ledger");
  NEEDS(dpfermi_sketch_make(table, ledger, NULL, NULL, NULL, NULL, &error), "sketch");
  NEEDS(dpfermi_model_read(NULL, &model, &error), "path");
  NEEDS(dpfermi_model_write(NULL, "nowhere", &error), "model");
  NEEDS(dpfermi_model_encode(NULL, &text, &error), "model");
  NEEDS(dpfermi_model_decode(NULL, 7, &model, &error), "bytes");
  NEEDS(dpfermi_model_inspect(NULL, &text, &error), "model");
  NEEDS(dpfermi_sketch_read(NULL, &sketch, &error), "path");
  NEEDS(dpfermi_sketch_write(NULL, "nowhere", &error), "sketch");
  NEEDS(dpfermi_sketch_encode(NULL, &text, &error), "sketch");
  NEEDS(dpfermi_sketch_decode(NULL, 7, &sketch, &error), "bytes");
  NEEDS(dpfermi_sketch_inspect(NULL, &text, &error), "sketch");
  NEEDS(dpfermi_predict(NULL, &people, NULL, NULL, &error), "model");
  NEEDS(dpfermi_evaluate_exactly(NULL, &people, &text, &error), "model");
  NEEDS(dpfermi_evaluate_privately(NULL, &people, ledger, NULL, NULL, &text, &error), "model");
  NEEDS(dpfermi_account("{}", NULL, &error), "answer");
  NEEDS(dpfermi_calibrate("{}", NULL, &error), "answer");
  NEEDS(dpfermi_methods(NULL, &error), "answer");
#undef NEEDS
  CHECK(model == NULL && sketch == NULL && text == NULL);
  dpfermi_table_free(table);

  /* An error that there was no memory for. */
  CHECK(dpfermi_error_status(NULL) == DPFERMI_FAILED);
  CHECK(strstr(dpfermi_error_message(NULL), "out of memory") != NULL);
  CHECK(strcmp(dpfermi_error_field(NULL), "") == 0);
  CHECK(dpfermi_text_size(NULL) == 0 && strcmp(dpfermi_text_data(NULL), "") == 0);
  CHECK(dpfermi_arrow_columns(NULL) == NULL);
  dpfermi_error_free(NULL);
  dpfermi_text_free(NULL);
  dpfermi_arrow_free(NULL);
  dpfermi_ledger_free(NULL);
  dpfermi_table_free(NULL);
  dpfermi_model_free(NULL);
  dpfermi_sketch_free(NULL);
}

static void test_columns_that_contradict_themselves(void) {
  static const char* const gap[] = {"low", NULL};
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_table* table = NULL;
  dpfermi_error* error = NULL;

  columns_of("people", columns, &people);
  columns[4].levels = gap;
  expect(dpfermi_table_load(&people, kOptions, &table, &error), &error, "columns",
         "column 4 lacks levels");
  columns[4].levels = NULL;
  expect(dpfermi_table_load(&people, kOptions, &table, &error), &error, "columns",
         "column 4 lacks levels");
  columns[4].level_count = SIZE_MAX;
  expect(dpfermi_table_load(&people, kOptions, &table, &error), &error, "columns",
         "column 4 has more levels than codes");
  columns[0].codes = job;
  expect(dpfermi_table_load(&people, kOptions, &table, &error), &error, "columns",
         "column 0 needs a name and either");
  people.columns = NULL;
  expect(dpfermi_table_load(&people, kOptions, &table, &error), &error, "columns",
         "column 0 is NULL");

  /* Texts of the caller do not break the line, and what is not UTF-8 does not reach the message. */
  columns_of("a\nb\xff", columns, &people);
  columns[0].name = "\xc3(";
  CHECK(dpfermi_table_load(&people, kOptions, &table, &error) == DPFERMI_FAILED && table == NULL);
  CHECK(strchr(dpfermi_error_message(error), '\n') == NULL);
  CHECK(strstr(dpfermi_error_message(error), "not UTF-8") != NULL);
  CHECK(strstr(dpfermi_error_message(error), "\xff") == NULL);
  dpfermi_error_free(error);
}

int main(int argc, char** argv) {
  dpfermi_ledger *ledger = NULL, *capped = NULL;
  dpfermi_error* error = NULL;
  char path[512];

  CHECK(argc == 2);
  CHECK(dpfermi_abi() == DPFERMI_ABI && strlen(dpfermi_version()) > 0);
  make_people();
  snprintf(path, sizeof path, "%s/open.db", argv[1]);
  must(dpfermi_ledger_open(path, &ledger, &error), error);
  snprintf(path, sizeof path, "%s/people.csv", argv[1]);
  write_people(path);
  test_memory_equals_file(path, ledger);
  snprintf(path, sizeof path, "%s/capped.db", argv[1]);
  must(dpfermi_ledger_open(path, &capped, &error), error);
  must(dpfermi_ledger_init(capped,
                           "{\"budget\": \"study\", \"epsilon\": 1, \"delta\": 1e-5,"
                           " \"adjacency\": \"sensitive\"}",
                           &error),
       error);
  test_models_and_sketches(argv[1], capped);
  test_figures_of_groups_that_were_read_from_the_data(ledger);
  test_errors(ledger);
  test_threads_share_handles(argv[1]);
  test_null_pointers(ledger);
  test_columns_that_contradict_themselves();
  dpfermi_ledger_free(ledger);
  dpfermi_ledger_free(capped);
  return 0;
}
