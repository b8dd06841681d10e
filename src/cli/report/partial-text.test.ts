import { expect, it } from '@jest/globals';
import { partialText } from './partial-text.js';

const nameOf = (node: string) => node.toUpperCase();
const unchecked = [{ node: 'cache', reason: 'FORBIDDEN', detail: 'It wants a password.' }];

it.each([
  [['TOOL_FAILED'], unchecked, 'CACHE not checked'],
  [['TOOL_FAILED'], [], 'a tool gave no result'],
  [['LIMIT_REACHED', 'TOOL_FAILED'], unchecked, 'CACHE not checked; an agent reached a limit'],
  [['OVERLOADED', 'AI_ERROR'], [], 'the model provider failed'],
  [['toString'], [], 'toString'],
  [[], [], 'some agents did not finish'],
])('says in words why a run is partial: %j', (reasons, missing, text) => {
  expect(partialText(reasons, { unchecked: missing }, nameOf)).toBe(text);
});
