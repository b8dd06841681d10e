import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { teamOfEach } from '../../support/incidents/topology.js';
import type { RunHistory } from './check-history.js';
import type { Talk } from './check-talk.js';
import { scriptedNode, say } from './cluster.js';
import { PatientClient } from './patient-client.js';
import { random } from './random.js';

/** Runs and talks that are open at once, at most. */
const MOST_OPEN = 20;
/**
 * Every so many times a talk is begun; of those and of runs, every so many times the provider
 * refuses calls.
 */
const TALK_EVERY = 4;
const REFUSED_EVERY = 5;
/** Messages of a talk, at most. */
const MOST_MESSAGES = 3;

/** Diagnoses and chats that clients begin, cancel and follow through all faults. */
export class ChaosLoad {
  /** All runs, those of chats included. */
  readonly runs: RunHistory[] = [];
  readonly talks: Talk[] = [];
  /** When runs have ended, ms. */
  readonly endedAt = new Map<string, number>();
  readonly failures: string[] = [];
  private readonly open = new Set<Promise<void>>();
  private readonly client: PatientClient;

  /**
   * @param anyApi the URL of some API process that may be alive
   * @param over aborted when the clients have to give up
   */
  constructor(
    private readonly anyApi: () => string | undefined,
    private readonly over: AbortSignal,
  ) {
    this.client = new PatientClient(anyApi, over);
  }

  /** Begins runs and talks until `end`, in ms. */
  async begin(end: number, dice: () => number): Promise<void> {
    for (let n = 0; Date.now() < end; n++) {
      const own = random(Math.floor(dice() * 2 ** 32));
      const work = n % TALK_EVERY === 1 ? this.oneTalk(n, own) : this.oneRun(n, own);
      const tracked: Promise<void> = work
        .catch(
          (error: unknown) =>
            void (this.over.aborted || this.failures.push(`run ${n}: ${String(error)}`)),
        )
        .finally(() => this.open.delete(tracked));
      this.open.add(tracked);
      await sleep(50 + dice() * 250);
      while (this.open.size >= MOST_OPEN && Date.now() < end) await sleep(50);
    }
  }

  /** Waits until all accepted runs have ended and their cancels are answered. */
  async settle(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  /** Whether nothing of an ended run is alive any more. */
  isQuiesced(runId: string): Promise<boolean> {
    return this.client.isQuiesced(runId);
  }

  /** What a conversation shows to its person. */
  shown(talk: Talk): Promise<unknown> {
    return this.clientOf(talk).conversation(talk.id);
  }

  /** Follows a run from its trigger to its end, through all faults. */
  private async oneRun(n: number, dice: () => number): Promise<void> {
    const name = `n${n}`;
    const unsafe: RunHistory['unsafe'] = [];
    const tools: string[] = [];
    const nodes = Object.fromEntries(
      Array.from({ length: 1 + Math.floor(dice() * 4) }, (_, i) => {
        const node = `x${i}`;
        const mark = `${name} x${i}`;
        const takes = Math.floor(dice() * 300);
        const kind = dice() < 0.6 ? 'touch' : 'look';
        tools.push(mark);
        if (kind === 'touch') unsafe.push({ node, mark });
        return [
          node,
          scriptedNode(kind, { mark, takes, ...(dice() < 0.02 && { kills: 1 }) }),
        ] as const;
      }),
    );
    const topology = { ...teamOfEach(nodes), id: 100_000 + n };
    await this.client.createTopology(topology);
    const orders = {
      mark: name,
      slow: Math.floor(dice() * 30),
      ...(n % REFUSED_EVERY === 0 && { refused: 1 + Math.floor(dice() * 2) }),
    };
    const body = { topologyId: topology.id, ...say(orders) };
    const run = this.note(await this.client.trigger(body, randomUUID()), { tools, unsafe });
    const cancelled =
      dice() < 0.2 ? sleep(dice() * 2_000).then(() => this.cancel(run.runId)) : undefined;
    await this.follow(this.client, run);
    if (cancelled) Object.assign(run, await cancelled);
  }

  /** Sends the messages of a conversation, each when the one before is answered. */
  private async oneTalk(n: number, dice: () => number): Promise<void> {
    const talk: Talk = { id: `talk-${n}`, caller: `chaos-0123456789abcdef-${n}`, turns: [] };
    const client = this.clientOf(talk);
    this.talks.push(talk);
    for (let left = 1 + Math.floor(dice() * MOST_MESSAGES); left > 0; left--) {
      const orders = {
        mark: `${talk.id} ${left}`,
        slow: Math.floor(dice() * 30),
        ...(n % REFUSED_EVERY === 0 && { refused: 1 }),
      };
      const message = `Which topologies are there? #${JSON.stringify(orders)}`;
      const body = { message, session_id: talk.id };
      const turn = { message, runId: await client.chat(body, randomUUID()) };
      talk.turns.push(turn);
      await this.follow(client, this.note(turn.runId, { tools: [], unsafe: [] }));
    }
  }

  private note(runId: string, known: Pick<RunHistory, 'tools' | 'unsafe'>): RunHistory {
    const run = { runId, log: '', seen: '', ...known };
    this.runs.push(run);
    return run;
  }

  private async follow(client: PatientClient, run: RunHistory): Promise<void> {
    await client.follow(run.runId, (log) => (run.seen = log));
    this.endedAt.set(run.runId, Date.now());
  }

  private async cancel(runId: string): Promise<Pick<RunHistory, 'cancel' | 'cancelledAt'>> {
    return { cancel: await this.client.cancel(runId), cancelledAt: Date.now() };
  }

  private clientOf({ caller }: Talk): PatientClient {
    return new PatientClient(this.anyApi, this.over, { cookie: `consilium_caller=${caller}` });
  }
}
