import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  OWN,
  SPOKEN,
  ask,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const OK = { status: 'ok', summary: 'answered 200', measurements: {}, issues: [] };
const DOWN = {
  status: 'failed',
  summary: 'no answer',
  measurements: {},
  issues: [{ severity: 'critical', symptom: 'unreachable', title: 'refuses', detail: '' }],
};
const MEASURED = [
  ...SPOKEN,
  'Yes. No longer wrong: Payments. Nothing is wrong.\nMeasured just now:\n- Payments: answered 200',
];
const said = (question: string, wrong: readonly string[], before = MEASURED) =>
  ask(question, {
    topology: OWN,
    said: before,
    answer: (tool: string, args: JsonObject): Json =>
      tool !== 'http_probe' ? tell(tool, args) : wrong.includes(args['node'] as string) ? DOWN : OK,
  }).text;

describe('who is affected, in a conversation that has measured', () => {
  it('is nothing if nothing is wrong any more', () => {
    const text = said('who is affected?', []);
    expect(text).toMatch(/^No longer wrong: Checkout and Payments\./);
    expect(text).toMatch(/That was measured just now\.$/);
    expect(text).not.toMatch(/root cause|depends on/);
  });

  it.each(['were any users affected?', 'who was affected'])(
    'is answered by the diagnosis that found something if it asks what was: %s',
    (question) => expect(said(question, [])).toMatch(/^Payments is the root cause: /),
  );

  it('is what depends on what is wrong now', () => {
    const text = said('who is affected?', ['catalog', 'web']);
    expect(text).toMatch(/Wrong now: Storefront \(refuses\) and Catalog \(refuses\)\./);
    expect(text).toMatch(/^Storefront depends on Catalog\.\nOf that, wrong now: Storefront\.$/m);
    expect(text).not.toContain('root cause');
  });

  it('reports which nodes depend on a named node, and their state', () =>
    expect(said('who is affected by payments?', ['payments'])).toMatch(
      /^Checkout depends on Payments, and through that Storefront\.\nOf that, well now: Storefront and Checkout\.$/m,
    ));

  it.each([
    ['who is affected?', SPOKEN],
    [`who is affected in run ${id(3)}?`, MEASURED],
  ])(
    'is that of the diagnosis if nothing was measured, or if it is named: %s',
    (question, before) =>
      expect(said(question, [], before)).toMatch(/^Payments is the root cause: /),
  );

  it('is what depends on a node if it were to fail', () =>
    expect(said('what happens if the catalog fails?', [])).toMatch(
      /^Storefront depends on Catalog\./,
    ));
});
