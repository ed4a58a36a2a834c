#ifndef DPFERMI_DPFERMI_C_H
#define DPFERMI_DPFERMI_C_H

/* The front door (dpfermi/dpfermi.h) for C and for languages that call C: libdpfermi.so.
 *
 * Requests and answers are JSON texts in UTF-8; docs/c-api.md lists their keys, and an unknown key
 * is an error. A NULL request means an empty object. Everything else is a handle, a number or a
 * column by pointer. No C++ type and no exception crosses this interface.
 *
 * Pointers. NULL is an error unless its description allows it; `error`, `report` and `observer` may
 * always be NULL. What is not NULL is believed: the library cannot check how long an array is.
 *
 * Texts are UTF-8 and end with NUL. Names of columns, labels and levels of features that are not
 * UTF-8 are errors; such a level of a protected column is undeclared. Paths are handed to the
 * operating system as they are.
 *
 * Errors. A function that can fail returns a dpfermi_status and takes `error` last. On failure it
 * writes an error there, unless `error` is NULL, and leaves its other outputs alone; on success it
 * leaves `error` alone. Messages are one line of UTF-8 and name the setting at fault in backquotes,
 * as it is called in the request. When memory has run out the error may be NULL, which the
 * accessors take for what it is. A status that a caller does not know is to be taken for
 * DPFERMI_FAILED.
 *
 * Ownership. The caller frees every handle it got, each once; freeing NULL does nothing. Texts and
 * errors own what their accessors return, until they are freed. A table, a model or a sketch needs
 * nothing that it was made of, except the columns of dpfermi_table_load().
 *
 * Threads. Tables, models, sketches and ledgers may be used from several threads at once; freeing
 * one must not overlap with any use. Errors and texts belong to one thread at a time. An observer
 * is called from the thread that called the function, and must return: it may not throw, jump out
 * or free what the function uses. After fork() a ledger belongs to the parent: the child opens it
 * anew. No function reads or changes signal handlers, the locale or the working directory, and none
 * prints.
 *
 * Privacy. Whatever releases something about protected data takes a ledger and charges it before it
 * reads them. dpfermi_evaluate_exactly() alone gives exact figures, for the holder of the data:
 * they are NOT private. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names as in C. NOLINTBEGIN(readability-identifier-naming) */

#if defined(__GNUC__)
#define DPFERMI_API __attribute__((visibility("default")))
#else
#define DPFERMI_API
#endif

/* Raised when a function or a struct changes, and with it the version of all symbols and the number
 * in libdpfermi.so.N; a new function or a new key of a request does not raise it. Structs therefore
 * need no size. */
#define DPFERMI_ABI 1

typedef enum dpfermi_status {
  DPFERMI_OK = 0,
  DPFERMI_FAILED = 1,        /* bad input, a missing file, anything that stopped the work */
  DPFERMI_USAGE = 2,         /* the request itself makes no sense */
  DPFERMI_BUDGET_REFUSED = 3 /* the privacy budget does not cover the request */
} dpfermi_status;

typedef struct dpfermi_error dpfermi_error;
DPFERMI_API dpfermi_status dpfermi_error_status(const dpfermi_error* error);
DPFERMI_API const char* dpfermi_error_message(const dpfermi_error* error);
/* The setting at fault, such as "epsilon"; empty: none in particular. */
DPFERMI_API const char* dpfermi_error_field(const dpfermi_error* error);
DPFERMI_API void dpfermi_error_free(dpfermi_error* error);

/* Bytes. Those of a text end with a NUL that is not counted. */
typedef struct dpfermi_text dpfermi_text;
DPFERMI_API const char* dpfermi_text_data(const dpfermi_text* text);
DPFERMI_API size_t dpfermi_text_size(const dpfermi_text* text);
DPFERMI_API void dpfermi_text_free(dpfermi_text* text);

/* DPFERMI_ABI of the library, and the version of the project: "major.minor.patch". */
DPFERMI_API int dpfermi_abi(void);
DPFERMI_API const char* dpfermi_version(void);

/* One column: numbers, of which NaN is missing, or codes, indices into `levels`; any other code is
 * missing. Exactly one of `numbers` and `codes` is not NULL. Levels end with NUL. */
typedef struct dpfermi_column {
  const char* name;
  const double* numbers;
  const int32_t* codes;
  const char* const* levels;
  size_t level_count;
} dpfermi_column;

