import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import { withinTime } from '../../lib/async.js';
import { RunStreams } from '../../streams/run-streams.js';
import type { IdempotentPost, OracleRequest } from '../oracle-request.js';
import { Turns } from '../turns.js';
import type { OracleAnswer } from './oracle-views.js';

/**
 * ms that the agent of a turn has to answer after its time limit. Then the next sweep ends the
 * turn.
 */
const GRACE_MS = 5_000;

type Chunk = Record<string, unknown> & { type: string };

/** Turns of the oracle panel as one JSON response: the chunks of format `oracle`, combined. */
@Injectable()
export class OracleAnswers {
  constructor(
    private readonly turns: Turns,
    private readonly streams: RunStreams,
    @Inject(CONFIG) private readonly config: Pick<Config, 'sweepSeconds'>,
  ) {}

  /**
   * Accepts a turn and waits for its end. If it does not end, as with a Redis that denies this
   * service a command, waits until the sweep should have ended it.
   * @throws ConsiliumError as `Turns.accept`; UNAVAILABLE if the turn failed or did not end
   */
  async ask(owner: string, turn: OracleRequest, keyed?: IdempotentPost): Promise<OracleAnswer> {
    const { runId, spec, start } = await this.turns.accept(owner, turn, keyed);
    const seconds = spec.limits.timeoutSeconds + 2 * this.config.sweepSeconds;
    const frames = await withinTime(
      { ms: seconds * 1_000 + GRACE_MS, late: withoutEnd },
      async (signal) => {
        const [all] = await Promise.all([this.streams.collect(runId, 'oracle', signal), start()]);
        return all;
      },
    );
    return answerOf(chunksOf(frames));
  }
}

/** The chunks of a stream. */
const chunksOf = (text: string): Chunk[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Chunk);

const RETRY_SECONDS = 5;

const withoutEnd = () =>
  new ConsiliumError('UNAVAILABLE', 'The answer did not end in time; try again later', {
    retryAfterSeconds: RETRY_SECONDS,
  });

/**
 * The pause that a message names ("is called again in 154 s"). The chunks of this format have it
 * nowhere else.
 */
const secondsIn = (message: string): number =>
  Number(/\bagain in (\d{1,6}) s\b/.exec(message)?.[1] ?? RETRY_SECONDS);

/** @throws ConsiliumError UNAVAILABLE if the turn did not end */
function answerOf(chunks: readonly Chunk[]): OracleAnswer {
  const of = (type: string) => chunks.filter((chunk) => chunk.type === type);
  const [done] = of('done');
  if (!done) {
    const error = of('error')[0]?.['error'];
    const message = typeof error === 'string' ? error : 'The answer was cut off';
    throw new ConsiliumError('UNAVAILABLE', message, { retryAfterSeconds: secondsIn(message) });
  }
  const textOf = (key: string) => (typeof done[key] === 'string' ? done[key] : null);
  return {
    answer: of('content')
      .map(({ content }) => String(content))
      .join(''),
    sources: of('source').map(({ source }) => source as OracleAnswer['sources'][number]),
    system_messages: of('system').map(({ system_type, system_message, metadata }) => ({
      system_type: String(system_type),
      system_message: String(system_message),
      ...(metadata !== undefined && { metadata: metadata as Record<string, unknown> }),
    })),
    tokens_used: Number(done['tokens_used'] ?? 0),
    model_used: textOf('model_used'),
    context_id: textOf('context_id'),
  };
}
