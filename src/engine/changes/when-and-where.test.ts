import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import { LogTemplates } from '../logs/log-templates.js';
import { findAnomalies } from '../find-anomalies.js';
import type { Anomalies } from '../observations.js';
import type { Change } from '../../domain/telemetry/records.js';
import { readChange } from './read-change.js';
import { judgePlace, judgeTime, touchedNodes } from './when-and-where.js';

/** First signs at minute 10, what the alert names at 12, the report at 15. */
const anomalies: Anomalies = {
  ...findAnomalies(observed()),
  firstOnset: 10 * MINUTE,
  mainOnset: 12 * MINUTE,
  reportedAt: 15 * MINUTE,
};
const commit = (minute: number, file = 'services/cart/pool.go'): Change => ({
  kind: 'commit',
  at: minute * MINUTE,
  id: 'c0ffee01',
  message: 'change it',
  files: [file],
  diff: `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a := 1\n+a := 2`,
});
const deploy = (minute: number, id: string, node = 'cart'): Change => ({
  kind: 'deploy',
  at: minute * MINUTE,
  commit: id,
  node,
});
const NODES = ['shop', 'cart', 'db'];
const scene = (...deploys: Change[]) => ({
  anomalies,
  deploys,
  commits: [],
  calls: new Map([['shop', new Set(['cart'])]]),
  unhealthy: new Map([['cart', 10 * MINUTE]]),
  recorded: new Set(['shop', 'cart']),
});

describe('judgeTime', () => {
  test.each([
    ['deployed before the first signs', [deploy(9, 'c0ffee01')], 1, 0.98],
    ['live with the next deploy of an unhealthy node', [deploy(9, 'another')], 0.8, 0.86],
    ['committed, with no deploy', [], 0.5, 0.6],
    ['deployed after the first signs', [deploy(11.5, 'c0ffee01')], 0.45, 0.45],
    ['deployed after the failure began', [deploy(14, 'c0ffee01')], 0.15, 0.15],
  ])('of a change that was %s', (_, deploys, least, most) => {
    const { factor } = judgeTime(commit(8), ['cart'], scene(...deploys));
    expect(factor).toBeGreaterThanOrEqual(Math.min(least, 0.97));
    expect(factor).toBeLessThanOrEqual(Math.max(most, least));
  });

  test('the first error of an unrelated node says nothing of when the failure of the changed one began', () => {
    const templates = new LogTemplates(0);
    templates.add({
      node: 'printer',
      body: 'no paper',
      severity: 'ERROR',
      labels: {},
      at: 12 * MINUTE,
    });
    const elsewhere = { ...anomalies, appeared: templates.all() };
    const of = (unhealthy: number) =>
      judgeTime(commit(13), ['cart'], {
        ...scene(deploy(14, 'c0ffee01')),
        anomalies: elsewhere,
        unhealthy: new Map([['cart', unhealthy * MINUTE]]),
      }).factor;
    expect(of(14.5)).toBeGreaterThan(0.15);
    expect(of(5)).toBe(0.15);
  });

  test('a commit that several deploys brought is live with the last one before its node was unhealthy', () => {
    const { liveAt } = judgeTime(
      commit(2),
      ['cart'],
      scene(deploy(3, 'a'), deploy(9, 'b'), deploy(13, 'c')),
    );
    expect(liveAt).toBe(9 * MINUTE);
  });

  test('a commit is live with the first deploy of its node that names a later commit', () => {
    const head: Change = { kind: 'commit', at: 5 * MINUTE, id: 'feedbee2', message: 'log it' };
    const deploys = [deploy(6, 'feedbee2', 'shop'), deploy(9, 'feedbee2'), deploy(9.5, 'another')];
    const of = (minute: number) =>
      judgeTime(commit(minute), ['cart'], { ...scene(...deploys), commits: [{ change: head }] });
    expect(of(2)).toMatchObject({
      liveAt: 9 * MINUTE,
      for: ['live with the deploy of cart at 00:09, 1 min before the first signs at 00:10'],
    });
    // Later than the commit that the deploy at 9 names.
    expect(of(7).for).toEqual([
      'maybe live with the deploy of cart at 00:09, 30 s before the first signs at 00:10',
    ]);
  });

  test('a commit may be live with the deploy of a node that it touches, rather than of another one', () => {
    const deploys = [deploy(9, 'another'), deploy(9.5, 'third', 'shop')];
    const { liveAt } = judgeTime(commit(8), ['cart'], {
      ...scene(...deploys),
      unhealthy: new Map([
        ['cart', 10 * MINUTE],
        ['shop', 10 * MINUTE],
      ]),
    });
    expect(liveAt).toBe(9 * MINUTE);
  });

  test('says when, and against what', () => {
    expect(judgeTime(commit(8), ['cart'], scene(deploy(14, 'c0ffee01'))).against).toEqual([
      'deployed at 00:14, after the failure began at 00:12',
    ]);
    expect(judgeTime(commit(8), ['cart'], scene()).against).toEqual([
      'no deploy of it was recorded',
    ]);
  });
});

