export interface ChatEvent {
  /** The `event` field of the SSE frame; undefined if the format has none. */
  event: string | undefined;
  data: Record<string, unknown>;
}

/** The headers of a caller of this name. */
export const as = (name: string) => ({ cookie: `consilium_caller=0123456789abcdef-${name}` });

/** Sends a message and reads the stream to its end. */
export async function ask(url: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    runId: response.headers.get('x-run-id') ?? '',
    text,
    events: eventsIn(text),
  };
}

/** The JSON frames of a stream. */
const eventsIn = (text: string): ChatEvent[] =>
  text.split('\n\n').flatMap((frame) => {
    const data = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (data === undefined) return [];
    return [
      {
        event: /^event: (.*)$/m.exec(frame)?.[1],
        data: JSON.parse(data) as Record<string, unknown>,
      },
    ];
  });

/** The text of a stream in format `chat`. */
export const says = (events: readonly ChatEvent[]): string =>
  events
    .flatMap(({ event, data }) => (event === 'content_delta' ? [String(data['text'])] : []))
    .join('');
