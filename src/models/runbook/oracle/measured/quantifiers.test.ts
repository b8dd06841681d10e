import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../lib/json.js';
import {
  asOwn,
  BILLING,
  converse,
  tellWorld,
  USUAL,
  WEB_SHOP,
} from '../../../../../test/support/incidents/oracle-world.js';
import { holdsFor } from './expectation.js';

const asked = (question: string) => converse([question]).split('\n')[0];

it('decides "any", "every" and "none" by the parts that are known', () => {
  expect([
    holdsFor('any', [false, true, undefined]),
    holdsFor('any', [false, undefined]),
    holdsFor('any', [false]),
    holdsFor('every', [true, false, undefined]),
    holdsFor('every', [true, undefined]),
    holdsFor('every', [true]),
    holdsFor('none', [true, undefined]),
    holdsFor('none', [false, undefined]),
    holdsFor('none', [false]),
    holdsFor('every', []),
  ]).toEqual([true, undefined, false, false, undefined, true, false, undefined, true, undefined]);
});

describe('a question about all topologies', () => {
  it.each([
    ['is everything down?', 'No: Blog (topology 12) and Billing (topology 13) are not down.'],
    ['is everything broken?', 'No: Blog (topology 12) is healthy.'],
    ['are all topologies down?', 'No: Blog (topology 12) and Billing (topology 13) are not down.'],
    ['is anything up?', 'Yes: Blog (topology 12) and Billing (topology 13) are not down.'],
    ['is anything still up?', 'Yes: Blog (topology 12) and Billing (topology 13) are not down.'],
    ['does anything work?', 'Yes: Blog (topology 12) is healthy.'],
    ['is nothing working?', 'No: Blog (topology 12) is healthy.'],
    ['is any topology healthy?', 'Yes: Blog (topology 12) is healthy.'],
    ['is every service down?', 'No: Blog (topology 12) and Billing (topology 13) are not down.'],
    ['is the whole platform broken?', 'No: Blog (topology 12) is healthy.'],
    ['are both the shop and billing down?', 'No: Billing (topology 13) is not down.'],
    ['are the shop and the blog down?', 'No: Blog (topology 12) is not down.'],
    ['are the shop and the blog ok?', 'No.'],
    ['are both the shop and billing broken?', 'Yes.'],
    ['is the shop or the blog down?', 'Yes.'],
    ['is either the blog or billing down?', 'No.'],
    ['is anything wrong with the shop or the blog?', 'Yes.'],
    ['is neither the shop nor the blog broken?', 'No.'],
    ['is everything up?', 'No.'],
    ['is everything ok?', 'No.'],
    ['is anything down?', 'Yes.'],
    ['is anything broken?', 'Yes.'],
  ])('tells any from every: %s', (question, answer) => expect(asked(question)).toBe(answer));

  it('is decided by nodes if no topology is well', () => {
    const runs = USUAL.filter(({ topology_id }) => topology_id === WEB_SHOP.id);
    expect(converse(['is anything up?'], { runs })).toMatch(
      /^Yes: some nodes of Web shop \(topology 11\) are not down\./,
    );
  });
});

describe('a question about one topology', () => {
  it.each([
    ['is all of billing down?', /^No\..* Customer Portal, Invoice API and Mailer were not down\./],
    ['is all of the web shop broken?', /^No\. That was measured at .*\. Inventory was not wrong\./],
    ['is billing down?', /^No, not down at /],
    ['are payments and inventory broken?', /^No\. That was measured at .* Inventory was not wrong/],
    ['are both payments and checkout broken?', /^Yes\. /],
    ['is payments or inventory broken?', /^Yes, at /],
    ['is either inventory or payments down?', /^Yes, at /],
    ['is neither inventory nor payments down?', /^No\. /],
    ['is every node of the web shop broken?', /^No\. /],
    ['is everything in billing slow?', /^I cannot tell\. Found about response times:/],
    ['is anything in billing slow?', /^Yes\. Found about response times:/],
    ['is nothing in billing slow?', /^No\. Found about response times:/],
    ['is billing up?', /^Yes, at .*, but not well\./],
  ])('tells any from every: %s', (question, answer) => expect(asked(question)).toMatch(answer));

  const slow = (tool: string, args: JsonObject) => {
    if (tool !== 'http_probe') return tellWorld(USUAL)(tool, args);
    const issues = [{ severity: 'warning', symptom: 'slow', title: 'is slow', detail: '' }];
    return {
      status: 'ok',
      summary: 'answered in 12 ms',
      measurements: {},
      issues: args['node'] === 'invoice-api' ? issues : [],
    };
  };

  it.each([
    ['is everything down?', /^No\. /],
    ['is anything still up?', /^Yes\. /],
    ['is everything up?', /^Yes\. Not down, but wrong: Invoice API \(is slow\)\./],
    ['is everything broken?', /^No\. Still wrong: Invoice API \(is slow\)\. Not wrong: Customer/],
    ['is anything broken?', /^Yes\. /],
    ['is everything slow?', /^No\. Found about response times:/],
    ['is anything slow?', /^Yes\. Found about response times:/],
    ['are portal and mailer broken?', /^No\. /],
    ['is the invoice api or the mailer broken?', /^Yes\. /],
  ])('that is measured now tells any from every: %s', (question, answer) =>
    expect(converse([question], { topology: asOwn(BILLING), answer: slow })).toMatch(answer),
  );
});

describe('a question how many', () => {
  it.each([
    ['how many topologies are broken?', /^2 of 3 topologies, by the latest diagnoses\.$/],
    ['how many nodes are broken?', /^5 of \d+ nodes, by the latest diagnoses/],
    ['how many services are up?', /^\d of \d+ nodes, by the latest diagnoses/],
    ['how many runs failed on 2026-11-22?', /^On 2026-11-22 \(UTC\) \d failed runs? began\.$/],
    [
      'how many diagnoses found something on 2026-11-22?',
      /^On 2026-11-22 \(UTC\) 2 of 3 runs failed or found issues/,
    ],
  ])('is answered with a number: %s', (question, answer) =>
    expect(asked(question)).toMatch(answer),
  );
});

describe('a warning', () => {
  it.each([
    ['is the tls of the customer portal broken?', /^No, but there is a warning\./],
    ['is the customer portal broken?', /^No, but at .* there was a warning/],
    ['is the customer portal down?', /^No, but at .* there was a warning/],
    ['is the certificate of the customer portal ok?', /^Yes, with a warning\./],
  ])('is nothing broken: %s', (question, answer) => expect(asked(question)).toMatch(answer));
});
