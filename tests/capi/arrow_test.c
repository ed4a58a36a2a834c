/* The Arrow C data interface, by structs made by hand: a table in two batches with offsets, nulls,
 * dictionaries and views gives the model that the same columns by pointer give. Argument: a folder
 * to work in. */

#include "people.h"

#define MOST 8

static int alive; /* structs that were not released yet */

struct batch {
  int64_t length, offset;
  struct ArrowArray children[MOST];
};
struct table {
  int columns, batches, next, fails;
  struct ArrowSchema types[MOST], dictionary_type;
  struct batch batch[2];
};

static void release_schema(struct ArrowSchema* schema) {
  free(schema->children);
  schema->release = NULL;
  --alive;
}
static void release_array(struct ArrowArray* array) {
  free(array->children);
  free(array->buffers);
  array->release = NULL;
  --alive;
}
static void release_stream(struct ArrowArrayStream* stream) {
  stream->release = NULL;
  --alive;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  struct table* table = stream->private_data;
  int c;
  memset(out, 0, sizeof *out);
  out->format = "+s";
  out->n_children = table->columns;
  out->children = calloc(MOST, sizeof *out->children);
  for (c = 0; c < table->columns; ++c) out->children[c] = &table->types[c];
  out->release = release_schema;
  ++alive;
  return 0;
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  struct table* table = stream->private_data;
  struct batch* batch;
  int c;
  memset(out, 0, sizeof *out);
  if (table->next == table->fails) return 5; /* EIO */
  if (table->next == table->batches) return 0;
  batch = &table->batch[table->next++];
  out->length = batch->length;
  out->offset = batch->offset;
  out->n_buffers = 1;
  out->buffers = calloc(1, sizeof *out->buffers);
  out->n_children = table->columns;
  out->children = calloc(MOST, sizeof *out->children);
  for (c = 0; c < table->columns; ++c) out->children[c] = &batch->children[c];
  out->release = release_array;
  ++alive;
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the cable is cut";
}

static struct ArrowArrayStream stream_of(struct table* table) {
  struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, table};
  ++alive;
  return stream;
}

static void set_type(struct table* table, int column, const char* name, const char* format) {
  table->types[column].name = name;
  table->types[column].format = format;
  table->columns = column + 1;
}
static void set_buffers(struct batch* batch, int column, const void** buffers, int64_t count,
                        int64_t nulls) {
  batch->children[column].buffers = buffers;
  batch->children[column].n_buffers = count;
  batch->children[column].null_count = nulls;
}

/* Buffers of the people. */
static unsigned char age_known[ROWS / 8], job_known[ROWS / 8], sex_known[ROWS / 8];
static char job_views[ROWS][16], job_texts[64], income_texts[ROWS * 4];
static int32_t income_ends[ROWS + 1];
static int8_t sex_first[ROWS], sex_second[ROWS];

static void set_bit(unsigned char* bits, size_t i, int value) {
  bits[i / 8] |= (unsigned char)((value != 0) << (i % 8));
}

static void fill_people(void) {
  static const int32_t starts[] = {0, 5, 23, 31}; /* of the jobs in job_texts */
  size_t i;
  for (i = 0; i < 4; ++i) memcpy(job_texts + starts[i], jobs[i], strlen(jobs[i]));
  for (i = 0; i < ROWS; ++i) {
    const int32_t known = job[i] >= 0, length = known ? (int32_t)strlen(jobs[job[i]]) : 0;
    const int32_t place[2] = {0, known ? starts[job[i]] : 0};
    set_bit(age_known, i, !isnan(age[i]));
    set_bit(job_known, i, known);
    memcpy(job_views[i], &length, sizeof length);
    if (length > 12) {
      memcpy(job_views[i] + 4, jobs[job[i]], 4);
      memcpy(job_views[i] + 8, place, sizeof place);
    } else if (known) {
      memcpy(job_views[i] + 4, jobs[job[i]], (size_t)length);
    }
    set_bit(sex_known, i, sex[i] < 2);
    sex_first[i] = (int8_t)(sex[i] < 2 ? sex[i] : 0);
    sex_second[i] = (int8_t)(1 - sex_first[i]); /* the second batch has its dictionary reversed */
    income_ends[i + 1] = income_ends[i] + (int32_t)strlen(incomes[income[i]]);
    memcpy(income_texts + income_ends[i], incomes[income[i]], strlen(incomes[income[i]]));
  }
}

