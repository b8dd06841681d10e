import { Client, type NamedEvent } from '../../../src/client/index.js';

/** A page that has the topology `?topology=` diagnosed, and shows each event as it comes. */
const client = new Client(location.origin);
const topologyId = Number(new URLSearchParams(location.search).get('topology'));
const seen: NamedEvent[] = [];
const show = (state: string) =>
  ((document.querySelector('output') as HTMLOutputElement).value =
    `${state}, ${seen.length} events`);
const { runId, events } = await client.trigger({
  topologyId,
  userMessage: 'Something seems wrong.',
});
Object.assign(window, { seen, runId });
for await (const event of events) {
  seen.push(event);
  const line = document.createElement('aside');
  line.textContent = `${event.sequence} ${event.name}`;
  document.querySelector('main')?.append(line);
  show('open');
}
const { status } = await client.show(runId);
show(status);
