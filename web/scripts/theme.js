// Light and dark: as the system says until the reader says otherwise.

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
root.classList.add('scripting');

const isDark = () => (root.dataset.theme ?? (systemDark.matches ? 'dark' : 'light')) === 'dark';

function startTheme(redraw) {
  const button = document.getElementById('theme');
  const refresh = () => {
    button.textContent = isDark() ? 'Light colours' : 'Dark colours';
    redraw();
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    refresh();
  });
  systemDark.addEventListener('change', refresh);
  button.textContent = isDark() ? 'Light colours' : 'Dark colours';
}

// Okabe and Ito's colours, which people who see fewer colours can tell apart, darkened or lightened
// to stand out from the ground; shapes say the same again.
const LOOKS = [
  { light: '#0072b2', dark: '#56b4e9', shape: 'circle' },
  { light: '#00795a', dark: '#2fcf9f', shape: 'square' },
  { light: '#c24e00', dark: '#ff8a3d', shape: 'triangle-up' },
  { light: '#a8457c', dark: '#e59ac4', shape: 'diamond' },
  { light: '#8a6d00', dark: '#f0c63b', shape: 'triangle-down' },
  { light: '#4b5563', dark: '#b8c0ca', shape: 'cross' },
  { light: '#5546a8', dark: '#a99df5', shape: 'triangle-right' },
  { light: '#8a8a8a', dark: '#8f969e', shape: 'stroke' },
  { light: '#7a2e2e', dark: '#f09a9a', shape: 'triangle-left' },
  { light: '#00707a', dark: '#4fd0dc', shape: 'wedge' },
  { light: '#626200', dark: '#cfcf5c', shape: 'arrow' },
];
const FIXED_LOOK = {
  'dp-fermi': 0, fermi: 1, 'dp-fermi-paper': 2, sketch: 3, 'published-code': 4, erm: 5, 'dp-fermi (published)': 6, coin: 7,
};

// Known methods always look the same; others take what is left, in their order.
function lookOf(kind) {
  if (Object.hasOwn(FIXED_LOOK, kind)) return LOOKS[FIXED_LOOK[kind]];
  const left = LOOKS.slice(Object.keys(FIXED_LOOK).length);
  const others = methods.filter((name) => !Object.hasOwn(FIXED_LOOK, name));
  return left[others.indexOf(kind) % left.length];
}
const colourOf = (kind, dark = isDark()) => lookOf(kind)[dark ? 'dark' : 'light'];

// The smaller the epsilon, the more broken the line.
const DASHES = [[1, 0], [8, 3], [5, 3], [3, 3], [1, 3], [8, 3, 1, 3]];
function dashOf(epsilon, shown) {
  const order = [...shown].sort((a, b) => (b ?? Infinity) - (a ?? Infinity));
  return DASHES[order.indexOf(epsilon) % DASHES.length];
}

function chartConfig(dark, onPaper) {
  const ink = dark ? '#eceae4' : '#1c2024';
  const soft = dark ? '#a9b0b8' : '#545b63';
  const faint = dark ? '#2b3137' : '#efece4';
  const font = 'Inter, "Source Sans 3", "Segoe UI", system-ui, "Helvetica Neue", sans-serif';
  return {
    background: onPaper ? '#ffffff' : null,
    font,
    aria: false,
    view: { stroke: null },
    axis: {
      labelColor: soft, titleColor: soft, gridColor: faint, domainColor: soft, tickColor: faint,
      labelFontSize: 11, titleFontSize: 11.5, titleFontWeight: 400, titlePadding: 8, tickSize: 4,
    },
    legend: { labelColor: ink, titleColor: soft, labelFontSize: 11, labelLimit: 260, symbolSize: 70 },
    title: { color: ink, fontSize: 14, anchor: 'start', fontWeight: 600, offset: 12 },
    text: { color: ink, font },
  };
}
