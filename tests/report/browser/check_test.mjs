// node --test check_test.mjs: the recipient's check in a real browser. Wants what page_test.mjs wants,
// and DPFERMI_REFERENCE_ROWS: the reference rows of the accountant, which native.jsonl answers.

import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';

import { accessibility, launch, openPage } from './page.mjs';

const folder = process.env.DPFERMI_REPORT_PAGES;
const inFolder = (name) => path.join(folder, name);
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A page whose check has judged every statement and drawn its curve.
async function opened(name, options) {
  const { page, ...rest } = await openPage(browser, inFolder(name), options);
  await page.waitForSelector('#check[data-drawn]', { timeout: 120000 });
  return { page, ...rest };
}

const verdicts = (page) => page.locator('#check .verdicts li[data-verdict]').evaluateAll((all) => all.map((one) => one.dataset.verdict));

// `name` as `other`, with what it states changed.
async function tampered(name, other, change) {
  const text = await readFile(inFolder(name), 'utf8');
  const changed = text.replace(/(id="check-data">)([^]*?)(<\/script>)/, (_, before, json, after) => {
    const data = JSON.parse(json);
    change(data[0].statement);
    return before + JSON.stringify(data).replaceAll('<', '\\u003c') + after;
  });
  assert.notEqual(changed, text);
  await writeFile(inFolder(other), changed);
}

for (const name of ['card.html', 'sketch.html', 'public.html', 'report.html']) {
  test(`${name}: the stated epsilon follows from the listed releases`, async () => {
    const { page, trouble, close } = await opened(name);
    const seen = await verdicts(page);
    assert.ok(seen.includes('agree') && seen.every((one) => one === 'agree' || one === 'nothing'), String(seen));
    const text = await page.locator('#check').innerText();
    assert.match(text, /This checks the arithmetic, not what was run\./);
    assert.match(text, /states epsilon (0\.99\d*|1) at delta .*The releases that it lists cost 0\.99/);
    assert.deepEqual(trouble, []);
    await close();
  });
}

const releasesOf = (statement) => statement.releases.map(({ event }) => event);
const lies = {
  'a smaller epsilon': (statement) => { statement.epsilon = 0.5; },
  'a smaller delta': (statement) => { statement.delta = 1e-12; },
  'more steps': (statement) => { for (const release of statement.releases) release.count *= 4; },
  'less noise': (statement) => {
    for (const event of releasesOf(statement)) event[['noise_multiplier', 'sigma', 'sigma_over_distance'].find((key) => key in event)] /= 2;
  },
};
for (const [what, change] of Object.entries(lies)) {
  test(`a statement with ${what} is found`, async () => {
    await tampered('card.html', 'tampered.html', change);
    const { page, trouble, close } = await opened('tampered.html');
    assert.deepEqual(await verdicts(page), ['disagree']);
    assert.match(await page.locator('#check .verdicts').innerText(), /✗ disagree[^]*more than it promises/);
    assert.deepEqual(trouble, []);
    await close();
  });
}

// As when two holders of as many people merge what each released.
const twoParts = (statement, part) => { statement.releases = [1, 2].flatMap((one) => statement.releases.map((release) => ({ ...release, ...part(one) }))); };
test('parts that share no person cost as much as the costliest of them, and the page says so', async () => {
  await tampered('card.html', 'parts.html', (statement) => twoParts(statement, (part) => ({ part })));
  const parts = await opened('parts.html');
  assert.deepEqual(await verdicts(parts.page), ['agree']);
  assert.match(await parts.page.locator('#check .words').innerText(), /costliest of 2 parts that were declared to share no person, cost 0\.99/);
  await parts.close();
  await tampered('card.html', 'parts.html', (statement) => twoParts(statement, () => ({})));
  const same = await opened('parts.html');
  assert.deepEqual(await verdicts(same.page), ['disagree']);
  await same.close();
  await tampered('card.html', 'parts.html', (statement) => {
    twoParts(statement, (part) => ({ part }));
    for (const release of statement.releases) release.count *= release.part === 2 ? 4 : 1;
  });
  const costly = await opened('parts.html');
  assert.deepEqual(await verdicts(costly.page), ['disagree'], 'one part costs more than is stated');
  await costly.close();
});

