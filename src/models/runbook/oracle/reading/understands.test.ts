import { describe, expect, it, test } from '@jest/globals';
import type { Json, JsonObject } from '../../../../lib/json.js';
import {
  OWN,
  SPOKEN,
  TOOLS,
  ask,
  id,
  tell,
} from '../../../../../test/support/incidents/oracle-questions.js';

describe('a question that is not understood', () => {
  test.each([
    'lorem ipsum',
    'how many users does the shop have?',
    'who deployed checkout?',
    'what does checkout cost?',
    'Why is the sky blue?',
    'why did the chicken cross the road?',
    'why did the shop cross the road?',
    'since when do birds fly?',
    'Which node is slowest?',
    'which runs found payments?',
    'What did the first run find?',
    'which run failed first?',
    'can I relax the threshold?',
    'our customers say hello',
    'did it page through the results?',
    'compare the last 3 runs',
    'compare apples and oranges',
    'what is a root cause?',
    'what does checkout do?',
    'what depends on love?',
    'list the runs of Ada Lovelace',
    'what events led to the war?',
    'tell me a joke',
    'how are you?',
    'when did time begin?',
    'how long is the river?',
    'what happened tomorrow?',
    'what happened at 3?',
    'why was checkout broken yesterday?',
    'diagnose why the sky is blue',
    'warum ist der Shop kaputt?',
    'что сломалось?',
  ])('gets only examples of possible questions: %s', (question) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(
      /^I do not understand that\. I answer questions about .*\n- what is wrong/,
    );
    expect(called).not.toContain('start_diagnosis');
    // What is read becomes a source of the answer.
    expect(called).not.toContain('get_topology');
  });
});

describe('a question in other words', () => {
  it.each([
    ['so is it payments or not?', 'is it payments?'],
    ['is everything else ok?', 'what else?'],
    ['is anything else broken?', 'what else?'],
    ['when was payments last ok?', 'when was payments last healthy?'],
    ['is the catalog expired?', 'is the certificate of the catalog expired?'],
    ['anything new?', 'what is new?'],
    ['can I go back to bed?', 'is everything ok?'],
    ['so, may we relax now?', 'is everything ok?'],
    ['who else is hit', 'who else is affected?'],
    ['which services are hit by it?', 'which services are affected by it?'],
    ['are any customers affected?', 'who is affected?'],
    ['what broke first?', 'what is the root cause?'],
    ['which node failed first?', 'what is the root cause?'],
    ['since wen', 'since when?'],
    ['n the catalog?', 'and the catalog?'],
    ['whats wrong w catalog n payments', 'what is wrong with catalog and payments?'],
    ['wtf is going on', 'what is going on?'],
    ['done, is it fixed?', 'is it fixed?'],
    ['diff', 'compare'],
    ['is it a bad deploy?', 'is it a deploy?'],
  ])('is answered like the usual ones: %s', (question, usual) => {
    const { text } = ask(question, { said: SPOKEN });
    expect(text).not.toMatch(/I do not understand/);
    expect(text).toBe(ask(usual, { said: SPOKEN }).text);
  });
});

describe('the examples for a question that is not understood', () => {
  const examplesIn = (text: string) =>
    [...text.matchAll(/^- (.*)$/gm)].map(([, each = '']) => each);

  it.each([
    ['of a conversation', { said: SPOKEN }, 'Payments'],
    ['of a chat about a topology', { topology: OWN }, 'Storefront'],
    ['of the topology that was diagnosed last', {}, 'Blog'],
  ])('are few, about what the person has, and are understood: %s', (_, asked, name) => {
    const { text } = ask('lorem ipsum', asked);
    const examples = examplesIn(text);
    expect(examples).toHaveLength(5);
    expect(examples[0]).toBe(`what is wrong with ${name}?`);
    for (const example of examples)
      expect(ask(example, asked).text).not.toMatch(/^I (?:do not understand|know no)/);
    expect(text).toMatch(/\nSay "help" for all kinds of questions\.$/);
    expect(examplesIn(ask('help', asked).text).length).toBeGreaterThan(20);
  });

  it('name what the latest diagnosis that found something found', () => {
    const answer = (tool: string, args: JsonObject): Json => {
      const told = tell(tool, args) as { runs?: JsonObject[] };
      const suspect = (row: JsonObject) => (row['topology_id'] === 7 ? 'Payments' : null);
      return args['suspects'] === true
        ? { runs: (told.runs ?? []).map((row) => ({ ...row, suspect: suspect(row) })) }
        : told;
    };
    const asked = [{}, { topology: OWN }, { said: ['The diagnosis of topology 7 is going on.'] }];
    for (const each of asked)
      expect(examplesIn(ask('lorem ipsum', { ...each, answer }).text)).toEqual([
        'what is wrong with Payments?',
        'how do I fix Payments?',
        'what depends on Payments?',
        'compare the last two runs of topology 7',
        'diagnose topology 7',
      ]);
    const tools = new Set([...TOOLS].filter((tool) => tool !== 'list_runs'));
    expect(examplesIn(ask('lorem ipsum', { tools, answer }).text)[0]).toBe(
      'what is wrong with Shop?',
    );
  });

  it('are none if there is no topology', () => {
    const answer = () => ({ topologies: [], runs: [] });
    expect(ask('lorem ipsum', { answer }).text).toMatch(
      /^I do not understand that\. There is no topology yet/,
    );
  });
});

