#pragma once

/// What "fair" means: the prediction is independent of the protected group S, given a condition C
/// that follows from the label.
///
///   demographic parity   yhat independent of S           one condition, everybody meets it
///   equalized odds       yhat independent of S given y   one condition per label
///   equal opportunity    the same for one favourable label; rows with another label meet none
///
/// The fairness term is psi = sum_c w_c psi_c. Labels are public wherever notions are used with
/// adjacency `sensitive`, so a row's condition is public; its group is secret.
///
/// Each notion is one NotionDescriptor in a file of src/objective/notions and one line in
/// src/objective/notion_list.inc; docs/how-to/add-a-fairness-notion.md shows how to add one.

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Everything that the library knows about a notion.
struct NotionDescriptor {
  std::string_view name;   ///< "equalized-odds"
  std::string_view brief;  ///< "eo", short for the command line
  std::string_view word;   ///< "odds", for narrow columns

  /// How many conditions there are, for a label with `classes` values.
  std::size_t (*condition_count)(std::size_t classes);

  /// The condition in [0, condition_count) that a row with label y meets, if any. Every condition
  /// is met by some label.
  std::optional<std::size_t> (*condition_of)(std::size_t y, std::size_t favourable);

  /// Whether the violation compares how often groups get decision j. The fairness term always looks
  /// at all decisions.
  bool (*compares)(std::size_t j, std::size_t favourable);

  /// w_c is the share pi_c of the rows that meet condition c; else it is 1.
  bool weighted_by_share = false;
};

namespace notions {
extern const NotionDescriptor none;
extern const NotionDescriptor demographic_parity;
extern const NotionDescriptor equalized_odds;
extern const NotionDescriptor equal_opportunity;
}  // namespace notions

/// One of the notions, or none: a handle of its descriptor, which must outlive it.
class FairnessNotion {
 public:
  static const FairnessNotion kNone;               ///< no fairness term
  static const FairnessNotion kDemographicParity;  ///< P(yhat | S) = P(yhat)
  static const FairnessNotion kEqualizedOdds;      ///< P(yhat | S, y) = P(yhat | y) for every y
  static const FairnessNotion kEqualOpportunity;   ///< the same for the favourable label y

  constexpr FairnessNotion() = default;  ///< none
  constexpr explicit FairnessNotion(const NotionDescriptor& descriptor)
      : descriptor_(&descriptor) {}
  explicit FairnessNotion(NotionDescriptor&&) = delete;

  constexpr const NotionDescriptor& descriptor() const { return *descriptor_; }
  friend constexpr bool operator==(FairnessNotion, FairnessNotion) = default;

 private:
  const NotionDescriptor* descriptor_ = &notions::none;
};

inline constexpr FairnessNotion FairnessNotion::kNone{notions::none};
inline constexpr FairnessNotion FairnessNotion::kDemographicParity{notions::demographic_parity};
inline constexpr FairnessNotion FairnessNotion::kEqualizedOdds{notions::equalized_odds};
inline constexpr FairnessNotion FairnessNotion::kEqualOpportunity{notions::equal_opportunity};

/// All notions but none, in the order of tables and files.
const std::vector<FairnessNotion>& fairness_notions();

/// Adds a notion to that list, for programs that bring one of their own. Refuses a name or a brief
/// name that is taken. Call it first: figures that were computed before do not cover the notion.
Status register_notion(FairnessNotion notion);

/// The name: "none", "demographic-parity", ...
std::string_view to_string(FairnessNotion notion);
std::ostream& operator<<(std::ostream& out, FairnessNotion notion);

/// The inverse of to_string; brief names are understood as well.
Result<FairnessNotion> parse_fairness_notion(std::string_view text);

/// "equalized odds", for people.
std::string notion_title(FairnessNotion notion);

/// "equalized_odds", in JSON.
std::string json_key(FairnessNotion notion);

/// "dp", "eo", "eopp": of all notions but none.
std::vector<std::string> brief_notions();

/// "dp (demographic parity), eo (equalized odds), eopp (equal opportunity) or none".
std::string notion_choices();

/// As in the descriptor.
std::size_t condition_count(FairnessNotion notion, std::size_t classes);
std::optional<std::size_t> condition_of(FairnessNotion notion, std::size_t y,
                                        std::size_t favourable);

/// w_c, where `share` is pi_c.
double condition_weight(FairnessNotion notion, double share);

}  // namespace dpfermi
