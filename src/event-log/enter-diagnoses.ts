import type { LogPort } from './log-port.js';
import { listsOf, type IndexPlace, type RunIndex } from './run-index.js';

/** Runs that are read at once. */
const STEP = 50;
/** A run is entered in the index within this time of its creation, in ms. */
const LAG_MS = 60_000;

/**
 * Lists the diagnoses that processes of earlier versions accepted, separately from chats. Continues
 * where the last call that reached the end began; an interrupted one is repeated.
 * @param goesOn waits between two steps; false ends the work
 */
export async function enterDiagnoses(
  index: Pick<RunIndex, 'tenants' | 'page' | 'enteredUntil' | 'setEnteredUntil' | 'enterDiagnosis'>,
  log: Pick<LogPort, 'state'>,
  now: number,
  goesOn: () => Promise<boolean>,
): Promise<void> {
  for (const tenant of await index.tenants()) {
    const range = { tenant, since: await index.enteredUntil(tenant), until: now - LAG_MS };
    let place: IndexPlace | undefined;
    for (;;) {
      const places = await index.page(range, place, STEP);
      place = places.at(-1);
      await Promise.all(places.map((each) => enter(index, log, each)));
      if (places.length < STEP) break;
      if (!(await goesOn())) return;
    }
    await index.setEnteredUntil(tenant, range.until);
  }
}

async function enter(
  index: Pick<RunIndex, 'enterDiagnosis'>,
  log: Pick<LogPort, 'state'>,
  place: IndexPlace,
): Promise<void> {
  const state = await log.state(place.runId);
  if (state?.head.kind === 'diagnosis') await index.enterDiagnosis(place, listsOf(state.head));
}
