// Figures of groups, calibration and training curves of one panel.

const MEASURES = [
  { name: 'rate', title: 'share with the favourable prediction' },
  { name: 'true_positive_rate', title: 'true positives among the deserving' },
  { name: 'false_positive_rate', title: 'false positives among the others' },
  { name: 'error', title: 'error' },
  { name: 'balanced_error', title: 'balanced error' },
  { name: 'precision', title: 'precision' },
  { name: 'auc', title: 'AUC' },
  { name: 'brier', title: 'Brier score' },
];
const STRENGTHS = [
  { name: 'answer', title: 'about as fair as in the answer', pick: (panel) => (points) => nearest(points, panel.level) },
  { name: 'fairest', title: 'fairest', pick: () => (points) => nearest(points, 0) },
  { name: 'accurate', title: 'most accurate', pick: () => (points) => points.reduce((a, b) => (a.error[0] <= b.error[0] ? a : b)) },
];
const nearest = (all, gap) =>
  all.reduce((a, b) => (Math.abs(a.violation[0] - gap) <= Math.abs(b.violation[0] - gap) ? a : b));

function choice(title, options, changed) {
  const select = element('select', { name: title.toLowerCase() }, ...options.map(([value, text]) => element('option', { value }, text)));
  select.addEventListener('change', changed);
  return [element('label', {}, title, select), select];
}

class CloserLook {
  constructor(controls, charts) {
    this.charts = charts;
    const changed = () => this.update(this.shown);
    const panels = report.panels.map((panel, i) => [i, panel.title]);
    const [panelLabel, panel] = choice('Panel', panels, changed);
    const [measureLabel, measure] = choice('Rate', MEASURES.map(({ name, title }) => [name, title]), changed);
    const [strengthLabel, strength] = choice('Models', STRENGTHS.map(({ name, title }) => [name, title]), changed);
    Object.assign(this, { panel, measure, strength });
    controls.append(panelLabel, strengthLabel, measureLabel);
  }

  // `shown` says which series the filters let through.
  async update(shown) {
    this.shown = shown;
    const panel = report.panels[Number(this.panel.value)];
    const measure = MEASURES.find(({ name }) => name === this.measure.value);
    const pick = STRENGTHS.find(({ name }) => name === this.strength.value).pick(panel);
    const series = panel.series.filter((one) => !one.published && shown(one));
    const models = series.map((one) => pick(one.points));
    this.current?.forEach((chart) => chart.drawn?.finalize());
    this.current = [this.groupChart(panel, measure, models), ...this.calibrationCharts(panel, models),
      ...this.curveCharts(panel, series)];
    this.charts.replaceChildren(...this.current.map((chart) => chart.node));
    for (const chart of this.current) await chart.draw();
  }

  groupChart(panel, measure, models) {
    const rows = models.flatMap((point) => point.groups.map((group) => ({
      label: point.series.label, group: group.name, value: group[measure.name], rows: group.rows,
      lambda: point.lambda, gap: point.violation[0],
    }))).filter((row) => row.value !== null);
    return new Chart({
      title: 'Groups', kind: panel.title, rows, height: 60 + 15 * Math.max(4, rows.length),
      label: `${measure.title} by group, ${panel.title}: ${models.length} models. The CSV file has the numbers.`,
      build: (options) => groupSpec(rows, measure.title, options),
    });
  }

  // Of all people, and of every group.
  calibrationCharts(panel, models) {
    const rows = models.flatMap((point) => [{ name: 'everybody', calibration: point.calibration }, ...point.groups]
      .flatMap((of) => of.calibration.map(([units, mean, share]) =>
        ({ label: point.series.label, group: of.name, units, mean, share, lambda: point.lambda }))));
    if (!rows.length) return [];
    const shown = models.map((point) => point.series);
    return [...new Set(rows.map(({ group }) => group))].map((group) => {
      const own = rows.filter((row) => row.group === group);
      return new Chart({
        title: `Calibration, ${group}`, kind: panel.title, rows: own, height: 260,
        label: `Share with the favourable label by predicted probability, ${group}, ${panel.title}: ${models.length} models. `
          + 'The CSV file has the numbers.',
        build: (options) => calibrationSpec(own, shown, options),
      });
    });
  }

  curveCharts(panel, series) {
    const followed = series.filter((one) => one.curve);
    if (!followed.length) return [];
    const rows = followed.flatMap((one) => one.curve.points.map(([step, error, gap]) =>
      ({ label: one.label, lambda: one.curve.lambda, step, error, gap })));
    return [['error', 'error on training rows'], ['gap', 'gap on training rows']].map(([field, title]) =>
      new Chart({
        title: field === 'error' ? 'Error while training' : 'Gap while training', kind: panel.title, rows, height: 260,
        label: `${title} by training step, ${panel.title}: ${followed.length} curves. The CSV file has the numbers.`,
        build: (options) => curveSpec(rows, followed, field, title, options),
      }));
  }
}
