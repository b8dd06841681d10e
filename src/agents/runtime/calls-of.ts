import type { JsonObject } from '../../lib/json.js';
import type { Message } from './conversation.js';
import type { AnsweredCall } from './session-step.js';

const callsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));

const answers = new WeakMap<readonly Message[], readonly AnsweredCall[]>();

/**
 * Returns what an agent called so far, and the results. Kept with the messages, an array that never
 * changes.
 */
export function answersIn(messages: readonly Message[]): readonly AnsweredCall[] {
  const known = answers.get(messages);
  if (known) return known;
  const made = pairAnswers(messages);
  answers.set(messages, made);
  return made;
}

function pairAnswers(messages: readonly Message[]): AnsweredCall[] {
  const callOf = new Map(callsIn(messages).map((call) => [call.id, call]));
  return messages.flatMap((message) => {
    const call = message.role === 'result' ? callOf.get(message.id) : undefined;
    return message.role === 'result' && call
      ? [
          {
            ...call,
            output: message.output,
            failed: message.failed,
            refused: message.refused === true,
          },
        ]
      : [];
  });
}

/** The arguments of the calls of a tool that an agent made before a call, in their order. */
export function callsBefore(
  messages: readonly Message[],
  { tool, id }: { tool: string; id: string },
): JsonObject[] {
  const calls = callsIn(messages);
  const at = calls.findIndex((call) => call.id === id);
  return calls.filter((call, i) => i < at && call.tool === tool).map(({ args }) => args);
}
