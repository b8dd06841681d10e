import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { asksForDiagnosis } from '../../../domain/chat/asks-for-diagnosis.js';
import type { JsonObject } from '../../../lib/json.js';
import { tenantOf } from '../../../domain/tenant.js';
import { MESSAGE_CHARACTERS } from '../../../domain/run.js';
import { isTerminalStatus } from '../../../domain/run-status.js';
import type { RunState } from '../../../event-log/log-types.js';
import { RunStarter } from '../../../runs/run-starter.js';
import { TopologyStore } from '../../../topologies/topology-store.js';
import type { CallProgress, OwnContext, OwnResult } from '../role-behaviour.js';
import { clip } from '../../../lib/text.js';
import { Lookup } from './lookup.js';

/** How often the state of a followed run is checked. */
const LOOK_MS = 200;
/**
 * The maximum time that a call waits for a run, as a share of the call's time; after it, the call
 * returns the progress of the run.
 */
const WAIT_SHARE = 0.8;

/** Diagnoses that the oracle starts, and follows into its answer. */
@Injectable()
export class Diagnoses {
  constructor(
    private readonly starter: RunStarter,
    private readonly topologies: TopologyStore,
    private readonly lookup: Lookup,
  ) {}

  /**
   * Starts a diagnosis, or returns the same one when the call is repeated after a crash, and waits
   * for its end.
   * @param problem in the words of the model: the task of its agents
   */
  async start(topologyId: number, problem: string, context: OwnContext): Promise<OwnResult> {
    const { owner, startedBy } = context.spec;
    const stored = await this.topologies.of(tenantOf(owner)).get(topologyId);
    if (!stored) throw new Error(`There is no topology ${topologyId}.`);
    const random = createHash('sha256')
      .update(`${context.runId} ${context.callId}`)
      .digest()
      .subarray(0, 16);
    const runId = uuid({ msecs: context.createdAt, random, seq: random.readUInt32BE(0) >>> 1 });
    const { start } = await this.starter.diagnosis(runId, stored, {
      userMessage: wordsOf(context.spec),
      task: problem,
      startedBy,
    });
    await start();
    return this.follow(runId, 0, context);
  }

  /**
   * Waits until a run has ended, or the time of the call is nearly up.
   * @param after the sequence that the model has read: a run without newer events makes no progress
   */
  async follow(
    runId: string,
    after: number,
    { spec, signal, report, leftMs }: OwnContext,
  ): Promise<OwnResult> {
    // An aborted call could not report which run continues.
    const most = Math.min(spec.limits.toolTimeoutSeconds * 1_000, leftMs);
    const until = performance.now() + most * WAIT_SHARE;
    for (;;) {
      const state = await this.lookup.diagnosis(spec.owner, runId);
      if (isTerminalStatus(state.status)) return this.lookup.run(spec.owner, runId);
      report(progressOf(runId, state));
      if (performance.now() >= until) {
        const going: JsonObject = {
          run_id: runId,
          status: state.status,
          last_sequence: state.lastSequence,
          seen_before: after,
          ...(await this.lookup.openApprovals(runId, state)),
        };
        return {
          result: {
            ...going,
            note: 'It is still going on: follow_diagnosis with `after` = last_sequence waits on.',
          },
        };
      }
      await sleep(LOOK_MS, undefined, { signal });
    }
  }
}

/**
 * The person's words for the diagnosis: the message that asks for it, or the one that accepts an
 * offer, and the one before.
 */
function wordsOf({ userMessage, chat }: OwnContext['spec']): string {
  const before = chat?.history.findLast(({ role }) => role === 'user')?.text;
  const isWhole = before === undefined || asksForDiagnosis(userMessage);
  return clip(isWhole ? userMessage : `${before}\n${userMessage}`, MESSAGE_CHARACTERS);
}

/** The progress of a run, for clients that follow the turn that waits for it. */
function progressOf(runId: string, { head, status, lastSequence }: RunState): CallProgress {
  const { topologyId, topologyName } = head;
  return {
    message: `The diagnosis of ${topologyName} (run ${runId}) is ${status}, with ${lastSequence} events so far.`,
    details: { run_id: runId, topology_id: topologyId, status, last_sequence: lastSequence },
  };
}
