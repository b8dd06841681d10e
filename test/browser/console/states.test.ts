import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../chromium.js';
import { isLive, openPage, violationsOn, WIDE } from './console-scene.js';
import { BEGUN, COMPLETED, HEAD, LogServer, text, warning } from './log-server.js';
import { tabTo } from './tab-to.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const open = (url: string): Promise<Page> => openPage(browser, url);

test('6: an empty service offers a start, and one that is away is said while the list stands', async () => {
  const empty = await LogServer.start({ 'GET executions': { items: [], nextCursor: null } });
  const page = await open(`${empty.origin}/console/runs`);
  await page.getByRole('heading', { name: 'Nothing was diagnosed yet' }).waitFor();
  await page.goto(`${empty.origin}/console/runs?status=failed`);
  await page.getByRole('heading', { name: 'No run fits' }).waitFor();
  empty.close();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('heading', { name: 'No run fits' }).waitFor();
  await page.close();
});

test('8: a wait for a provider is said with what is left, and the second attempt is marked', async () => {
  const server = await LogServer.start();
  const wait = { retryable: true, attempt: 1, retry_in_ms: 60_000, model: 'gpt' };
  server.push(...BEGUN, text('Hm'), warning('RATE_LIMITED', 'Too many requests.', wait));
  const page = await open(server.url());
  await page.getByText('“gpt” is busy: Head waits. Nothing is lost.').waitFor();
  await page.locator('.bar.b-wait').waitFor();
  server.push(text('Again', 2));
  await page.locator('.bar.b-model[aria-label*="attempt 2"]').waitFor();
  await page.close();
  server.close();
});

test('a change that the run asks for is shown with what will be done, and decided on the page', async () => {
  const server = await LogServer.start({
    [`POST executions/:run/approvals/:approval`]: { approvalId: 't1', decision: 'approve' },
  });
  const args_digest = 'a'.repeat(64);
  const approval = {
    approval_id: 't1',
    tool_call_id: 't1',
    dispatch_id: null,
    turn: 2,
    args_digest,
    tool: 'restart_process',
    args: { node: 'db' },
    node: 'db',
    risk: 'Requests fail.',
    message: 'Restart the process of Database.',
    expires_at: '2999-01-01T00:00:00.000Z',
  };
  server.push(...BEGUN, { name: 'system.approval', agent: HEAD, data: approval });
  const page = await open(server.url());
  const banner = page.getByRole('region', { name: 'Approval needed' });
  await banner.getByText('Restart the process of Database. Requests fail.').waitFor();
  await banner.getByText('restart_process(node: db)').waitFor();
  const sent = page.waitForRequest('**/approvals/t1');
  await banner.getByRole('button', { name: 'Approve' }).click();
  expect((await sent).postDataJSON()).toEqual({ decision: 'approve', args_digest });
  const decided = { approval_id: 't1', decision: 'approve', by: 'ann', message: 'ann approved.' };
  server.push({ name: 'system.decision', data: decided });
  await banner.waitFor({ state: 'detached' });
  await page.close();
  server.close();
});

const WHY = 'The provider cannot be reached (ECONNREFUSED).';
test.each([true, false])(
  '8: a turn that failed says why, once; one that may be sent again (%s) offers it',
  async (retryable) => {
    const server = await LogServer.start();
    server.push(...BEGUN, COMPLETED);
    const page = await open(server.url());
    await page.getByText('The end').waitFor();
    const turn = (sequence: number, name: string, data: object) => {
      const [category, action] = name.split('.');
      const event = {
        run_id: 't',
        timestamp: new Date().toISOString(),
        sequence,
        source: null,
        event: { category, action },
        data,
      };
      return `event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`;
    };
    await page.route('**/chat/stream*', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        headers: { 'x-run-id': 't' },
        body:
          turn(1, 'lifecycle.started', { kind: 'chat', session_id: 's', user_message: '?' }) +
          turn(2, 'system.error', { code: 'AI_ERROR', message: WHY }) +
          turn(3, 'lifecycle.failed', {
            error: WHY,
            code: 'AI_ERROR',
            retryable,
            report: null,
          }),
      }),
    );
    await page.keyboard.press('a');
    await page.getByLabel('Question to the oracle').fill('Why?');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText(WHY).waitFor();
    // Amber for what may pass, red for what will not.
    expect(await alert.getAttribute('class')).toBe(
      `banner ${retryable ? 'banner-warn' : 'banner-bad'}`,
    );
    expect(await page.getByText(WHY).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(retryable ? 1 : 0);
    await page.close();
    server.close();
  },
);

