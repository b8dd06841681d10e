import { describe, expect, it } from '@jest/globals';
import { processorMsOf } from '../../../test/support/processes/processor-time.js';
import { errorMessage } from './error-message.js';

describe('errorMessage', () => {
  it('shows a provider text without keys and ids, on one line, cut to 200 characters', () => {
    const text =
      'Bad key sk-abcdef1234\nof org-AbCdEf123 (req_011CSomething9) at http://u:p4ss@h: Bearer eyJhbGciOi.x';
    expect(errorMessage(text)).toBe('Bad key … of … (…) at http://u:***@h: …');
    expect([...errorMessage('😀 '.repeat(300))]).toHaveLength(200);
  });

  it('shows no half of a key at the place where it cuts', () => {
    const key = 'abcdefghij0123456789abcdefghij';
    const text = `${'\u0001'.repeat(1_989)} ${key}`;
    expect(errorMessage(text)).not.toContain('abcdef');
  });

  it('H3: reads the first 2,000 characters only', () => {
    expect(errorMessage(`${'\n'.repeat(1_989)} early`)).toBe('early');
    expect(errorMessage(`${'\n'.repeat(2_000)} late`)).toBe('');
  });

  it.each([
    ['dashes', 'a-'.repeat(200_000)],
    ['prefixes', 'sk-'.repeat(130_000)],
    ['letters', 'a'.repeat(400_000)],
    ['white space', ' '.repeat(400_000)],
    ['URLs', 'a://b:'.repeat(70_000)],
  ])('H3: reads 400 kB of %s in linear time', async (_, text) => {
    expect(await processorMsOf(() => errorMessage(text))).toBeLessThan(2_000);
  });
});
