import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  LINE,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

/** A conversation about the run before the latest one. */
const EARLIER = [`Root cause: Payments: connection refused.\nRun ${id(2)} of topology 7 (Shop).`];
const withLatest = (report: object) => (tool: string, args: JsonObject) => {
  const told = tell(tool, args) as JsonObject;
  const isLatest = tool === 'get_run' && args['run_id'] === id(3);
  return isLatest ? ({ ...told, report } as unknown as Json) : told;
};

const QUESTIONS = ['is it fixed?', 'did the restart help?', 'has it recovered?', 'is it back up?'];

describe('whether the failure has ended', () => {
  it.each(QUESTIONS)('is unknown if it was not measured since: %s', (question) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(
      /^I cannot tell: it was not checked since 2026-11-22 08:30:02 UTC, when it was not fixed\.\nRoot cause: Payments/,
    ),
  );

  it.each(QUESTIONS)('is answered with no if it was measured again: %s', (question) => {
    const { text } = ask(question, { said: EARLIER });
    expect(text).toMatch(/^No, not at 2026-11-22 08:30:02 UTC, when it was last measured\.\nRoot/);
    expect(text).toContain(LINE);
    const now = '2026-11-22T08:33:00Z';
    expect(ask(question, { said: SPOKEN, now }).text).toMatch(/^No, not at /);
  });

  it.each(QUESTIONS)('is answered with yes if nothing is wrong any more: %s', (question) =>
    expect(ask(question, { said: EARLIER, answer: withLatest(WELL) }).text).toMatch(
      /^Yes, at 2026-11-22 08:30:02 UTC nothing was found to be wrong\.\n/,
    ),
  );

  it('is that of the node in question', () => {
    const report = {
      ...BROKEN,
      root_causes: [],
      findings: [finding('checkout', 'answers 502', [58])],
    };
    const answer = withLatest(report);
    const said = (question: string) => ask(question, { said: EARLIER, answer }).text;
    expect(said('is payments fixed?')).toMatch(
      /^Yes, at 2026-11-22 08:30:02 UTC nothing was found to be wrong with Payments\.\n/,
    );
    expect(said('is checkout fixed?')).toMatch(/^No, not at /);
    expect(said('is the orders database back?')).toMatch(/^I cannot tell: /);
    expect(ask('is payments fixed?').text).toMatch(/^I cannot tell: it was not checked since /);
  });
});

describe('what an agent claims and no tool measured', () => {
  const claimed = {
    ...finding('orders-db', 'pool exhausted: 100 of 100 connections', [58]),
    origin: 'agent',
  };
  const answer = withLatest({ ...BROKEN, findings: [...BROKEN.findings, claimed] });
  const first = (question: string) => ask(question, { answer }).text.split('\n')[0];

  it.each([
    'is the orders database down?',
    'is the orders database healthy?',
    'is the orders database fixed?',
    'has the orders database too many connections?',
    'is the orders database slow?',
  ])('does not answer: %s', (question) => expect(first(question)).toMatch(/^I cannot tell\b/));

  it.each([
    'what is wrong with the orders database?',
    'what was the root cause?',
    'is the orders database down?',
    'what else was found?',
    'has the orders database too many connections?',
  ])('is marked as a claim: %s', (question) =>
    expect(ask(question, { said: SPOKEN, answer }).text).toMatch(
      /Orders database: pool exhausted: 100 of 100 connections \(claimed by an agent\) \((?:critical, )?event 58\)/,
    ),
  );

  it('does not hide that the node was not checked', () =>
    expect(ask('what is wrong with the orders database?', { answer }).text).toContain(
      'Orders database was not checked: it timed out.',
    ));
});
