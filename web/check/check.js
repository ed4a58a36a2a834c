// The recipient's check: dpfermi's accountant, compiled to WebAssembly, recomputes in the reader's
// browser what the releases cost that a statement lists. Nothing is fetched.

const statements = JSON.parse(document.getElementById('check-data').textContent);
const section = document.getElementById('check');

// ---- The accountant ----

const ADJACENCIES = ['sensitive', 'replace-record', 'add-remove-record']; // as the module numbers them

// A number of an event; JSON has no infinity.
function amount(event, key) {
  const value = event[key] === 'inf' ? Infinity : event[key];
  if (typeof value !== 'number') throw new Error(`the key '${key}' of an event takes a number`);
  return value;
}

// The kinds of docs/accounting.md: their keys, all required, and how the module hears of them.
const KINDS = new Map(Object.entries({
  gaussian: [['sigma_over_distance'], (module, event) => module.gaussian(amount(event, 'sigma_over_distance'))],
  laplace: [['scale_over_distance'], (module, event) => module.laplace(amount(event, 'scale_over_distance'))],
  'discrete-gaussian': [['sigma', 'shifts'], (module, event) => {
    for (const i of event.shifts.keys()) module.shift(amount(event.shifts, i));
    module.discrete_gaussian(amount(event, 'sigma'));
  }],
  'poisson-gaussian': [['q', 'noise_multiplier'],
    (module, event) => module.poisson_gaussian(amount(event, 'q'), amount(event, 'noise_multiplier'))],
  'revealed-poisson-gaussian': [['q', 'sigma_over_distance'],
    (module, event) => module.revealed_poisson_gaussian(amount(event, 'q'), amount(event, 'sigma_over_distance'))],
  pure: [['epsilon'], (module, event) => module.pure(amount(event, 'epsilon'))],
  exact: [[], (module) => module.exact()],
  composition: [['parts'], (module, event, adjacency) => {
    for (const part of event.parts) addEvent(module, part, adjacency);
    module.composition(event.parts.length);
  }],
  repetition: [['count', 'part'], (module, event, adjacency) => {
    addEvent(module, event.part, adjacency);
    module.repetition(amount(event, 'count'));
  }],
}));

function addEvent(module, event, adjacency) {
  const kind = KINDS.get(event?.kind);
  if (!kind) throw new Error('a release is of a kind that this page does not know');
  const [keys, add] = kind;
  const known = ['kind', 'adjacency', ...keys];
  const odd = Object.keys(event).find((key) => !known.includes(key)) ?? keys.find((key) => !(key in event));
  if (odd !== undefined) throw new Error(`the key '${odd}' of a ${event.kind} event is unknown or missing`);
  if ((event.adjacency ?? adjacency) !== adjacency) throw new Error('a release is of another adjacency than the statement');
  add(module, event, adjacency);
}

// WASI functions that the C library refers to; nothing here writes, and nothing can.
const NOT_SUPPORTED = 58;
const wasi_snapshot_preview1 = Object.fromEntries(['fd_close', 'fd_seek', 'fd_write'].map((name) => [name, () => NOT_SUPPORTED]));

const compiled = (async () => {
  const packed = Uint8Array.from(atob(document.getElementById('check-module').textContent), (c) => c.charCodeAt(0));
  const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(bytes).arrayBuffer());
})();

// What `ask` makes of the module once it holds `event`. Every question gets a module of its own.
async function asked(event, adjacency, ask) {
  const { exports: module } = await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1 });
  module._initialize();
  module.begin(ADJACENCIES.indexOf(adjacency));
  addEvent(module, event, adjacency);
  const answer = ask(module);
  const memory = new Uint8Array(module.memory.buffer, module.problem());
  const problem = new TextDecoder().decode(memory.subarray(0, memory.indexOf(0)));
  if (problem) throw new Error(problem);
  return answer;
}

// Certified bounds on epsilon at delta, with the digits of `dpfermi account`.
const epsilonOf = (event, adjacency, delta) => asked(event, adjacency, (module) => {
  module.epsilon(delta);
  return { lower: module.lower(), upper: module.upper() };
});

// ---- Statements ----

// The parts of the people that the releases are about, where they were declared to share no person.
const partsOf = ({ releases }) => [...new Set(releases.map(({ part }) => part ?? 0).filter((part) => part !== 0))];

// What is released about one person, as one event for every part, and each of them once.
function aboutOne(statement) {
  const parts = partsOf(statement);
  const events = (parts.length > 0 ? parts : [0]).map((one) => ({
    kind: 'composition',
    parts: statement.releases.filter(({ part }) => (part ?? 0) === 0 || part === one)
      .map(({ event, count }) => ({ kind: 'repetition', count, part: event })),
  }));
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}

