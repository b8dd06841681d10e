import { expect, it } from '@jest/globals';
import { refusalToRepeat, refusalToStart } from './started-diagnoses.js';

it.each([
  ['Please diagnose topology 7.', 7],
  ['Diagnose topology #7 please', 7],
  ['Diagnostiziere Topologie 7', 7],
  ['Please diagnose topologies 7, 8 and 9.', 9],
  ['Please diagnose the shop, it has been slow since 10:30.', 7],
  ['Diagnose everything', 7],
])('M5: "%s" may start a diagnosis of topology %d', (message, id) =>
  expect(refusalToStart({ message }, [], id)).toBeUndefined(),
);

it.each([
  ['Please diagnose topology 7.', 8],
  ['Diagnose topology 7 again, please: the report says that 70 is worse.', 8],
  ['Diagnostiziere Topologie 17', 7],
  ['Please diagnose topologies 7, 8 and 9.', 10],
])('M5: "%s" starts no diagnosis of topology %d', (message, id) =>
  expect(refusalToStart({ message }, [], id)).toContain(`not for ${id}`),
);

it('M5: takes the number from what the person accepts', () => {
  const history = [{ role: 'assistant' as const, text: 'Shall I diagnose topology 7?' }];
  expect(refusalToStart({ message: 'Yes' }, history, 7)).toBeUndefined();
  expect(refusalToStart({ message: 'Yes' }, history, 8)).toContain('not for 8');
});

it('M5: starts one diagnosis of a topology for a message, and at most five in all', () => {
  expect(refusalToRepeat(7, [])).toBeUndefined();
  expect(refusalToRepeat(7, [7])).toContain('you have called for it already');
  expect(refusalToRepeat(5, [1, 2, 3, 4, 4])).toBeUndefined();
  expect(refusalToRepeat(6, [1, 2, 3, 4, 5])).toContain('At most 5');
});

it('M5: asks for words of the person first', () => {
  expect(refusalToStart({ message: 'What is topology 7?' }, [], 7)).toContain('has not asked');
});

it('M5: reads a long message in linear time', () => {
  for (const part of ['topology ', 'topology #', '1.', '1-', '12345 '])
    expect(refusalToStart({ message: `diagnose it ${part.repeat(2_000)}` }, [], 7)).not.toBe('');
});

it('M5: takes no request from a name, and the number from what was said', () => {
  const named = { message: 'Diagnose Topology 7', request: 'diagnose somename' };
  expect(refusalToStart(named, [], 7)).toBeUndefined();
  expect(refusalToStart(named, [], 8)).toContain('not for 8');
  const asked = { message: 'What is "Diagnose it" about?', request: 'what is somename about?' };
  expect(refusalToStart(asked, [], 7)).toContain('has not asked');
});
