import { z } from 'zod';
import type { Change, TimeWindow } from '../../domain/telemetry/records.js';
import { askSource } from '../http/source-client.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';
import type { ChangeReader } from './served-changes.js';

const MOST = 30;
/** Maximum commits whose files are read, the latest ones. */
const MOST_READ = 5;
const MOST_FILES = 50;
const MOST_DIFF = 64_000;
const HEADERS = { accept: 'application/vnd.github+json', 'user-agent': 'consilium' };

const text = z.string().transform((value) => value.slice(0, 1_000));
const time = z.iso.datetime().transform((value) => Date.parse(value));
const person = z.object({ login: text }).nullish();
const sha = z.string().regex(/^[0-9a-f]{7,64}$/);
const deployments = z
  .array(
    z.object({
      id: z.number(),
      sha,
      ref: text,
      environment: text.nullish(),
      creator: person,
      created_at: time,
      description: text.nullish(),
    }),
  )
  .max(MOST);
const commits = z
  .array(
    z.object({
      sha,
      author: person,
      commit: z.object({ message: text, committer: z.object({ date: time }) }),
    }),
  )
  .max(MOST);
/** A run of such a workflow changes the running system, even one that ended half-way. */
const DEPLOYS = /deploy|release|roll-?out/i;
const ENDED = ['success', 'failure', 'timed_out'];
const runs = z.object({
  workflow_runs: z
    .array(
      z.object({
        id: z.number(),
        head_sha: sha,
        head_branch: text.nullish(),
        path: text.default(''),
        name: text.nullish(),
        conclusion: text.nullish(),
        display_title: text.default(''),
        updated_at: time,
        actor: person,
      }),
    )
    .max(MOST),
});
const details = z.object({
  files: z
    .array(z.object({ filename: text, patch: z.string().default('') }))
    .max(3_000)
    .default([]),
});

/**
 * Reads deployments, commits and workflow runs of a repository from GitHub
 * (https://docs.github.com/en/rest). A selector is `OWNER/REPOSITORY`; followed by a folder, it
 * selects only commits that touch the folder.
 */
export const githubReader: ChangeReader = {
  async read(server, { selector, window }, signal) {
    const [owner = '', repository = '', ...folders] = selector.split('/');
    const place = { server, root: `/repos/${owner}/${repository}`, signal };
    const deployed = parsed(deployments, await ask(place, `/deployments?per_page=${MOST}`));
    const found = parsed(commits, await ask(place, `/commits?${queryOf(window, folders)}`));
    const changes: Omit<Change, 'node'>[] = deployed.map((each) => ({
      kind: 'deploy',
      at: each.created_at,
      id: `deployment/${each.id}`,
      commit: each.sha,
      version: each.ref,
      ...(each.creator && { author: each.creator.login }),
      message: [each.environment, each.description].filter(Boolean).join(': '),
    }));
    const deployedCommits = new Set(deployed.map((each) => each.sha));
    const ran = await runsOf(place, window);
    // A workflow with an environment makes a deployment by itself.
    changes.push(...ran.filter(({ commit = '' }) => !deployedCommits.has(commit)));
    for (const [index, { sha: id, author, commit }] of found.entries())
      changes.push({
        kind: 'commit',
        at: commit.committer.date,
        id,
        commit: id,
        message: commit.message,
        ...(author && { author: author.login }),
        ...(index < MOST_READ && (await filesOf(place, id))),
      });
    return changes;
  },
};

interface Place {
  server: SourceServer;
  /** Path of the repository. */
  root: string;
  signal: AbortSignal;
}

const ask = ({ server, root, signal }: Place, path: string): Promise<unknown> =>
  askSource(server, { path: `${root}${path}`, headers: HEADERS }, signal);

function queryOf({ from, to }: TimeWindow, folders: readonly string[]): string {
  const [since, until] = [from, to].map((at) => new Date(Math.max(0, at)).toISOString());
  return new URLSearchParams({
    per_page: String(MOST),
    since: since ?? '',
    until: until ?? '',
    ...(folders.length > 0 && { path: folders.join('/') }),
  }).toString();
}

/**
 * Runs of workflows that deploy, by their name or file. A token without the right to read Actions
 * gets none; its deployments and commits are still read.
 */
async function runsOf(place: Place, { from }: TimeWindow): Promise<Omit<Change, 'node'>[]> {
  const created = `>=${new Date(Math.max(0, from)).toISOString()}`;
  const query = new URLSearchParams({ per_page: String(MOST), status: 'completed', created });
  const answer = await ask(place, `/actions/runs?${query.toString()}`).catch((error: unknown) => {
    if (error instanceof SourceError && (error.status === 403 || error.status === 404)) return NONE;
    throw error;
  });
  return parsed(runs, answer)
    .workflow_runs.filter(({ name, path }) => DEPLOYS.test(`${name ?? ''} ${path}`))
    .filter(({ conclusion }) => ENDED.includes(conclusion ?? ''))
    .map((run): Omit<Change, 'node'> => ({
      kind: 'deploy',
      at: run.updated_at,
      id: `run/${run.id}`,
      commit: run.head_sha,
      ...(run.head_branch && { version: run.head_branch }),
      ...(run.actor && { author: run.actor.login }),
      message: `${run.name ?? run.path} ended with ${run.conclusion}: ${run.display_title}`,
    }));
}
const NONE = { workflow_runs: [] };

async function filesOf(place: Place, id: string): Promise<Pick<Change, 'files' | 'diff'>> {
  const { files } = parsed(details, await ask(place, `/commits/${id}?per_page=${MOST_FILES}`));
  const shown = files.slice(0, MOST_FILES);
  const diff = shown.map(({ filename, patch }) => `--- a/${filename}\n+++ b/${filename}\n${patch}`);
  return {
    files: shown.map(({ filename }) => filename),
    diff: diff.join('\n').slice(0, MOST_DIFF),
  };
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  throw new SourceError('failed', 'the answer is not of the REST API of GitHub');
}
