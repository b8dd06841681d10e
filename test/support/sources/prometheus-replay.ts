import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Series } from '../../../src/domain/telemetry/records.js';

/** What a request to the server was. */
export interface Asked {
  path: string;
  form: URLSearchParams;
  authorization: string | undefined;
}

export interface PrometheusReplay {
  url: string;
  asked: Asked[];
  /** Answers the next request with this instead. */
  answerNext(status: number, body: string, headers?: Record<string, string>): void;
  /** Answers every request with this status, until it is called without one. */
  refuse(status: number | undefined): void;
  close: () => Promise<void>;
}

/**
 * A server that answers `query_range` of the Prometheus HTTP API for one form of query,
 * `last_over_time({MATCHERS}[Nms])`, from series in memory, as Prometheus 2.42 does.
 */
export async function startPrometheusReplay(series: readonly Series[]): Promise<PrometheusReplay> {
  const asked: Asked[] = [];
  const next: { status: number; body: string; headers: Record<string, string> }[] = [];
  let refusal: number | undefined;
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(parts).toString());
      const { authorization } = request.headers;
      asked.push({ path: request.url ?? '', form, authorization });
      const given =
        refusal === undefined ? next.shift() : { status: refusal, body: '{}', headers: {} };
      response.writeHead(given?.status ?? 200, given?.headers ?? {});
      response.end(given?.body ?? JSON.stringify(answerTo(form, series)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answerNext: (status, body, headers = {}) => void next.push({ status, body, headers }),
    refuse: (status) => void (refusal = status),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answerTo(form: URLSearchParams, series: readonly Series[]): unknown {
  if (!form.has('step'))
    return { status: 'success', data: { resultType: 'scalar', result: [0, '1'] } };
  const query = /^last_over_time\(\{(.*)\}\[(\d+)ms\]\)$/.exec(form.get('query') ?? '');
  const [, matchers = '', range = '0'] = query ?? [];
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name)) * 1_000);
  const times: number[] = [];
  for (let at = start ?? 0; at <= (end ?? 0); at += step ?? 1) times.push(at);
  const result = series
    .filter(({ name, labels }) => matches(matchers, { ...labels, __name__: name }))
    .map(({ name, labels, ...points }) => ({
      metric: { __name__: name, ...labels },
      values: times.flatMap((at) => {
        const last = points.times.findLastIndex((each) => each <= at && each >= at - Number(range));
        return last < 0 ? [] : [[at / 1_000, String(points.values[last])]];
      }),
    }))
    .filter(({ values }) => values.length > 0);
  return { status: 'success', data: { resultType: 'matrix', result } };
}

function matches(matchers: string, labels: Record<string, string>): boolean {
  return [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g)].every(
    ([, name = '', operator, escaped = '']) => {
      const value = labels[name] ?? '';
      const wanted = escaped.replace(/\\(.)/g, '$1');
      const fits = operator?.endsWith('~')
        ? new RegExp(`^(?:${wanted})$`).test(value)
        : value === wanted;
      return operator?.startsWith('!') ? !fits : fits;
    },
  );
}
