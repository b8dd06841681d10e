import { describe, expect, it } from '@jest/globals';
import { RECOVERED, converse } from '../../../../test/support/incidents/oracle-world.js';

describe('a conversation of a person on call', () => {
  it.each([
    // The tense of the question before holds for one without a verb.
    [['was the web shop down earlier?', 'why'], /The last diagnosis that found something:/],
    [['was the web shop down?', 'why', 'who else'], /The last diagnosis that found something:/],
    [['is the web shop ok?', 'why'], /^Nothing was found to be wrong\.\n5 of 5 nodes checked/],
    [
      ['is orders db ok?', 'why was it broken?', 'how long'],
      /Orders DB was last found unhealthy at/,
    ],
    // Whether it was so.
    [['was orders db down earlier?'], /^Yes\.\nOrders DB was unhealthy at /],
    [['was inventory down earlier?'], /^No\.\nNothing was found to be wrong with Inventory /],
    [['was orders db ever broken'], /^Yes\. Something was wrong with Orders DB in 1 of the last 2/],
    [['has the blog ever been down'], /^No\. Nothing was found to be wrong with Blog /],
    // The latest run of what was discussed, or of all.
    [['is the blog ok?', 'when was it last checked?'], /^The last diagnosis of topology 12:/],
    [['is the blog ok?', 'when was the last diagnosis?'], /^The last diagnosis:/],
    // What there is still to do.
    [['is billing ok?', 'anything left to do there?'], /Invoice API/],
    [['is the web shop ok?', 'anything left to do?'], /^It is over: /],
    [['is billing ok?', 'and then invoice api will be fine?'], /^I cannot tell: .* what will be\./],
    [['which nodes are down?', 'which ones'], /^The nodes of every topology/],
    [['is anything slow anywhere'], /^Yes\. Found about response times:\n- Invoice API/],
    [['why is orders db erroring'], /^Nothing was found to be wrong with Orders DB/],
    // What is written in a hurry.
    [['hey is the blog down'], /^No, at /],
    [['is the web shop ok', 'how bad si it'], /^I read "si" as "is"\./],
  ])('%j', (questions, answer) => expect(converse(questions, { runs: RECOVERED })).toMatch(answer));

  it('keeps its topology after the lines of a log', () =>
    expect(
      converse(['is orders db ok?', 'why was it broken?', 'what if the moon falls'], {
        runs: RECOVERED,
      }),
    ).toMatch(/- diagnose topology 11\n/));
});
