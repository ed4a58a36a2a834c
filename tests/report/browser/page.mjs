// A report page in a real browser, opened from a file.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import process from 'node:process';

const modules = process.env.DPFERMI_NODE_MODULES;
const require = createRequire(path.join(modules, 'any.js'));
const { chromium } = require('playwright-core');
const { source: axeSource } = require('axe-core');

export const launch = () => chromium.launch({
  executablePath: process.env.DPFERMI_CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});

// Opens `file`; `trouble` collects whatever must not happen.
export async function openPage(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const trouble = [];
  page.on('console', (message) => { if (message.type() !== 'info') trouble.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => trouble.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('blob:')) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, trouble, close: () => context.close() };
}

// The same with a report, once all of its charts are drawn.
export async function open(browser, file, options = {}) {
  const opened = await openPage(browser, file, options);
  if (options.javaScriptEnabled !== false) await drawn(opened.page);
  return opened;
}

// All charts have been drawn at least `times` times.
export const drawn = (page, times = 1) => page.waitForFunction(
  (least) => Number(document.documentElement.dataset.drawn ?? 0) >= least, times, { timeout: 120000 });

// Does `action` and waits for the drawing that it causes.
export async function redrawn(page, action) {
  const before = await page.evaluate(() => Number(document.documentElement.dataset.drawn));
  await action();
  await drawn(page, before + 1);
}

// What axe-core finds wrong, in words.
export async function accessibility(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

export const reportData = (page) =>
  page.evaluate(() => JSON.parse(document.getElementById('report-data').textContent));
