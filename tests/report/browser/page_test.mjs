// node --test page_test.mjs, with DPFERMI_REPORT_PAGES: a folder with the pages that make_pages.py writes,
// and DPFERMI_NODE_MODULES. Screenshots go to that folder.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';

import { accessibility, launch, open, openPage, redrawn, reportData } from './page.mjs';

const folder = process.env.DPFERMI_REPORT_PAGES;
const file = path.join(folder, 'report.html');
const picture = (name) => path.join(folder, `${name}.png`);
const pointMarks = '#panels .mark-symbol.role-mark path';
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const chip = (page, facet, value) => page.locator(`#filters input[name="${facet}"][value="${value}"]`);
const shownNumbers = async (page) => (await page.textContent('#shown')).match(/\d+/g).map(Number);

test('every model that the filters let through is a mark', async () => {
  const { page, trouble, close } = await open(browser, file);
  const [points, curves, panels] = await shownNumbers(page);
  assert.equal(await page.locator(pointMarks).count(), points);
  assert.equal(await page.locator('#panels .panel').count(), panels);
  assert.equal(await page.locator('#panels .mark-line path').count(), curves);
  await redrawn(page, () => page.getByText('Show everything').click());
  const data = await reportData(page);
  const all = data.panels.flatMap((panel) => panel.series.flatMap((series) => series.points));
  assert.equal(await page.locator(pointMarks).count(), all.length);
  assert.deepEqual(trouble, []);
  await close();
});

test('filters take curves away and bring them back, and say so', async () => {
  const { page, trouble, close } = await open(browser, file);
  const before = await shownNumbers(page);
  await redrawn(page, () => chip(page, 'method', 'fermi').uncheck());
  const without = await shownNumbers(page);
  assert.ok(without[0] < before[0] && without[1] < before[1]);
  assert.equal(await page.locator(pointMarks).count(), without[0]);
  await redrawn(page, () => chip(page, 'epsilon', '0.5').check());
  assert.ok((await shownNumbers(page))[1] > without[1]);
  await chip(page, 'protocol', 'honest').focus();
  await redrawn(page, () => page.keyboard.press('Space'));
  assert.match(await page.textContent('#shown'), /Nothing matches/);
  assert.equal(await page.locator(pointMarks).count(), 0);
  assert.equal(await page.getAttribute('#shown', 'aria-live'), 'polite');
  assert.deepEqual(trouble, []);
  await close();
});

test('a point shows its figures and its privacy statement, by pointer and by keys', async () => {
  const { page, trouble, close } = await open(browser, file);
  const data = await reportData(page);
  const panel = data.panels[0];
  const plot = page.locator('#panels .plot').first();
  const tip = page.locator('#tip');
  await plot.focus();
  const seen = [];
  for (let i = 0; i < panel.series.flatMap((series) => series.points).length; i += 1) {
    await page.keyboard.press('ArrowRight');
    seen.push(await tip.innerText());
  }
  // With weight 0 nothing of the protected attribute is read, and nothing is spent.
  const own = seen.find((text) => /^dp-fermi, ε = 1\n[^]*λ\s+[1-9]/.test(text));
  assert.match(own, /Protected: the sensitive attribute of one record/);
  assert.match(own, /Guarantee: .*epsilon = 0\.99/);
  assert.match(own, /error\s+\d+\.\d\d/);
  assert.ok(seen.some((text) => /^fermi, not private[^]*No privacy is promised/.test(text)));
  assert.ok(seen.some((text) => /^erm, without the protected attribute[^]*Protected: the sensitive attribute[^]*Guarantee: /.test(text)));
  assert.match(await page.locator('#panels [aria-live]').first().textContent(), /error .* gap/);
  await page.keyboard.press('Escape');
  await assert.doesNotReject(tip.waitFor({ state: 'hidden' }));
  // The free line ends on this mark, in a stroke without height: whichever of the two is on top answers.
  const mark = page.locator('#panels .panel').first().locator('.mark-symbol.role-mark path[d$="Z"]').last();
  await mark.scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  await mark.hover({ force: true });
  await tip.waitFor({ state: 'visible' });
  assert.match(await tip.innerText(), /runs/);
  assert.deepEqual(trouble, []);
  await close();
});

/** What a click downloads. Chromium drops some of many downloads in a row, or is late: those are asked for again. */
const taken = async (page, button, ending) => {
  for (let attempt = 0; ; attempt += 1) {
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 5000 }).catch((late) => { if (attempt === 3) throw late; }), button.click()]);
    if (download?.suggestedFilename().endsWith(ending)) return download;
  }
};

test('every chart can be taken away as PNG, SVG and CSV', async () => {
  const { page, trouble, close } = await open(browser, file);
  const charts = page.locator('.panel');
  for (const chart of await charts.all()) {
    for (const kind of ['PNG', 'SVG', 'CSV']) {
      const download = await taken(page, chart.getByRole('button', { name: `as ${kind}` }), `.${kind.toLowerCase()}`);
      const bytes = await readFile(await download.path());
      if (kind === 'PNG') assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
      if (kind === 'SVG') assert.match(bytes.toString(), /^<svg [^]*<path [^]*<\/svg>\s*$/);
      if (kind === 'CSV') assert.ok(bytes.toString().trim().split('\r\n').length > 1);
    }
  }
  const [points] = await shownNumbers(page);
  let rows = 0;
  for (const chart of await page.locator('#panels .panel').all()) {
    const download = await taken(page, chart.getByRole('button', { name: 'as CSV' }), '.csv');
    const lines = (await readFile(await download.path())).toString().trim().split('\r\n');
    assert.match(lines[0], /^label,method,epsilon,lambda,.*error,error_se,gap,gap_se$/);
    rows += lines.length - 1;
  }
  assert.equal(rows, points);
  assert.deepEqual(trouble, []);
  await close();
});

