import { expect, it } from '@jest/globals';
import { plainPrompt } from './plain-prompt.js';

const user = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Look.' }] };

it('joins the instructions to one system message', () => {
  const system = ['You look.', 'Your place.'].map((content) => ({
    role: 'system' as const,
    content,
  }));
  expect(plainPrompt([...system, user])).toEqual([
    { role: 'system', content: 'You look.\n\nYour place.' },
    user,
  ]);
});

it('leaves a prompt with one system message as it is', () => {
  const prompt = [{ role: 'system' as const, content: 'You look.' }, user];
  expect(plainPrompt(prompt)).toBe(prompt);
});
