import { expect, test } from '@jest/globals';
import { symptomStrengths } from './symptoms.js';

const shownBy = (text: string) => [...symptomStrengths([{ text, weight: 1, from: 'log' }]).keys()];

test.each([
  ['http_400_ratio', 'client'],
  ['responses_total{code="422"}', 'client'],
  ['HTTPCode_Target_4XX_Count', 'client'],
  ['http_401_total', 'auth'],
  ['answered 403', 'auth'],
  ['pg_locks_waiting', 'lock'],
  ['process 21 still waiting for RowExclusiveLock on relation 16412', 'lock'],
  ['http_503_ratio', 'error'],
  ['Http5xx', 'error'],
])('reads what %s says', (text, symptom) => {
  expect(shownBy(text)).toContain(symptom);
});

test.each(['took 4000 ms', 'sha 9e400ff', 'port 15432', 'order 45001'])(
  'reads none in %s',
  (text) => expect(shownBy(text)).toEqual([]),
);
