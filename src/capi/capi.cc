#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "artifact/artifact_json.h"
#include "artifact/model_file.h"
#include "capi/arrow.h"
#include "capi/request_json.h"
#include "dpfermi/dpfermi_c.h"
#include "dpfermi/methods/registry.h"
#include "evaluate/metrics_json.h"
#include "privacy/ledger/budget_json.h"
#include "privacy/statement_json.h"
#include "workflow/front_door.h"
#include "workflow/outcome_json.h"

struct dpfermi_error {
  dpfermi_status status;
  std::string message, field;
};
struct dpfermi_text {
  std::string bytes;
};
struct dpfermi_table {
  dpfermi::LoadedTable table;
};
struct dpfermi_ledger {
  dpfermi::LedgerFile file;
};
struct dpfermi_model {
  dpfermi::Model model;
};
struct dpfermi_sketch {
  dpfermi::FairSketch sketch;
};
struct dpfermi_arrow {
  std::string name;
  dpfermi::capi::ArrowTable table;
  std::vector<std::vector<const char*>> levels;  // by column
  std::vector<dpfermi_column> columns;
  dpfermi_columns view;
};

namespace dpfermi::capi {
namespace {

static_assert(DPFERMI_FAILED == static_cast<int>(ErrorKind::kFailed) &&
              DPFERMI_USAGE == static_cast<int>(ErrorKind::kUsage) &&
              DPFERMI_BUDGET_REFUSED == static_cast<int>(ErrorKind::kBudgetRefused));

constexpr const char* kNoMemory = "out of memory; use fewer rows or a larger machine";

/// Writes the error if there is memory for one, and NULL otherwise: the accessors say the rest.
dpfermi_status report(const Error& error, dpfermi_error** into) noexcept {
  const auto status = static_cast<dpfermi_status>(error.kind);
  if (into == nullptr) return status;
  *into = nullptr;
  try {
    // Texts of the caller may be in the message: it stays one line of UTF-8.
    *into = new dpfermi_error{status, printable(error.message, std::string::npos), error.field()};
  } catch (const std::bad_alloc&) {
    return DPFERMI_FAILED;
  }
  return status;
}

/// An argument that must not be NULL, as the header calls it.
struct Given {
  const char* name;
  const void* value;
};

Status check_given(std::initializer_list<Given> arguments) {
  for (const Given& argument : arguments) {
    if (argument.value == nullptr) {
      return usage_error(fmt::format("`{}` is NULL; the call needs it", argument.name));
    }
  }
  return {};
}

/// Runs `work`, which returns a Status, if all arguments are there. Nothing but a status leaves
/// this function: an exception is memory that ran out, or a mistake of ours.
template <class Work>
dpfermi_status guarded(dpfermi_error** error, std::initializer_list<Given> arguments, Work work) {
  Error problem{ErrorKind::kFailed, {}};
  try {
    Status done = check_given(arguments);
    if (done) done = work();
    if (done) return DPFERMI_OK;
    problem = std::move(done).error();
  } catch (const std::bad_alloc&) {
    problem.message = kNoMemory;
  } catch (const std::length_error&) {
    problem.message = kNoMemory;
  } catch (const std::exception& thrown) {
    problem.message = thrown.what();
  }
  return report(problem, error);
}

std::string text_of(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

Status give(Result<std::string> bytes, dpfermi_text** into) {
  if (!bytes) return tl::unexpected(bytes.error());
  *into = new dpfermi_text{std::move(*bytes)};
  return {};
}

template <class Handle, class Value>
Status give_handle(Result<Value> made, Handle** into) {
  if (!made) return tl::unexpected(made.error());
  *into = new Handle{std::move(*made)};
  return {};
}

tl::unexpected<Error> column_error(std::size_t column, std::string_view what) {
  return usage_error(fmt::format("`columns`: column {} {}", column, what));
}

Result<std::vector<std::string>> levels_of(const dpfermi_column& given, std::size_t place) {
  constexpr std::size_t kMostLevels = std::numeric_limits<std::int32_t>::max();
  if (given.level_count > kMostLevels) return column_error(place, "has more levels than codes");
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < given.level_count; ++i) {
    if (given.levels == nullptr || given.levels[i] == nullptr) {
      return column_error(place, "lacks levels; give as many as `level_count` says");
    }
    levels.emplace_back(given.levels[i]);
  }
  return levels;
}

Result<MemoryTable> memory_table(const dpfermi_columns& given) {
  MemoryTable table{given.name == nullptr ? "the table" : given.name, given.rows, {}};
  if (given.columns == nullptr && given.column_count > 0) return column_error(0, "is NULL");
  for (std::size_t c = 0; c < given.column_count; ++c) {
    const dpfermi_column& one = given.columns[c];
    if (one.name == nullptr || (one.numbers == nullptr) == (one.codes == nullptr)) {
      return column_error(c, "needs a name and either numbers or codes");
    }
    MemoryColumn column{.name = one.name, .numeric = one.numbers != nullptr};
    if (column.numeric) {
      column.numbers = {one.numbers, given.rows};
    } else {
      column.codes = {one.codes, given.rows};
      DPFERMI_ASSIGN(column.levels, levels_of(one, c));
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

/// The table as functions take tables. Pointers lead into `made`, which stays where it is.
void point_into(dpfermi_arrow& made) {
  for (const ArrowColumn& column : made.table.columns) {
    std::vector<const char*>& levels = made.levels.emplace_back();
    for (const std::string& level : column.levels) levels.push_back(level.c_str());
    made.columns.push_back({column.name.c_str(), column.numeric ? column.numbers.data() : nullptr,
                            column.numeric ? nullptr : column.codes.data(), levels.data(),
                            levels.size()});
  }
  made.view = {made.name.c_str(), made.table.rows, made.columns.data(), made.columns.size()};
}

Result<TableChoice> table_of(const dpfermi_columns* columns) {
  DPFERMI_ASSIGN(MemoryTable table, memory_table(*columns));
  return memory_choice(std::move(table));
}

class CallbackObserver final : public Observer {
 public:
  explicit CallbackObserver(const dpfermi_observer* given) {
    if (given != nullptr) calls_ = *given;
  }

  void note(std::string_view text) override {
    if (calls_.note != nullptr) calls_.note(calls_.context, std::string(text).c_str());
  }
  void begin_task(const Task& task) override {
    tasks_.push_back(task.name);
    advance_task(0, 0);
  }
  void advance_task(double done, double total) override {
    if (calls_.progress != nullptr) {
      calls_.progress(calls_.context, tasks_.back().c_str(), done, total);
    }
  }
  void end_task() override { tasks_.pop_back(); }
  bool interrupted() override {
    return calls_.interrupted != nullptr && calls_.interrupted(calls_.context) != 0;
  }

 private:
  dpfermi_observer calls_ = {};
  std::vector<std::string> tasks_;
};

Status give_training(Result<TrainingRun> run, dpfermi_model** model, dpfermi_text** report) {
  if (!run) return tl::unexpected(run.error());
  if (report != nullptr) {
    Json json = {{"seconds", run->seconds}, {"recorded", json_of(run->charge)}};
    json["violation"] = run->violation ? json_of(*run->violation) : Json();
    json["constant"] = Json();
    if (run->constant) {
      json["constant"] = {{"class", run->model.classes()[run->constant->label]},
                          {"error", run->constant->error}};
    }
    DPFERMI_TRY(give(json_text(json), report));
  }
  *model = new dpfermi_model{std::move(run->model)};
  return {};
}

/// What a model and a sketch have in common.
template <class Artifact>
Result<Json> inspection(const Artifact& artifact) {
  DPFERMI_ASSIGN(Json header, json_of(artifact.parts()));
  return Json{{"header", std::move(header)},
              {"privacy", json_of(artifact.privacy())},
              {"private", is_private(artifact.privacy())},
              {"card", artifact.card()},
              {"groups", artifact.groups()}};
}

Json method_json(Method method) {
  const MethodDescriptor& known = method.descriptor();
  Json json = {{"name", known.name},
               {"origin", known.origin},
               {"summary", known.summary},
               {"private", known.is_private()},
               {"baseline", known.is_baseline()},
               {"reads_groups", !known.plain},
               {"needs_group", known.needs_group},
               {"randomised", known.randomised},
               {"multi_class", known.multi_class},
               {"takes_lambda", known.takes_lambda()},
               {"takes_target", known.takes_target()},
               {"takes_hidden", known.takes_hidden},
               {"takes_trees", known.takes_trees}};
  json["notions"] = Json::array();
  for (const FairnessNotion notion : known.known_notions()) {
    json["notions"].push_back(to_string(notion));
  }
  return json;
}

}  // namespace

extern "C" {

dpfermi_status dpfermi_error_status(const dpfermi_error* error) {
  return error == nullptr ? DPFERMI_FAILED : error->status;
}
const char* dpfermi_error_message(const dpfermi_error* error) {
  return error == nullptr ? kNoMemory : error->message.c_str();
}
const char* dpfermi_error_field(const dpfermi_error* error) {
  return error == nullptr ? "" : error->field.c_str();
}
void dpfermi_error_free(dpfermi_error* error) {
  delete error;
}

const char* dpfermi_text_data(const dpfermi_text* text) {
  return text == nullptr ? "" : text->bytes.c_str();
}
size_t dpfermi_text_size(const dpfermi_text* text) {
  return text == nullptr ? 0 : text->bytes.size();
}
void dpfermi_text_free(dpfermi_text* text) {
  delete text;
}

int dpfermi_abi(void) {
  return DPFERMI_ABI;
}
const char* dpfermi_version(void) {
  return version().data();
}

dpfermi_status dpfermi_arrow_read(struct ArrowArrayStream* stream, const char* name,
                                  dpfermi_arrow** table, dpfermi_error** error) {
  const dpfermi_status status =
      guarded(error, {{"stream", stream}, {"table", table}}, [&]() -> Status {
        DPFERMI_ASSIGN(ArrowTable read, read_arrow(*stream));
        auto made = std::make_unique<dpfermi_arrow>();
        made->name = name == nullptr ? "the table" : name;
        made->table = std::move(read);
        point_into(*made);
        *table = made.release();
        return {};
      });
  if (stream != nullptr && stream->release != nullptr) stream->release(stream);
  return status;
}

const dpfermi_columns* dpfermi_arrow_columns(const dpfermi_arrow* table) {
  return table == nullptr ? nullptr : &table->view;
}

void dpfermi_arrow_free(dpfermi_arrow* table) {
  delete table;
}

dpfermi_status dpfermi_ledger_open(const char* path, dpfermi_ledger** ledger,
                                   dpfermi_error** error) {
  return guarded(error, {{"ledger", ledger}}, [&]() -> Status {
    DPFERMI_ASSIGN(const auto file,
                   ledger_path(path == nullptr ? std::nullopt : std::optional<std::string>(path)));
    return give_handle(LedgerFile::open_or_create(file), ledger);
  });
}

dpfermi_status dpfermi_ledger_init(const dpfermi_ledger* ledger, const char* request,
                                   dpfermi_error** error) {
  return guarded(error, {{"ledger", ledger}}, [&]() -> Status {
    DPFERMI_ASSIGN(const CapRequest made, parse_cap_request(text_of(request)));
    LedgerFile file = ledger->file;
    return file.init_budget(made.key, made.cap);
  });
}

dpfermi_status dpfermi_ledger_state(const dpfermi_ledger* ledger, dpfermi_text** state,
                                    dpfermi_error** error) {
  return guarded(error, {{"ledger", ledger}, {"state", state}}, [&]() -> Status {
    DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, ledger->file.budgets());
    Json json = {{"ledger", ledger->file.path().string()}, {"budgets", Json::array()}};
    for (const BudgetState& budget : budgets) json["budgets"].push_back(json_of(budget));
    return give(json_text(json), state);
  });
}

void dpfermi_ledger_free(dpfermi_ledger* ledger) {
  delete ledger;
}

dpfermi_status dpfermi_table_load(const dpfermi_columns* columns, const char* options,
                                  dpfermi_table** table, dpfermi_error** error) {
  return guarded(error, {{"columns", columns}, {"table", table}}, [&]() -> Status {
    DPFERMI_ASSIGN(TableChoice choice, table_of(columns));
    DPFERMI_ASSIGN(const LoadOptions made, parse_load_options(text_of(options)));
    return give_handle(load(std::move(choice), made), table);
  });
}

dpfermi_status dpfermi_table_read(const char* path, const char* options, dpfermi_table** table,
                                  dpfermi_error** error) {
  return guarded(error, {{"path", path}, {"table", table}}, [&]() -> Status {
    DPFERMI_ASSIGN(const LoadOptions made, parse_load_options(text_of(options)));
    return give_handle(load(text_of(path), made), table);
  });
}

dpfermi_status dpfermi_table_describe(const dpfermi_table* table, dpfermi_text** answer,
                                      dpfermi_error** error) {
  return guarded(error, {{"table", table}, {"answer", answer}}, [&]() -> Status {
    const LoadedTable& loaded = table->table;
    return give(json_text({{"training_rows", loaded.training_rows()},
                           {"test_rows", loaded.test_rows()},
                           {"classes", loaded.classes()},
                           {"groups", loaded.groups()},
                           {"groups_declared", loaded.groups_declared()}}),
                answer);
  });
}

void dpfermi_table_free(dpfermi_table* table) {
  delete table;
}

dpfermi_status dpfermi_plan(const dpfermi_table* table, const char* request, dpfermi_text** plan,
                            dpfermi_error** error) {
  return guarded(error, {{"table", table}, {"plan", plan}}, [&]() -> Status {
    DPFERMI_ASSIGN(const TrainingRequest made, parse_training_request(text_of(request)));
    DPFERMI_ASSIGN(const Plan planned, dpfermi::plan(table->table, made));
    return give(planned.to_json(), plan);
  });
}

dpfermi_status dpfermi_train(const dpfermi_table* table, const dpfermi_ledger* ledger,
                             const char* request, const char* options,
                             const dpfermi_observer* observer, dpfermi_model** model,
                             dpfermi_text** report, dpfermi_error** error) {
  return guarded(error, {{"table", table}, {"model", model}}, [&]() -> Status {
    DPFERMI_ASSIGN(const TrainingRequest made, parse_training_request(text_of(request)));
    DPFERMI_ASSIGN(RunOptions run, parse_run_options(text_of(options)));
    CallbackObserver told(observer);
    run.observer = &told;
    if (ledger == nullptr) return give_training(train(table->table, made, run), model, report);
    LedgerFile file = ledger->file;
    return give_training(train(table->table, made, file, run), model, report);
  });
}

dpfermi_status dpfermi_train_from_sketch(const dpfermi_table* table, const dpfermi_sketch* sketch,
                                         const char* request, const char* options,
                                         const dpfermi_observer* observer, dpfermi_model** model,
                                         dpfermi_text** report, dpfermi_error** error) {
  return guarded(error, {{"table", table}, {"sketch", sketch}, {"model", model}}, [&]() -> Status {
    DPFERMI_ASSIGN(const TrainingRequest made, parse_training_request(text_of(request)));
    DPFERMI_ASSIGN(RunOptions run, parse_run_options(text_of(options)));
    CallbackObserver told(observer);
    run.observer = &told;
    return give_training(train(table->table, sketch->sketch, made, run), model, report);
  });
}

dpfermi_status dpfermi_sketch_make(const dpfermi_table* table, const dpfermi_ledger* ledger,
                                   const char* request, const char* options,
                                   dpfermi_sketch** sketch, dpfermi_text** report,
                                   dpfermi_error** error) {
  return guarded(error, {{"table", table}, {"ledger", ledger}, {"sketch", sketch}},
                 [&]() -> Status {
                   DPFERMI_ASSIGN(const SketchRequest made, parse_sketch_request(text_of(request)));
                   DPFERMI_ASSIGN(const RunOptions run, parse_run_options(text_of(options)));
                   LedgerFile file = ledger->file;
                   DPFERMI_ASSIGN(SketchRun done, make_sketch(table->table, made, file, run));
                   if (report != nullptr) {
                     DPFERMI_TRY(give(json_text({{"recorded", json_of(done.charge)}}), report));
                   }
                   *sketch = new dpfermi_sketch{std::move(done.sketch)};
                   return {};
                 });
}

dpfermi_status dpfermi_model_read(const char* path, dpfermi_model** model, dpfermi_error** error) {
  return guarded(error, {{"path", path}, {"model", model}},
                 [&] { return give_handle(load_model(text_of(path)), model); });
}

dpfermi_status dpfermi_model_write(const dpfermi_model* model, const char* path,
                                   dpfermi_error** error) {
  return guarded(error, {{"model", model}, {"path", path}},
                 [&] { return write_model(model->model, text_of(path)); });
}

dpfermi_status dpfermi_model_encode(const dpfermi_model* model, dpfermi_text** bytes,
                                    dpfermi_error** error) {
  return guarded(error, {{"model", model}, {"bytes", bytes}},
                 [&] { return give(encode_model(model->model.parts()), bytes); });
}

dpfermi_status dpfermi_model_decode(const char* bytes, size_t size, dpfermi_model** model,
                                    dpfermi_error** error) {
  return guarded(error, {{"bytes", bytes}, {"model", model}}, [&]() -> Status {
    DPFERMI_ASSIGN(TrainedModel decoded, decode_model({bytes, size}, "the model"));
    return give_handle(Result<Model>(std::move(decoded)), model);
  });
}

void dpfermi_model_free(dpfermi_model* model) {
  delete model;
}

dpfermi_status dpfermi_sketch_read(const char* path, dpfermi_sketch** sketch,
                                   dpfermi_error** error) {
  return guarded(error, {{"path", path}, {"sketch", sketch}},
                 [&] { return give_handle(load_sketch(text_of(path)), sketch); });
}

dpfermi_status dpfermi_sketch_write(const dpfermi_sketch* sketch, const char* path,
                                    dpfermi_error** error) {
  return guarded(error, {{"sketch", sketch}, {"path", path}},
                 [&] { return write_sketch(sketch->sketch, text_of(path)); });
}

dpfermi_status dpfermi_sketch_encode(const dpfermi_sketch* sketch, dpfermi_text** bytes,
                                     dpfermi_error** error) {
  return guarded(error, {{"sketch", sketch}, {"bytes", bytes}},
                 [&] { return give(encode_sketch(sketch->sketch.parts()), bytes); });
}

dpfermi_status dpfermi_sketch_decode(const char* bytes, size_t size, dpfermi_sketch** sketch,
                                     dpfermi_error** error) {
  return guarded(error, {{"bytes", bytes}, {"sketch", sketch}}, [&]() -> Status {
    DPFERMI_ASSIGN(StoredSketch decoded, decode_sketch({bytes, size}, "the sketch"));
    return give_handle(Result<FairSketch>(std::move(decoded)), sketch);
  });
}

void dpfermi_sketch_free(dpfermi_sketch* sketch) {
  delete sketch;
}

dpfermi_status dpfermi_model_inspect(const dpfermi_model* model, dpfermi_text** answer,
                                     dpfermi_error** error) {
  return guarded(error, {{"model", model}, {"answer", answer}}, [&]() -> Status {
    DPFERMI_ASSIGN(Json json, inspection(model->model));
    json["classes"] = model->model.classes();
    DPFERMI_ASSIGN(json["digest"], model->model.digest());
    return give(json_text(json), answer);
  });
}

dpfermi_status dpfermi_sketch_inspect(const dpfermi_sketch* sketch, dpfermi_text** answer,
                                      dpfermi_error** error) {
  return guarded(error, {{"sketch", sketch}, {"answer", answer}}, [&]() -> Status {
    DPFERMI_ASSIGN(Json json, inspection(sketch->sketch));
    json["classes"] = sketch->sketch.parts().classes;
    return give(json_text(json), answer);
  });
}

dpfermi_status dpfermi_predict(const dpfermi_model* model, const dpfermi_columns* columns,
                               float* probabilities, uint32_t* decisions, dpfermi_error** error) {
  return guarded(error, {{"model", model}, {"columns", columns}}, [&]() -> Status {
    DPFERMI_ASSIGN(TableChoice choice, table_of(columns));
    DPFERMI_ASSIGN(const Predictions said, predict(model->model, std::move(choice)));
    if (said.decisions.size() != columns->rows) {
      return failed(fmt::format(
          "{} of {} rows have a missing value, which this model leaves out; fill them in",
          columns->rows - said.decisions.size(), columns->rows));
    }
    if (probabilities != nullptr) std::ranges::copy(said.probabilities, probabilities);
    if (decisions != nullptr) std::ranges::copy(said.decisions, decisions);
    return {};
  });
}

dpfermi_status dpfermi_evaluate_exactly(const dpfermi_model* model, const dpfermi_columns* columns,
                                        dpfermi_text** metrics, dpfermi_error** error) {
  return guarded(error, {{"model", model}, {"columns", columns}, {"metrics", metrics}},
                 [&]() -> Status {
                   DPFERMI_ASSIGN(TableChoice choice, table_of(columns));
                   DPFERMI_ASSIGN(const EvaluationTable table,
                                  load_for(model->model, std::move(choice), false));
                   DPFERMI_ASSIGN(const Metrics measured, evaluate_exactly(model->model, table));
                   return give(to_json(measured, table.groups()), metrics);
                 });
}

dpfermi_status dpfermi_evaluate_privately(const dpfermi_model* model,
                                          const dpfermi_columns* columns,
                                          const dpfermi_ledger* ledger, const char* request,
                                          const char* options, dpfermi_text** answer,
                                          dpfermi_error** error) {
  return guarded(
      error, {{"model", model}, {"columns", columns}, {"ledger", ledger}, {"answer", answer}},
      [&]() -> Status {
        DPFERMI_ASSIGN(const EvaluationRequest made, parse_evaluation_request(text_of(request)));
        DPFERMI_ASSIGN(const RunOptions run, parse_run_options(text_of(options)));
        DPFERMI_ASSIGN(TableChoice choice, table_of(columns));
        DPFERMI_ASSIGN(const EvaluationTable table,
                       load_for(model->model, std::move(choice), false));
        LedgerFile file = ledger->file;
        DPFERMI_ASSIGN(const PrivateEvaluation done,
                       evaluate_privately(model->model, table, made, file, run));
        const bool persons = !done.statement.id_column.empty();
        return give(json_text({{"metrics", json_of(done.metrics, persons, table.groups())},
                               {"privacy", json_of(done.statement)},
                               {"recorded", json_of(done.charge)}}),
                    answer);
      });
}

dpfermi_status dpfermi_account(const char* request, dpfermi_text** answer, dpfermi_error** error) {
  return guarded(error, {{"answer", answer}},
                 [&] { return give(account(text_of(request)), answer); });
}

dpfermi_status dpfermi_calibrate(const char* request, dpfermi_text** answer,
                                 dpfermi_error** error) {
  return guarded(error, {{"answer", answer}},
                 [&] { return give(calibrate(text_of(request)), answer); });
}

dpfermi_status dpfermi_methods(dpfermi_text** answer, dpfermi_error** error) {
  return guarded(error, {{"answer", answer}}, [&]() -> Status {
    Json json = Json::array();
    for (const Method method : all_methods()) json.push_back(method_json(method));
    return give(json_text(json), answer);
  });
}

}  // extern "C"
}  // namespace dpfermi::capi
