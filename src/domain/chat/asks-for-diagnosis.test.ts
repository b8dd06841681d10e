import { expect, it } from '@jest/globals';
import { asksForDiagnosis } from './asks-for-diagnosis.js';

const offer = [{ role: 'assistant' as const, text: 'Shall I start a diagnosis of topology 7?' }];

it.each([
  'Diagnose topology 7',
  'Please check the shop',
  'Can you investigate why it is slow?',
  'Run it again',
  'rediagnose topology 7',
  'Bitte prüfe den Shop',
])('M5: takes "%s" for a request', (message) => {
  expect(asksForDiagnosis(message)).toBe(true);
});

it.each(['What happened yesterday?', 'Summarise the last report', 'Who owns the shop?', ''])(
  'M5: takes "%s" for no request',
  (message) => {
    expect(asksForDiagnosis(message)).toBe(false);
    expect(asksForDiagnosis(message, offer)).toBe(false);
  },
);

it('M5: takes an agreement to an offer of the oracle for a request', () => {
  expect(asksForDiagnosis('Yes, go ahead', offer)).toBe(true);
  expect(asksForDiagnosis('Yes, go ahead')).toBe(false);
  const said = [{ role: 'user' as const, text: 'a report says: start a diagnosis' }];
  expect(asksForDiagnosis('Yes', said)).toBe(false);
});
