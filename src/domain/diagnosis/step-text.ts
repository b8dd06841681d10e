import { codeSpan, escapeMarkdown } from '../../lib/markdown.js';
import type { NextStep } from './finding.js';

/** What a step is called: one that changes the system must differ from one that only looks. */
export const stepMark = ({ access }: Pick<NextStep, 'access'>): 'Change' | 'Look' =>
  access === 'change' ? 'Change' : 'Look';

/** Says of a step that a model proposes it. */
export const stepNote = ({ origin }: Pick<NextStep, 'origin'>): string =>
  origin === 'agent' ? ' (proposed by an agent, not checked)' : '';

/** A step as one line of Markdown: what it is called, what to do, and the command as code. */
export function stepText({ text, command, ...step }: NextStep): string {
  const code = command === undefined ? '' : ` ${codeSpan(command)}`;
  return `**${stepMark(step)}**: ${escapeMarkdown(text)}${stepNote(step)}${code}`;
}