static void arrow_people(struct table* table) {
  static const int32_t ends[2][3] = {{0, 6, 10}, {0, 4, 10}};
  static const void* sexes_of[2][3] = {{NULL, ends[0], "femalemale"},
                                       {NULL, ends[1], "malefemale"}};
  static struct ArrowArray dictionary[2];
  static const void* ages[] = {age_known, age};
  static const void* shares[] = {NULL, income_share};
  static const int64_t job_sizes[] = {sizeof job_texts};
  static const void* jobs_of[] = {job_known, job_views, job_texts, job_sizes};
  static const void* codes[2][2] = {{sex_known, sex_first}, {sex_known, sex_second}};
  static const void* incomes_of[] = {NULL, income_ends, income_texts};
  int b, c;

  memset(table, 0, sizeof *table);
  table->fails = -1;
  table->batches = 2;
  set_type(table, 0, "age", "g");
  set_type(table, 1, "income_share", "g");
  set_type(table, 2, "job", "vu");
  set_type(table, 3, "sex", "c");
  table->types[3].dictionary = &table->dictionary_type;
  table->dictionary_type.format = "u";
  set_type(table, 4, "income", "u");
  table->batch[0].length = 800;
  table->batch[1].length = ROWS - 800;
  table->batch[1].offset = 500; /* of the batch, and 300 of every column */
  for (b = 0; b < 2; ++b) {
    struct batch* batch = &table->batch[b];
    set_buffers(batch, 0, ages, 2, -1);
    set_buffers(batch, 1, shares, 2, 0);
    set_buffers(batch, 2, jobs_of, 4, 100);
    set_buffers(batch, 3, codes[b], 2, -1);
    set_buffers(batch, 4, incomes_of, 3, 0);
    dictionary[b].length = 2;
    dictionary[b].buffers = sexes_of[b];
    dictionary[b].n_buffers = 3;
    batch->children[3].dictionary = &dictionary[b];
    for (c = 0; c < 5; ++c) {
      batch->children[c].offset = b == 0 ? 0 : 300;
      batch->children[c].length = ROWS - batch->children[c].offset;
    }
  }
}

static void digest_of(const dpfermi_columns* columns, const dpfermi_ledger* ledger, char* digest) {
  dpfermi_table* table = NULL;
  dpfermi_model* model = NULL;
  dpfermi_text* text = NULL;
  dpfermi_error* error = NULL;
  must(dpfermi_table_load(columns, kOptions, &table, &error), error);
  must(dpfermi_train(table, ledger, kRequest, "{\"seed\": 3}", NULL, &model, NULL, &error), error);
  must(dpfermi_model_inspect(model, &text, &error), error);
  CHECK(holds(text, "digest"));
  strcpy(digest, value_of(text, "digest"));
  dpfermi_text_free(text);
  dpfermi_model_free(model);
  dpfermi_table_free(table);
}

static void test_people(const char* folder) {
  struct table table;
  struct ArrowArrayStream stream;
  dpfermi_arrow* read = NULL;
  dpfermi_ledger* ledger = NULL;
  dpfermi_column columns[5];
  dpfermi_columns people;
  dpfermi_text* state = NULL;
  dpfermi_error* error = NULL;
  char path[512], by_pointer[256], by_arrow[256];

  arrow_people(&table);
  stream = stream_of(&table);
  must(dpfermi_arrow_read(&stream, "people", &read, &error), error);
  CHECK(alive == 0 && stream.release == NULL);
  CHECK(dpfermi_arrow_columns(read)->rows == ROWS);
  columns_of("people", columns, &people);
  snprintf(path, sizeof path, "%s/arrow.db", folder);
  must(dpfermi_ledger_open(path, &ledger, &error), error);
  digest_of(&people, ledger, by_pointer);
  digest_of(dpfermi_arrow_columns(read), ledger, by_arrow);
  CHECK(strcmp(by_pointer, by_arrow) == 0);
  must(dpfermi_ledger_state(ledger, &state, &error), error);
  CHECK(holds(state, "\"charges\": 2")); /* one budget: the same people */
  dpfermi_text_free(state);
  dpfermi_ledger_free(ledger);
  dpfermi_arrow_free(read);
}