test('9: going on in another process is marked, and warnings have cards of their kinds', async () => {
  const server = await LogServer.start();
  server.push(
    ...BEGUN,
    text('Hm'),
    warning('AGENT_RESUMED', 'Head resumes from its last step.'),
    text('On', 2),
    warning('LIMIT_WARNING', 'Approaching iteration limit (7/10).', {
      limit_type: 'iteration',
      current_value: 7,
      limit_value: 10,
      percent: 70,
    }),
    warning('LOOP_DETECTED', 'The same three times.', { pattern: 'http_probe x 3' }),
    warning('DISK_RULE', 'A rule says: look at the disk.'),
    {
      name: 'system.error',
      data: { code: 'ERROR_LIMIT', message: 'Three tool errors.', error_count: 3, last_error: 'x' },
      agent: HEAD,
    },
    COMPLETED,
  );
  const page = await open(server.url());
  await page.getByText('The end').waitFor();
  expect(await page.locator('.resumed').count()).toBe(1);
  for (const [seq, kind] of [
    [4, 'resumed'],
    [6, 'limit'],
    [7, 'loop'],
    [8, 'note'],
    [9, 'error'],
  ] as const) {
    await page.goto(server.url(`#${seq}`));
    await page.locator(`.sys.sys-${kind}:visible`).first().waitFor();
  }
  await page.close();
  server.close();
});

test('11: cancels by keyboard alone', async () => {
  const server = await LogServer.start({
    'POST executions/cancel': {},
    'GET executions/:run': { quiesced: true, stopping: [] },
  });
  server.push(...BEGUN);
  const page = await open(server.url());
  await isLive(page);
  await tabTo(page, '.btn-danger');
  await page.keyboard.press('Enter');
  await page.getByText(/all work stopped .* later/).waitFor();
  const report = { verdict: 'inconclusive', root_causes: [], findings: [], unchecked: [] };
  server.push({ name: 'lifecycle.cancelled', data: { reason: 'By a key', report } });
  await page.getByText('Sealed at #3').waitFor();
  await page.close();
  server.close();
});

const RUNNING =
  'document.getAnimations().filter(({ playState }) => playState === "running").length';

test.each([
  ['no-preference', true],
  ['reduce', false],
] as const)('11: a reader with the preference %s sees motion: %s', async (reducedMotion, moves) => {
  const server = await LogServer.start();
  server.push(...BEGUN);
  const page = await browser.newPage({ viewport: WIDE, reducedMotion });
  await page.goto(server.url());
  await isLive(page);
  expect((await page.evaluate<number>(RUNNING)) > 0).toBe(moves);
  await page.close();
  server.close();
});

test.each(['dark', 'light'] as const)(
  '11: a live run whose agents are at work and wait is sound (%s)',
  async (colorScheme) => {
    const server = await LogServer.start();
    const place = { dispatch_id: 'd1', turn: 1, attempt: 1 };
    const worker = { ...HEAD, agent_id: '2', agent_type: 'worker', agent_name: 'Prober' };
    const sent = { worker_name: 'Prober', agent_id: '2', dispatch_id: 'd1', task: 'Look.' };
    const call = { ...place, tool: 'tcp_probe', tool_call_id: 't1', args: { node: 'db' } };
    server.push(
      ...BEGUN,
      text('Hm'),
      { name: 'dispatch.worker', data: sent, agent: HEAD },
      { name: 'llm.tool_call', data: call, agent: worker },
      warning('RATE_LIMITED', 'Too many.', { retryable: true, attempt: 1, retry_in_ms: 600_000 }),
    );
    const page = await browser.newPage({ viewport: WIDE, colorScheme, reducedMotion: 'reduce' });
    await page.goto(server.url());
    await isLive(page);
    await page.locator('.gnode.is-busy').waitFor();
    await page.getByText('Nothing is lost.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.close();
    server.close();
  },
);

test('a wait that goes on is not said to be over, and what is said twice is one card', async () => {
  const server = await LogServer.start();
  const wait = { retryable: true, attempt: 1, retry_in_ms: 600_000, model: 'gpt' };
  const limit = { limit_type: 'iteration', current_value: 7, limit_value: 10, percent: 70 };
  server.push(
    ...BEGUN,
    text('Hm'),
    warning('RATE_LIMITED', 'Too many requests.', wait),
    warning('LIMIT_WARNING', 'Approaching iteration limit (7/10).', limit),
    warning('LIMIT_WARNING', 'Approaching iteration limit (7/10).', limit),
  );
  const page = await open(server.url());
  await page.getByText('is tried again').waitFor();
  await page.locator('.sys-limit', { hasText: '2 times' }).waitFor();
  expect(await page.locator('.sys-limit').count()).toBe(1);
  await page.close();
  server.close();
});
