import { expect, it } from '@jest/globals';
import { LogRead } from './log-read.js';

it.each([
  ['llm.usage', true],
  ['system.warning', true],
  ['dispatch.worker', false],
  ['dispatch.report', false],
  ['llm.tool_result', false],
] as const)('after an event %s of the agent, what was whole stays so: %s', (name, stays) => {
  const read = new LogRead();
  read.whole = { reports: [] };
  read.note([{ name: 'llm.stream' }, { name }]);
  expect(read.whole.reports !== undefined).toBe(stays);
});
