import type { OpenLibrarian } from '../../domain/blackboard.js';
import { bytesOf, tokensOf } from '../../domain/context/density.js';
import { delegationReason } from '../../domain/context/delegation.js';
import { READ_AGAIN } from '../../domain/context/view.js';
import type { DraftEvent, Source } from '../../domain/events/event.js';
import { librarianOf } from '../../domain/librarian.js';
import { utf8Length } from '../../domain/events/serialise-payload.js';
import { writeData } from '../../domain/prompt/data-block.js';
import type { ModelEntry } from '../../models/models.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { Message, ModelPrompt } from '../runtime/conversation.js';
import { dataCodeOf } from '../runtime/opening.js';
import { windowOf } from '../runtime/window.js';

/**
 * Maximum number of calls that a librarian makes for one result, and for all results of its
 * dispatch.
 */
const PARTS_OF_RESULT = 8;
const PARTS = 24;
/** The share of its window that a part may use. */
const PART_SHARE = 0.5;

type Result = Extract<Message, { role: 'result' }>;

/** The name of an agent's librarian in the log. */
export const librarianSource = (source: Source): Source => ({
  ...source,
  agent_id: librarianOf(source.agent_id),
  agent_name: `Librarian of ${source.agent_name}`,
});

/**
 * The results to read: those of the latest turn that are too large for the agent, in parts that fit
 * into the model's window.
 */
export function partsToRead(session: AgentSession): OpenLibrarian['parts'] {
  const { board, messages } = session;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const turn = messages[last];
  if (turn?.role !== 'assistant') return [];
  const tools = new Map(turn.calls.map(({ id, tool }) => [id, tool]));
  const isOpen = (message: Message): message is Result =>
    message.role === 'result' &&
    !message.failed &&
    tools.get(message.id) !== READ_AGAIN &&
    !Object.hasOwn(board.view.summaries, message.id);
  const most = Math.max(
    1_000,
    bytesOf(board.density, windowOf(session.chain, board) * PART_SHARE) >> 1,
  );
  const parts = messages.slice(last + 1).flatMap((message) => {
    if (!isOpen(message)) return [];
    const text = textOfResult(message);
    if (
      delegationReason(
        tools.get(message.id) ?? '',
        message.output,
        tokensOf(board.density, utf8Length(text)),
      ) === null
    )
      return [];
    const count = Math.min(PARTS_OF_RESULT, Math.ceil(text.length / most));
    return Array.from({ length: count }, (_, i) => ({
      id: message.id,
      from: i * most,
      to: Math.min(text.length, (i + 1) * most),
    }));
  });
  return parts.slice(0, PARTS);
}

const textOfResult = ({ output }: Result): string =>
  typeof output === 'string' ? output : JSON.stringify(output);

/** The call for one part. */
export function prepareReading(
  session: AgentSession,
  chain: readonly ModelEntry[],
  { id, from, to }: OpenLibrarian['parts'][number],
): ModelPrompt {
  const { messages, task, board, prompts } = session;
  const found = messages.find(
    (message): message is Result => message.role === 'result' && message.id === id,
  );
  const text = found ? textOfResult(found) : '';
  const where =
    from > 0 || to < text.length ? `, characters ${from} to ${to} of ${text.length}` : '';
  const data = { origin: `the result ${id}${where}`, text: text.slice(from, to) };
  const code = dataCodeOf(session);
  const user = `Data code: ${code}\n\nThe agent's task: ${task}\n\n${writeData(data, code)}`;
  const system = `${prompts.texts.librarian.trim()}\n\n${prompts.texts.data.trim()}`;
  const bytes = utf8Length(system) + utf8Length(user);
  return {
    chain,
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: user }] },
    ],
    tools: [],
    tokens: tokensOf(board.density, bytes),
    bytes,
  };
}

/**
 * The summary of each result that was read, with all its parts. A summary is never summarised
 * again.
 */
export function summariesOf(
  { messages }: Pick<AgentSession, 'messages'>,
  { parts, said }: OpenLibrarian,
): Record<string, string> {
  const summaries: Record<string, string> = {};
  for (const id of new Set(parts.map((part) => part.id))) {
    const own = parts.flatMap((part, i) =>
      part.id === id ? [{ ...part, text: said[i]?.trim() ?? '' }] : [],
    );
    if (own.some(({ text }) => text === '')) continue;
    const found = messages.find(
      (message): message is Result => message.role === 'result' && message.id === id,
    );
    const length = found ? textOfResult(found).length : 0;
    const read = own.at(-1)?.to ?? 0;
    const unread = read < length ? [`Not read: characters ${read} to ${length}.`] : [];
    summaries[id] = [...own.map(({ text }) => text), ...unread].join('\n');
  }
  return summaries;
}

/** Its report, also if its work was interrupted. */
export function librarianReport(
  source: Source,
  { dispatch_id, parts }: OpenLibrarian,
  summaries: Readonly<Record<string, string>>,
  reasons: string[],
): DraftEvent {
  const asked = new Set(parts.map(({ id }) => id)).size;
  const read = Object.entries(summaries);
  const status = reasons.length === 0 ? 'ok' : read.length > 0 ? 'partial' : 'failed';
  const summary = [
    `Summarised ${read.length} of ${asked} large results.`,
    ...read.map(([id, text]) => `[${id}] ${text}`),
  ].join('\n');
  return {
    name: 'dispatch.report',
    source: librarianSource(source),
    data: { dispatch_id, status, reasons, summary, findings: [] },
  };
}
