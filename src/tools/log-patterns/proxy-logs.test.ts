import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { closedPort, contextOf, nodeOf } from '../../../test/support/loopback.js';
import { hasNginx, startNginx, type Nginx } from '../../../test/support/programs/nginx-program.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { rankRootCauses } from '../rank-root-causes/rank-root-causes.js';
import { logPatterns } from './log-patterns.js';

let nginx: Nginx | undefined;
afterEach(async () => {
  await nginx?.stop();
  nginx = undefined;
});

// Without nginx (Debian: apt-get install nginx-light), the lines in the tests of the engine have to
// do.
(hasNginx() ? test : test.skip)(
  'a real nginx that cannot reach its upstream speaks against the node of that address',
  async () => {
    const port = await closedPort();
    nginx = await startNginx(`location / { proxy_pass http://127.0.0.1:${port}; }`);
    expect((await fetch(`${nginx.url}/orders/1`)).status).toBe(502);
    const edge = {
      ...nodeOf('service', nginx.url),
      id: 'edge',
      dependsOn: ['back'],
      in: { log: '*' },
    };
    const back = { ...nodeOf('service', `http://localhost:${port}/ready`), id: 'back' };
    const nodes = [edge, back];
    const sources = liveSources(
      { nodes, sources: [{ id: 'log', kind: 'logfile', provides: ['logs'] }] },
      [{ id: 'log', kind: 'logfile', path: nginx.errorLog }],
      { egress: anyEgress, secretOf: () => undefined, now: Date.now() + 1_000 },
    );
    const context = { ...contextOf(edge), nodes, sources };
    const { issues } = await logPatterns.run({ node: 'edge' }, context);
    expect(issues).toMatchObject([
      { detail: expect.stringMatching(/It names back\.$/) as unknown },
    ]);
    const { measurements } = await rankRootCauses.run({ node: 'edge' }, context);
    expect(measurements['causes']).toMatchObject([
      { node: 'back', kind: 'unreachable' },
      { node: 'edge' },
    ]);
  },
);
