import { expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { knownSecrets } from '../../config/known-secrets.js';
import { readKubeconfig } from './kubeconfig.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const config = (user: object, cluster: object = {}) =>
  stringify({
    'current-context': 'prod',
    contexts: [
      { name: 'prod', context: { cluster: 'c', user: 'u' } },
      { name: 'test', context: { cluster: 'missing', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });

test('reads the server, its authority and a token of the current context', async () => {
  const ca = { 'certificate-authority-data': base64('CA') };
  expect(await readKubeconfig(config({ token: 't' }, ca))).toEqual({
    endpoint: 'https://10.0.0.1:6443',
    token: 't',
    tls: { ca: 'CA' },
  });
});

test('reads a client certificate', async () => {
  const user = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') };
  expect(await readKubeconfig(config(user))).toMatchObject({ tls: { cert: 'CERT', key: 'KEY' } });
});

test('remembers the tokens of all users and the key, so that they are redacted', async () => {
  const user = { token: 'token-of-u', 'client-key-data': base64('a private key') };
  const content = config(user).replace(
    'users:',
    'users:\n  - {name: v, user: {token: token-of-v}}',
  );
  await readKubeconfig(content);
  expect(knownSecrets()).toEqual(
    expect.arrayContaining(['token-of-u', 'token-of-v', 'a private key']),
  );
});

test.each([
  ['a plugin', config({ exec: { command: 'aws', token: 's3cret' } }), /uses exec/],
  ['an old plugin', config({ 'auth-provider': {} }), /uses auth-provider/],
  ['a server that is not verified', config({}, { 'insecure-skip-tls-verify': true }), /verified/],
  ['a server without TLS', config({}, { server: 'http://10.0.0.1' }), /no usable cluster "c"/],
  ['another file', 'a: 1', /not a kubeconfig/],
])('refuses %s', async (_, content, message) => {
  const error = await readKubeconfig(content).catch((thrown: unknown) => String(thrown));
  expect(error).toMatch(message);
  expect(error).not.toContain('s3cret');
});

test('names a part that is missing', async () => {
  await expect(readKubeconfig(config({}), 'test')).rejects.toThrow('cluster "missing"');
  await expect(readKubeconfig(config({}), 'other')).rejects.toThrow('context "other"');
});
