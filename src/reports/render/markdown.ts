import type { Item, OutcomeText } from './outcome-text.js';

/** Text with what Markdown or HTML would read as markup escaped. */
export const escaped = (text: string): string =>
  text.replace(/[\\`*_[\]<>|#~]/g, '\\$&').replace(/&/g, '&amp;');

/** Code in a fence that is longer than any run of ticks in it (CommonMark section 6.1). */
function code(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([ticks]) => ticks.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  return runs.length > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** An outcome in Markdown: for a ticket, a wiki page or a chat that reads it. */
export function renderMarkdown({ title, impact, sections, url }: OutcomeText): string {
  const parts = [
    `# ${escaped(title)}`,
    ...(impact === '' ? [] : [escaped(impact)]),
    ...renderSections(sections),
    ...(url === undefined ? [] : [`[The whole run](${url})`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Each section with its heading. */
export const renderSections = (sections: OutcomeText['sections']): string[] =>
  sections.map(({ title, items }) => `## ${title}\n\n${items.map(item).join('\n')}`);

function item({ about, text, command, below }: Item): string {
  const head = `- ${about === undefined ? '' : `**${escaped(about)}**: `}${escaped(text)}`;
  const tail = command === undefined ? '' : ` ${code(command)}`;
  return [`${head}${tail}`, ...below.map((line) => `  - ${escaped(line)}`)].join('\n');
}
