import { expect, test } from '@jest/globals';
import { stepText } from './step-text.js';

test.each([
  [
    { text: 'Restart it.', access: 'change', command: 'a `b`' },
    '**Change**: Restart it. `` a `b` ``',
  ],
  [{ text: 'Read its log.', access: 'read' }, '**Look**: Read its log.'],
  [
    { text: 'Pray.', access: 'read', origin: 'agent' },
    '**Look**: Pray. (proposed by an agent, not checked)',
  ],
] as const)('%j is %s', (step, text) => expect(stepText(step)).toBe(text));
