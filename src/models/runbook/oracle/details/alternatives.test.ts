import { describe, expect, it } from '@jest/globals';
import { converse, RECOVERED } from '../../../../../test/support/incidents/oracle-world.js';

describe('a question that offers two causes', () => {
  it.each([
    ['is it orders db or payments?', 'The measurements speak for Orders DB, not for Payments.'],
    ['is it payments or orders db?', 'The measurements speak for Orders DB, not for Payments.'],
    ['is it payments or the database?', 'The measurements speak for Orders DB, not for Payments.'],
    ['is it the db or the network?', 'The measurements speak for Orders DB, not for the network.'],
    ['was it the network or the db', 'The measurements speak for Orders DB, not for the network.'],
    [
      'is the problem in checkout or in payments?',
      'The measurements speak for neither as the root cause. Something is wrong with Checkout and Payments.',
    ],
    [
      'is it inventory or payments?',
      'The measurements speak for neither as the root cause. Something is wrong with Payments.',
    ],
  ])('says for which the measurements speak: %s', (question, answer) =>
    expect(converse(["what's wrong with the shop?", question]).split('\n')[0]).toBe(answer),
  );

  it('says what is known of both', () => {
    expect(converse(['is it the orders db or the network?'])).toMatch(
      /\nOrders DB is the root cause: .*\nFound about the network: .* so the network is not at fault\.\nRun /,
    );
    expect(converse(['is it the invoice api or the certificate?'])).toMatch(
      /^The measurements speak for Invoice API, not for certificates\.\nInvoice API is the root cause: .*\nFound about certificates: Customer Portal: .* ends in 4 days/,
    );
  });

  it('is answered so without a conversation', () =>
    expect(converse(['is it payments or the orders db?'])).toMatch(
      /^The measurements speak for Orders DB, not for Payments\./,
    ));

  it('may be answered with neither', () =>
    expect(converse(['is it payments or checkout?'], { runs: RECOVERED })).toMatch(
      /^The measurements speak for neither\.\nNothing was found to be wrong with Payments/,
    ));

  it.each([
    'is it us or the cloud provider?',
    'is it a bug or a config problem?',
    'is it payments or the weather?',
  ])('of which one is unknown is not understood: %s', (question) =>
    expect(converse(["what's wrong with the shop?", question])).toMatch(
      /^I (?:do not understand that|know no node called )/,
    ),
  );

  it.each([
    [
      'is it the blog or the web shop?',
      'The measurements speak for Web shop (topology 11), not for Blog (topology 12).',
    ],
    ['is it the shop or billing that is broken?', 'The measurements speak for both.'],
    [
      'is it the blog or the orders db?',
      'The measurements speak for Orders DB, not for Blog (topology 12).',
    ],
    ['is it the blog web or the mailer?', 'The measurements speak for neither.'],
    [
      'is it inventory, payments or the orders db?',
      'The measurements speak for Orders DB, not for Payments and Inventory.',
    ],
  ])('may offer topologies, and more than two: %s', (question, answer) =>
    expect(converse([question]).split('\n')[0]).toBe(answer),
  );

  it('is about the diagnosis that found something if it asks what was', () =>
    expect(converse(['was it the blog or the web shop?'], { runs: RECOVERED }).split('\n')[0]).toBe(
      'The measurements speak for Web shop (topology 11), not for Blog (topology 12).',
    ));
});
