import { expect, test } from '@jest/globals';
import { observed } from '../../../test/support/incidents/observations.js';
import { rankRootCauses } from '../rank-root-causes.js';
import { LogTemplates } from './log-templates.js';
import { knownElsewhere } from './known-elsewhere.js';

const MINUTE = 60_000;
const frame = { start: 0, now: 60 * MINUTE };
type Line = [node: string, minute: number, body: string];

function templates(...lines: Line[]) {
  const found = new LogTemplates(30 * MINUTE);
  for (const [node, minute, body] of lines)
    found.add({ at: minute * MINUTE, node, severity: 'ERROR', body, labels: {} });
  return found.all();
}
const said = (node: string, minute: number): Line => [
  node,
  minute,
  `ERROR a.b.${node}.Impl#8${minute % 10} [${node}][Query Fail][No content][Id: ${minute}f-1]`,
];
const others = [3, 9, 14, 20, 26].map((minute) => said('cart', minute));
const isKnown = (...lines: Line[]) => {
  const all = templates(...lines);
  const known = knownElsewhere(all, frame, ['shop', 'cart', 'db']);
  return all.some((each) => each.node === 'shop' && known.has(each));
};

test('knows a line by the words that another node wrote in the quiet time', () => {
  expect(isKnown(...others, said('shop', 50))).toBe(true);
  expect(isKnown(said('cart', 40), said('shop', 50))).toBe(false);
  expect(isKnown(...others, ['shop', 50, 'ERROR cannot save the order'])).toBe(false);
});

test('does not know a line that is written much more often than by all before', () => {
  const many = Array.from({ length: 30 }, (_, i) => said('shop', 31 + i / 2));
  expect(isKnown(...others, ...many)).toBe(false);
});

const isHealthy = (...lines: Line[]) =>
  rankRootCauses(observed({ frame, templates: templates(...lines) }), '').healthy;

test('what each node says now and then is no failure, nor is one line that chance kept away', () => {
  expect(isHealthy(...others, said('shop', 50))).toBe(true);
  expect(isHealthy(['shop', 35, 'ERROR cannot save the order'])).toBe(true);
  const lines = [35, 40, 45, 50, 55].map((at): Line => ['shop', at, 'ERROR cannot save the order']);
  expect(isHealthy(...lines)).toBe(false);
});
