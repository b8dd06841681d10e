import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { violationsOn, WIDE } from './console-scene.js';
import { BEGUN, LogServer, text } from './log-server.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const open = async (url: string): Promise<Page> => {
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(url);
  return page;
};

test('6: a log that is gone from the start leaves the report, laid out as ever', async () => {
  const headline = 'Database: the disk is full';
  const server = await LogServer.start({
    'GET executions/0197f000-0000-7000-8000-00000000000f': {
      runId: 'x',
      kind: 'diagnosis',
      status: 'completed',
      verdict: 'root_cause_found',
      topologyId: 1,
      userMessage: 'It is slow.',
      partial: false,
      reasons: [],
      topologyName: 'Shop',
      createdAt: new Date().toISOString(),
      headline,
      report: {
        verdict: 'root_cause_found',
        headline,
        findings: [],
        impact: 'The shop is down.',
        unchecked: [{ node: 'web', reason: 'NOT_ASKED' }],
        next_steps: [{ text: 'Free some space.', access: 'look' }],
        root_causes: [{ node: 'db', title: 'the disk is full', confidence: 0.9, evidence: [4] }],
      },
    },
  });
  server.refuse = 410;
  const gone = await open(server.url());
  await gone.getByRole('heading', { name: 'The log of this run is no longer kept' }).waitFor();
  await gone.getByRole('heading', { name: headline }).waitFor();
  await gone.getByText('RUN_EXPIRED').waitFor();
  // The report is laid out as that of any run, without what the log would open.
  const cause = gone.getByRole('region', { name: 'Root cause 1 of 1' });
  await cause.getByText('90 %').waitFor();
  expect(await cause.getByRole('button').count()).toBe(0);
  const unchecked = 'the run was asked to look at other nodes';
  for (const said of ['The shop is down.', 'Free some space.', unchecked])
    await gone.getByText(said).first().waitFor();
  await gone.getByRole('link', { name: 'Check it' }).waitFor();
  expect(await violationsOn(gone)).toEqual([]);
  await gone.close();
  server.close();
});

test('6: of a log that is gone in the middle, what was read stands', async () => {
  const server = await LogServer.start();
  server.push(...BEGUN, text('what was read'));
  const middle = await open(server.url('?view=log'));
  await middle.getByText('Live', { exact: true }).waitFor();
  server.refuse = 410;
  server.cut();
  await middle.getByRole('button', { name: 'Read from the beginning' }).waitFor();
  await middle.getByText('what was read').first().waitFor();
  await middle.close();
  server.close();
});
