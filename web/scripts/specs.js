// Vega-Lite specifications. `rows` are plain records; names from the data are values, never code.

function pointRow(point) {
  const { series } = point;
  const [error, errorSe] = point.error;
  const [gap, gapSe] = point.violation;
  return {
    label: series.label, method: series.kind, epsilon: series.epsilon, lambda: point.lambda,
    target: point.target, runs: point.runs, error, error_se: errorSe, gap, gap_se: gapSe,
    low: error - errorSe, high: error + errorSe, left: Math.max(0, gap - gapSe), right: gap + gapSe,
  };
}

function scales(shownSeries, dark) {
  const byLabel = new Map(shownSeries.map((series) => [series.label, series]));
  const domain = [...byLabel.keys()];
  const shown = distinct(shownSeries.map((series) => series.epsilon));
  const range = (value) => domain.map((label) => value(byLabel.get(label)));
  return {
    colour: { domain, range: range((series) => colourOf(series.kind, dark)) },
    shape: { domain, range: range((series) => lookOf(series.kind).shape) },
    dash: { domain, range: range((series) => dashOf(series.epsilon, shown)) },
    fill: { domain, range: range((series) => (series.published ? 'transparent' : colourOf(series.kind, dark))) },
  };
}

const exportLegend = { title: null, orient: 'bottom', columns: 2, symbolOpacity: 1 };

// Error against gap: bands and lines along frontiers, whiskers, points; labels where a method has several curves.
function tradeoffSpec(panel, shownSeries, { dark, onPaper }) {
  const scale = scales(shownSeries, dark);
  const own = shownSeries.filter((series) => !series.published);
  const rows = shownSeries.flatMap((series) => {
    const best = new Set(frontier(series));
    return series.points.map((point) => ({ ...pointRow(point), best: best.has(point) }));
  });
  const ends = own
    .filter((series) => series.points.length > 1 && own.some((other) => other !== series && other.kind === series.kind))
    .map((series) => ({
      ...pointRow(series.points.reduce((a, b) => (a.violation[0] <= b.violation[0] ? a : b))),
      text: series.epsilon === null ? 'no ε' : `ε ${series.epsilon}`,
    }));
  const legend = onPaper ? exportLegend : null;
  const x = { field: 'gap', type: 'quantitative', axis: { format: '.1~%', tickCount: 6, title: `gap between groups (${panel.notion_title})` }, scale: { zero: true, nice: true } };
  const y = { field: 'error', type: 'quantitative', axis: { format: '.1~%', tickCount: 6, title: 'error' }, scale: { zero: false, nice: true, padding: 6 } };
  const colour = { field: 'label', type: 'nominal', scale: scale.colour, legend };
  const onFrontier = { filter: { field: 'best', equal: true } };
  const ownRows = { filter: { field: 'label', oneOf: own.map((series) => series.label) } };
  return {
    data: { values: rows },
    layer: [
      { transform: [ownRows, onFrontier], mark: { type: 'area', opacity: 0.16, interpolate: 'linear' },
        encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, color: colour } },
      { transform: [onFrontier], mark: { type: 'line', strokeWidth: 2 },
        encoding: { x, y, color: colour, strokeDash: { field: 'label', type: 'nominal', scale: scale.dash, legend } } },
      { transform: [ownRows], mark: { type: 'rule', strokeWidth: 1 },
        encoding: { x: { ...x, field: 'left' }, x2: { field: 'right' }, y, color: colour,
          opacity: { condition: { test: 'datum.best', value: 0.6 }, value: 0.2 } } },
      { mark: { type: 'point', size: 62, strokeWidth: 1.6 }, name: 'models',
        encoding: { x, y, stroke: { field: 'label', type: 'nominal', scale: scale.colour, legend },
          fill: { field: 'label', type: 'nominal', scale: scale.fill, legend },
          shape: { field: 'label', type: 'nominal', scale: scale.shape, legend },
          opacity: { condition: { test: 'datum.best', value: 1 }, value: 0.45 } } },
      { data: { values: ends }, mark: { type: 'text', dy: -10, fontSize: 10.5, fontWeight: 600 },
        encoding: { x, y, text: { field: 'text' }, color: colour } },
    ],
  };
}

// One bar for each group, in rows of methods.
function groupSpec(rows, measure, { dark, onPaper }) {
  const names = distinct(rows.map((row) => row.group));
  const looks = LOOKS.map((look) => look[dark ? 'dark' : 'light']);
  return {
    data: { values: rows },
    mark: { type: 'bar', cornerRadiusEnd: 2 },
    encoding: {
      y: { field: 'label', type: 'nominal', sort: null, axis: { title: null, labelLimit: 215, grid: false, domain: false, ticks: false } },
      yOffset: { field: 'group', type: 'nominal', sort: null },
      x: { field: 'value', type: 'quantitative', axis: { format: '.1~%', title: measure, titleAnchor: 'end', tickCount: 6 } },
      color: { field: 'group', type: 'nominal', sort: null,
        scale: { domain: names, range: names.map((_, i) => looks[i % looks.length]) },
        legend: { title: null, orient: onPaper ? 'bottom' : 'top' } },
    },
  };
}

// Observed share against predicted probability, by bins; the diagonal is what it should be.
function calibrationSpec(rows, shownSeries, { dark, onPaper }) {
  const scale = scales(shownSeries, dark);
  const legend = onPaper ? exportLegend : { title: null, orient: 'top', columns: 1, labelLimit: 260 };
  const axis = (field, title) => ({ field, type: 'quantitative', scale: { domain: [0, 1] }, axis: { format: '.1~%', title, tickCount: 6 } });
  const x = axis('mean', 'mean probability of the favourable class');
  const y = axis('share', 'share that has the favourable label');
  return {
    layer: [
      { data: { values: [{ mean: 0, share: 0 }, { mean: 1, share: 1 }] }, mark: { type: 'line', strokeWidth: 1, opacity: 0.4 }, encoding: { x, y } },
      { data: { values: rows }, mark: { type: 'line', strokeWidth: 1.8, point: true },
        encoding: { x, y, color: { field: 'label', type: 'nominal', scale: scale.colour, legend }, detail: { field: 'label', type: 'nominal' } } },
    ],
  };
}

function curveSpec(rows, shownSeries, field, title, { dark, onPaper }) {
  const scale = scales(shownSeries, dark);
  const legend = onPaper ? exportLegend : { title: null, orient: 'top', columns: 1, labelLimit: 260 };
  return {
    data: { values: rows },
    mark: { type: 'line', strokeWidth: 1.8 },
    encoding: {
      x: { field: 'step', type: 'quantitative', axis: { title: 'training step', tickCount: 6 } },
      y: { field, type: 'quantitative', axis: { format: '.1~%', title, tickCount: 6 }, scale: { zero: field === 'gap' } },
      color: { field: 'label', type: 'nominal', scale: scale.colour, legend },
      strokeDash: { field: 'label', type: 'nominal', scale: scale.dash, legend },
      detail: { field: 'label', type: 'nominal' },
    },
  };
}
