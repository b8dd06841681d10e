import { ConsiliumError } from '../domain/errors.js';

/** One question in a conversation; its answer is the fold of its run's log. */
export interface Exchange {
  /** The exchange that it continues; null for the first of its branch. */
  parent: string | null;
  runId: string;
  question: string;
  /** The topology of the turn; undefined: none. */
  topologyId?: number;
  /** The front end added text to the question, which the answer may repeat. */
  hasContext?: true;
  /** ms since 1970 */
  at: number;
}

/** An id is unique within the tenant that the owner names. */
export type ConversationName = Pick<Conversation, 'id' | 'owner'>;

/** A tree of exchanges, by their context ids. */
export interface Conversation {
  id: string;
  owner: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  /** The exchange that a new one continues by default. */
  head: string | null;
  exchanges: Map<string, Exchange>;
  /** Exchanges whose answers are stored: their turns have ended. */
  answered: Set<string>;
}

/** Whether it exists, also as another caller's. */
export const noConversation = () =>
  new ConsiliumError('NOT_FOUND', 'There is no such conversation');

/** The path from the root to an exchange, that one included. */
export function pathTo(
  { exchanges }: Conversation,
  contextId: string | null,
): [string, Exchange][] {
  const path: [string, Exchange][] = [];
  for (let id = contextId; id !== null;) {
    const exchange = exchanges.get(id);
    if (!exchange || path.length > exchanges.size) break;
    path.unshift([id, exchange]);
    id = exchange.parent;
  }
  return path;
}

/** Exchanges that no other one continues. */
export function headsOf({ exchanges }: Conversation): string[] {
  const parents = new Set([...exchanges.values()].map(({ parent }) => parent));
  return [...exchanges.keys()].filter((id) => !parents.has(id));
}

const SEPARATOR = '~';
const FORM = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Whether a client may use this id for a conversation. */
export const isConversationId = (id: string): boolean => FORM.test(id);

/** The id of an exchange contains the id of its conversation. */
export const contextIdOf = (conversationId: string, runId: string): string =>
  `${conversationId}${SEPARATOR}${runId.slice(-12)}`;

/**
 * The parts of a context id: a conversation, and an exchange in it unless it is the conversation's
 * own id.
 */
export function readContextId(contextId: string): {
  conversationId: string;
  node: string | undefined;
} {
  const at = contextId.indexOf(SEPARATOR);
  return at < 0
    ? { conversationId: contextId, node: undefined }
    : { conversationId: contextId.slice(0, at), node: contextId };
}
