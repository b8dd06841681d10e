import type { JsonObject } from '../../lib/json.js';
import type { Message } from './conversation.js';
import type { AnsweredCall } from './session-step.js';

const callsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));

/** The calls of an agent so far, and their results. */
export function answersIn(messages: readonly Message[]): AnsweredCall[] {
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