// The epsilon of the part that costs most.
async function costOf(statement, delta) {
  const bounds = [];
  for (const event of aboutOne(statement)) bounds.push((await epsilonOf(event, statement.adjacency, delta)).upper);
  return Math.max(...bounds);
}

// `value` with so many significant digits, rounded up.
function up(value, digits) {
  const near = Number(value.toPrecision(digits));
  const unit = 10 ** (Math.floor(Math.log10(value)) - digits + 1);
  return near >= value ? near : Number((near + unit).toPrecision(digits));
}

const digits = (epsilon) => (Number.isFinite(epsilon) ? String(up(epsilon, 6)) : '∞');

// For readers who want to ask the accountant something else, in the console of their browser.
globalThis.dpfermi = { epsilon: epsilonOf, digits };

// 1e-5, where JavaScript writes 0.00001.
function short(delta) {
  const near = up(delta, 4);
  return near > 0 && near < 0.001 ? near.toExponential() : String(near);
}

// {verdict: 'agree' | 'disagree' | 'nothing' | 'unknown', text}, as dpfermi verify judges.
async function judged({ statement }) {
  const { epsilon, delta, adjacency, releases } = statement;
  if (epsilon === null) return { verdict: 'nothing', text: 'Nothing is promised, so there is nothing to recompute.' };
  const stated = `This page states epsilon ${digits(epsilon)} at delta ${short(delta)}.`;
  if (releases.length === 0) return { verdict: 'agree', text: `${stated} It lists no releases, which cost nothing.` };
  try {
    const answers = [];
    for (const event of aboutOne(statement)) {
      answers.push(await asked(event, adjacency, (module) => ({ covers: module.covers(epsilon, delta) === 1, cost: module.upper() })));
    }
    const parts = partsOf(statement).length;
    const which = parts > 0 ? `, in the costliest of ${parts} parts that were declared to share no person,` : '';
    const listed = `${stated} The releases that it lists${which} cost ${digits(Math.max(...answers.map(({ cost }) => cost)))}`;
    return answers.every(({ covers }) => covers) ? { verdict: 'agree', text: `${listed}.` }
      : { verdict: 'disagree', text: `${listed}: more than it promises.` };
  } catch (error) {
    return { verdict: 'unknown', text: `${stated} What it lists could not be recomputed: ${error.message}.` };
  }
}

const WORDS = { agree: '✓ agree', disagree: '✗ disagree', nothing: 'no promise', unknown: '? not recomputed' };

