/**
 * A process of the service as the fault tests start it: with scripted tools beside its own, and a
 * scripted model.
 */
import { startService } from '../../src/service.js';
import { scriptedModel, scriptedTools } from './lib/scripted-fleet.js';
import { TestControl } from './lib/test-control.js';
import { takeVitals, watchEmitters } from './lib/vitals.js';

watchEmitters();
process.on('message', ({ thoroughly }: { thoroughly: boolean }) =>
  process.send?.(takeVitals(thoroughly)),
);

const control = new TestControl(
  process.env['CONTROL_URL'] ?? '',
  process.env['CONTROL_PREFIX'] ?? '',
);
const service = await startService(process.env, {
  tools: scriptedTools(control),
  models: [scriptedModel(control)],
});
process.stdout.write(`listens on ${service.url}\n`);
process.on('SIGTERM', () => {
  service.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
