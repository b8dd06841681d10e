import type { Change, TimeWindow } from '../../domain/telemetry/records.js';
import { SourceError } from '../http/source-error.js';
import type { ListedGit } from '../live/sources-file.js';
import { readWithin } from '../read-within.js';
import { type Git, openGit } from './run-git.js';

const TIME_LIMIT_MS = 10_000;
const MOST_COMMITS = 50;
/** Maximum commits whose files and diff are read, the latest ones. */
const MOST_READ = 20;
const MOST_TAGS = 200;
const MOST_FILES = 50;
const MOST_DIFF = 64_000;
const MOST_TEXT = 1_000;

/** The query for a repository. */
interface Question {
  /** A folder, or `*` for all of it. */
  selector: string;
  window: TimeWindow;
}

type CommitChange = Omit<Change, 'node'>;

/**
 * Commits of the current branch that touch a folder, by the time at which they were committed, and
 * tags that mark a deployment. A merge is one change, with everything that it brought to the
 * branch.
 * @throws SourceError `refused` if this process may not read it; the signal's reason
 */
export const readRepository = (
  { path, deployTags }: Pick<ListedGit, 'path' | 'deployTags'>,
  { selector, window }: Question,
  signal: AbortSignal,
): Promise<CommitChange[]> =>
  readWithin(
    TIME_LIMIT_MS,
    async (own) => {
      const git = await openGit(path);
      const folder = selector === '*' ? [] : ['--', selector];
      const commits = await commitsOf(git, { window, folder }, own);
      const all = await tagsOf(git, deployTags, own);
      const isOwn = ({ at }: CommitChange) => at >= window.from && at <= window.to;
      const tags = await withChanges(git, { tags: all, isWanted: isOwn, folder }, own);
      return [...tags, ...commits].filter(isOwn);
    },
    signal,
  );

/**
 * Reads the latest commit.
 * @throws SourceError; the signal's reason
 */
export const checkRepository = ({ path }: Pick<ListedGit, 'path'>, signal: AbortSignal) =>
  readWithin(
    TIME_LIMIT_MS,
    async (own) => (await openGit(path))(['rev-list', '--max-count=1', 'HEAD'], own),
    signal,
  );

async function commitsOf(
  git: Git,
  { window, folder }: { window: TimeWindow; folder: readonly string[] },
  signal: AbortSignal,
): Promise<CommitChange[]> {
  const format = ['%H', '%P', '%ct', shortened('%an'), shortened('%s')].join('%x00');
  const seconds = (at: number) => String(Math.floor(Math.max(0, at) / 1_000));
  const listed = await git(
    [
      'rev-list',
      '--first-parent',
      `--max-count=${MOST_COMMITS}`,
      `--format=${format}`,
      `--max-age=${seconds(window.from)}`,
      `--min-age=${seconds(window.to)}`,
      'HEAD',
      ...folder,
    ],
    signal,
  );
  const changes: CommitChange[] = [];
  for (const [id = '', parents = '', at, author = '', message = ''] of recordsIn(listed, 5)) {
    const [parent] = parents.split(' ');
    // Without a parent, as at the end of a shallow clone, everything would be new.
    const isRead = changes.length < MOST_READ && parent;
    changes.push({
      kind: 'commit',
      at: Number(at) * 1_000,
      id,
      commit: id,
      author: author.trimEnd(),
      message: message.trimEnd(),
      ...(isRead && (await differenceOf(git, [parent, id, ...folder], signal).catch(unread))),
    });
  }
  return changes;
}

/** A partial clone may lack the files. */
function unread(error: unknown): undefined {
  if (!(error instanceof SourceError) || error.failure !== 'failed') throw error;
}

/** The files between two commits, and the lines that differ. */
async function differenceOf(
  git: Git,
  between: readonly string[],
  signal: AbortSignal,
): Promise<Pick<Change, 'files' | 'diff'>> {
  const safely = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];
  const args = ['diff-tree', '-r', '-z', '--patch-with-raw', '--unified=3', ...safely, ...between];
  const parts = (await git(args, signal)).split('\0');
  const files: string[] = [];
  let next = 0;
  // `:100644 100644 1a2b 3c4d M`, the file, and after the last one a line without either.
  for (; parts[next]?.startsWith(':'); next += 2) files.push(parts[next + 1] ?? '');
  const diff = parts.slice(next).join('\0').replace(/^\0/, '');
  return { files: files.slice(0, MOST_FILES), diff: diff.slice(0, MOST_DIFF) };
}

/** A tag with a message has a time of its own; another has that of its commit. */
async function tagsOf(
  git: Git,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<CommitChange[]> {
  const fields = ['objectname', '*objectname', 'creatordate:unix', 'refname:strip=2', 'taggername'];
  const format = [...fields, 'contents:subject'].map((field) => `%(${field})`).join('%00');
  const listed = await git(
    [
      'for-each-ref',
      '--sort=-creatordate',
      `--count=${MOST_TAGS}`,
      `--format=${format}`,
      ...patterns.map((pattern) => `refs/tags/${pattern}`),
    ],
    signal,
  );
  return recordsIn(listed, 6).map(([own = '', target = '', at, version = '', author, message]) => ({
    kind: 'deploy',
    at: Number(at) * 1_000,
    id: `tag/${version}`.slice(0, MOST_TEXT),
    commit: target || own,
    version: version.slice(0, MOST_TEXT),
    ...(author && { author: author.slice(0, MOST_TEXT) }),
    message: (message ?? '').slice(0, MOST_TEXT),
  }));
}

/** Selected tags whose commits since the previous tag touch the folder. */
async function withChanges(
  git: Git,
  {
    tags,
    isWanted,
    folder,
  }: { tags: CommitChange[]; isWanted: (tag: CommitChange) => boolean; folder: string[] },
  signal: AbortSignal,
): Promise<CommitChange[]> {
  const found: CommitChange[] = [];
  for (const [index, tag] of tags.entries()) {
    const before = tags[index + 1]?.commit;
    if (!isWanted(tag)) continue;
    const range = [tag.commit ?? '', ...(before === undefined ? [] : [`^${before}`])];
    const args = ['rev-list', '--max-count=1', ...range, ...folder];
    if (folder.length === 0 || (await git(args, signal)) !== '') found.push(tag);
  }
  return found;
}

/** Cut by git, and filled up with spaces. */
const shortened = (placeholder: string) => `%<(${MOST_TEXT},trunc)${placeholder}`;

/**
 * Lines of as many fields as were asked for: others are titles, or the end of an answer that was
 * cut.
 */
const recordsIn = (text: string, fields: number): string[][] =>
  text
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(({ length }) => length === fields);
