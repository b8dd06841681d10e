import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Trouble } from './call.mjs';
import { dieWithParent } from './die-with-parent.mjs';
import { Metrics } from './metrics.mjs';

/**
 * Common parts of the shop's services. `GET /` does the real work, `GET /health` reports whether
 * the work succeeds, `GET /metrics` is Prometheus text. With LOG_FILE, each request is a line of
 * it. Listens on loopback, on PORT or a free port, and reports the port to its parent.
 *
 * @param {{name: string, work: () => Promise<object>, tls?: {key: Buffer, cert: Buffer}}} service
 */
export function serve({ name, work, tls }) {
  dieWithParent();
  const metrics = new Metrics(name);

  async function outcome(path) {
    try {
      const done = await work();
      return [
        200,
        path === '/health'
          ? { status: 'ok', checks: { process: 'ok', work: 'ok' } }
          : { service: name, ...done },
      ];
    } catch (error) {
      const status = error instanceof Trouble ? error.status : 500;
      if (path !== '/health') return [status, { error: error.message }];
      return [503, { status: 'failing', checks: { process: 'ok', work: error.message } }];
    }
  }

  const answer = async (request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    if (path === '/metrics')
      return response
        .setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        .end(metrics.text());
    const began = performance.now();
    const known = path === '/' || path === '/health';
    const [status, body] = known
      ? await outcome(path)
      : [404, { error: `${name} serves /, /health and /metrics` }];
    const took = performance.now() - began;
    metrics.record(status, took / 1000);
    log(status, path, { took, message: body.error ?? body.checks?.work });
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(`${JSON.stringify(body)}\n`);
  };

  function log(status, path, { took, message }) {
    if (process.env.LOG_FILE === undefined) return;
    const [level, msg] =
      status < 500
        ? ['info', `GET ${path} ${status} in ${Math.round(took)} ms`]
        : ['error', `GET ${path} ${status}: ${message}`];
    const line = { time: new Date().toISOString(), level, msg };
    appendFileSync(process.env.LOG_FILE, `${JSON.stringify(line)}\n`);
  }

  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    process.send?.({ listening: server.address().port }),
  );
}