const unreadable = {
  'an unknown kind of release': [(statement) => { releasesOf(statement)[0].kind = 'magic'; }, /of a kind that this page does not know/],
  'an unknown key': [(statement) => { releasesOf(statement)[0].discount = 2; }, /the key 'discount' of a .* event is unknown/],
  'a release of another adjacency': [(statement) => { releasesOf(statement)[0].adjacency = 'add-remove-record'; }, /another adjacency/],
  'a count that is not whole': [(statement) => { statement.releases[0].count = 1.5; }, /whole numbers/],
  'noise below zero': [(statement) => { statement.releases[0].event = { kind: 'laplace', scale_over_distance: -1 }; },
    /the scale must be a number >= 0, not -1/],
};
for (const [what, [change, complaint]] of Object.entries(unreadable)) {
  test(`${what} is not judged, and the page says why`, async () => {
    await tampered('card.html', 'unreadable.html', change);
    const { page, trouble, close } = await openPage(browser, inFolder('unreadable.html'));
    await page.waitForSelector('#check[data-judged]');
    assert.deepEqual(await verdicts(page), ['unknown']);
    assert.match(await page.locator('#check .words').innerText(), complaint);
    assert.deepEqual(trouble, []);
    await close();
  });
}

test('a page with a changed script judges nothing', async () => {
  const text = await readFile(inFolder('card.html'), 'utf8');
  await writeFile(inFolder('script.html'), text.replace("disagree: '✗ disagree'", "disagree: '✓ agree'"));
  const { page, trouble, close } = await openPage(browser, inFolder('script.html'));
  assert.deepEqual(await verdicts(page), []);
  assert.match(trouble.join(), /Content Security Policy/);
  await close();
});

test('another delta has another epsilon, certified', async () => {
  const { page, trouble, close } = await opened('card.html');
  assert.equal(await page.inputValue('#check-delta'), '1e-6');
  const answers = [];
  for (const delta of ['1e-12', '1e-6', '1e-3']) {
    await page.evaluate(() => { document.getElementById('check-answer').textContent = ''; });
    await page.fill('#check-delta', delta);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('check-answer').textContent !== '');
    answers.push(Number((await page.locator('#check-answer').innerText()).match(/^epsilon ([\d.]+), certified$/)[1]));
  }
  assert.ok(answers[0] > answers[1] && answers[1] > answers[2] && answers[2] > 0, String(answers));
  await page.fill('#check-delta', 'two');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /delta is a number/.test(document.getElementById('check-answer').textContent));
  assert.ok(await page.locator('#check .curve').count() === 1 && await page.locator('#check circle.stated').count() === 1);
  await page.getByText('The curve as numbers').click();
  const cells = await page.locator('#check tbody td').allInnerTexts();
  const curve = cells.filter((_, i) => i % 2 === 1).map(Number);
  assert.ok(curve.length >= 10 && curve.every((value, i) => i === 0 || value <= curve[i - 1]), String(curve));
  assert.deepEqual(trouble, []);
  await close();
});

const ADJACENCY = { ADD_OR_REMOVE: 'add-remove-record', REPLACE_ONE: 'replace-record' };

// A reference row as an event; docs/accounting.md has the units.
function eventOf(row) {
  const adjacency = ADJACENCY[row.adjacency] ?? 'sensitive';
  const repeated = ({ q, sigma, T }, mechanism) => ({ kind: 'repetition', count: T, part: {
    gaussian: { kind: 'gaussian', sigma_over_distance: sigma / (adjacency === 'add-remove-record' ? 1 : 2) },
    laplace: { kind: 'laplace', scale_over_distance: sigma },
    discrete_gaussian: { kind: 'discrete-gaussian', sigma, shifts: [1] },
    poisson_gaussian_membership_revealed: { kind: 'revealed-poisson-gaussian', q, sigma_over_distance: sigma },
  }[mechanism] ?? { kind: 'poisson-gaussian', q, noise_multiplier: sigma } });
  const event = row.components ? { kind: 'composition', parts: row.components.map((part) => repeated(part, part.kind)) }
    : repeated(row, row.mechanism);
  return { id: row.id, event, adjacency, delta: row.delta };
}

