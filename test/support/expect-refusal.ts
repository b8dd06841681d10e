import { expect } from '@jest/globals';
import type { Answer } from './api.js';

/** The data of a refusal because of a faulty body or query. */
export interface Faults {
  errors: { path: string; message: string }[];
}

/** What every refusal is: the envelope, and nothing of our insides. */
export function expectRefusal(answer: Answer<unknown>, status: number, code: string): void {
  expect([answer.status, answer.code, answer.text]).toEqual([status, code, answer.text]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['code', 'message', 'data']);
  expect(answer.message).not.toBe('');
  if (code === 'VALIDATION_FAILED')
    for (const fault of (answer.data as Faults).errors)
      expect(fault).toEqual({
        path: expect.any(String) as unknown,
        message: expect.stringMatching(/./) as unknown,
      });
  else expect(answer.data).toBeNull();
  // No stack, no file, no name of a package or of a variable of ours.
  expect(answer.text).not.toMatch(
    /\bat \S+ \(|node_modules|\.[jt]s\b|\/work\/|\/home\/|\/src\/|file:|ioredis|bullmq|nestjs|undefined|NaN|\[object/i,
  );
}
