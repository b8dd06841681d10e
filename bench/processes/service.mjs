// The product: `startService`, which is all that dist/main.js calls, with a tool that answers at once.
import { ENVIRONMENT, fromDist } from '../lib/product.mjs';
import { serve } from '../lib/helper.mjs';

const { startService } = await fromDist('service.js');
const { httpProbe } = await fromDist('tools/http-probe/http-probe.js');

let service;

serve({
  async start({ redisUrl, env = {}, toolMs = 0 }) {
    service = await startService(
      { ...ENVIRONMENT, REDIS_URL: redisUrl, ...env },
      { tools: [instantProbe(toolMs)] },
    );
    return service.url;
  },
  memory: () => process.memoryUsage(),
});

/** Replaces the HTTP probe. */
function instantProbe(ms) {
  const result = {
    status: 'ok',
    summary: 'answered 200 in 0 ms',
    measurements: { status_code: 200, latency_ms: 0 },
    issues: [],
  };
  return {
    ...httpProbe,
    run: async () => {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return result;
    },
  };
}
