import { clip } from '../../lib/text.js';
import type { Item, OutcomeText } from './outcome-text.js';

/** An outcome as plain text of bounded length: for chats without markup, and for an annotation. */
export function renderPlain({ title, impact, sections, url }: OutcomeText, most: number): string {
  const end = url === undefined ? '' : `\n${url}`;
  const body = [
    title,
    ...(impact === '' ? [] : [impact]),
    ...sections.flatMap(({ title: name, items }) => [`${name}:`, ...items.flatMap(lines)]),
  ].join('\n');
  return `${clip(body, most - end.length)}${end}`;
}

const lines = ({ about, text, command, below }: Item): string[] => [
  `- ${about === undefined ? '' : `${about}: `}${text}${command === undefined ? '' : `: ${command}`}`,
  ...below.map((line) => `  ${line}`),
];
