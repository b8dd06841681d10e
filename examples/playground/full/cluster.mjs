import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

/** When the answers were recorded: their times are moved so that it is now. */
const RECORDED = Date.parse('2026-11-22T13:01:00Z');
const TIME = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"/g;

/**
 * Answers list calls as the API server of Kubernetes does, from answers of a real one (1.20) for
 * the deployment `search`.
 *
 * @param {{state: 'healthy' | 'unready', now: number}} options `unready`: its latest revision asks
 *   the wrong port for readiness
 * @returns {Promise<{url: string, token: string, stop: () => Promise<void>}>}
 */
export async function startCluster({ state, now }) {
  const text = readFileSync(new URL(`cluster/${state}.json`, import.meta.url), 'utf8');
  const moved = (_, time) =>
    `"${new Date(Date.parse(time) - RECORDED + now).toISOString().replace(/\.\d+Z/, 'Z')}"`;
  const lists = JSON.parse(text.replace(TIME, moved));
  const token = randomBytes(16).toString('hex');
  const certificate = (name) => readFileSync(new URL(`../certs/valid.${name}`, import.meta.url));

  const answer = ({ url, headers }) => {
    const status = (code, reason) => [code, { kind: 'Status', status: 'Failure', reason, code }];
    if (headers.authorization !== `Bearer ${token}`) return status(401, 'Unauthorized');
    const { pathname } = new URL(url, 'https://localhost');
    if (pathname === '/apis')
      return [200, { kind: 'APIGroupList', groups: [{ versions: [{ groupVersion: 'apps/v1' }] }] }];
    const [, version, resource] =
      /^\/apis?\/(v1|[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/([^/]+)$/.exec(pathname) ?? [];
    const list = lists[`${version} ${resource}`];
    return list ? [200, { apiVersion: version, metadata: {}, ...list }] : status(404, 'NotFound');
  };
  const server = createServer(
    { key: certificate('key'), cert: certificate('crt') },
    (request, response) => {
      const [status, body] = answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${server.address().port}`,
    token,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
