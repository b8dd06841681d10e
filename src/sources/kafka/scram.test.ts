import { expect, test } from '@jest/globals';
import { signInByScram } from './scram.js';

/** The example of RFC 7677, section 3. */
const NONCE = 'rOprNGfwEbeRWgbNEkqO';
const LOGIN = { user: 'user', password: 'pencil', mechanism: 'SCRAM-SHA-256' as const };
const FIRST = `r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`;
const FINAL = 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=';

async function exchange(answers: string[], login: typeof LOGIN = LOGIN) {
  const sent: string[] = [];
  await signInByScram(
    login,
    (message) => Promise.resolve(Buffer.from(answers[sent.push(message.toString()) - 1] ?? '')),
    NONCE,
  );
  return sent;
}

test('sends the messages of the example of RFC 7677, and accepts its proof', async () => {
  expect(await exchange([FIRST, FINAL])).toEqual([
    `n,,n=user,r=${NONCE}`,
    `c=biws,r=${NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`,
  ]);
});

test('masks the separators of a name', async () => {
  const sent: string[] = [];
  const send = (message: Buffer) => {
    sent.push(message.toString());
    return Promise.resolve(Buffer.from('e=other-error'));
  };
  await expect(signInByScram({ ...LOGIN, user: 'a=b,c' }, send, NONCE)).rejects.toThrow();
  expect(sent).toEqual([`n,,n=a=3Db=2Cc,r=${NONCE}`]);
});

test.each([
  ['a nonce of its own', FIRST.replace(NONCE, 'x'), FINAL, /does not answer the challenge/],
  ['no nonce of its own', `r=${NONCE},s=c2FsdA==,i=4096`, FINAL, /does not answer the challenge/],
  ['one iteration', FIRST.replace('4096', '1'), FINAL, /1 iterations, not 4096 to 100000/],
  ['work for hours', FIRST.replace('4096', '999999999'), FINAL, /999999999 iterations/],
  ['no numbers', 'hello', FINAL, /does not answer the challenge/],
  ['a long message', 'r'.repeat(5_000), FINAL, /a message of 5000 bytes/],
  ['a wrong proof', FIRST, FINAL.replace('6', '7'), /cannot prove that it knows the password/],
  ['no proof', FIRST, '', /cannot prove that it knows the password/],
])('does not trust a server with %s', async (_, first, final, why) => {
  await expect(exchange([first, final])).rejects.toMatchObject({
    failure: 'failed',
    message: expect.stringMatching(why) as unknown,
  });
});

test('a refusal of the proof is one of the credential', async () => {
  await expect(exchange([FIRST, 'e=invalid-proof'])).rejects.toMatchObject({
    failure: 'refused',
    message: 'it does not accept the credential (invalid-proof)',
  });
});
