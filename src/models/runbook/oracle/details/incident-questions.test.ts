import { describe, expect, it } from '@jest/globals';
import { run, WELL } from '../../../../../test/support/incidents/oracle-questions.js';
import {
  BILLING,
  converse,
  RECOVERED,
  USUAL,
} from '../../../../../test/support/incidents/oracle-world.js';

/** What is asked after "what's wrong with the web shop?". */
const after = (question: string) => converse(["what's wrong with the web shop?", question]);

describe('a question of a person in an incident', () => {
  it.each([
    // States of nodes.
    ['which services are ok?', /^In Web shop \(topology 11\):\nHealthy: Inventory \(1 of 5\)\./],
    ['which services are down?', /^In Web shop \(topology 11\):\nFailed: Orders DB \(1 of 5\)\./],
    ['what still works?', /^Healthy: Inventory \(1 of 5\)\./],
    ['what is not affected?', /^Healthy: Inventory \(1 of 5\)\./],
    [
      'how many services are broken?',
      /^In Web shop \(topology 11\):\n4 of 5.*\nFailed: Orders DB \(1 of 5\)\./,
    ],
    ['how many nodes are healthy?', /^In Web shop \(topology 11\):\n1 of 5\.\nHealthy: Inventory/],
    // Changes.
    ['did someone change something?', /^I cannot tell\. Nothing about changes was measured/],
    ['did anything change?', /^I cannot tell\. Nothing about changes was measured/],
    ['was there a change before the incident?', /^I cannot tell.*Nothing about changes/],
    ['did anyone deploy today?', /Nothing about changes.*\nThat is not limited to a time/s],
    ['any deploys in the last hour?', /Nothing about changes.*\nThat is not limited to a time/s],
    ['who broke it?', /^I do not know which people did something: .*\nRoot cause: Orders DB/],
    // Extent.
    ['how many users are hit', /^I do not know people or how many they are: .*\nOrders DB is the/],
    ['which customers are affected', /^I do not know people or how many they are: /],
    // Dependencies.
    ['does payments depend on orders db?', /^Yes: Payments → Orders DB, where each depends/],
    ['does checkout depend on orders db?', /^Yes: Checkout → Payments → Orders DB, where/],
    ['does inventory depend on orders db?', /^No: Inventory does not depend on Orders DB\./],
    [
      'does orders db depend on payments?',
      /^No: Orders DB does not depend on Payments, but Payments depends on Orders DB\./,
    ],
    ['is inventory involved', /^No\.\nNothing was found to be wrong with Inventory/],
    ['is it the network?', /^No\. A host that refuses a connection was reached/],
    ['is only the shop affected?', /^No\. Apart from Web shop .*, something is wrong with Billing/],
    ['is the site up?', /^No, not at /],
    // What to do.
    ['in which order do i restart', /Start Orders DB/],
    ['add more replicas', /^I change nothing: .*Start Orders DB/s],
    // What is no question about a topology.
    ['what is a 502?', /^I do not understand that/],
    ['is it slow or down?', /^Root cause: Orders DB/],
    ['what does a 502 mean?', /^I do not understand that/],
    ['is it real?', /^I am 97 % sure of Orders DB/],
    ['is it a false alarm?', /^I am 97 % sure of Orders DB/],
  ])('gets its answer: %s', (question, answer) => expect(after(question)).toMatch(answer));

  it('about the days that a certificate has left is about the certificate', () =>
    expect(converse(['is billing ok?', 'how many days are left on the cert'])).toMatch(
      /^Found about certificates:\n- .*certificate of localhost ends in 4 days/,
    ));

  it('whether the site is up is not about the node of the question before', () =>
    expect(
      converse(["what's wrong with the web shop?", 'is inventory ok?', 'is the site up?']),
    ).toMatch(/^No, not at /));

  it('whether only one topology is affected is unknown if another one was not diagnosed', () =>
    expect(converse(['is only the shop affected?'], { runs: USUAL.slice(1) })).toMatch(
      /^I cannot tell\. .* Not known: Billing \(topology 13\)\.\n/,
    ));

  it('whether only one topology is affected is yes if the others are well', () => {
    const billing = run(3, '30', { ...WELL, nodes: [] }, BILLING);
    expect(
      converse(['is only the shop affected?'], { runs: [billing, ...USUAL.slice(1)] }),
    ).toMatch(/^Yes\. Apart from Web shop \(topology 11\), nothing was found to be wrong\.\n/);
  });

  it('whether it is reachable is no question about the network', () =>
    expect(converse(['is the orders db reachable?'])).toMatch(/^No\. Found about the network/));

  it('about a topic may be misspelt', () =>
    expect(converse(['is it the netwrok?'])).toMatch(/^I read "netwrok" as "network"\.\n/));

  it('about one topology and another one is told that no dependency is known', () =>
    expect(converse(['is billing affected by the shop outage?'])).toMatch(
      /^I cannot tell: a topology names the dependencies of its own nodes only.*\nThe latest verdicts:\n- Web shop/,
    ));

  it.each(['does the shop depend on billing?', 'is the blog down because of the shop?'])(
    'about a dependency between topologies is answered so, too: %s',
    (question) => expect(converse([question])).toMatch(/^I cannot tell: a topology names the/),
  );

  it('which services are up, if nothing was discussed, is about all topologies', () =>
    expect(converse(['which services are ok?'])).toMatch(
      /^The nodes of every topology, by the latest diagnoses:\n/,
    ));

  it('about what was left out is answered with nothing', () =>
    expect(converse(['is the blog ok?', 'what did you not check'])).toContain(
      'Nothing was left unchecked.',
    ));

  it('how it is known that all is well shows every measurement', () =>
    expect(converse(['is the blog ok?', 'how do you know'])).toMatch(
      /Measured then:\n- 31: Blog Web: tcp_probe: .*\n- 33: Blog Web: http_probe: answers 200 OK\n- 35: Blog DB/,
    ));
});

describe('a part of the name of a topology', () => {
  it.each([
    ['is the shop back?', /^I cannot tell: it was not checked since/],
    ['is the shop still down?', /^Yes, at /],
    ['shop down?', /^Yes, at /],
    ['is the shop fixed?', /^I cannot tell: it was not checked since/],
    ['what is wrong with the shop?', /^Root cause: Orders DB/],
  ])('is understood as the whole: %s', (question, answer) => {
    expect(converse([question])).toMatch(answer);
    expect(converse(['is billing ok?', question])).toMatch(answer);
  });

  it('is understood so after a recovery', () =>
    expect(converse(['is the shop fixed?'], { runs: RECOVERED })).toMatch(/^Yes, at /));

  it('is none of a topology that has no such name', () =>
    expect(converse(['is the shopping back?'], { runs: USUAL })).not.toMatch(/^Yes/));
});