/* A table in the caller's memory. Numbers and codes are not copied: those of dpfermi_table_load()
 * must stay as they are until the table is freed, those of other functions until the call returns.
 * A number is read as its shortest decimal and a code as its level, so that the table has the
 * budget of a text file with the same columns. */
typedef struct dpfermi_columns {
  const char* name; /* in messages, cards and model files */
  size_t rows;
  const dpfermi_column* columns;
  size_t column_count;
} dpfermi_columns;

/* The Arrow C data interface, as its specification defines it. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

/* A table from an Arrow stream, as DuckDB, pyarrow and Polars offer it: numbers, truth values (the
 * categories False and True), texts and dictionaries of texts; what is null is missing, and so is a
 * text that holds a NUL. Whole numbers beyond 2^53 are rounded. The rows are copied. Structs that
 * contradict themselves are errors. The stream is released, whatever is returned. `name` may be
 * NULL. */
typedef struct dpfermi_arrow dpfermi_arrow;
DPFERMI_API dpfermi_status dpfermi_arrow_read(struct ArrowArrayStream* stream, const char* name,
                                              dpfermi_arrow** table, dpfermi_error** error);
/* Its columns, which live as long as it does. */
DPFERMI_API const dpfermi_columns* dpfermi_arrow_columns(const dpfermi_arrow* table);
DPFERMI_API void dpfermi_arrow_free(dpfermi_arrow* table);

/* How training talks to its caller. Every function may be NULL; `context` is passed on. */
typedef struct dpfermi_observer {
  void* context;
  void (*note)(void* context, const char* remark);
  /* `total` 0: unknown. */
  void (*progress)(void* context, const char* task, double done, double total);
  /* Not 0: the work is to end as soon as it can. What was charged stays charged. */
  int (*interrupted)(void* context);
} dpfermi_observer;

/* A ledger on disk, which is made if there is none. `path` NULL: $DPFERMI_LEDGER, else the usual
 * place. */
typedef struct dpfermi_ledger dpfermi_ledger;
DPFERMI_API dpfermi_status dpfermi_ledger_open(const char* path, dpfermi_ledger** ledger,
                                               dpfermi_error** error);
/* Sets what may be spent: {"budget", "epsilon", "delta", "adjacency", "composition", "order"}. */
DPFERMI_API dpfermi_status dpfermi_ledger_init(const dpfermi_ledger* ledger, const char* request,
                                               dpfermi_error** error);
/* {"ledger", "budgets": [...]}: what was spent and what is left. */
DPFERMI_API dpfermi_status dpfermi_ledger_state(const dpfermi_ledger* ledger, dpfermi_text** state,
                                                dpfermi_error** error);
DPFERMI_API void dpfermi_ledger_free(dpfermi_ledger* ledger);

/* A table to train on: read, split and encoded. Charges nothing. */
typedef struct dpfermi_table dpfermi_table;
DPFERMI_API dpfermi_status dpfermi_table_load(const dpfermi_columns* columns, const char* options,
                                              dpfermi_table** table, dpfermi_error** error);
/* The same from a text file, gzip or not. */
DPFERMI_API dpfermi_status dpfermi_table_read(const char* path, const char* options,
                                              dpfermi_table** table, dpfermi_error** error);
/* {"training_rows", "test_rows", "classes", "groups", "groups_declared"} */
DPFERMI_API dpfermi_status dpfermi_table_describe(const dpfermi_table* table, dpfermi_text** answer,
                                                  dpfermi_error** error);
DPFERMI_API void dpfermi_table_free(dpfermi_table* table);

typedef struct dpfermi_model dpfermi_model;
typedef struct dpfermi_sketch dpfermi_sketch;

/* What training would do and cost, from public quantities. */
DPFERMI_API dpfermi_status dpfermi_plan(const dpfermi_table* table, const char* request,
                                        dpfermi_text** plan, dpfermi_error** error);

/* Plans, charges, trains, commits. `ledger` NULL: only for methods that read nothing protected.
 * `options` is about the run, not the result. `report`, unless NULL: {"seconds", "violation",
 * "constant", "recorded"}. */
