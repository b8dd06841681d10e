import type { Api } from '../api.js';
import { ask } from '../chat.js';
import { EventStream, expectValid } from './event-stream.js';

/**
 * The stored exchanges of a conversation: each with its answer so far and whether the answer is
 * incomplete.
 */
export async function kept({ url }: Api, conversation = 'talk') {
  const { data } = (await (await fetch(`${url}/api/v1/conversations/${conversation}`)).json()) as {
    data: { messages: { role: string; content: string; partial: boolean; run_id: string }[] };
  };
  return data.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content, partial }) => [content, partial]);
}

/** Runs a turn of the conversation `talk` and returns its stored exchange. */
export async function turn(api: Api) {
  const { text, runId } = await ask(`${api.url}/api/v1/conversations/talk/stream`, {
    content: 'Is it well?',
  });
  return { text, log: expectValid(await api.log(runId)), kept: await kept(api) };
}

/** Opens a turn of the conversation `talk` and reads its stream. */
export const open = (api: Api, body: object = {}) =>
  EventStream.open(`${api.url}/chat/stream`, {
    method: 'POST',
    body: { message: 'Is it well?', session_id: 'talk', ...body },
  });

/** Sets limits for the turns of the caller. */
export const limit = (api: Api, limits: object) =>
  fetch(`${api.url}/api/settings/agent-config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(limits),
  });
