/** A process of the service as the fault tests start it: with puppets beside its own tools, and in place of its model. */
import { startService } from '../../src/service.js';
import { puppetModel, puppetTools } from './scripted-fleet.js';
import { Strings } from './strings.js';
import { takeVitals, watchEmitters } from './vitals.js';

watchEmitters();
process.on('message', ({ thoroughly }: { thoroughly: boolean }) =>
  process.send?.(takeVitals(thoroughly)),
);

const strings = new Strings(process.env['STRINGS_URL'] ?? '', process.env['STRINGS_PREFIX'] ?? '');
const service = await startService(process.env, {
  tools: puppetTools(strings),
  models: [puppetModel(strings)],
});
process.stdout.write(`listens on ${service.url}\n`);
process.on('SIGTERM', () => {
  service.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
