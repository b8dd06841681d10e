import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import type { Remark } from '../reading/question.js';
import {
  BROKEN,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const [CAUSE] = BROKEN.root_causes;
const step = (node: string, text: string) => ({ text, node, access: 'read' });

/** As `tell`, but the diagnoses of the shop found two root causes, each with a step. */
function tellTwo(tool: string, args: JsonObject): Json {
  if (tool !== 'get_run' || args['run_id'] === id(4)) return tell(tool, args);
  const report = {
    ...BROKEN,
    root_causes: [
      CAUSE,
      { node: 'catalog', title: 'Catalog: disk full', confidence: 0.8, evidence: [49] },
    ],
    findings: [...BROKEN.findings, finding('catalog', 'disk full', [49])],
    next_steps: [step('payments', 'Start payments'), step('catalog', 'Free the disk')],
  };
  return { ...(tell(tool, args) as JsonObject), report } as unknown as Json;
}

/** Asks questions one after the other. Returns the last answer. */
function talk(...questions: string[]): string {
  const said: Remark[] = [];
  for (const question of questions) {
    const { plan } = ask(question, { said, answer: tellTwo });
    said.push({ by: 'person', text: question }, { by: 'oracle', text: plan.text });
  }
  return said.at(-1)?.text.replaceAll('\n\n', '\n') ?? '';
}

describe('a follow-up without a subject of its own', () => {
  it.each([
    'why?',
    'what is the reason?',
    'since when?',
    'how long has this been going on?',
    'tell me more',
    'is it down?',
    'what now?',
  ])('is about the node of the question before: %s', (question) => {
    const text = talk('is the catalog ok?', question);
    expect(text).toContain('Catalog');
    expect(text).not.toMatch(/Payments[^\n]*connection refused \(/);
  });

  it.each([
    'how do I fix it?',
    'and what should I do there?',
    'what are the next steps?',
    'restart it',
  ])('gets the steps of that node only: %s', (question) => {
    const text = talk('is the catalog ok?', question);
    expect(text).toMatch(/\n1\. \*\*Look\*\*: Free the disk\.\nRun /);
    expect(text).not.toContain('Start payments');
  });

  it('is about that node also after other follow-ups, and if its name was misspelt', () => {
    expect(talk('is the catalog ok?', 'why?', 'since when?', 'how do I fix it?')).not.toContain(
      'Start payments',
    );
    expect(talk('is the catlog ok?', 'how do I fix it?')).not.toContain('Start payments');
  });

  it('is about all nodes after a new diagnosis', () =>
    expect(talk('is the catalog ok?', 'ok diagnose it', 'what do I do?')).toContain(
      'Start payments',
    ));

  it('may name what is wrong with that node', () => {
    const text = talk('is the catalog ok?', 'how do I fix the disk?');
    expect(text).toContain('Free the disk');
    expect(text).not.toContain('Start payments');
    expect(talk('is the catalog ok?', 'why is it full?')).toMatch(/^Catalog is the root cause/);
  });

  it('gets what depends on that node, or on the root causes of what was discussed', () => {
    expect(talk('is the catalog ok?', 'what depends on it?')).toMatch(
      /^Storefront depends on Catalog\. Catalog depends on nothing\.\nTopology 7/,
    );
    expect(talk('is the shop ok?', 'what depends on it?')).toMatch(
      /^Storefront depends on Catalog\..*\nCheckout depends on Payments, .*\nTopology 7/,
    );
  });

  it.each([
    'what is not checked?',
    'what was checked?',
    'what did you not check?',
    "what haven't you measured?",
    'which nodes did it check?',
  ])('is not what asks which: %s', (question) =>
    expect(talk('is the catalog ok?', question)).toMatch(/^Checked: Storefront, /),
  );

  it.each(['who uses it?', 'what needs it?'])('may ask who uses that node: %s', (question) =>
    expect(talk('is the catalog ok?', question)).toMatch(/^Storefront depends on Catalog\./),
  );

  it('that asks which one comes first is about all of them', () =>
    expect(talk('is the catalog ok?', 'which one should I fix first?')).toMatch(
      /1\. .*Start payments\.\n2\. .*Free the disk/,
    ));

  it('gets the steps of the root cause of a node that suffers', () => {
    const text = talk('is checkout ok?', 'how do I fix it?');
    expect(text).toMatch(/^Checkout: .*\n1\. \*\*Look\*\*: Start payments\.\nRun /s);
    expect(text).not.toContain('Free the disk');
  });

  it.each(['and payments?', 'what is wrong with payments?'])(
    'is about the node of the last question that named one: %s',
    (question) =>
      expect(talk('is the catalog ok?', question, 'how do I fix it?')).toMatch(
        /\n1\. \*\*Look\*\*: Start payments\.\nRun /,
      ),
  );

  it.each([
    ['is the shop ok?', 'how do I fix it?'],
    ['is the catalog ok?', 'what did the last run of topology 7 find?', 'how do I fix it?'],
    ['is the catalog ok?', 'what is wrong with the shop?', 'what should I do?'],
  ])('is about all of a topology after a question about that: %s, %s', (...questions) =>
    expect(talk(...questions)).toMatch(/Start payments.*Free the disk/s),
  );

  it.each(['which nodes are root causes?', 'what are the root causes?'])(
    'is not what names a subject: %s',
    (question) =>
      expect(talk('is the catalog ok?', question)).toMatch(
        /^Root cause: Payments: .*\nRoot cause: Catalog/,
      ),
  );
});
