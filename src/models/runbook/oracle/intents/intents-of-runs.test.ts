import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import { RUNS, SPOKEN, ask, tell } from '../../../../../test/support/incidents/oracle-questions.js';

describe('a question about runs of a status', () => {
  /** As `tell`, and remembers which runs were asked for. */
  const asked = (question: string, said: string[] = []) => {
    const wanted: JsonObject[] = [];
    const answer = (tool: string, args: JsonObject): Json => {
      if (tool !== 'list_runs') return tell(tool, args);
      wanted.push(args);
      const { report: _, ...row } = RUNS[0] as (typeof RUNS)[number];
      return { runs: [{ ...row, status: 'cancelled', summary: 'Cancelled by user' }] };
    };
    return { text: ask(question, { answer, said }).text, wanted };
  };

  it.each([
    'show me the last cancelled run',
    'which run was cancelled?',
    'why was the run cancelled?',
    'what was the last canceled diagnosis?',
  ])('shows the last one: %s', (question) => {
    const { text, wanted } = asked(question);
    expect(wanted).toEqual([{ status: 'cancelled', limit: 1 }]);
    expect(text).toMatch(/^The last diagnosis that was cancelled:\n- .* Cancelled by user\. Run /);
  });

  it.each(['did any run fail?', 'did any diagnosis fail', 'have any runs failed?'])(
    'says if any failed, of all topologies: %s',
    (question) => expect(asked(question, SPOKEN).wanted).toEqual([{ status: 'failed', limit: 1 }]),
  );

  it('says if any of a topology failed', () => {
    const { text } = ask('did any run of the shop fail?', {
      answer: (tool, args) => (tool === 'list_runs' ? { runs: [] } : tell(tool, args)),
    });
    expect(text).toBe('No diagnosis of topology 7 has failed.');
  });

  it.each(['is anything running right now?', 'is anything in progress?'])(
    'lists those of all topologies if it asks about anything: %s',
    (question) =>
      expect(asked(question, SPOKEN).wanted).toEqual([{ status: 'running', limit: 20 }]),
  );

  it.each([
    'is a diagnosis running?',
    'is the run still running?',
    'what is running?',
    'are there runs under way?',
    'which diagnoses are in progress?',
  ])('lists those of what was discussed: %s', (question) =>
    expect(asked(question, SPOKEN).wanted).toEqual([
      { topology_id: 7, status: 'running', limit: 20 },
    ]),
  );

  it.each(['is payments running?', 'which services are running?', 'are any services running?'])(
    'is no question about services that run: %s',
    (question) => {
      const { wanted } = asked(question, SPOKEN);
      expect(wanted.filter(({ status }) => status === 'running')).toEqual([]);
    },
  );
});
