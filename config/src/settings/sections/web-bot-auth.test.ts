import { expect, test } from 'vitest';
import { parseKeyFile } from './web-bot-auth.ts';

const KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
  operator: 'Example',
};

test('the id of a key is its thumbprint, and other members do not change it (RFC 7638, RFC 8037 A.3)', () => {
  const text = JSON.stringify({ keys: [{ ...KEY, kid: 'a name', use: 'sig', nbf: 1, exp: 2 }] });
  expect(parseKeyFile(text)).toEqual({
    kind: 'parsed',
    keys: [
      {
        keyId: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
        x: KEY.x,
        agent: 'Example',
        operator: 'Example',
        notBefore: 1_000,
        notAfter: 2_000,
      },
    ],
  });
});

test.each([
  ['not JSON', '{', 'not JSON'],
  ['no keys', '{"keys":[]}', 'at keys'],
  ['another curve', { ...KEY, crv: 'Ed448' }, 'keys.0.crv: expected an Ed25519 key'],
  ['another kind of key', { ...KEY, kty: 'RSA' }, 'keys.0.kty: expected an Ed25519 key'],
  ['a key of another length', { ...KEY, x: 'AAAA' }, 'keys.0.x: expected 43 characters'],
  ['a private key', { ...KEY, d: 'secret-part' }, 'keys.0.d: expected a public key'],
  ['no operator', { ...KEY, operator: undefined }, 'keys.0.operator: expected'],
  ['milliseconds for seconds', { ...KEY, exp: 1_893_456_000_000 }, 'keys.0.exp'],
])('a directory with %s is refused, and the message shows no key', (_what, content, reason) => {
  const text = typeof content === 'string' ? content : JSON.stringify({ keys: [content] });
  const refusal = parseKeyFile(text);
  expect(refusal.kind === 'refused' ? refusal.reason : '').toContain(reason);
  expect(JSON.stringify(refusal)).not.toMatch(/secret-part|JrQLj5P/);
});
