import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ProgressReporter } from './progress-reporter.js';

const sent: { progress: number; message: string }[] = [];
const notify = ({ params }: { params: { progress: number; message: string } }): Promise<void> => {
  sent.push({ progress: params.progress, message: params.message });
  return Promise.resolve();
};

beforeEach(() => {
  sent.length = 0;
  jest.useFakeTimers();
});
afterEach(() => void jest.useRealTimers());

it('sends at most two messages a second', () => {
  const reporter = new ProgressReporter('t', notify);
  for (let sequence = 1; sequence <= 20; sequence++) {
    reporter.report(sequence, `event ${sequence}`);
    jest.advanceTimersByTime(100);
  }
  reporter.close();
  expect(sent.map(({ progress }) => progress)).toEqual([1, 6, 11, 16]);
});

it('sends a rising heartbeat after ten seconds of silence', () => {
  const reporter = new ProgressReporter(7, notify);
  reporter.report(3, 'probing');
  jest.advanceTimersByTime(25_000);
  reporter.close();
  jest.advanceTimersByTime(25_000);
  expect(sent.map(({ message }) => message)).toEqual(['probing', 'probing', 'probing']);
  expect(sent.map(({ progress }) => progress)).toEqual([3, 3.001, 3.002]);
});

it('sends nothing if the host did not ask for progress', () => {
  const reporter = new ProgressReporter(undefined, notify);
  reporter.report(1, 'probing');
  jest.advanceTimersByTime(60_000);
  expect(sent).toEqual([]);
});
