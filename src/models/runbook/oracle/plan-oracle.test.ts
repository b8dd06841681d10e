import { describe, expect, it, test } from '@jest/globals';
import type { JsonObject } from '../../../lib/json.js';
import {
  OWN,
  SPOKEN,
  TOOLS,
  ask,
  id,
  tell,
} from '../../../../test/support/incidents/oracle-questions.js';

describe('a follow-up', () => {
  test.each([
    [
      'and since when?',
      /^Payments was healthy at 2026-11-22 08:10:02 UTC \(run .*1\) and unhealthy at 2026-11-22 08:20:00 UTC: it began in between\. Run .*2 was the first/,
    ],
    ['why?', /^Root cause: Payments: .*\nFrom the log of run .*3:\n- 45: line 45\n- 47: line 47$/s],
    ['how do you know?', /- 45: line 45/],
    ['show me the log lines of checkout', /^From the log of run .*3:\n- 58: line 58$/],
    [
      'what did you check?',
      /^Checked: Storefront, Checkout, Catalog and Payments\.\nNot checked: Orders database \(it timed out\)\./,
    ],
    ['how long did it take?', /^It took 2\.5 s, from 2026-11-22 08:30:00 UTC/],
    ['and the catalog?', /^Nothing was found to be wrong with Catalog\./],
    [
      'what depends on payments?',
      /^Checkout depends on Payments, and through that Storefront\. Payments depends on Orders database\.\n/,
    ],
  ])('%s', (question, answer) => expect(ask(question, { said: SPOKEN }).text).toMatch(answer));

  it('is about the last subject, unless it names another', () => {
    expect(ask('what is wrong?', { said: SPOKEN }).text).toContain(id(3));
    expect(ask('what is wrong with Blog?', { said: SPOKEN }).text).toContain(id(4));
    expect(ask('what did the last run find?', { said: SPOKEN }).text).toContain(id(4));
    expect(ask('why did the last run say payments?').text).toMatch(
      /^Payments is the root cause.*line 45/s,
    );
  });

  it('that asks why is answered from the report if the log is no longer kept', () => {
    const answer = (tool: string, args: JsonObject) =>
      tool === 'read_log' ? new Error('The log of this run is no longer kept') : tell(tool, args);
    expect(ask('why?', { said: SPOKEN, answer }).text).toMatch(
      /^Root cause: Payments: .*\n+The log of this run is no longer kept$/s,
    );
    expect(ask('show me the log lines', { said: SPOKEN, answer }).text).toBe(
      'I could not find that out: The log of this run is no longer kept',
    );
  });

  it('that asks since when says that no older diagnosis shows it', () => {
    const answer = (tool: string, args: JsonObject) =>
      tool === 'list_runs' ? { runs: [] } : tell(tool, args);
    expect(ask('since when?', { said: SPOKEN, answer }).text).toMatch(
      /^Payments was unhealthy at .* already .*; no diagnosis of this topology saw it healthy before, so I cannot tell/,
    );
  });
});

describe('a diagnosis', () => {
  test.each([
    'start a diagnosis of Shop',
    'please diagnose topology 7',
    'Can you investigate the shop? Checkout is slow',
    'run a new diagnosis of Shop',
    'check the shop again please',
  ])('%s', (question) => {
    const { text, called } = ask(question);
    expect(called).toContain('start_diagnosis');
    expect(text).toMatch(/^(?:Checkout: .*\n)?Root cause: Payments: connection refused/);
  });

  it('is of the last subject, or of the topology of the chat', () => {
    expect(ask('diagnose it again', { said: SPOKEN }).called).toEqual([
      'list_topologies',
      'start_diagnosis',
      'get_topology',
    ]);
    expect(ask('start a diagnosis', { topology: OWN }).called).toEqual(['start_diagnosis']);
  });

  it('says once what it found of a node that was named', () => {
    const { text } = ask('diagnose payments');
    expect(text).toMatch(/^Root cause: Payments: connection refused/);
    expect(text.match(/connection refused/g)).toHaveLength(1);
  });

  it('of an unknown subject is not started', () => {
    const { text, called } = ask('start a diagnosis');
    expect([called, text]).toEqual([
      ['list_topologies'],
      expect.stringMatching(/^Which topology\? Say "diagnose topology N"\..*- 7: Shop/s),
    ]);
  });

  it.each(['diagnose everything', 'run a diagnosis of all topologies', 'check everything again'])(
    'of all topologies is not started: %s',
    (question) => {
      const { text, called } = ask(question, { said: SPOKEN });
      expect(called).not.toContain('start_diagnosis');
      expect(text).toMatch(
        /^I diagnose the topologies that you name, at most 5 for a message\. .*- 7: Shop.*- 2: Blog/s,
      );
    },
  );

  it('that is still running is followed for a while', () => {
    const going = { run_id: id(3), status: 'running', last_sequence: 9, seen_before: 0 };
    const answer = (tool: string, args: JsonObject) =>
      /_diagnosis$/.test(tool) ? going : tell(tool, args);
    const { text, called } = ask('diagnose topology 7', { answer });
    expect(called).toEqual(
      ['start_diagnosis', 'follow_diagnosis', 'follow_diagnosis', 'follow_diagnosis'].slice(
        0,
        called.length,
      ),
    );
    expect(text).toBe(
      `The diagnosis is still going on: run ${id(3)} of topology 7. Ask me for its result later.`,
    );
  });

  it('is started by a person who accepts the offer of one', () => {
    const offer = ask('is the shop ok?').text;
    expect(ask('yes please', { said: [offer] }).called).toContain('start_diagnosis');
    for (const question of ['run it again', 'retry', 'measure again', 'rerun it', 'check it again'])
      expect(ask(question, { said: SPOKEN }).called).toContain('start_diagnosis');
    expect(ask('yes please', { said: SPOKEN }).text).toMatch(/^I do not understand that\./);
    expect(ask('go ahead', { said: SPOKEN }).text).toMatch(/^I change nothing/);
  });

  it('is not started by a question about one', () =>
    expect(ask('what did the diagnosis find?').called).not.toContain('start_diagnosis'));
});