DPFERMI_API dpfermi_status dpfermi_train(const dpfermi_table* table, const dpfermi_ledger* ledger,
                                         const char* request, const char* options,
                                         const dpfermi_observer* observer, dpfermi_model** model,
                                         dpfermi_text** report, dpfermi_error** error);

/* The same from a sketch of this table, without s and at no cost. */
DPFERMI_API dpfermi_status dpfermi_train_from_sketch(const dpfermi_table* table,
                                                     const dpfermi_sketch* sketch,
                                                     const char* request, const char* options,
                                                     const dpfermi_observer* observer,
                                                     dpfermi_model** model, dpfermi_text** report,
                                                     dpfermi_error** error);

/* Releases a sketch of the training rows. `report`, unless NULL: {"recorded"}. */
DPFERMI_API dpfermi_status dpfermi_sketch_make(const dpfermi_table* table,
                                               const dpfermi_ledger* ledger, const char* request,
                                               const char* options, dpfermi_sketch** sketch,
                                               dpfermi_text** report, dpfermi_error** error);

/* Files and their bytes. Writing is done in one step: whole, or not at all. */
DPFERMI_API dpfermi_status dpfermi_model_read(const char* path, dpfermi_model** model,
                                              dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_model_write(const dpfermi_model* model, const char* path,
                                               dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_model_encode(const dpfermi_model* model, dpfermi_text** bytes,
                                                dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_model_decode(const char* bytes, size_t size,
                                                dpfermi_model** model, dpfermi_error** error);
DPFERMI_API void dpfermi_model_free(dpfermi_model* model);
DPFERMI_API dpfermi_status dpfermi_sketch_read(const char* path, dpfermi_sketch** sketch,
                                               dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_sketch_write(const dpfermi_sketch* sketch, const char* path,
                                                dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_sketch_encode(const dpfermi_sketch* sketch, dpfermi_text** bytes,
                                                 dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_sketch_decode(const char* bytes, size_t size,
                                                 dpfermi_sketch** sketch, dpfermi_error** error);
DPFERMI_API void dpfermi_sketch_free(dpfermi_sketch* sketch);

/* {"header", "privacy", "private", "card", "classes", "groups"} and of a model "digest". */
DPFERMI_API dpfermi_status dpfermi_model_inspect(const dpfermi_model* model, dpfermi_text** answer,
                                                 dpfermi_error** error);
DPFERMI_API dpfermi_status dpfermi_sketch_inspect(const dpfermi_sketch* sketch,
                                                  dpfermi_text** answer, dpfermi_error** error);

/* What the model says about each row. `probabilities`, unless NULL: rows x classes, row by row, in
 * the order of "classes" of dpfermi_model_inspect(); of the decisions, where the model mixes them
 * or decides by the group. `decisions`, unless NULL: the place of one class per row. */
DPFERMI_API dpfermi_status dpfermi_predict(const dpfermi_model* model,
                                           const dpfermi_columns* columns, float* probabilities,
                                           uint32_t* decisions, dpfermi_error** error);

/* Exact figures, which are NOT private: for the holder of the data. */
DPFERMI_API dpfermi_status dpfermi_evaluate_exactly(const dpfermi_model* model,
                                                    const dpfermi_columns* columns,
                                                    dpfermi_text** metrics, dpfermi_error** error);
/* The same figures with noise and intervals: {"metrics", "privacy", "recorded"}. */
DPFERMI_API dpfermi_status dpfermi_evaluate_privately(const dpfermi_model* model,
                                                      const dpfermi_columns* columns,
                                                      const dpfermi_ledger* ledger,
                                                      const char* request, const char* options,
                                                      dpfermi_text** answer, dpfermi_error** error);

/* What a release costs: {"event", "delta" or "epsilon"}; events as in docs/accounting.md. */
DPFERMI_API dpfermi_status dpfermi_account(const char* request, dpfermi_text** answer,
                                           dpfermi_error** error);
/* The least noise, the largest sampling rate or the most steps within a budget: {"event", "find":
 * "noise", "q" or "steps", "epsilon", "delta"}. What is searched for replaces that of the event. */
DPFERMI_API dpfermi_status dpfermi_calibrate(const char* request, dpfermi_text** answer,
                                             dpfermi_error** error);

/* Every method: [{"name", "summary", "private", "knob", "notions", ...}]. */
DPFERMI_API dpfermi_status dpfermi_methods(dpfermi_text** answer, dpfermi_error** error);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
