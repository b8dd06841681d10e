import { request } from 'node:http';

/** A failure of a service, as sent to its caller: an HTTP status and a message. */
export class Trouble extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls another service of the shop and returns its JSON. Connections are not kept, so that none is
 * stale after a restart.
 * @throws {Trouble} 502 if it refuses, disconnects or returns an error; 504 if it takes too long.
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
        new Trouble(
          502,
          `${name} closed the connection before it answered (${error.code ?? error.message})`,
        ),
      );
    }
  });
}
