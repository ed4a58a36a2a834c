// One chart in its figure: drawing, the card under the pointer, keys, downloads.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const tip = document.getElementById('tip');

function tipContent(point) {
  const { series } = point;
  const rows = [
    ['error', plusMinus(point.error)],
    ['gap', plusMinus(point.violation)],
    ...(point.train ? [['gap on training rows', percent(point.train, 2)]] : []),
    ...(point.lambda === null ? [] : [['λ', String(point.lambda)]]),
    ...(point.target == null ? [] : [['asked for a gap of', percent(point.target)]]),
    ['runs', series.published ? 'published mean' : String(point.runs)],
  ];
  const list = element('dl');
  for (const [name, value] of rows) list.append(element('dt', {}, name), element('dd', {}, value));
  return [element('b', {}, series.label), list, element('p', {}, statementOf(point))];
}

function statementOf(point) {
  if (point.series.derived) return 'No run of its own: it follows from erm and the shares of the classes, and needs no protected attribute.';
  if (point.series.published) {
    return point.series.epsilon === null ? 'Printed in the paper; not private.'
      : `Printed in the paper, which claims ε = ${point.series.epsilon}.`;
  }
  return point.statement === null ? 'No privacy is promised.' : report.statements[point.statement].summary;
}

function showTip(point, box) {
  tip.replaceChildren(...tipContent(point));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, box.x + 14), innerWidth - width - 8);
  const above = box.y - height - 14;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : Math.min(box.y + 18, innerHeight - height - 8)}px`;
}
function hideTip() { tip.hidden = true; }

function save(name, blob) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function csvText(rows) {
  const names = Object.keys(rows[0] ?? {});
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

// Free of characters that file systems refuse.
const fileName = (name) => name.replace(/[^\p{L}\p{N}.-]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 80) || 'chart';

async function view(spec, options, size, node) {
  const full = { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', ...spec, ...size };
  const compiled = vegaLite.compile(full, { config: chartConfig(options.dark, options.onPaper) });
  // Expressions are interpreted, not compiled: the page's policy forbids eval.
  const drawn = new vega.View(vega.parse(compiled.spec, null, { ast: true }),
    { renderer: 'svg', loader: offline, logLevel: vega.Error, expr: expressionInterpreter });
  if (node) drawn.initialize(node);
  return drawn.runAsync();
}
// Charts hold their data; nothing is ever loaded.
const offline = { load: () => Promise.reject(new Error('this page loads nothing')), sanitize: () => Promise.reject(new Error('no links')) };

// `chart`: {title, kind, label, build(options) -> spec, rows, height, points?}.
class Chart {
  constructor(chart) {
    this.chart = chart;
    this.plot = element('div', { class: 'plot', role: 'group', tabindex: '0', 'aria-roledescription': 'chart', 'aria-label': chart.label });
    this.heard = element('span', { class: 'heard', 'aria-live': 'polite' });
    const downloads = element('span', { class: 'downloads' });
    for (const kind of ['PNG', 'SVG', 'CSV']) {
      const button = element('button', { type: 'button', 'aria-label': `Download ${chart.title}, ${chart.kind} as ${kind}` }, kind);
      button.addEventListener('click', () => this.download(kind));
      downloads.append(button);
    }
    const heading = element('h3', {}, chart.title, element('span', { class: 'kind' }, ` · ${chart.kind}`));
    this.node = element('figure', { class: 'panel' }, element('figcaption', {}, heading, downloads), this.plot, this.heard);
    this.plot.addEventListener('keydown', (event) => this.key(event));
    this.plot.addEventListener('blur', () => this.leave());
  }

  async draw() {
    this.drawn?.finalize();
    if (!this.chart.rows.length) {
      this.plot.replaceChildren(element('p', { class: 'empty' }, 'The filters above leave nothing to show here.'));
      return;
    }
    const inner = element('div', { class: 'vega-plot', 'aria-hidden': 'true' });
    this.plot.replaceChildren(inner);
    const width = Math.max(220, this.plot.clientWidth);
    const size = { width, height: this.chart.height, autosize: { type: 'fit', contains: 'padding' } };
    this.drawn = await view(this.chart.build({ dark: isDark(), onPaper: false }), { dark: isDark() }, size, inner);
    this.marks = [...inner.querySelectorAll('.mark-symbol.role-mark path')];
    this.current = -1;
    if (!this.chart.points) return;
    this.marks.forEach((mark, i) => {
      mark.addEventListener('pointerenter', () => this.enter(i));
      mark.addEventListener('pointerleave', () => this.leave());
    });
  }

  enter(i) {
    this.leave();
    this.current = i;
    this.marks[i].classList.add('active');
    showTip(this.chart.points[i], this.marks[i].getBoundingClientRect());
  }

  leave() {
    this.marks?.[this.current]?.classList.remove('active');
    hideTip();
  }

  // Arrows walk through the points, Escape closes the card.
  key(event) {
    if (event.key === 'Escape') { this.leave(); return; }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !this.chart.points?.length) return;
    event.preventDefault();
    const count = this.marks.length;
    this.enter((Math.max(this.current, step > 0 ? -1 : 0) + step + count) % count);
    const point = this.chart.points[this.current];
    this.heard.textContent = `${point.series.label}: error ${plusMinus(point.error)}, gap ${plusMinus(point.violation)}. ${statementOf(point)}`;
  }

  async download(kind) {
    const name = fileName(`${this.chart.title} ${this.chart.kind}`);
    if (kind === 'CSV') {
      save(`${name}.csv`, new Blob([csvText(this.chart.rows)], { type: 'text/csv' }));
      return;
    }
    const options = { dark: false, onPaper: true };
    const spec = { title: `${this.chart.title} · ${this.chart.kind}`, ...this.chart.build(options) };
    const drawn = await view(spec, options, { width: 560, height: 380, padding: 18 });
    if (kind === 'SVG') {
      save(`${name}.svg`, new Blob([await drawn.toSVG()], { type: 'image/svg+xml' }));
    } else {
      const canvas = await drawn.toCanvas(2);
      canvas.toBlob((blob) => save(`${name}.png`, blob), 'image/png');
    }
    drawn.finalize();
  }
}
