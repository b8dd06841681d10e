import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { GitRepositoryFolder, hasGit } from '../../../test/support/programs/git-repository.js';
import {
  describeChangeSource,
  T0,
  WINDOW,
} from '../../../test/support/sources/source-compliance.js';
import type { Change } from '../../domain/telemetry/records.js';
import { GitChanges, type GitRepository } from './git-changes.js';
import { readRepository } from './read-repository.js';

const folders: GitRepositoryFolder[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});
const never = new AbortController().signal;
const deployTags = ['deploy*', 'deploy*/**'];
const newRepository = () => {
  const folder = new GitRepositoryFolder();
  folders.push(folder);
  folder.commit(WINDOW.from - 1_000, 'Begin', { 'pool.yaml': 'size: 10\n' });
  return folder;
};
const read = (path: string, selector = '*') =>
  readRepository({ path, deployTags }, { selector, window: WINDOW }, never);
const minute = (n: number) => T0 + n * 60_000;

test('a folder that is not there fails', async () => {
  await expect(read('/nowhere/shop')).rejects.toMatchObject({ failure: 'failed' });
});

// Without git (Debian: apt-get install git) there is no repository to read.
if (hasGit())
  describe('a real repository', () => {
    describeChangeSource('a repository', (changes) => {
      // A repository chooses the ids of its commits.
      const ids = new Map<string, string>();
      const repositories = ['shop', 'cart'].map((node) => {
        const folder = newRepository();
        for (const change of changes.filter((each) => each.node === node)) {
          const tag = `deploy-${change.version}`;
          folder.at(change.at, 'tag', '--annotate', '--message=Go live', tag);
          ids.set(folder.run('rev-parse', 'HEAD'), change.commit ?? '');
        }
        const own = { path: folder.path, deployTags };
        const asGiven = ({ commit = '', version = '', ...change }: Omit<Change, 'node'>) => ({
          ...change,
          commit: ids.get(commit) ?? commit,
          version: version.replace('deploy-', ''),
        });
        return {
          id: node,
          selectors: new Map([[node, '*']]),
          read: async (...[question, signal]: Parameters<GitRepository['read']>) =>
            (await readRepository(own, question, signal)).map(asGiven),
        };
      });
      return Promise.resolve(new GitChanges(repositories, WINDOW));
    });

    test('has commits with what they changed, and tags that mark deployments', async () => {
      const folder = newRepository();
      const id = folder.commit(minute(1), 'Shrink the pool\n\nIt is idle.', {
        'pool.yaml': 'size: 1\n',
        'docs/größe.md': 'small\n',
      });
      folder.at(minute(2), 'tag', '--annotate', '--message=Go live', 'deploy/orders/7');
      folder.at(minute(3), 'tag', '--annotate', '--message=A release', 'v7');
      const [deploy, commit, ...others] = await read(folder.path);
      expect(others).toEqual([]);
      expect(deploy).toEqual({
        kind: 'deploy',
        at: minute(2),
        id: 'tag/deploy/orders/7',
        commit: id,
        version: 'deploy/orders/7',
        author: 'Ada',
        message: 'Go live',
      });
      expect(commit).toMatchObject({
        kind: 'commit',
        at: minute(1),
        id,
        commit: id,
        author: 'Ada',
        message: 'Shrink the pool',
        files: ['docs/größe.md', 'pool.yaml'],
        diff: expect.stringMatching(
          /--- a\/pool\.yaml\n\+\+\+ b\/pool\.yaml\n@@ .*\n-size: 10\n\+size: 1\n$/,
        ),
      });
    });

    test('has only commits that touch the folder of a node', async () => {
      const folder = newRepository();
      const tag = (at: number, name: string) =>
        folder.at(at, 'tag', '--annotate', '-m', name, name);
      tag(minute(0) - 500, 'deploy-0');
      folder.commit(minute(1), 'Orders', { 'services/orders/a': '1', 'services/cart/a': '1' });
      tag(minute(2), 'deploy-1');
      folder.commit(minute(3), 'Cart', { 'services/cart/a': '2' });
      tag(minute(4), 'deploy-2');
      expect(await read(folder.path, 'services/orders')).toMatchObject([
        { kind: 'deploy', version: 'deploy-1' },
        { message: 'Orders', files: ['services/orders/a'] },
      ]);
      expect(await read(folder.path)).toHaveLength(4);
      // A pattern of git, and no folder.
      expect(await read(folder.path, 'services/*')).toEqual([]);
    });

    test('has a merge as one change, at the time of the merge', async () => {
      const folder = newRepository();
      folder.run('checkout', '--quiet', '-b', 'feature');
      folder.commit(minute(1), 'First half', { a: '1' });
      folder.commit(minute(2), 'Second half', { b: '1' });
      folder.run('checkout', '--quiet', 'main');
      folder.at(minute(5), 'merge', '--quiet', '--no-ff', '--message=Merge it', 'feature');
      expect(await read(folder.path)).toMatchObject([
        { at: minute(5), message: 'Merge it', files: ['a', 'b'] },
      ]);
    });

    test('reads a bare repository, and a shallow one without the files of its oldest commit', async () => {
      const folder = newRepository();
      for (const size of [5, 1])
        folder.commit(minute(10 - size), `Size ${size}`, { size: `${size}` });
      folder.run('clone', '--quiet', '--bare', '--depth=2', `file://${folder.path}`, 'bare');
      const [last, oldest] = await read(join(folder.path, 'bare'));
      expect(last).toMatchObject({ message: 'Size 1', files: ['size'] });
      expect(oldest).toEqual({
        kind: 'commit',
        at: minute(5),
        id: oldest?.id,
        commit: oldest?.id,
        author: 'Ada',
        message: 'Size 5',
      });
    });

    test('runs nothing that the repository names, and changes nothing in it', async () => {
      const folder = newRepository();
      folder.commit(minute(1), 'Change', {
        'pool.yaml': 'size: 1\n',
        '.gitattributes': '* diff=x',
      });
      folder.run('tag', 'deploy-1');
      const mark = join(folder.path, 'ran');
      const command = `sh -c 'touch ${mark}' ran`;
      for (const name of ['core.fsmonitor', 'core.pager', 'diff.external', 'diff.x.command'])
        folder.run('config', name, command);
      for (const name of ['diff.x.textconv', 'gpg.program', 'core.sshCommand', 'pager.rev-list'])
        folder.run('config', name, command);
      folder.run('config', 'log.showSignature', 'true');
      const before = digestOf(folder.path);
      expect(await read(folder.path)).toMatchObject([
        { kind: 'deploy' },
        { kind: 'commit', files: ['.gitattributes', 'pool.yaml'] },
      ]);
      expect(existsSync(mark)).toBe(false);
      expect(digestOf(folder.path)).toBe(before);
    });

    test('never fetches: a partial clone has a commit without its lines', async () => {
      const folder = newRepository();
      folder.commit(minute(1), 'Change', { 'pool.yaml': 'size: 1\n' });
      const blob = folder.run('rev-parse', 'HEAD:pool.yaml');
      const mark = join(folder.path, 'fetched');
      folder.run('config', 'remote.origin.url', `ext::touch ${mark}`);
      folder.run('config', 'remote.origin.promisor', 'true');
      folder.run('config', 'extensions.partialClone', 'origin');
      folder.run('config', 'core.repositoryFormatVersion', '1');
      folder.run('config', 'protocol.allow', 'always');
      folder.run('config', 'protocol.ext.allow', 'always');
      // Git takes lines from the working tree if they are the same.
      rmSync(join(folder.path, '.git/index'));
      rmSync(join(folder.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      const [change] = await read(folder.path);
      expect(change).toMatchObject({ message: 'Change' });
      expect(change?.diff).toBeUndefined();
      expect(existsSync(mark)).toBe(false);
    });

    test('is bounded in commits, files, lines and texts', async () => {
      const folder = newRepository();
      const numbered = (count: number) => Array.from({ length: count }, (_, i) => i);
      for (const i of numbered(55)) folder.commit(minute(1) + i * 1_000, `${i}`, { a: `${i}` });
      const files = numbered(70).map((i) => [`many/${i}`, 'x'.repeat(2_000)]);
      folder.commit(
        minute(3),
        'm'.repeat(9_000),
        Object.fromEntries(files) as Record<string, string>,
      );
      const found = await read(folder.path);
      expect(found).toHaveLength(50);
      expect(found.filter(({ diff }) => diff !== undefined)).toHaveLength(20);
      expect(found[0]?.files).toHaveLength(50);
      expect(found[0]?.diff).toHaveLength(64_000);
      expect(found[0]?.message?.length).toBeLessThanOrEqual(1_000);
    });

    test('has no diff of a file that is large', async () => {
      const folder = newRepository();
      folder.commit(minute(1), 'Data', { data: 'x\n'.repeat(2 ** 20) });
      const [{ diff = '', files } = {}] = await read(folder.path);
      expect(files).toEqual(['data']);
      expect(diff).toContain('Binary files');
    });

    test('is not looked for above the folder', async () => {
      const folder = newRepository();
      folder.commit(minute(1), 'Change', { 'services/a': '1' });
      await expect(read(join(folder.path, 'services'))).rejects.toMatchObject({
        failure: 'failed',
        message: expect.stringContaining('not a git repository') as unknown,
      });
    });
  });

/** Of the names, sizes and contents of all that is in a folder. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    hash.update(`${name}\0`);
    if (statSync(path).isFile()) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}
