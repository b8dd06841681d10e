import { describe, expect, it } from '@jest/globals';
import {
  SPOKEN,
  ask,
  tellAllBroken,
} from '../../../../../test/support/incidents/oracle-questions.js';

const REFUSED = /^I change nothing: I read topologies and diagnoses, and start diagnoses\./;

describe('a request to change something', () => {
  it.each([
    'fix it',
    'restart payments',
    'Can you restart the checkout service, please?',
    'could you scale catalog to 3',
  ])('that is a repair is refused, with the next steps: %s', (question) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(REFUSED);
    expect(text).toMatch(/\nThe report of this run suggests no next steps[^\n]*\.\n.*topology 7/s);
    expect(called).not.toContain('start_diagnosis');
  });

  it('about which nothing was found has no steps', () =>
    expect(ask('please roll back the last deployment', { said: SPOKEN }).text).toMatch(
      /start diagnoses\.\nNothing was found to be wrong about changes, so no step is about that\./,
    ));

  it.each(['restart press', 'fix the press'])(
    'that only another topology has is offered, and the subject stays: %s',
    (question) =>
      expect(ask(question, { said: SPOKEN }).text).toMatch(
        /^I change nothing: .*\nTopology 7 has nothing called "Press", but topology 2 \(Blog\) has: /,
      ),
  );

  it('of something unknown says so, and stays with the topology under discussion', () =>
    expect(ask('fix client secret', { said: SPOKEN }).text).toMatch(
      /start diagnoses\.\nI know no node called "client", and no topology\. For the next steps of a report, ask me "how do I fix topology 7\?"\.$/,
    ));

  it('asks which topology is meant if several have a root cause', () =>
    expect(ask('fix it', { answer: tellAllBroken }).text).toMatch(
      /start diagnoses\.\nWhich topology\? Several have a root cause:\n- 7: Shop\n- 2: Blog$/,
    ));

  it.each([
    ['delete the shop', /PUT \/api\/service\/v1\/topologies\/ID\.$/],
    ['rename topology 7', /PUT \/api\/service\/v1\/topologies\/ID\.$/],
    ['stop the run', /POST \/api\/service\/v1\/executions\/cancel\.$/],
    ['page the owner of payments', /start diagnoses\.$/],
  ])('that is none says how a person does it: %s', (question, how) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(REFUSED);
    expect(text).toMatch(how);
    expect(called.filter((tool) => tool !== 'list_topologies')).toEqual([]);
  });

  it.each([
    ['start a diagnosis of Shop', 'start_diagnosis'],
    ['open the runs page', 'navigate_to_page'],
    ['how do I fix payments?', 'get_run'],
  ])('is not %s', (question, tool) => {
    const { text, called } = ask(question);
    expect(text).not.toMatch(REFUSED);
    expect(called.join(' ')).toContain(tool);
  });
});
