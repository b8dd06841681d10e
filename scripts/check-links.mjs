// Part of `npm run check:docs`: fails if a Markdown file links to a file or a
// heading that does not exist, or if a file names a page of docs/ that does not exist.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..');
const files = listFiles().filter((path) => existsSync(join(root, path)));
const faults = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const links = path.endsWith('.md') ? linksOf(text) : [];
  return [
    ...links.filter((link) => !/^[a-z]+:/.test(link) && !exists(path, link)),
    ...(/\.test\./.test(path) ? [] : pagesNamedIn(text)).filter(
      (page) => !existsSync(join(root, page)),
    ),
  ].map((link) => `${path}: ${link}`);
});
if (faults.length > 0) {
  console.error(['Links that lead nowhere:', ...faults].join('\n  '));
  process.exitCode = 1;
}

/** Text files of the repository that may refer to a page. */
function listFiles() {
  const kinds = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.js', '*.yml', '*.yaml', 'Dockerfile'];
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...kinds];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n');
}

/** Pages that a text or a comment names by their path from the root. */
function pagesNamedIn(text) {
  return [...text.matchAll(/\bdocs\/[a-z0-9/-]+\.md\b/g)].map(([page]) => page);
}

/** Targets of the links and images outside of code. */
function linksOf(text) {
  const prose = text.replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(([, a, b]) => a ?? b);
}

function exists(page, link) {
  const [path, anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page) {
  const headings = readFileSync(join(root, page), 'utf8')
    .replaceAll(/```[^]*?```/g, '')
    .matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}
