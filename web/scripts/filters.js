// What is shown: sets of chosen values, and chips to choose them with.

const NOT_PRIVATE = 'none';
const epsilonKey = (epsilon) => (epsilon === null ? NOT_PRIVATE : String(epsilon));

const FACETS = [
  { name: 'dataset', title: 'Data set', of: (s) => s.panel.dataset, text: (s) => s.panel.dataset_title },
  { name: 'notion', title: 'Fairness', of: (s) => s.panel.notion, text: (s) => s.panel.notion_title },
  { name: 'protocol', title: 'Protocol', of: (s) => s.panel.protocol, text: (s) => s.panel.protocol },
  { name: 'epsilon', title: 'Privacy', of: (s) => epsilonKey(s.epsilon), text: (s) => epsilonText(s.epsilon) },
  { name: 'method', title: 'Method', of: (s) => s.kind, text: (s) => s.kind },
];

// At first: the protocol, epsilon and published method that the answer is about; of others all.
function firstChoice(facet, values) {
  const start = report.start;
  const wanted = {
    protocol: (value) => value === start.protocol,
    epsilon: (value) => value === NOT_PRIVATE || value === epsilonKey(start.epsilon),
    method: (value) => !value.endsWith(' (published)') || value === 'dp-fermi (published)',
  }[facet.name];
  const chosen = wanted ? values.filter(wanted) : values;
  return new Set(chosen.length ? chosen : values);
}

function swatch(kind) {
  const look = lookOf(kind);
  const open = kind.endsWith(' (published)');
  const path = { circle: 'M8 2a6 6 0 1 0 .01 0z', square: 'M2 2h12v12H2z', 'triangle-up': 'M8 2l7 12H1z',
    diamond: 'M8 1l7 7-7 7-7-7z', 'triangle-down': 'M8 14L1 2h14z', cross: 'M6 1h4v5h5v4h-5v5H6v-5H1V6h5z',
    'triangle-right': 'M14 8L2 15V1z', 'triangle-left': 'M2 8l12-7v14z', wedge: 'M8 1l5 14H3z', arrow: 'M8 1l6 7h-4v7H6V8H2z', stroke: 'M1 8h14' }[look.shape];
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  shape.setAttribute('d', path);
  shape.setAttribute('stroke', colourOf(kind));
  shape.setAttribute('stroke-width', '2');
  shape.setAttribute('fill', open ? 'none' : colourOf(kind));
  svg.append(shape);
  return svg;
}

class Filters {
  constructor(form, changed) {
    this.form = form;
    this.changed = changed;
    this.facets = FACETS.map((facet) => {
      const ownFirst = [...allSeries].sort((a, b) => a.published - b.published);
      const texts = new Map(ownFirst.map((series) => [facet.of(series), facet.text(series)]));
      const values = facet.name === 'epsilon' ? epsilons.map(epsilonKey) : [...texts.keys()];
      return { ...facet, values, texts, chosen: firstChoice(facet, values) };
    });
    this.render();
  }

  render() {
    const groups = this.facets.map((facet) => element('fieldset', {},
      element('legend', {}, facet.title), ...facet.values.map((value) => this.chip(facet, value))));
    const reset = element('button', { type: 'button' }, 'Show everything');
    reset.addEventListener('click', () => {
      for (const facet of this.facets) facet.chosen = new Set(facet.values);
      this.render();
      this.form.querySelector('button').focus();
      this.changed();
    });
    this.form.replaceChildren(...groups, element('div', {}, reset));
  }

  chip(facet, value) {
    const box = element('input', { type: 'checkbox', name: facet.name, value });
    box.checked = facet.chosen.has(value);
    box.addEventListener('change', () => {
      facet.chosen[box.checked ? 'add' : 'delete'](value);
      this.changed();
    });
    const text = element('span', {}, ...(facet.name === 'method' ? [swatch(value)] : []), facet.texts.get(value));
    return element('label', { class: 'chip' }, box, text);
  }

  shows(series) {
    return this.facets.every((facet) => facet.chosen.has(facet.of(series)));
  }

  // [panel, its series that are shown], empty panels left out.
  panels() {
    return report.panels.map((panel) => [panel, panel.series.filter((series) => this.shows(series))])
      .filter(([, series]) => series.length > 0);
  }
}