test('the reference rows have the digits of the native build', async () => {
  const rows = JSON.parse(await readFile(process.env.DPFERMI_REFERENCE_ROWS, 'utf8')).filter(({ group }) => group !== 'rdp');
  const lines = (await readFile(inFolder('native.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
  const native = new Map(lines.map((line) => [line.id, line]));
  const { page, trouble, close } = await opened('card.html');
  const answers = await page.evaluate(async (questions) => {
    const all = [];
    for (const { id, event, adjacency, delta, native } of questions) {
      const answer = await globalThis.dpfermi.epsilon(event, adjacency, delta);
      all.push({ id, ...answer, shown: [answer.upper, native].map(globalThis.dpfermi.digits) });
    }
    return all;
  }, rows.map((row) => ({ ...eventOf(row), native: native.get(row.id).epsilon_upper })));
  assert.equal(answers.length, 391);
  const shownElsewise = answers.filter(({ shown: [here, there] }) => here !== there);
  assert.deepEqual(shownElsewise, [], 'all six digits that a reader sees are those of the native build');
  let equal = 0;
  let worst = 0;
  for (const [i, { id, lower, upper }] of answers.entries()) {
    const { epsilon_lower: low, epsilon_upper: high } = native.get(id);
    equal += lower === low && upper === high ? 1 : 0;
    worst = Math.max(worst, Math.abs(lower - low) / (low || 1), Math.abs(upper - high) / high);
    const scale = 1e-9 * Math.max(1, rows[i].epsilon_upper);
    assert.ok(upper >= rows[i].epsilon_lower - scale && lower <= rows[i].epsilon_upper + scale, id);
  }
  // Beyond the six: mathematical functions differ in their last digit between libraries and processors, and the search
  // for the best tilt carries that on; the native build without FMA differs from itself by 6e-10.
  console.log(`${equal} of ${answers.length} rows equal to the last bit, the others within ${worst.toExponential(1)}`);
  assert.ok(worst < 3e-9 && equal > 200, `${equal} equal, ${worst}`);
  assert.deepEqual(trouble, []);
  await close();
});

test('7,154 steps, the first question of docs/accounting.md, are answered within 200 ms', async () => {
  const { page, trouble, close } = await opened('card.html');
  const times = await page.evaluate(async () => {
    const event = { kind: 'repetition', count: 7154, part: { kind: 'poisson-gaussian', q: 0.028, noise_multiplier: 17.7 } };
    const all = [];
    for (let i = 0; i < 9; i += 1) {
      const start = performance.now();
      await globalThis.dpfermi.epsilon(event, 'sensitive', 1e-5);
      all.push(performance.now() - start);
    }
    return all.sort((a, b) => a - b);
  });
  console.log(`fastest ${times[0].toFixed(0)} ms, median ${times[4].toFixed(0)} ms`);
  assert.ok(times[0] <= 200, String(times)); // the machine may be busy; the work is the same
  assert.deepEqual(trouble, []);
  await close();
});

test('the check adds at most 500 kB to a page', async () => {
  const { page, close } = await opened('report.html');
  const added = await page.evaluate(() => [...document.querySelectorAll('#check, #check-data, #check-module, #check-module + script')]
    .reduce((sum, { outerHTML }) => sum + outerHTML.length, 0));
  const card = (await stat(inFolder('card.html'))).size;
  console.log(`${added} bytes in the report, ${card} in the whole card`);
  assert.ok(added > 100000 && added <= 500000 && card <= 500000, `${added}, ${card}`);
  await close();
});

for (const width of [400, 1280]) {
  for (const name of ['card', 'sketch', 'public']) {
    test(`nothing of ${name}.html sticks out of ${width} pixels`, async () => {
      const { page, trouble, close } = await opened(`${name}.html`, { viewport: { width, height: 740 } });
      await page.screenshot({ path: inFolder(`${name}-${width}.png`), fullPage: true });
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} > ${outer}`);
      assert.deepEqual(await accessibility(page), []);
      assert.deepEqual(trouble, []);
      await close();
    });
  }
}

test('without scripts the card is there, and the page says that it checked nothing', async () => {
  const { page, trouble, close } = await openPage(browser, inFolder('card.html'), { javaScriptEnabled: false });
  assert.match(await page.locator('body').innerText(), /The check needs scripts, which are off here/);
  assert.match(await page.locator('body').innerText(), /What was trained/);
  assert.deepEqual(trouble, []);
  await close();
});

test('policies let WebAssembly be compiled, and nothing else', async () => {
  for (const name of ['card.html', 'public.html', 'report.html']) {
    const text = await readFile(inFolder(name), 'utf8');
    const policy = text.match(/Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(policy, /^default-src 'none'; script-src( 'sha256-[^']+')+ 'wasm-unsafe-eval'; style-src /);
    assert.doesNotMatch(policy, /'unsafe-eval'|connect-src|https?:/);
    assert.equal(/style-src 'unsafe-inline'/.test(policy), name === 'report.html', policy);
  }
});
