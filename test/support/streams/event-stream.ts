import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { expect } from '@jest/globals';
import type { Source } from '../../../src/domain/events/event.js';
import type { JsonObject } from '../../../src/lib/json.js';
import { check } from '../../contract/check-stream.mjs';
import { until } from '../until.js';

/** An event as the checker returns it: `key` is `category.action`. */
export interface CheckedEvent {
  run_id: string;
  sequence: number;
  timestamp: string;
  key: string;
  source: Source;
  data: JsonObject;
}

export interface StreamRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * A response that is read as it arrives, without a client library between the test and the bytes.
 */
export class EventStream {
  text = '';
  /** Whether the server has closed it, or the connection was cut. */
  ended = false;

  private constructor(private readonly incoming: IncomingMessage) {
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => (this.text += chunk));
    incoming.on('error', () => undefined);
    incoming.on('close', () => (this.ended = true));
  }

  static async open(
    url: string,
    { method = 'GET', headers = {}, body }: StreamRequest = {},
  ): Promise<EventStream> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const outgoing = request(url, {
      method,
      agent: false,
      headers: {
        accept: 'text/event-stream',
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    outgoing.on('error', () => undefined);
    outgoing.end(sent);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return new EventStream(incoming);
  }

  get status(): number {
    return this.incoming.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.incoming.headers;
  }

  get runId(): string {
    return String(this.headers['x-run-id']);
  }

  /** The complete frames so far. */
  get log(): string {
    return logOf(this.text);
  }

  get lastSequence(): number {
    return lastSequenceOf(this.text);
  }

  /** Waits until the frames contain a text. */
  async has(text: string): Promise<this> {
    await until(`"${text}" in a stream`, () => {
      if (this.ended && !this.text.includes(text))
        throw new Error(`the stream ended without "${text}":\n${this.text.slice(-2_000)}`);
      return this.text.includes(text);
    });
    return this;
  }

  /** Waits until it has ended. */
  async end(ms = 300_000): Promise<this> {
    await until('the end of a stream', () => this.ended, ms);
    return this;
  }

  /** Disconnects the client, even in the middle of a frame. */
  cut(): void {
    this.incoming.destroy();
  }
}

/**
 * The complete frames of a stream without `retry:` and comments. Every reader of a log must have
 * the same bytes.
 */
export function logOf(text: string): string {
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
  const frames = whole.split(/(?<=\n\n)/).filter((frame) => frame.startsWith('event: '));
  return frames.join('');
}

export function lastSequenceOf(text: string): number {
  return Number(/.*^id: (\d+)$/ms.exec(logOf(text))?.[1] ?? 0);
}

/** Checks a whole log against the contract and expects no problem. @returns its events */
export function expectValid(text: string): CheckedEvent[] {
  const { problems, events } = check(text);
  expect(problems).toEqual([]);
  return events;
}
