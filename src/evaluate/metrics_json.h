#pragma once

/// Figures as JSON objects: their to_json texts are these, written out.

#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/evaluate/private_metrics.h"
#include "privacy/json_fields.h"

namespace dpfermi {

Json json_of(const Performance& performance);
Json json_of(const Metrics& metrics, std::span<const std::string> group_names);
Json json_of(const PrivateMetrics& metrics, bool persons, std::span<const std::string> group_names);

}  // namespace dpfermi
