import { expect, it } from '@jest/globals';
import { asksInOtherLanguage, isOtherLanguage } from './asks-in-other-language.js';

it.each([
  [['prüfe den shop'], true],
  [['bitte den shop untersuchen'], true],
  [['peux-tu vérifier la boutique'], true],
  [['der shop ist langsam', 'bitte untersuche payments'], true],
  [['prüfe den shop', 'nein'], false],
  [['wie starte ich eine diagnose'], false],
  [['vérifie le dernier rapport'], false],
  [['check the shop'], false],
])('finds a request in other languages than English: %j is %s', (clauses, isAsked) => {
  expect(asksInOtherLanguage(clauses)).toBe(isAsked);
});

it('tells a text of another language by its words', () => {
  expect(isOtherLanguage('diagnose von gestern')).toBe(true);
  expect(isOtherLanguage('why did the pod die')).toBe(false);
});
