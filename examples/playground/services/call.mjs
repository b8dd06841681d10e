import { request } from 'node:http';

/** What went wrong in a service, as it tells its caller: an HTTP status and a truthful sentence. */
export class Trouble extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Asks another service of the shop and gives its JSON answer. No connection is kept: after a restart of the other side none
 * could be stale.
 * @throws {Trouble} 502 when it refuses, hangs up or answers with an error; 504 when it takes too long.
 */
export function call(name, url, { timeoutMs, ca }) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Trouble(504, `${name} did not answer within ${timeoutMs} ms`));
    const asked = request(
      url,
      { agent: false, signal: AbortSignal.timeout(timeoutMs), ca },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', failed);
        answer.on('end', () => {
          if (answer.statusCode !== 200)
            return reject(new Trouble(502, `${name} answered ${answer.statusCode}`));
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
        });
      },
    );
    asked.on('error', failed);
    asked.end();

    function failed(error) {
      if (error.name === 'AbortError' || error.name === 'TimeoutError') return late();
      if (error.code === 'ECONNREFUSED')
        return reject(new Trouble(502, `${name} refuses connections`));
      reject(
        new Trouble(502, `${name} hung up before it answered (${error.code ?? error.message})`),
      );
    }
  });
}
