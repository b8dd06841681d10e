import { codeSpan, escapeMarkdown } from '../../lib/markdown.js';
import type { Item, OutcomeText } from './outcome-text.js';

/** An outcome in Markdown: for a ticket, a wiki page or a chat that reads it. */
export function renderMarkdown({ title, impact, sections, narrative, url }: OutcomeText): string {
  const parts = [
    `# ${escapeMarkdown(title)}`,
    ...(impact === '' ? [] : [escapeMarkdown(impact)]),
    ...renderSections(sections),
    ...(narrative === undefined
      ? []
      : [`## In the words of the agents\n\n> ${escapeMarkdown(narrative)}`]),
    ...(url === undefined ? [] : [`[The whole run](${url})`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Each section with its heading. */
export const renderSections = (sections: OutcomeText['sections']): string[] =>
  sections.map(({ title, items }) => `## ${title}\n\n${items.map(item).join('\n')}`);

function item({ about, text, command, below }: Item): string {
  const head = `- ${about === undefined ? '' : `**${escapeMarkdown(about)}**: `}${escapeMarkdown(text)}`;
  const tail = command === undefined ? '' : ` ${codeSpan(command)}`;
  return [`${head}${tail}`, ...below.map((line) => `  - ${escapeMarkdown(line)}`)].join('\n');
}
