import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { closedPort, Loopback } from '../../../test/support/loopback.js';
import {
  hasPrometheus,
  startPrometheus,
} from '../../../test/support/programs/prometheus-program.js';
import { until } from '../../../test/support/until.js';
import { alertKey, alertMeanings, ruleErrors, scrapeErrors } from './prometheus-reasons.js';

const live = new AbortController().signal;
const targets = new Loopback();
afterAll(() => targets.close());

async function answering(data: unknown) {
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ status: 'success', data }));
  });
  return { endpoint: `http://127.0.0.1:${await targets.open(server)}`, egress: anyEgress };
}

test('targets without an error, and what is no target, have no reason', async () => {
  const activeTargets = [
    { labels: { job: 'api', instance: 'a:80' }, lastError: '' },
    { labels: { job: 'api', instance: 'b:80' }, lastError: 'x'.repeat(1_000) },
    1,
    null,
    { labels: 1 },
  ];
  const found = await scrapeErrors(await answering({ activeTargets }), live);
  expect([...found]).toEqual([['api b:80', 'x'.repeat(300)]]);
});

test('an alert means its summary, else its description, else its expression', async () => {
  const rules = [
    { name: 'A', query: 'up == 0', annotations: { summary: 'it is down', description: 'x' } },
    { name: 'B', query: 'up == 0', annotations: { description: 'long' } },
    { name: 'C', query: 'up == 0' },
    { name: 'D' },
  ];
  const found = await alertMeanings(await answering({ groups: [{ rules }] }), live);
  expect(Object.fromEntries(found)).toEqual({ A: 'it is down', B: 'long', C: 'up == 0' });
});

test('an alert that fires means what its own labels and value make of the templates', async () => {
  const annotations = { summary: 'Errors of {{ $labels.job }} are high' };
  const alert = (job: string) => ({
    labels: { alertname: 'High', job },
    annotations: { summary: `Errors of ${job} are high` },
    state: 'firing',
  });
  const rules = [
    { name: 'High', query: 'errors > 1', annotations, alerts: [alert('api'), alert('db'), 1] },
  ];
  const found = await alertMeanings(await answering({ groups: [{ rules }] }), live);
  expect(found.get(alertKey({ alertname: 'High', alertstate: 'firing', job: 'db' }))).toBe(
    'Errors of db are high',
  );
  // Without the alert itself, a text with placeholders says less than the expression.
  expect(found.get('High')).toBe('errors > 1');
});

test('rules cannot be evaluated for the error of the first of a group', async () => {
  const bad = { name: 'A', health: 'err', lastError: 'x'.repeat(1_000) };
  const well = { name: 'B', health: 'ok', lastError: '' };
  const groups = [
    { file: 'a.yml', name: 'g', rules: [well, bad, { ...bad, name: 'C' }, 1, { health: 'err' }] },
    { file: 'b.yml', name: 'g', rules: [well] },
  ];
  const found = await ruleErrors(await answering({ groups }), live);
  expect([...found]).toEqual([['a.yml;g', `A: ${'x'.repeat(300)} (and 1 more of the group)`]]);
});

test.each([undefined, { groups: 1 }, { activeTargets: {} }])('%j is no answer', async (data) => {
  const server = await answering(data);
  await expect(scrapeErrors(server, live)).rejects.toMatchObject({ failure: 'failed' });
  await expect(alertMeanings(server, live)).rejects.toMatchObject({ failure: 'failed' });
  await expect(ruleErrors(server, live)).rejects.toMatchObject({ failure: 'failed' });
});

/** Two series, of which none is the one to add to. */
const TWO = ['1', '2'].map((v) => `label_replace(vector(1), "a", "${v}", "", "")`).join(' or ');

// Without Prometheus (Debian: apt-get install prometheus), the tests above have to do.
if (hasPrometheus())
  describe('a real Prometheus', () => {
    test('says why a target does not answer, what its alerts mean, and why a rule is broken', async () => {
      const address = `127.0.0.1:${await closedPort()}`;
      const { url, stop } = await startPrometheus([], {
        config: {
          global: { scrape_interval: '1s', evaluation_interval: '1s' },
          scrape_configs: [{ job_name: 'api', static_configs: [{ targets: [address] }] }],
        },
        rules: {
          groups: [
            {
              name: 'g',
              rules: [
                {
                  alert: 'Always',
                  expr: 'vector(1)',
                  labels: { level: 'a' },
                  annotations: { summary: 'it is at {{ $value }}' },
                },
              ],
            },
            { name: 'sums', rules: [{ record: 'sum', expr: `vector(1) + on () (${TWO})` }] },
          ],
        },
      });
      const server = { endpoint: url, egress: anyEgress };
      await until('it has scraped', async () => (await scrapeErrors(server, live)).size > 0);
      expect([...(await scrapeErrors(server, live))]).toEqual([
        [`api ${address}`, expect.stringContaining('connection refused')],
      ]);
      const key = alertKey({ alertname: 'Always', level: 'a' });
      const meanings = await until('the alert fires', async () => {
        const known = await alertMeanings(server, live);
        return known.has(key) ? known : undefined;
      });
      expect(meanings).toEqual(
        new Map([
          ['Always', 'vector(1)'],
          [key, 'it is at 1'],
        ]),
      );
      const broken = await until('it has evaluated its rules', async () => {
        const errors = await ruleErrors(server, live);
        return errors.size > 0 ? [...errors] : undefined;
      });
      expect(broken).toEqual([
        [expect.stringMatching(/rules\.yml;sums$/), expect.stringMatching(/^sum: .*matching/)],
      ]);
      await stop();
    });
  });