test('group rates and training curves follow what is chosen', async () => {
  const { page, trouble, close } = await open(browser, file);
  const bars = page.locator('#closer-charts .mark-rect.role-mark path');
  assert.ok(await bars.count() > 0);
  assert.ok(await page.locator('#closer-charts .mark-line path').count() > 0);
  const shape = await bars.last().getAttribute('d');
  await page.locator('select[name="rate"]').selectOption('error');
  await page.waitForFunction(([selector, old]) => {
    const all = document.querySelectorAll(selector);
    return all.length > 0 && all[all.length - 1].getAttribute('d') !== old;
  }, ['#closer-charts .mark-rect.role-mark path', shape]);
  for (const title of ['balanced error', 'precision', 'AUC', 'Brier score']) {
    await page.locator('select[name="rate"]').selectOption({ label: title });
    await page.locator(`#closer-charts .plot[aria-label^="${title} by group"]`).waitFor();
    assert.ok(await bars.count() > 0, title);
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('calibration of everybody and of every group is drawn', async () => {
  const { page, trouble, close } = await open(browser, file);
  const titles = await page.locator('#closer-charts figure').evaluateAll((all) => all.map((one) => one.innerText));
  for (const group of ['everybody', 'g0', 'g1']) {
    assert.ok(titles.some((text) => text.includes(`Calibration, ${group}`)), `${group}: ${titles}`);
  }
  const chart = page.locator('#closer-charts figure', { hasText: 'Calibration, everybody' });
  assert.ok(await chart.locator('.mark-symbol path').count() > 0);
  assert.deepEqual(trouble, []);
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`accessible in ${colorScheme} colours`, async () => {
    const { page, trouble, close } = await open(browser, file, { colorScheme });
    await page.screenshot({ path: picture(colorScheme), fullPage: true });
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
    assert.deepEqual(await accessibility(page), []);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await ground();
    await redrawn(page, () => page.locator('#theme').click());
    assert.notEqual(await ground(), before);
    assert.deepEqual(await accessibility(page), []);
    assert.deepEqual(trouble, []);
    await close();
  });
}

for (const width of [360, 400, 520, 820, 900, 1280]) test(`nothing sticks out of ${width} pixels`, async () => {
  const { page, trouble, close } = await open(browser, file, { viewport: { width, height: 740 } });
  await page.screenshot({ path: picture(`width-${width}`), fullPage: true });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `${inner} > ${outer}`);
  assert.deepEqual(await accessibility(page), []);
  assert.deepEqual(trouble, []);
  await close();
});

for (const name of ['dossier/dossier', 'ledger', 'audit']) for (const width of [400, 1280]) {
  test(`${name}.html is accessible and fits ${width} pixels`, async () => {
    const { page, trouble, close } = await openPage(browser, path.join(folder, `${name}.html`),
      { viewport: { width, height: 740 } });
    await page.screenshot({ path: picture(`${name}-${width}`), fullPage: true });
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inner <= outer, `${inner} > ${outer}`);
    assert.deepEqual(await accessibility(page), []);
    assert.deepEqual(trouble, []);
    await close();
  });
}

test('on paper: no controls, tables unfolded', async () => {
  const { page, trouble, close } = await open(browser, file, { colorScheme: 'dark' });
  const paper = await page.pdf({ path: path.join(folder, 'print.pdf'), format: 'A4' });
  assert.ok(paper.length > 20000);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('#filters').isVisible(), false);
  assert.equal(await page.locator('#tables table').first().isVisible(), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.deepEqual(trouble, []);
  await close();
});

test('without scripts the answer and all numbers are there', async () => {
  const { page, trouble, close } = await open(browser, file, { javaScriptEnabled: false });
  assert.match(await page.locator('.lede').innerText(), /dp-fermi at ε = 1/);
  assert.match(await page.locator('.stamps').innerText(), /each run stands alone[^]*exact, not private/);
  assert.equal(await page.locator('#filters').isVisible(), false);
  assert.equal(await page.locator('noscript .note, .note').first().isVisible(), true);
  await page.locator('#tables summary').first().click();
  const table = page.locator('#tables table').first();
  assert.equal(await table.isVisible(), true);
  assert.match(await table.innerText(), /dp-fermi, ε = 1/);
  await page.screenshot({ path: picture('noscript'), fullPage: true });
  assert.deepEqual(trouble, []);
  await close();
});

test('names from data are text, whatever they say', async () => {
  const hostile = path.join(folder, 'hostile.html');
  const { page, trouble, close } = await open(browser, hostile);
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  assert.equal(await page.locator('img, script[src], iframe, [onerror], [onclick]').count(), 0);
  const text = await page.locator('body').innerText();
  assert.ok(text.includes('<script>pwned=1</script>'));
  assert.ok(text.includes('"><img src=x onerror=pwned=1>'));
  assert.ok(text.includes("x';pwned=1;//{{data}}"));
  assert.ok(text.includes('Zoë 群组 🙂'));
  await page.locator('#panels .plot').first().focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  await page.evaluate(() => { const one = document.createElement('script'); one.textContent = 'globalThis.pwned = 1'; document.body.append(one); });
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined, 'the content security policy lets other scripts run');
  assert.deepEqual(trouble.filter((line) => !line.includes('Content Security Policy')), []);
  await close();
});
