import { clip } from '../../lib/text.js';
import type { Item, OutcomeText } from './outcome-text.js';

/**
 * Text that a chat interprets as a mention or a link: `<users/all>` and `<https://…|text>` of
 * Google Chat, `<!channel>` and `<@U1>` of Slack, `@all` and `@name` of Mattermost, which does not
 * interpret the `@` of `user@host`. https://developers.google.com/workspace/chat/format-messages,
 * https://docs.mattermost.com/end-user-guide/collaborate/mention-people.html
 */
const MENTION = /<(?=[!@#]|users\/|https?:|mailto:)|(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}])/giu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * An outcome as plain text of bounded length that mentions no person or channel: for chats without
 * markup, and for an annotation.
 */
export function renderPlain({ title, impact, sections, url }: OutcomeText, most: number): string {
  const end = url === undefined ? '' : `\n${url}`;
  const body = [
    title,
    ...(impact === '' ? [] : [impact]),
    ...sections.flatMap(({ title: name, items }) => [`${name}:`, ...items.flatMap(lines)]),
  ]
    .join('\n')
    .replace(MENTION, `$&${ZERO_WIDTH_SPACE}`);
  return `${clip(body, most - end.length)}${end}`;
}

const lines = ({ about, text, command, below }: Item): string[] => [
  `- ${about === undefined ? '' : `${about}: `}${command === undefined ? text : `${text.replace(/\.$/, '')}: ${command}`}`,
  ...below.map((line) => `  ${line}`),
];
