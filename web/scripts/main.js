// Ties filters, charts and theme together.

const panelsNode = document.getElementById('panels');
let charts = [];

function tradeoffChart(panel, series) {
  const rows = series.flatMap((one) => one.points.map(pointRow));
  return new Chart({
    title: panel.dataset_title,
    kind: panel.kind,
    label: `${panel.title}: error against gap, ${series.length} curves. Arrow keys step through the points; the table below has the same numbers.`,
    build: (options) => tradeoffSpec(panel, series, options),
    rows: rows.map(({ low, high, left, right, ...row }) => row),
    points: series.flatMap((one) => one.points),
    height: 280,
  });
}

async function drawPanels(filters) {
  hideTip();
  charts.forEach((chart) => chart.drawn?.finalize());
  const shown = filters.panels();
  charts = shown.map(([panel, series]) => tradeoffChart(panel, series));
  panelsNode.replaceChildren(...charts.map((chart) => chart.node));
  for (const chart of charts) await chart.draw();
  const curves = shown.reduce((sum, [, series]) => sum + series.length, 0);
  const models = charts.reduce((sum, chart) => sum + chart.chart.points.length, 0);
  const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
  document.getElementById('shown').textContent = shown.length
    ? `Showing ${count(models, 'point')} on ${count(curves, 'curve')} in ${count(shown.length, 'panel')}.`
    : 'Nothing matches. Choose at least one of every row, or press “Show everything”.';
}

async function start() {
  const closer = new CloserLook(document.getElementById('closer-controls'), document.getElementById('closer-charts'));
  let turn = Promise.resolve();
  const redraw = () => {
    turn = turn.then(async () => {
      root.classList.toggle('dark-charts', isDark());
      await drawPanels(filters);
      await closer.update((series) => filters.shows(series));
      root.dataset.drawn = String(Number(root.dataset.drawn ?? 0) + 1);
    });
    return turn;
  };
  const filters = new Filters(document.getElementById('filters'), redraw);
  startTheme(() => { filters.render(); redraw(); });
  let width = innerWidth;
  let waiting;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 150);
  });
  addEventListener('beforeprint', () => document.querySelectorAll('#tables details').forEach((one) => { one.open = true; }));
  await redraw();
}

start();