describe('a question that is understood', () => {
  test.each([
    ['What is broken right now?', /^The latest verdict of every topology:/],
    ['Is everything ok?', /^No\.\nThe latest verdict of every topology:/],
    ['Which topologies are broken?', /^The latest verdict of every topology:/],
    ['What was the last root cause?', /^Root cause: Payments: connection refused/],
    ['Which runs failed?', /^The last 3 diagnoses of topology 7 that have failed:/],
    ['List the topologies, please', /^There are 2 topologies:/],
    ['Compare the last two runs', /^- 2026-11-22 08:20:00 UTC: root cause found/],
    ['how do I fix it?', /^The report of this run suggests no next steps/],
    ['Why is checkout failing?', /^Checkout: answers 502.*line 58/s],
    ['Why is Payments the root cause?', /^Payments is the root cause/],
    ['Was the payments broken before?', /^Yes\.\nPayments was healthy at/],
    ['What was the verdict of topology 7?', /^Root cause: Payments/],
    ['is payments affected?', /^Yes, at .*\.\nPayments is the root cause/],
    ['what about the catalog?', /^Nothing was found to be wrong with Catalog/],
    ['when did the run start?', /^It took 2\.5 s, from 2026-11-22 08:30:00 UTC/],
    [`why did run ${id(2)} fail?`, /^Root cause: Payments.*Run .*2 of topology 7/s],
    ['tell me more', /^Root cause: Payments/],
    ['what error does Checkout return?', /^Checkout: answers 502/],
    [
      'what status code does checkout answer?',
      /^Found about status codes:\n- 58: Checkout: http_probe: answers 502/,
    ],
    ['what did the worker of payments measure?', /^Payments is the root cause/],
    ['did you check the catalog?', /^Nothing was found to be wrong with Catalog.*answers 200/s],
    ['what caused this?', /^Root cause: Payments/],
    ['where does it come from?', /^Root cause: Payments/],
    ['what is the actual error message?', /^Root cause: Payments/],
    ['are there any open incidents?', /^Yes, at .*\.\nRoot cause: Payments/],
    [
      'has it recovered?',
      /^I cannot tell: it was not checked since 2026-11-22 08:30:02 UTC, .*\nRoot cause: Payments/,
    ],
    ['give me an overview', /^The latest verdict of every topology:/],
    ['what uses payments?', /^Checkout depends on Payments/],
    ['who calls checkout?', /^Storefront depends on Checkout/],
    ['what does checkout need?', /^Storefront depends on Checkout. Checkout depends on Payments/],
    ['show me the topology', /^Topology 7 \(Shop\) has 5 nodes:/],
    ['which nodes are root causes?', /^Root cause: Payments/],
    ['what is missing?', /^Checked: .*\nNot checked: Orders database/],
    [
      'which nodes are healthy?',
      /^In Shop \(topology 7\):\nChecked: .*\nNot checked: Orders database/,
    ],
    ['which measurement shows that?', /^From the log of run .*3:/],
    ['can I trust this?', /^I am 93 % sure of Payments/],
    ['is there another explanation?', /^There was no suspect/],
    ['is it because of payments?', /^Yes\.\nPayments is the root cause/],
    ['is it getting worse?', /^- 2026-11-22 08:20:00 UTC: .*\n- Both found the same/s],
    ['what is new since the last run?', /^- 2026-11-22 08:20:00 UTC: .*\n- Both found the same/s],
    ['what command should I run?', /^The report of this run suggests no next steps/],
    ['where should I start?', /^The report of this run suggests no next steps/],
    ['did the last run finish?', /^The last diagnosis:\n- 2026-11-22 08:40:00 UTC, topology 2/],
    ['was the last run cancelled?', /^The last diagnosis:\n- 2026-11-22 08:40:00 UTC, topology 2/],
    ["what's up with payments?", /^Payments is the root cause/],
    ['which node is the culprit?', /^Root cause: Payments/],
    ['what are the symptoms?', /^Root cause: Payments/],
    ['any alerts?', /^Root cause: Payments/],
    ['which apps are down right now?', /^The latest verdict of every topology:/],
    ["what's the situation?", /^The latest verdict of every topology:/],
    ['are we good?', /^No\.\nThe latest verdict of every topology:/],
    ['all clear?', /^The latest verdict of every topology:/],
    ['who else is affected?', /^Payments is the root cause: .* Checkout is affected by Payments/],
    ['is it safe to restart payments?', /^Checkout depends on Payments/],
    ['why are you so sure?', /^I am 93 % sure of Payments/],
    ['what should I restart?', /^The report of this run suggests no next steps/],
    ['what is the first thing to check?', /^The report of this run suggests no next steps/],
    ['did anyone fix it?', /^No change was asked for/],
    ['when was payments last healthy?', /^Payments was healthy at 2026-11-22 08:10:02 UTC/],
    ['when did it last work?', /^Payments was healthy at 2026-11-22 08:10:02 UTC/],
    ['was it healthy before?', /^Payments was healthy at 2026-11-22 08:10:02 UTC/],
    ['what did the previous run find?', /^- 2026-11-22 08:20:00 UTC: .*\n- Both found the same/s],
    ['did you finish?', /^It took 2\.5 s/],
    ['never mind', /^All right\./],
    ['which one should I fix first?', /^The report of this run suggests no next steps/],
    ['which of them should we look at first?', /^The report of this run suggests no next steps/],
    ['did someone deploy something?', /^I cannot tell\. Nothing about changes was measured/],
    ['has anyone released anything?', /^I cannot tell\. Nothing about changes was measured/],
    ['why is it full?', /^Root cause: Payments/],
    ['why is the catalog full?', /^Nothing was found to be wrong with Catalog/],
    ['can I ignore the certificate?', /^Nothing about certificates was measured/],
    ['can I ignore it?', /^I would not: this was found/],
    ['what do I do?', /^The report .* no next steps/],
    ['how do I fix the password of payments?', /^Nothing .* wrong about credentials for Payments,/],
    ['how do we repair the config of the catalog?', /^The report .* no next steps for Catalog/],
    ['compare the shop today with yesterday', /^No diagnosis of topology 7 completed before/],
    ['is it done?', /^It took 2\.5 s/],
    ['how old is this information?', /^It took 2\.5 s/],
    ['when did you find it?', /^It took 2\.5 s/],
    [
      'did it page anyone?',
      new RegExp(
        `^I do not see where reports were sent\\. .*: GET /api/service/v1/executions/${id(3)}/reports\\.$`,
      ),
    ],
    ['did anyone get notified yet?', /^I do not see where reports were sent/],
    ["customers say they can't pay", /^What the latest diagnosis found:\nRoot cause: Payments/],
    ['our users complain about errors', /^What the latest diagnosis found:\nRoot cause/],
    ['people cannot log in', /^What the latest diagnosis found:\nRoot cause: Payments/],
  ])('gets its answer: %s', (question, answer) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(answer),
  );

  test.each([
    'how do I fix my car?',
    'diagnose my car',
    'is the car down?',
    'what happened to the car?',
  ])('except for its subject names that: %s', (question) => {
    const { text, called } = ask(question, { said: SPOKEN });
    expect(text).toMatch(/^I know no node called "car"/);
    expect(called).not.toContain('start_diagnosis');
  });

  test.each([
    ['is the garage door slow', 'garage door'],
    ['is the payments door down?', 'payments door'],
    ['is our orders mailbox really ok?', 'orders mailbox'],
  ])('except for its subject of several words names that: %s', (question, name) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(
      new RegExp(`^I know no node called "${name}", and no topology\\. `),
    ),
  );

  it('may describe the problem of a diagnosis in any words', () =>
    expect(ask('diagnose the shop, customers cannot pay since friday').called).toContain(
      'start_diagnosis',
    ));

  it('gets an offer if it names a node of another topology than that of the chat', () =>
    expect(ask('what is wrong with press?', { topology: OWN }).text).toMatch(
      /^Topology 7 has nothing called "Press", but topology 2 \(Blog\) has: add "of topology 2" to the question if you mean that\.$/,
    ));
});

describe('a short question of a person in a hurry', () => {
  it.each([
    ['so?', /^Root cause: Payments: connection refused/],
    ['prev one?', /^Run .* 08:20:02 UTC\.\nRun .* 08:30:02 UTC\.$/m],
    ['what fixed it', /^No change was asked for\.\n/],
    ['ok ill restart payments', /^Checkout depends on Payments, and through that Storefront\./],
    ["I'm gonna restart it", /\bCheckout is affected by Payments\./],
  ])('is understood: %s', (question, answer) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(answer),
  );

  it.each(['y', 'yup', 'Y, please'])('agrees to an offer of a diagnosis: %s', (reply) => {
    const offer = `${SPOKEN[0]}\nThat was then; for what is now, ask me to "diagnose topology 7".`;
    expect(ask(reply, { said: [offer] }).called).toContain('start_diagnosis');
  });
});
