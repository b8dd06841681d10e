import { dnsTarget } from './dns.js';
import { httpTarget } from './http.js';
import { kafkaTarget } from './kafka.js';
import { metricsTarget } from './metrics.js';
import { mysqlRowsTarget, mysqlTarget } from './mysql.js';
import { postgresRowsTarget, postgresTarget } from './postgres.js';
import { respTarget } from './resp.js';
import { runTarget, type FuzzFigures } from './run-target.js';
import type { FuzzTarget } from './target.js';
import { tlsTarget } from './tls.js';

export interface FuzzRun {
  name: string;
  run(limits: { ms: number; runs: number; seed?: number }): Promise<FuzzFigures>;
}

const runOf = <Input>(target: FuzzTarget<Input>): FuzzRun => ({
  name: target.name,
  run: (limits) => runTarget(target, limits),
});

/** Every parser of foreign bytes that a probe has. */
export const FUZZ_RUNS: readonly FuzzRun[] = [
  runOf(respTarget),
  runOf(metricsTarget),
  runOf(dnsTarget),
  runOf(httpTarget),
  runOf(tlsTarget),
  runOf(mysqlRowsTarget),
  runOf(mysqlTarget),
  runOf(postgresRowsTarget),
  runOf(postgresTarget),
  runOf(kafkaTarget),
];

export const MOST_STALL_MS = 100;
export const MOST_GROWTH = 50 * 2 ** 20;
