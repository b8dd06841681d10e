import { clip } from '../../lib/text.js';
import type { Item, OutcomeText } from './outcome-text.js';
import { renderPlain } from './plain.js';

/** https://docs.slack.dev/reference/block-kit/blocks */
const HEADER_CHARACTERS = 150;
const SECTION_CHARACTERS = 3_000;
/** Slack refuses messages of about 13,000 characters in all. */
const MESSAGE_CHARACTERS = 12_000;
const FALLBACK_CHARACTERS = 1_000;

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Block {
  type: string;
  text: { type: string; text: string };
}

const markdown = (text: string): Block => ({ type: 'section', text: { type: 'mrkdwn', text } });

/** The body of an incoming webhook of Slack. @param note a line about the delivery itself */
export function renderSlack(text: OutcomeText, note: string | undefined): object {
  const fallback = renderPlain(text, FALLBACK_CHARACTERS);
  const blocks: Block[] = [
    { type: 'header', text: { type: 'plain_text', text: clip(text.title, HEADER_CHARACTERS) } },
  ];
  const rest = [
    ...(note === undefined ? [] : [`_${escaped(note)}_`]),
    ...(text.impact === '' ? [] : [escaped(text.impact)]),
    ...text.sections.map(({ title, items }) => `*${title}*\n${items.map(item).join('\n')}`),
    ...(text.url === undefined ? [] : [`<${text.url}|The whole run>`]),
  ];
  let left = MESSAGE_CHARACTERS - fallback.length - HEADER_CHARACTERS;
  for (const each of rest) {
    const shown = wholeLines(each, Math.min(SECTION_CHARACTERS, left));
    if (shown === '') break;
    blocks.push(markdown(shown));
    left -= shown.length;
  }
  return { text: fallback, blocks };
}

function item({ about, text, command, below }: Item): string {
  const head = `• ${about === undefined ? '' : `*${escaped(about)}*: `}${escaped(text)}`;
  const tail = command === undefined ? '' : ` \`${escaped(command.replaceAll('`', "'"))}\``;
  return [`${head}${tail}`, ...below.map((line) => `    ${escaped(line)}`)].join('\n');
}

/** As many lines as fit, so that no escape or markup is cut. */
function wholeLines(text: string, most: number): string {
  let shown = '';
  for (const line of text.split('\n')) {
    if (shown.length + line.length + 1 > most) break;
    shown += shown === '' ? line : `\n${line}`;
  }
  return shown;
}
