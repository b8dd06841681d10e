import { describe, expect, it } from '@jest/globals';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { id } from '../../../../../test/support/incidents/oracle-questions.js';
import {
  RECOVERED,
  conversation,
  tellWorld,
} from '../../../../../test/support/incidents/oracle-world.js';
import type { ToolAnswer } from '../../plan.js';
import { LookUp } from '../facts.js';
import { followUp, inputFor } from '../reading/read-message.js';
import { findRun, subjectOf } from './subject.js';

const TOOLS = new Set(['list_topologies', 'get_topology', 'list_runs', 'get_run']);
const NOW = Date.parse('2026-11-22T13:00:00Z');

/** Calls a function again with what it misses, until it returns something. */
function withFacts<Found>(find: (answers: readonly ToolAnswer[]) => Found): Found {
  const answers: ToolAnswer[] = [];
  for (;;)
    try {
      return find(answers);
    } catch (error) {
      if (!(error instanceof LookUp)) throw error;
      for (const { tool, args } of error.calls)
        answers.push({
          id: tool,
          tool,
          args,
          output: tellWorld(RECOVERED)(tool, args),
          failed: false,
        });
    }
}

/** Reads the last question: what says its subject, the topology, the run and the nodes. */
function meantBy(questions: readonly string[]) {
  const said = conversation(questions.slice(0, -1), { runs: RECOVERED });
  const userMessage = questions.at(-1) ?? '';
  const brief = {
    role: 'oracle',
    userMessage,
    now: NOW,
    topology: null,
    thinking: false,
  } as const;
  return withFacts((answers) => {
    const asked = followUp(inputFor({ brief, answers, tools: TOOLS }, userMessage, said), said);
    const { by } = subjectOf(asked);
    const { run, shape } = findRun(asked);
    const nodes = nodesIn(asked.question.names, shape).map(({ name }) => name);
    return [by, run.topology_name, Number(run.run_id.at(-1)), nodes];
  });
}

/*
 * Of the web shop, run 1 found a failure and run 4 that all is well; of the blog, run 2 found
 * nothing; of billing, run 3 found a slow service.
 */
describe('the subject of a question', () => {
  it.each([
    // What the question names comes first.
    [['is the blog ok?', 'is checkout ok?'], 'question', 'Web shop', 4, ['Checkout']],
    [['is the blog ok?', 'what is wrong with billing?'], 'question', 'Billing', 3, []],
    [['is the blog ok?', `what did run ${id(1)} find?`], 'question', 'Web shop', 1, []],
    [['is the blog ok?', 'what is wrong with topology 13?'], 'question', 'Billing', 3, []],
    [['is the blog ok?', 'show me the last run'], 'question', 'Web shop', 4, []],
    // Then what the conversation is about, with the nodes that were named last.
    [['is checkout ok?', 'why?'], 'conversation', 'Web shop', 4, ['Checkout']],
    [['is the web shop ok?', 'how do I fix it?'], 'conversation', 'Web shop', 4, []],
    [['is the blog ok?', 'is billing ok?', 'since when?'], 'conversation', 'Billing', 3, []],
    [[`what did run ${id(1)} find?`, 'why?'], 'conversation', 'Web shop', 1, []],
    // An answer about what was does not change that.
    [
      ['is orders db ok?', 'why was it broken?', 'when did it break?'],
      'conversation',
      'Web shop',
      4,
      ['Orders DB'],
    ],
    [
      ['is the web shop ok?', 'who was affected?', 'how do I fix it', 'can I close the incident?'],
      'conversation',
      'Web shop',
      4,
      [],
    ],
    // Nor does a question that was not understood, or an answer that names other topologies.
    [['is the web shop ok?', 'will it sing?', 'why?'], 'conversation', 'Web shop', 4, []],
    [['is the blog ok?', 'how many nodes are down?', 'why?'], 'conversation', 'Blog', 2, []],
    // An answer about all topologies ends it. Then it is what is wrong now.
    [['why?'], undefined, 'Billing', 3, []],
    [['is the blog ok?', 'what is broken right now?', 'why?'], undefined, 'Billing', 3, []],
    [
      ['is the blog ok?', 'which nodes of all topologies are down?', 'why?'],
      undefined,
      'Billing',
      3,
      [],
    ],
    // Several nodes that the questions before named.
    [
      ['is checkout ok?', 'and payments?', 'are both ok?'],
      'question',
      'Web shop',
      4,
      ['Checkout', 'Payments'],
    ],
    [
      ['is checkout or inventory down?', 'are both payments and checkout down?'],
      'question',
      'Web shop',
      4,
      ['Checkout', 'Payments'],
    ],
  ])('of %j is said by the %s: %s, run %i', (questions, by, topology, run, nodes) =>
    expect(meantBy(questions)).toEqual([by, topology, run, nodes]),
  );
});
