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

/** How often a run that is followed is looked at. */
const LOOK_MS = 200;
/**
 * What a call may wait for a run, as a share of the time that it has: then it says how far the run
 * is.
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
   * Starts a diagnosis, the same one when the call is made again after a crash, and waits for its
   * end as long as it may.
   * @param problem in the words of the model: what its agents are asked
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
   * @param after what the model has seen of it: a run that stands still is no progress
   */
  async follow(
    runId: string,
    after: number,
    { spec, signal, report, leftMs }: OwnContext,
  ): Promise<OwnResult> {
    // A call that is cut off would not say which run goes on.
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
 * What the person says for the diagnosis: the message that asks for it, or the one that accepts an
 * offer, and the one before.
 */
function wordsOf({ userMessage, chat }: OwnContext['spec']): string {
  const before = chat?.history.findLast(({ role }) => role === 'user')?.text;
  const isWhole = before === undefined || asksForDiagnosis(userMessage);
  return clip(isWhole ? userMessage : `${before}\n${userMessage}`, MESSAGE_CHARACTERS);
}

/** How far a run is, for people who watch the turn that waits for it. */
function progressOf(runId: string, { head, status, lastSequence }: RunState): CallProgress {
  const { topologyId, topologyName } = head;
  return {
    message: `The diagnosis of ${topologyName} (run ${runId}) is ${status}, with ${lastSequence} events so far.`,
    details: { run_id: runId, topology_id: topologyId, status, last_sequence: lastSequence },
  };
}
