import { expect } from '@jest/globals';
import { EventStream } from './streams/event-stream.js';
import { until } from './until.js';
import type { RunRecord } from '../../src/client/types.js';

const BASE = '/api/service/v1';

export interface Answer<Data> {
  status: number;
  headers: Headers;
  text: string;
  code: string;
  message: string;
  data: Data;
}

export interface Question {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client of the service: paths are without the base path, and responses without the envelope. */
export class Api {
  constructor(readonly url: string) {}

  at(path: string): string {
    return `${this.url}${BASE}${path}`;
  }

  /** @param path without the base path */
  async ask<Data = unknown>(
    method: string,
    path: string,
    { body, headers = {} }: Question = {},
  ): Promise<Answer<Data>> {
    const sent =
      body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(this.at(path), {
      method,
      ...sent,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') === true;
    const { code, message, data } = (json ? JSON.parse(text) : {}) as {
      code: string;
      message: string;
      data: Data;
    };
    return { status: response.status, headers: response.headers, text, code, message, data };
  }

  async store(topology: { id: number }, headers: Record<string, string> = {}): Promise<number> {
    const { status, text } = await this.ask('POST', '/topologies', { body: topology, headers });
    expect([status, text]).toEqual([201, text]);
    return topology.id;
  }

  /** Starts a run and reads its stream. */
  async trigger(topologyId: number, more: object = {}): Promise<EventStream> {
    const body = { topologyId, userMessage: 'Something seems wrong.', ...more };
    return EventStream.open(this.at('/executions/trigger'), { method: 'POST', body });
  }

  /** Starts a run without following it. */
  async accept(topologyId: number, more: object = {}): Promise<string> {
    const body = { topologyId, userMessage: 'Something seems wrong.', ...more };
    const { status, data } = await this.ask<{ runId: string }>('POST', '/executions/trigger', {
      body,
    });
    expect(status).toBe(202);
    return data.runId;
  }

  follow(runId: string, headers: Record<string, string> = {}, query = ''): Promise<EventStream> {
    return EventStream.open(this.at(`/executions/${runId}/events${query}`), { headers });
  }

  /** The whole log of a run, to its end. */
  async log(runId: string): Promise<string> {
    return (await (await this.follow(runId)).end()).log;
  }

  cancel(
    runId: string,
  ): Promise<Answer<{ type: string; runId: string; content: string; timestamp: string }>> {
    return this.ask('POST', '/executions/cancel', { body: { runId } });
  }

  async show(
    runId: string,
  ): Promise<RunRecord & { quiesced: boolean; kind: string; usage: Record<string, number> }> {
    const { status, text, data } = await this.ask<
      RunRecord & { quiesced: boolean; kind: string; usage: Record<string, number> }
    >('GET', `/executions/${runId}`);
    expect([status, text]).toEqual([200, text]);
    return data;
  }

  /** Waits until a run has a status. */
  async reaches(runId: string, status: RunRecord['status'], ms?: number): Promise<void> {
    await until(
      `run ${runId} is ${status}`,
      async () => (await this.show(runId)).status === status,
      ms,
    );
  }
}
