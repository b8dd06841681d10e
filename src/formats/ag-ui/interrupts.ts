import type { EventData } from '../../domain/events/event.js';
import { frame } from '../encoder.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import { close } from './messages.js';
import { keyOf, named, tag, type AgUiState } from './state.js';
import { startOf } from './sub-agents.js';

/** The version of the protocol. */
const PROTOCOL = '1.0';

/**
 * The payload of an answer to an interrupt:
 * https://docs.ag-ui.com/spec/1.0/basic/patterns/interrupt-resume
 */
const RESPONSE_SCHEMA = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason: { type: 'string', maxLength: 500 } },
  required: ['approved'],
} as const;

/** The id identifies the call that a person sees, so that the answer can be about no other. */
const idOf = (runId: string, { approval_id, args_digest }: EventData['system.approval']): string =>
  `${runId}:${approval_id}:${args_digest}`;

/** Reads the id of an interrupt. @returns undefined if it does not belong to this run */
export function readInterruptId(
  runId: string,
  id: string,
): { approvalId: string; argsDigest: string } | undefined {
  const [of, approvalId, argsDigest, ...more] = id.split(':');
  if (of !== runId || !approvalId || !argsDigest || more.length > 0) return undefined;
  return { approvalId, argsDigest };
}

/**
 * Reads a frame that interrupts a run.
 * @returns the sequence of its approval, and when the last open approval expires (ms since 1970);
 *   undefined for any other frame
 */
export function interruptIn(text: string): { sequence: number; expiresAt: number } | undefined {
  if (!text.includes('"outcome":{"type":"interrupt"')) return undefined;
  const [, sequence, data = ''] = /^id: (\d+)\ndata: (\{"type":"RUN_FINISHED".*)/.exec(text) ?? [];
  if (sequence === undefined) return undefined;
  const { outcome } = JSON.parse(data) as { outcome: { interrupts: { expiresAt: string }[] } };
  const expiries = outcome.interrupts.map(({ expiresAt }) => Date.parse(expiresAt));
  return { sequence: Number(sequence), expiresAt: Math.max(...expiries) };
}

/** Begins a run of the protocol. */
export const start = ({ shown }: AgUiState) =>
  frame({ type: 'RUN_STARTED', protocolVersion: PROTOCOL, ...shown });

/**
 * Ends the run of the protocol with what it waits for. Open messages and sub-agents continue in the
 * next one.
 */
export function interrupt(
  state: AgUiState,
  asked: EventData['system.approval'],
): EncoderStep<AgUiState> {
  const { approval_id, tool_call_id, dispatch_id, tool, args, args_digest, node } = asked;
  const open = {
    id: idOf(state.runId, asked),
    reason: 'tool_call',
    message: `${asked.message} ${asked.risk}`,
    toolCallId: named(state, tool_call_id),
    responseSchema: RESPONSE_SCHEMA,
    expiresAt: asked.expires_at,
    metadata: { approval_id, tool, args, args_digest, node },
    ...tag(state, keyOf(state, dispatch_id)),
  };
  const interrupts = { ...state.interrupts, [approval_id]: open };
  let made: EncoderStep<AgUiState> = [{ ...state, interrupts, isPaused: true }, []];
  for (const key of Object.keys(state.open)) made = andThen(made, (now) => close(now, key));
  const outcome = { type: 'interrupt', interrupts: Object.values(interrupts) };
  return andThen(made, (now) => [
    { ...now, usage: {} },
    [
      ...Object.values(now.subs)
        .toReversed()
        .map(({ id: subagentRunId }) =>
          frame({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended' } }),
        ),
      frame({ type: 'RUN_FINISHED', ...now.shown, outcome, usage: Object.values(now.usage) }),
    ],
  ]);
}

/** Continues in another run of the protocol, with the sub-agents that were suspended. */
export function resume(state: AgUiState): EncoderStep<AgUiState> {
  const runs = state.runs + 1;
  const runId = `${state.shown.runId.replace(/#\d+$/, '')}#${runs}`;
  const now: AgUiState = { ...state, runs, isPaused: false, shown: { ...state.shown, runId } };
  return [now, [start(now), ...Object.values(now.subs).map((sub) => startOf(now, sub))]];
}

/** Forgets an interrupt that was answered or has expired. */
export function withoutInterrupt(state: AgUiState, approvalId: string): AgUiState {
  const { [approvalId]: _, ...interrupts } = state.interrupts;
  return { ...state, interrupts };
}
