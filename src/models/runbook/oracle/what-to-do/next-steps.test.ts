import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  RUNS,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';
import { RECOVERED, converse } from '../../../../../test/support/incidents/oracle-world.js';

describe('how to do something to "it"', () => {
  it.each([
    ['how do I renew it', 'Renew the certificate with its issuer.', /1\. .*Renew the certificate/],
    [
      'how can we renew that?',
      'Start it.',
      /^I know no step to renew it\. For all steps, ask "how do I fix it\?"\.$/,
    ],
  ])('is a step of the diagnosis, if one says it: %s', (question, text, expected) => {
    const next_steps = [{ text, node: 'payments', access: 'change' }];
    const answer = (tool: string, args: JsonObject): Json =>
      tool === 'get_run' ? { ...RUNS[1], report: { ...BROKEN, next_steps } } : tell(tool, args);
    expect(ask(question, { said: SPOKEN, answer }).text).toMatch(expected);
  });
});

describe('how to fix one aspect', () => {
  it.each([
    'how do I fix the certificate of payments?',
    'how do I renew the certificate?',
    'how can we replace the expired certificate?',
    'renew the certificate',
  ])('is not answered with steps about something else: %s', (question) => {
    const steps = (causes: object[]) =>
      ask(question, {
        said: SPOKEN,
        answer: (tool, args) =>
          tool === 'get_run'
            ? ({
                ...RUNS[1],
                report: {
                  ...BROKEN,
                  root_causes: [...BROKEN.root_causes, ...causes],
                  next_steps: [{ text: 'Start payments.', node: 'payments', access: 'change' }],
                },
              } as unknown as Json)
            : tell(tool, args),
      }).text;
    expect(steps([])).toMatch(
      /Nothing was found to be wrong about certificates(?: for Payments)?, so no step is about that\.\n/,
    );
    expect(steps([])).not.toContain('Start payments');
    const expired = { node: 'payments', title: 'its certificate expired', evidence: [9] };
    expect(steps([{ ...expired, confidence: 0.9 }])).toMatch(
      /No step is about certificates alone\. The steps:\n1\. .*Start payments/,
    );
  });

  it.each([
    [
      'how do I fix orders db?',
      /^- Orders DB: connection refused .*\nNothing .* with Orders DB\.$/m,
    ],
    ['how do I fix it?', /^- Storefront: answers 502 .*\nhealthy\.$/m],
  ])('says that it is over if it was wrong before: %s', (question, text) => {
    const answer = converse(['is the web shop ok?', question], { runs: RECOVERED });
    expect(answer).toMatch(
      /^It is over: the diagnosis of 2026-11-22 08:10:02 UTC \(run \S+1\) had found:\n/,
    );
    expect(answer).toMatch(text);
    expect(answer).toMatch(/\nRun \S+4 of topology 11 \(Web shop\)/);
  });

  it('is that of the topologies with faults about what the question names, if none was discussed', () => {
    const expiring = {
      ...finding('press', 'its certificate ends in 3 days', [9]),
      severity: 'warning',
    };
    const report = {
      ...WELL,
      verdict: 'issues_found',
      findings: [expiring],
      next_steps: [{ text: 'Renew it.', node: 'press', access: 'change', evidence: [9] }],
    };
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as JsonObject;
      return tool === 'get_run' && args['run_id'] === id(4) ? { ...told, report } : told;
    };
    const { text } = ask('how do I renew the certificate?', { answer });
    expect(text).toContain('1. **Change**: Renew it.');
    expect(text).not.toContain('Payments');
  });
});