describe('others', () => {
  it('a node of the topology of the chat is looked at now', () => {
    const { text, called } = ask('Is checkout ok?', { topology: OWN });
    expect([called, text]).toEqual([
      ['http_probe', 'list_runs', 'get_run'],
      'No. Still wrong: Checkout (nothing answers).\nMeasured at 2026-11-22 13:00:00 UTC, compared with the diagnosis of 2026-11-22 08:30:02 UTC.\nMeasured just now:\n- Checkout: nothing answers',
    ]);
    expect(
      ask('Is checkout ok?', {
        topology: OWN,
        answer: (tool, args) =>
          tool === 'http_probe' ? new Error('no result within 30 s') : tell(tool, args),
      }).text,
    ).toBe(
      'I cannot tell. Not measured: Checkout.\nMeasured at 2026-11-22 13:00:00 UTC, compared with the diagnosis of 2026-11-22 08:30:02 UTC.\nMeasured just now:\n- Checkout: http_probe did not answer: no result within 30 s',
    );
  });

  it('a misspelt node of the topology of the chat is looked at now', () =>
    expect(ask('Is chekout ok?', { topology: OWN }).text).toBe(
      'I read "chekout" as "checkout".\nNo. Still wrong: Checkout (nothing answers).\nMeasured at 2026-11-22 13:00:00 UTC, compared with the diagnosis of 2026-11-22 08:30:02 UTC.\nMeasured just now:\n- Checkout: nothing answers',
    ));

  it('all nodes of the topology of the chat, where none is named', () =>
    expect(ask('check everything', { topology: OWN }).text.split('\n')).toHaveLength(
      2 + OWN.nodes.length,
    ));

  test.each([
    ['open the runs page', 'Opening runs.'],
    [`open run ${id(3)}`, `Opening runs/${id(3)}.`],
    ['list the topologies', 'There are 2 topologies:\n- 7: Shop (5 nodes)\n- 2: Blog (1 node)'],
    ['which nodes does the blog have?', 'Topology 2 (Blog) has 1 node:\n- Press (service)'],
  ])('%s', (question, answer) => expect(ask(question).text).toBe(answer));

  it('the history of a topology', () =>
    expect(ask('show me the run history of the shop').text).toMatch(
      /^The last 3 diagnoses of topology 7:\n- 2026-11-22 08:30:00 UTC, topology 7 \(Shop\), completed: The summary\. Run .*3\.\n/,
    ));

  it('a text without a question gets examples, and no look-up', () => {
    for (const words of ['hello', 'Good morning!', 'what can you do?', 'help']) {
      const { text, called } = ask(words);
      expect([called, text]).toEqual([
        [],
        expect.stringContaining('Ask for example:\n- what is wrong with checkout?\n'),
      ]);
    }
  });

  it('is written as Markdown: a paragraph for each line that is no item of a list', () =>
    expect(ask('what is wrong with checkout?').plan.text).toMatch(
      /^Checkout: [^\n]*\n\nMeasured then:\n- 58: [^\n]*\n\nRun [^\n]*\n\nThat was then/,
    ));

  it('names data that may not be looked up or does not exist', () => {
    expect(ask('list the runs', { tools: new Set(['list_topologies']) }).text).toMatch(
      /^I may not look that up: runs is not among the sources/,
    );
    const answer = () => new Error('There is no topology 99.');
    expect(ask('what is for lunch?', { said: SPOKEN }).text).toMatch(/^I do not understand that\./);
    expect(ask('which nodes does topology 99 have?', { answer }).text).toBe(
      'I could not find that out: There is no topology 99.',
    );
  });
});

describe('a diagnosis that the person may not start', () => {
  const tools = new Set([...TOOLS].filter((name) => name !== 'start_diagnosis'));

  it('is refused with the role that it needs', () => {
    const needsRole = { start_diagnosis: 'trigger' as const };
    expect(ask('diagnose topology 7', { tools, needsRole }).text).toMatch(
      /^I may not start a diagnosis for you: your credential would need the role trigger\./,
    );
  });

  it('is refused with the sources of the question, if these leave it out', () =>
    expect(ask('diagnose topology 7', { tools }).text).toMatch(/not among the sources/));
});