describe('touchedNodes', () => {
  const nodes = ['app', 'cart', 'tax-service'];
  test.each([
    ['cart/src/app.go', ['cart', 'app']],
    ['profile/application.yml', []],
    ['charts/cart/values.yaml', ['cart']],
    ['src/main/java/TaxRules.java', ['tax-service']],
    ['src/main/java/Taxonomy.java', []],
    ['cart/clients/tax.ts', ['cart']],
    ['cart/tax/client.go', ['cart']],
    ['k8s/netpol-cart.yaml', ['cart']],
  ])('of %s', (file, touched) => {
    expect(touchedNodes(readChange(commit(8, file)), nodes)).toEqual(touched);
  });
});

describe('judgePlace', () => {
  const place = (file: string, own?: Change, rides = own) => {
    const read = readChange(commit(8, file));
    return judgePlace(read, touchedNodes(read, NODES), { own, rides }, scene());
  };

  test.each([
    ['services/cart/pool.go', 1, 'cart'],
    ['pkg/retry/retry.go', 0.85, undefined],
    ['services/shop/pool.go', 0.6, 'shop'],
    ['tools/release.go', 0.6, undefined],
  ])('of a change to %s', (file, factor, node) => {
    expect(place(file)).toMatchObject({ factor, node });
  });

  test.each([
    ['services/shop/pool.go', 'it changes shop, which shows no symptom'],
    ['services/db/pool.go', 'it changes db, of which nothing was recorded'],
    ['tools/release.go', 'it names no unhealthy node'],
  ])('says what speaks against a change to %s', (file, against) => {
    expect(place(file).against).toEqual([against]);
  });

  test('of a change whose paths name another node than the one that it was deployed to', () => {
    const both = {
      ...scene(),
      unhealthy: new Map([
        ['cart', 0],
        ['shop', 0],
      ]),
    };
    const read = readChange(commit(8, 'lib/shop/price.go'));
    const own = deploy(9, 'c0ffee01');
    const { node } = judgePlace(read, touchedNodes(read, NODES), { own, rides: own }, both);
    expect(node).toBe('cart');
  });

  test('of a change that went live on an unhealthy node', () => {
    expect(place('main.go', deploy(9, 'c0ffee01'))).toMatchObject({ factor: 1, node: 'cart' });
  });

  test.each([
    ['one unhealthy node', ['cart'], 'cart'],
    ['several', ['cart', 'db'], undefined],
  ])('of a change that names no node, and was brought to %s', (_, brought, node) => {
    const timing = { own: undefined, rides: deploy(9, 'another'), brought: new Set(brought) };
    expect(judgePlace(readChange(commit(8, 'main.go')), [], timing, scene())).toMatchObject({
      factor: 0.85,
      node,
    });
  });

  test('of a change of which only the deploy that it went live with names a node', () => {
    expect(place('main.go', undefined, deploy(9, 'another', 'db'))).toMatchObject({
      factor: 0.6,
      node: 'db',
    });
  });
});
