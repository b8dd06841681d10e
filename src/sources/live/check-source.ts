import { askSource } from '../http/source-client.js';
import { SourceError, type SourceFailure } from '../http/source-error.js';
import { serverOf, type SourceReach } from './live-sources.js';
import type { ListedServer } from './sources-file.js';

/** Whether a listed source answers. Never holds a credential. */
export interface SourceState {
  id: string;
  kind: ListedServer['kind'];
  endpoint: string;
  state: 'ok' | SourceFailure;
  /** What is wrong, and what that hides; empty where nothing is. */
  detail: string;
}

/** Asks a server of SOURCES_FILE something small, with its credential. */
export async function checkSource(
  server: ListedServer,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<SourceState> {
  const { id, kind, endpoint } = server;
  const known = { id, kind, endpoint };
  try {
    await askSource(serverOf({ id }, [server], reach), '/api/v1/query', { query: '1' }, signal);
    return { ...known, state: 'ok', detail: '' };
  } catch (error) {
    signal.throwIfAborted();
    const state = error instanceof SourceError ? error.failure : 'failed';
    const said = error instanceof Error ? error.message : String(error);
    return { ...known, state, detail: `${said}. Nodes have no metrics from it.` };
  }
}
