import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  BROKEN,
  SPOKEN,
  WELL,
  ask,
  finding,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

const SLOW = {
  ...BROKEN,
  root_causes: [],
  findings: [
    { ...finding('payments', 'answers in 905 ms', [47]), kind: 'latency', symptom: 'slow' },
  ],
};

/** The runs 1 to 3 of the shop, with these reports. */
const withReports =
  (...reports: object[]) =>
  (tool: string, args: JsonObject): Json => {
    const told = tell(tool, args) as JsonObject;
    const report = reports.find((_, i) => args['run_id'] === id(i + 1));
    return tool === 'get_run' && report ? ({ ...told, report } as unknown as Json) : told;
  };

describe('whether there were faults of a topic before', () => {
  const FIRST_SLOW = withReports(WELL, WELL, SLOW);
  const EVER_SLOW = withReports(WELL, SLOW, SLOW);
  const QUESTIONS = ['was payments slow before?', 'has payments been slow earlier?'];

  it.each(QUESTIONS)('is no if only the diagnosis in question found it: %s', (question) => {
    const { text } = ask(question, { said: SPOKEN, answer: FIRST_SLOW });
    expect(text).toMatch(
      /^No: nothing about response times was found to be wrong in the 2 earlier diagnoses, since 2026-11-22 08:10:00 UTC\.\nFound about response times:\n- Payments: answers in 905 ms \(event 47\)\nRun .*3 of/,
    );
  });

  it.each(QUESTIONS)('is yes if an earlier one found it: %s', (question) =>
    expect(ask(question, { said: SPOKEN, answer: EVER_SLOW }).text).toMatch(
      /^Yes\.\nEarlier diagnoses found:\n- 2026-11-22 08:20:00 UTC: Payments: answers in 905 ms/,
    ),
  );

  it('is not known of the first diagnosis, and of no topology', () => {
    const first = `Run ${id(1)} of topology 7 (Shop) completed.`;
    const answer = withReports(SLOW, WELL, WELL);
    expect(ask('was payments slow before?', { said: [first], answer }).text).toMatch(
      /^I cannot tell: /,
    );
    expect(ask('was anything slow before?', { answer: FIRST_SLOW }).text).toMatch(
      /^I cannot tell how it was before the latest diagnoses/,
    );
  });
});
