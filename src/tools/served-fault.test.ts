import { expect, it } from '@jest/globals';
import { SourceError } from '../sources/http/source-error.js';
import { servedFault } from './served-fault.js';

const where = { target: 'mq.example:15672', expected: 'the management API' };

it('says how long was waited, so that a busy prober can doubt it', () => {
  const late = new SourceError('unreachable', 'no answer within 500 ms', { waitedMs: 500 });
  expect(servedFault(late, where)).toMatchObject({
    severity: 'critical',
    symptom: 'slow',
    kind: 'timeout',
    duration_ms: 500,
    title: 'the management API does not answer in time',
  });
});

it('names what keeps a server from answering, and blames it for nothing else', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(servedFault(new SourceError('unreachable', 'x', { cause }), where)).toMatchObject({
    symptom: 'unreachable',
    title: 'connection refused (ECONNREFUSED)',
  });
  const untrusted = new SourceError('unreachable', 'x', { cause: new Error('not trusted') });
  expect(() => servedFault(untrusted, where)).toThrow(untrusted);
  const refused = new SourceError('refused', 'x', {});
  expect(() => servedFault(refused, where)).toThrow(refused);
});

it('reports that the connection was made if the answer was cut', () => {
  const cause = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(servedFault(new SourceError('unreachable', 'x', { cause }), where)).toMatchObject({
    symptom: 'erroring',
    title: 'connection closed before the answer was complete',
  });
});