// ---- What is shown ----

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function drawing(tag, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

const EXPONENTS = Array.from({ length: 21 }, (_, i) => -11 + i / 2); // of the deltas of the curve
const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 52;
const RIGHT = 28;
const TOP = 26;
const BOTTOM = 44;

// Round steps that cut 0 .. most into about four.
function ticks(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

// The (epsilon, delta) curve; `stated` is drawn as a point.
function curveChart(points, stated) {
  const [low, high] = [EXPONENTS[0], EXPONENTS[EXPONENTS.length - 1]];
  const most = 1.08 * Math.max(...points.map(({ upper }) => upper), stated.epsilon);
  const x = (delta) => LEFT + (WIDTH - LEFT - RIGHT) * (Math.log10(delta) - low) / (high - low);
  const y = (epsilon) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - epsilon / most);
  const chart = drawing('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': 'Certified epsilon against delta; the same numbers are in the table below' });
  chart.append(drawing('text', { x: 4, y: 14 }, 'epsilon'));
  for (const value of ticks(most)) {
    chart.append(drawing('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
    chart.append(drawing('text', { x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end' }, String(value)));
  }
  for (let exponent = low; exponent <= high; exponent += 2) {
    chart.append(drawing('text', { x: x(10 ** exponent), y: HEIGHT - BOTTOM + 22, 'text-anchor': 'middle' }, `1e${exponent}`));
  }
  chart.append(drawing('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle' }, 'delta'));
  const path = points.map(({ delta, upper }, i) => `${i ? 'L' : 'M'}${x(delta).toFixed(1)} ${y(upper).toFixed(1)}`).join('');
  chart.append(drawing('path', { class: 'curve', d: path }));
  const inside = stated.delta > 0 && x(stated.delta) >= LEFT && x(stated.delta) <= WIDTH - RIGHT;
  if (inside) {
    chart.append(drawing('circle', { class: 'stated', cx: x(stated.delta), cy: y(stated.epsilon), r: 5 }));
    const right = x(stated.delta) < WIDTH - 120;
    chart.append(drawing('text', { class: 'stated', x: x(stated.delta) + (right ? 10 : -10), y: y(stated.epsilon) - 8, 'text-anchor': right ? 'start' : 'end' }, 'stated'));
  }
  return chart;
}

function curveTable(points) {
  const rows = points.filter(({ delta }) => Number.isInteger(Math.log10(delta)))
    .map(({ delta, upper }) => node('tr', {}, node('td', {}, short(delta)), node('td', {}, digits(upper))));
  const head = node('tr', {}, node('th', { scope: 'col' }, 'delta'), node('th', { scope: 'col' }, 'certified epsilon'));
  return node('details', {}, node('summary', {}, 'The curve as numbers'), node('table', {}, node('thead', {}, head), node('tbody', {}, ...rows)));
}

// Lets the page paint and answer between two computations.
const breath = () => new Promise((resolve) => { setTimeout(resolve, 0); });

class Check {
  constructor(all) {
    this.all = all;
    this.rows = all.map(({ name }) => node('li', {}, node('b', {}, name), ' ', node('span', { class: 'verdict' }, '…'), node('span', { class: 'words' })));
    this.figure = node('div', { class: 'curve-figure' });
    this.choice = node('select', { id: 'check-choice' });
    this.delta = node('input', { id: 'check-delta', type: 'text', inputmode: 'decimal', value: '1e-6', size: '8' });
    this.answer = node('output', { for: 'check-delta', id: 'check-answer' });
    this.form = node('form', { hidden: '' }, node('label', { for: 'check-delta' }, 'And with delta ='), this.delta, node('button', {}, 'Compute'), this.answer);
    this.which = node('p', { class: 'which', hidden: '' }, node('label', { for: 'check-choice' }, 'The curve and the question are about'), this.choice);
    this.form.addEventListener('submit', (event) => { event.preventDefault(); this.ask(); });
    this.choice.addEventListener('change', () => this.show());
    section.querySelector('#check-place').append(node('ul', { class: 'verdicts' }, ...this.rows), this.which, this.form, this.figure);
  }

  async run() {
    for (const [i, one] of this.all.entries()) {
      await breath();
      const { verdict, text } = await judged(one);
      this.rows[i].dataset.verdict = verdict;
      this.rows[i].querySelector('.verdict').textContent = WORDS[verdict];
      this.rows[i].querySelector('.words').textContent = text;
      if (verdict === 'nothing' && this.all.length > 1) this.rows[i].hidden = true;
      const costs = (verdict === 'agree' || verdict === 'disagree') && one.statement.releases.length > 0;
      if (costs) this.choice.append(node('option', { value: i }, one.name));
    }
    const silent = this.rows.filter((row) => row.hidden).length;
    if (silent > 0) this.rows.at(-1).after(node('li', {}, `${silent} of the statements ${silent === 1 ? 'promises' : 'promise'} nothing, so there is nothing to recompute.`));
    section.dataset.judged = 'all';
    if (this.choice.options.length === 0) return;
    this.which.hidden = this.choice.options.length < 2;
    this.form.hidden = false;
    await this.show();
  }

  get statement() { return this.all[Number(this.choice.value)].statement; }

  async ask() {
    const delta = Number(this.delta.value.replace(',', '.'));
    const { statement } = this;
    try {
      if (this.delta.value.trim() === '' || !(delta >= 0 && delta < 1)) throw new Error('delta is a number from 0 to below 1, as 1e-6');
      this.answer.textContent = `epsilon ${digits(await costOf(statement, delta))}, certified`;
    } catch (error) {
      this.answer.textContent = error.message;
    }
  }

  // The curve of the chosen statement, unless another is chosen meanwhile.
  async show() {
    const { statement } = this;
    await this.ask();
    const points = [];
    for (const exponent of EXPONENTS) {
      await breath();
      if (statement !== this.statement) return;
      const delta = Number(`1e${Math.floor(exponent)}`) * (Number.isInteger(exponent) ? 1 : Math.sqrt(10));
      const upper = await costOf(statement, delta).catch(() => Infinity);
      if (Number.isFinite(upper)) points.push({ delta, upper });
    }
    if (points.length > 1) this.figure.replaceChildren(curveChart(points, statement), curveTable(points));
    section.dataset.drawn = String(Number(section.dataset.drawn ?? 0) + 1);
  }
}

compiled.then(() => new Check(statements).run(), () => {
  section.querySelector('#check-place').append(node('p', {}, 'This browser could not load the accountant of this page.'));
});
