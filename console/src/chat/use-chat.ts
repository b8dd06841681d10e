import { useCallback, useEffect, useRef, useState } from 'react';
import { isTerminal, type NamedEvent } from '../../../src/client/index.js';
import { followRun, isLost, type LinkState } from '../api/follow-run.js';
import { ApiError, ask, call } from '../api/http.js';
import { readStream, RefusedInStream } from '../api/read-stream.js';
import { foldChat, navigationIn, newTurn, type ChatTurn } from '../model/chat-turn.js';

export interface ChatOptions {
  /** The conversation to go on with; null: a new one. */
  sessionId: string | null;
  topologyId?: number | null | undefined;
  /** The run that is spoken of. */
  runId?: string | undefined;
  onSession?: (id: string) => void;
  onNavigate?: (page: string) => void;
  onEnd?: () => void;
}

export interface Chat {
  turns: ChatTurn[];
  running: boolean;
  send: (question: string, contextId?: string) => void;
  stop: () => void;
  clear: () => void;
}

/**
 * Questions to the oracle and its answers as they come. A turn whose connection is lost is followed
 * by its run.
 */
export function useChat(options: ChatOptions): Chat {
  const [turns, setTurns] = useState<ChatTurn[]>([]);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const leave = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leave.current = controller;
    return () => controller.abort();
  }, []);
  const send = useCallback((question: string, contextId?: string): void => {
    const text = question.trim();
    if (text === '') return;
    const id = crypto.randomUUID();
    setTurns((all) => [...all, newTurn(id, text)]);
    const update = (change: (turn: ChatTurn) => ChatTurn): void =>
      setTurns((all) => all.map((turn) => (turn.id === id ? change(turn) : turn)));
    const isStopped = () => stopped.current.has(id);
    const { signal } = leave.current;
    void converse({ id, text, contextId, update, latest, isStopped, signal });
  }, []);
  const last = turns.at(-1);
  /** Turns that were stopped before the service had given them a run. */
  const stopped = useRef(new Set<string>());
  const running = last !== undefined && ['sending', 'running', 'lost'].includes(last.state);
  const stop = (): void => {
    if (last?.runId) cancel(last.runId);
    else if (last) stopped.current.add(last.id);
  };
  return { turns, running, send, stop, clear: () => setTurns([]) };
}

/** A run that has ended cannot be cancelled, which is as well. */
const cancel = (runId: string): void =>
  void call('POST', 'executions/cancel', { body: { runId } }).catch(() => undefined);

interface Conversing {
  id: string;
  text: string;
  contextId: string | undefined;
  update: (change: (turn: ChatTurn) => ChatTurn) => void;
  latest: { readonly current: ChatOptions };
  isStopped: () => boolean;
  signal: AbortSignal;
}

async function converse({
  id,
  text,
  contextId,
  update,
  latest,
  isStopped,
  signal,
}: Conversing): Promise<void> {
  let after = 0;
  let runId: string | null = null;
  let ended = false;
  const take = (events: NamedEvent[]): void => {
    for (const event of events) {
      if (event.sequence <= after) continue;
      after = event.sequence;
      ended ||= isTerminal(event.name);
      if (event.name === 'lifecycle.started' && event.data.session_id)
        latest.current.onSession?.(event.data.session_id);
      const page = navigationIn(event);
      if (page !== null) latest.current.onNavigate?.(page);
      update((turn) => foldChat(turn, event, Date.now()));
    }
  };
  try {
    const response = await ask('POST', '/chat/stream?format=executor', {
      body: bodyOf(text, contextId, latest.current),
      headers: { accept: 'text/event-stream', 'idempotency-key': id },
      signal,
    });
    runId = response.headers.get('x-run-id');
    update((turn) => ({ ...turn, runId }));
    if (runId !== null && isStopped()) cancel(runId);
    if (response.body) await readStream(response.body, take, () => undefined);
  } catch (error) {
    if (signal.aborted) return;
    if (runId === null || error instanceof RefusedInStream) {
      update((turn) => ({ ...turn, ...refusal(error) }));
      latest.current.onEnd?.();
      return;
    }
  }
  if (!ended && runId !== null) {
    update((turn) => ({ ...turn, state: 'lost' }));
    const onState = (link: LinkState): void => {
      if (link.state === 'open') update((turn) => ({ ...turn, state: 'running' }));
      if (isLost(link)) update((turn) => ({ ...turn, state: 'lost' }));
    };
    const listener = { after: () => after, onBatch: take, onState, onHeard: () => undefined };
    await followRun(runId, listener, signal);
  }
  if (!signal.aborted) latest.current.onEnd?.();
}

function bodyOf(text: string, contextId: string | undefined, options: ChatOptions): object {
  const { sessionId, topologyId, runId } = options;
  return {
    message: text,
    ...(sessionId && { session_id: sessionId }),
    ...(contextId && { context_id: contextId }),
    ...(topologyId && { topology_id: topologyId }),
    ...(runId && { run_id: runId }),
  };
}

function refusal(error: unknown): Pick<ChatTurn, 'state' | 'error' | 'quota'> {
  if (error instanceof RefusedInStream)
    return {
      state: 'failed',
      error: { code: error.code, message: error.message, retryable: false },
      quota: error.quota,
    };
  const known = error instanceof ApiError ? error : null;
  const quota = known?.quota ?? null;
  // A quota is full for the rest of the month.
  const retryable = quota === null && (known === null || known.status === 0 || known.status >= 429);
  return {
    state: 'failed',
    error: { code: known?.code ?? 'ERROR', message: (error as Error).message, retryable },
    quota,
  };
}