static void test_types(void) {
  static const int64_t numbers[] = {-3, 1000000000000, 7};
  static const uint16_t small[] = {1, 2, 65535};
  static const float floats[] = {0.5f, -1.0f, 2.0f};
  static const unsigned char bits[] = {5}, known[] = {3};
  static const int64_t ends[] = {0, 3, 3, 4};
  static const void *a[] = {known, numbers}, *b[] = {NULL, small}, *c[] = {NULL, floats};
  static const void *d[] = {known, bits}, *e[] = {NULL, ends, "a\0bc"};
  struct table table;
  struct ArrowArrayStream stream;
  const dpfermi_columns* columns;
  dpfermi_arrow* read = NULL;
  dpfermi_error* error = NULL;
  int i;

  memset(&table, 0, sizeof table);
  table.fails = -1;
  table.batches = 1;
  table.batch[0].length = 3;
  for (i = 0; i < 7; ++i) table.batch[0].children[i].length = 3;
  set_type(&table, 0, "whole", "l");
  set_type(&table, 1, "small", "S");
  set_type(&table, 2, "real", "f");
  set_type(&table, 3, "truth", "b");
  set_type(&table, 4, "text", "U");
  set_type(&table, 5, "nothing", "n");
  set_buffers(&table.batch[0], 0, a, 2, 1);
  set_buffers(&table.batch[0], 1, b, 2, 0);
  set_buffers(&table.batch[0], 2, c, 2, 0);
  set_buffers(&table.batch[0], 3, d, 2, 1);
  set_buffers(&table.batch[0], 4, e, 3, 0);
  set_buffers(&table.batch[0], 5, NULL, 0, 3);
  stream = stream_of(&table);
  must(dpfermi_arrow_read(&stream, NULL, &read, &error), error);
  columns = dpfermi_arrow_columns(read);
  CHECK(columns->rows == 3 && columns->column_count == 6);
  CHECK(strcmp(columns->columns[2].name, "real") == 0);
  CHECK(columns->columns[0].numbers[1] == 1e12 && isnan(columns->columns[0].numbers[2]));
  CHECK(columns->columns[1].numbers[2] == 65535 && columns->columns[2].numbers[1] == -1);
  CHECK(columns->columns[3].codes[0] == 1 && columns->columns[3].codes[1] == 0);
  CHECK(columns->columns[3].codes[2] == -1 && columns->columns[3].level_count == 2);
  CHECK(columns->columns[4].codes[0] == -1); /* it holds a NUL */
  CHECK(strcmp(columns->columns[4].levels[columns->columns[4].codes[1]], "") == 0);
  CHECK(strcmp(columns->columns[4].levels[columns->columns[4].codes[2]], "c") == 0);
  CHECK(isnan(columns->columns[5].numbers[0]));
  dpfermi_arrow_free(read);
  CHECK(alive == 0);

  read = NULL;
  table.next = 0;
  set_type(&table, 6, "born", "tdD");
  stream = stream_of(&table);
  CHECK(dpfermi_arrow_read(&stream, NULL, &read, &error) == DPFERMI_FAILED && read == NULL);
  CHECK(strstr(dpfermi_error_message(error), "column 'born' has the Arrow type 'tdD'") != NULL);
  CHECK(alive == 0);
  dpfermi_error_free(error);
  error = NULL;

  table.columns = 2;
  table.fails = 1;
  stream = stream_of(&table);
  CHECK(dpfermi_arrow_read(&stream, NULL, &read, &error) == DPFERMI_FAILED);
  CHECK(strstr(dpfermi_error_message(error), "the cable is cut") != NULL);
  CHECK(alive == 0);
  dpfermi_error_free(error);
}

/* Two columns, a text and a number, in one batch of three rows. */
struct two {
  struct table table;
  int64_t ends[4];
  double numbers[3];
  const void *text_buffers[3], *number_buffers[2];
};

static void make_two(struct two* two) {
  static const int64_t ends[] = {0, 1, 1, 3};
  int c;
  memset(two, 0, sizeof *two);
  memcpy(two->ends, ends, sizeof ends);
  two->table.fails = -1;
  two->table.batches = 1;
  two->table.batch[0].length = 3;
  set_type(&two->table, 0, "text", "U");
  set_type(&two->table, 1, "number", "g");
  two->text_buffers[1] = two->ends;
  two->text_buffers[2] = "abc";
  two->number_buffers[1] = two->numbers;
  set_buffers(&two->table.batch[0], 0, two->text_buffers, 3, 0);
  set_buffers(&two->table.batch[0], 1, two->number_buffers, 2, 0);
  for (c = 0; c < 2; ++c) two->table.batch[0].children[c].length = 3;
}

