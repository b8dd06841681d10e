import { verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import {
  parseJsonEventStream,
  readUIMessageStream,
  uiMessageChunkSchema,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { from, lastValueFrom, toArray, type Observable } from 'rxjs';
import { payloads } from './encode.js';

type Source = Parameters<ReturnType<typeof verifyEvents>>[0];
type Parsed =
  ReturnType<typeof parseJsonEventStream<UIMessageChunk>> extends ReadableStream<infer Result>
    ? Result
    : never;
export type AgUiEvent = { type: string } & Record<string, unknown>;

/**
 * Reads a stream in format `ag-ui`; throws if the protocol's schemas or its order checks do.
 * @returns the events
 */
export async function agUiEvents(text: string): Promise<AgUiEvent[]> {
  const events = payloads(text).map((payload) => EventSchemas.parse(payload) as AgUiEvent);
  // It uses another copy of rxjs.
  const checked = verifyEvents()(
    from(events) as unknown as Source,
  ) as unknown as Observable<AgUiEvent>;
  await lastValueFrom(checked.pipe(toArray()));
  return events;
}

/** Reads a stream in format `ai-sdk` with the AI SDK. */
interface Made {
  message: UIMessage | undefined;
  chunks: UIMessageChunk[];
  errors: unknown[];
}

/**
 * The message that the AI SDK builds from a stream, as `useChat` does; throws for an invalid chunk.
 */
export async function uiMessage(text: string): Promise<Made> {
  const chunks: UIMessageChunk[] = [];
  const errors: unknown[] = [];
  const stream = parseJsonEventStream({
    stream: new Blob([text]).stream(),
    schema: uiMessageChunkSchema,
  }).pipeThrough(
    new TransformStream<Parsed, UIMessageChunk>({
      transform(result, controller) {
        if (!result.success) throw result.error;
        chunks.push(result.value);
        controller.enqueue(result.value);
      },
    }),
  );
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream, onError: (error) => errors.push(error) }))
    message = next;
  return { message, chunks, errors };
}

export const partsOf = (message: UIMessage | undefined, type: string) =>
  (message?.parts ?? []).filter((part) => part.type === type) as Record<string, unknown>[];
export const textsOf = (message: UIMessage | undefined) =>
  partsOf(message, 'text').map(({ text }) => text);
