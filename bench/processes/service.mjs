// The product: `startService`, which is all that dist/main.js calls, with a tool that answers at
// once.
import { ENVIRONMENT, fromDist } from '../lib/product.mjs';
import { serve } from '../lib/helper.mjs';

const { startService } = await fromDist('service.js');
const { httpProbe } = await fromDist('tools/http-probe/http-probe.js');

let service;

serve({
  async start({ redisUrl, env = {}, toolMs = 0, failing }) {
    service = await startService(
      { ...ENVIRONMENT, REDIS_URL: redisUrl, ...env },
      { tools: [instantProbe(toolMs, failing)] },
    );
    return service.url;
  },
  memory: () => process.memoryUsage(),
});

const WELL = {
  status: 'ok',
  summary: 'answered 200 in 0 ms',
  measurements: { status_code: 200, latency_ms: 0 },
  issues: [],
};
const FAILED = {
  status: 'failed',
  summary: 'answers 500 Internal Server Error in 0 ms',
  measurements: { status_code: 500, latency_ms: 0 },
  issues: [
    {
      severity: 'critical',
      symptom: 'erroring',
      title: 'answers 500 Internal Server Error',
      detail: '3 of 3 tries failed: answers 500 Internal Server Error. Expected status 200-399.',
    },
  ],
};

/** Replaces the HTTP probe. */
function instantProbe(ms, failing) {
  return {
    ...httpProbe,
    run: async ({ node }) => {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return node === failing ? FAILED : WELL;
    },
  };
}