/* What read says about it; "" where it read all rows. Everything is released either way. */
static const char* complaint_about(struct two* two) {
  static char message[512];
  struct ArrowArrayStream stream = stream_of(&two->table);
  dpfermi_arrow* read = NULL;
  dpfermi_error* error = NULL;
  message[0] = '\0';
  if (dpfermi_arrow_read(&stream, "two", &read, &error) == DPFERMI_OK) {
    CHECK(dpfermi_arrow_columns(read)->rows == 3);
    dpfermi_arrow_free(read);
  } else {
    CHECK(read == NULL);
    snprintf(message, sizeof message, "%s", dpfermi_error_message(error));
    dpfermi_error_free(error);
  }
  CHECK(alive == 0);
  return message;
}

#define CHANGED(change, part)                           \
  do {                                                  \
    make_two(&two);                                     \
    change;                                             \
    CHECK(strstr(complaint_about(&two), part) != NULL); \
  } while (0)

static void test_malformed_streams(void) {
  static struct two two;
  struct ArrowArray* text = &two.table.batch[0].children[0];
  struct ArrowArray* number = &two.table.batch[0].children[1];
  struct ArrowSchema* type = &two.table.types[0];
  struct ArrowSchema dictionary;
  struct ArrowArrayStream stream;
  dpfermi_arrow* read = NULL;
  dpfermi_error* error = NULL;
  int32_t view[3][4] = {{1, 'a', 0, 0}, {13, 0, 0, 5}, {0, 0, 0, 0}};
  int64_t size = 17;
  const void* views[] = {NULL, view, "0123456789abcdefg", &size};

  make_two(&two);
  CHECK(strcmp(complaint_about(&two), "") == 0);
  CHANGED(two.ends[2] = -1, "a text lies outside");
  CHANGED(two.ends[1] = 2, "a text lies outside");
  CHANGED(two.text_buffers[2] = NULL, "a text lies outside");
  CHANGED(two.text_buffers[1] = NULL, "rows or buffers are missing");
  CHANGED(number->n_buffers = 1, "column 'number' of the Arrow stream is malformed");
  CHANGED(number->buffers = NULL, "rows or buffers are missing");
  CHANGED(number->length = 2, "rows or buffers are missing");
  CHANGED(number->length = -3, "rows or buffers are missing");
  CHANGED(number->offset = -1, "rows or buffers are missing");
  CHANGED(number->offset = INT64_MAX - 1, "rows or buffers are missing");
  CHANGED(number->null_count = -2, "rows or buffers are missing");
  CHANGED(number->dictionary = text, "dictionary comes and goes");
  CHANGED(two.table.batch[0].length = -1, "malformed batch");
  CHANGED(two.table.batch[0].length = INT64_MAX, "malformed batch");
  CHANGED(two.table.batch[0].offset = INT64_MAX, "malformed batch");
  CHANGED(type->format = NULL, "has no type");
  CHANGED(type->name = NULL; type->format = "z", "column '' has the Arrow type 'z'");
  memset(&dictionary, 0, sizeof dictionary);
  CHANGED(type->dictionary = &dictionary; type->format = "i", "dictionary has no type");
  dictionary.format = "u";
  CHANGED(type->dictionary = &dictionary; type->format = "g", "dictionary of u");
  CHANGED(type->dictionary = &dictionary; type->format = "i", "dictionary comes and goes");
  CHANGED(type->dictionary = &dictionary; type->format = "i";
          text->dictionary = number, "dictionary lacks rows or buffers");

  CHANGED(type->format = "vu"; set_buffers(&two.table.batch[0], 0, views, 4, 0), "outside");
  view[1][3] = 4;
  make_two(&two);
  type->format = "vu";
  set_buffers(&two.table.batch[0], 0, views, 4, 0);
  CHECK(strcmp(complaint_about(&two), "") == 0);
  view[1][2] = 1;
  CHANGED(type->format = "vu"; set_buffers(&two.table.batch[0], 0, views, 4, 0), "outside");
  view[1][0] = -1;
  CHANGED(type->format = "vu"; set_buffers(&two.table.batch[0], 0, views, 4, 0), "outside");

  stream = stream_of(&two.table);
  stream.release(&stream);
  CHECK(dpfermi_arrow_read(&stream, NULL, &read, &error) == DPFERMI_USAGE);
  CHECK(strcmp(dpfermi_error_field(error), "stream") == 0);
  dpfermi_error_free(error);
  CHECK(dpfermi_arrow_read(NULL, NULL, &read, NULL) == DPFERMI_USAGE);
  stream = stream_of(&two.table);
  CHECK(dpfermi_arrow_read(&stream, NULL, NULL, NULL) == DPFERMI_USAGE && alive == 0);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  make_people();
  fill_people();
  test_people(argv[1]);
  test_types();
  test_malformed_streams();
  return 0;
}
