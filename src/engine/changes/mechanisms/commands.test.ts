import { expect, test } from '@jest/globals';
import { readChange } from '../read-change.js';

const kindsOf = (file: string, ...lines: string[]) =>
  readChange({
    kind: 'commit',
    at: 0,
    id: 'c',
    files: [file],
    diff: lines.join('\n'),
  }).mechanisms.map(({ kind }) => kind);

test.each([
  ['of Kubernetes', 'web.yaml', '-command: ["/app/web"]', '+command: ["/app/web --all"]'],
  ['of Docker', 'Dockerfile', '-CMD ["node", "main.js"]', '+CMD ["node", "dist/main.js"]'],
  ['of systemd', 'web.service', '-ExecStart=/usr/bin/web', '+ExecStart=/opt/web/bin/web'],
])('reads another command %s', (_, file, ...lines) => {
  expect(kindsOf(file, ...lines)).toContain('command-changed');
});

test('what a probe runs is no command of the container', () => {
  const lines = [' livenessProbe:', '   exec:', '-    command: ["/ok"]', '+    command: ["/up"]'];
  expect(kindsOf('web.yaml', ...lines)).not.toContain('command-changed');
});

test('a field of a message that is called after a credential is no access', () => {
  const lines = ['-  Token string `json:"deviceToken"`', '+  Token string `json:"registration"`'];
  const kinds = kindsOf('msg.go', ...lines);
  expect(kinds).toContain('contract-renamed');
  expect(kinds).not.toContain('auth-changed');
});
