import { describe, expect, it } from '@jest/globals';
import {
  converse,
  REPORTS,
  RECOVERED,
} from '../../../../../test/support/incidents/oracle-world.js';

const after = (question: string, before = "what's wrong with the shop?") =>
  converse([before, question]);

describe('a question whether a person may ignore something', () => {
  it.each([
    'can I ignore it?',
    'can we ignore this',
    'can i close the incident?',
    'should we wait?',
  ])('is answered with what needs attention: %s', (question) =>
    expect(after(question)).toMatch(
      /^I would not: this was found, and needs attention\.\n- Orders DB: connection refused/,
    ),
  );

  it('is a question about an action in other words, too', () => {
    for (const words of ['ok', 'okay', 'okay for us', 'fine', 'wise', 'a good idea'])
      expect(converse([`is it ${words} to restart checkout?`])).toMatch(
        /^No next step of the report is to restart Checkout\. Storefront depends on Checkout\./,
      );
  });

  it('counts a warning', () => {
    const ofPortal = after('can we ignore it', 'is the customer portal ok?');
    expect(ofPortal).toMatch(/^I would not: .*\n- Customer Portal: certificate .* 4 days/);
    expect(ofPortal).not.toContain('Invoice API: answers');
    expect(after('can I ignore the certificate?', 'is billing ok?')).toMatch(
      /^I would not: .*\n- Customer Portal: certificate/,
    );
  });

  it('says that nothing was found', () => {
    expect(after('can I ignore it?', 'is the blog ok?')).toMatch(
      /^Nothing that needs attention was found\.\nRun .*\nThat was then; .*\nSomething is wrong elsewhere: Web shop \(topology 11\) and Billing \(topology 13\)\./,
    );
    expect(converse(['can I ignore inventory?'])).toMatch(
      /^Nothing that needs attention was found/,
    );
    for (const before of ['is the web shop ok?', 'what was wrong with the web shop?'])
      expect(converse([before, 'can I close it?'], { runs: RECOVERED })).toMatch(
        /^Nothing that needs attention was found\.\nIt is over: the diagnosis of 2026-11-22 08:10:02 UTC \(run \S+1\) had found:\n- Orders DB: connection refused/,
      );
  });

  it('names the nodes of which no step speaks as alternatives', () =>
    expect(converse(['can I restart checkout or inventory?'])).toMatch(
      /^No next step of the report is to restart Checkout or Inventory\./,
    ));
});

describe('a question whether a person may act', () => {
  it.each([
    ['can i restart checkout?', 'restart Checkout'],
    ['should we scale up checkout?', 'scale Checkout'],
    ['would it help to restart checkout?', 'restart Checkout'],
    ['will restarting checkout help?', 'restart Checkout'],
    ['do I need to restart checkout?', 'restart Checkout'],
  ])('is answered with the next steps, and what depends on it: %s', (question, what) => {
    const text = after(question);
    expect(text).toContain(`No next step of the report is to ${what}.`);
    expect(text).toContain('Storefront depends on Checkout.');
    expect(text).not.toContain('I read "');
    expect(text).not.toContain('I change nothing');
  });

  it('is yes if a step says so', () =>
    expect(after('can I start orders db?')).toMatch(
      /^A next step of the report is to start Orders DB\. Payments depends on Orders DB.*\n1\. .*Start Orders DB/s,
    ));

  it.each(['can i roll back?', 'can we roll back'])('may name no node: %s', (question) =>
    expect(after(question)).toMatch(/^No next step of the report is to roll back\./),
  );

  it.each(['can you restart checkout?', 'restart it', 'roll it back'])(
    'is no order to act: %s',
    (question) => expect(after(question)).toMatch(/^I change nothing: /),
  );

  it('has steps to answer with', () => expect(REPORTS.shop.next_steps).toHaveLength(1));
});
