import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a replayed server. */
export interface AskedOf {
  url: URL;
  body: string;
  headers: IncomingHttpHeaders;
}

export interface SourceReplay {
  url: string;
  asked: AskedOf[];
  /** Answers the next request with this instead. */
  answerNext(status: number, body: string, headers?: Record<string, string>): void;
  close: () => Promise<void>;
}

/**
 * A server over HTTP that answers with JSON.
 * @param answerTo undefined: 404
 */
export async function startReplay(answerTo: (asked: AskedOf) => unknown): Promise<SourceReplay> {
  const asked: AskedOf[] = [];
  const next: { status: number; body: string; headers: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const one = {
        url: new URL(request.url ?? '/', 'http://replay'),
        body: Buffer.concat(parts).toString(),
        headers: request.headers,
      };
      asked.push(one);
      const given = next.shift();
      const answer = given ? undefined : answerTo(one);
      const { status, body, headers } = given ?? {
        status: answer === undefined ? 404 : 200,
        headers: {},
        body: JSON.stringify(answer ?? {}),
      };
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answerNext: (status, body, headers = {}) => void next.push({ status, body, headers }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
