#pragma once

/// The smallest ball around a set of points: where to centre contributions so that the longest of
/// them, whatever a record's group, is as short as possible.

#include <cstddef>
#include <span>
#include <vector>

namespace dpfermi {

struct Ball {
  std::vector<double> centre;
  double radius = 0;
};

/// The smallest ball around the rows of `points` (count x dimension, row-major), by walking the
/// centre from far away towards the hull of the points that touch a shrinking ball (Fischer,
/// Gärtner and Kutz, ESA 2003). Meant for up to a few hundred points in up to about fifty
/// dimensions.
///
/// Requires: at least one point; all coordinates finite.
/// Ensures: every |point - centre|, however computed in double precision, is at most `radius`; the
///   radius is 0 only where all points are equal. It is the smallest such radius up to rounding.
/// Why: the radius is measured from the centre that is returned, and rounded up, so that it
/// encloses
///   whatever happened on the way there.
Ball smallest_ball(std::span<const double> points, std::size_t dimension);

}  // namespace dpfermi
