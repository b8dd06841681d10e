// `node scripts/console-pictures.mjs URL`: takes the console pictures of docs/images from the last
// run of a service, such as that of `npm run demo -- --keep`. Needs Chromium, as `npm run
// test:browser` does.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const url = process.argv[2];
const folder = join(import.meta.dirname, '../docs/images');
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const answer = await fetch(`${url}/api/service/v1/executions?kind=diagnosis&limit=1`);
const [run] = (await answer.json()).data.items;
const { report } = (await (await fetch(`${url}/api/service/v1/executions/${run.runId}`)).json())
  .data;
const evidence = report.root_causes[0]?.evidence[0] ?? 1;

const PICTURES = [
  ['console-run', `/runs/${run.runId}`, '.gnode.h-root', { viewport: WIDE, colorScheme: 'dark' }],
  [
    'console-evidence',
    `/runs/${run.runId}?view=log#${evidence}`,
    '.line.is-selected',
    { viewport: WIDE, colorScheme: 'light' },
  ],
  ['console-phone', `/runs/${run.runId}`, '.cause', { viewport: PHONE, colorScheme: 'dark' }],
];

mkdirSync(folder, { recursive: true });
const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
for (const [name, path, ready, options] of PICTURES) {
  const page = await browser.newPage({ ...options, reducedMotion: 'reduce' });
  await page.goto(`${url}/console${path}`);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
