#pragma once

/// A panel as a small SVG picture for documents: violation across, error up, one plot an epsilon
/// with what is not private in each of them, one line a method (its frontier) with one standard
/// error of the error at every point. The report (dpfermi report) is for exploring; this is for
/// pages that are read as they are.

#include <string>

#include "experiment/trade_off.h"

namespace dpfermi {

/// `published` are curves of the paper, drawn with open circles and without bars.
std::string trade_off_svg(const Panel& panel, const std::vector<Curve>& published);

}  // namespace dpfermi
