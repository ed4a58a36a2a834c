// The report's data as the charts use them: panels of series of points, each with its way back.

const report = JSON.parse(document.getElementById('report-data').textContent);

const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)}\u00a0%`;
const plusMinus = ([mean, error], digits = 2) =>
  `${(100 * mean).toFixed(digits)}${error ? ` ± ${(100 * error).toFixed(digits)}` : ''}\u00a0%`;

const epsilonText = (epsilon) => (epsilon === null ? 'not private' : `ε = ${epsilon}`);
const promiseText = (series) => (series.plain ? 'without the protected attribute' : epsilonText(series.epsilon));

// Published means are methods of their own in filters and legends.
for (const panel of report.panels) {
  panel.id = [panel.dataset, panel.notion, panel.protocol].join(' / ');
  for (const series of panel.series) {
    series.panel = panel;
    series.kind = series.published ? `${series.method} (published)` : series.method;
    series.label = `${series.kind}, ${promiseText(series)}`;
    for (const point of series.points) point.series = series;
  }
}

// The points of a series that no other of its points beats, by growing gap.
function frontier(series) {
  const byGap = [...series.points].sort((a, b) => a.violation[0] - b.violation[0] || a.error[0] - b.error[0]);
  let best = Infinity;
  return byGap.filter((point) => point.error[0] < best && ((best = point.error[0]), true));
}

// Distinct values in the order in which they come.
const distinct = (values) => [...new Set(values)];
const allSeries = report.panels.flatMap((panel) => panel.series);
const methods = distinct(allSeries.map((series) => series.kind));
const epsilons = distinct(allSeries.map((series) => series.epsilon))
  .sort((a, b) => (a ?? Infinity) - (b ?? Infinity));
