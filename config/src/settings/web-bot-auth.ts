import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readTextFile } from './files.ts';

/**
 * The key directory of Web Bot Auth: a JWK set (RFC 7517) of the Ed25519 keys (RFC 8037) with which
 * crawlers sign their requests. Each key also says whose it is, as `operator`. The file is read with
 * the settings, so that a bad one is a problem of the settings file.
 */

/** Largest key directory, in bytes. */
const MAX_DIRECTORY_BYTES = 256 * 1024;
/** Most keys of a directory. */
const MAX_KEYS = 256;

/** Seconds since the epoch; what is in milliseconds by mistake lies beyond the year 2286. */
const Seconds = z.int().positive().max(9_999_999_999);

const Key = z.looseObject({
  kty: z.literal('OKP', 'expected an Ed25519 key: kty OKP'),
  crv: z.literal('Ed25519', 'expected an Ed25519 key: crv Ed25519'),
  /** 32 bytes. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 43 characters of base64url'),
  operator: z.string('expected the operator that signs with this key').min(1).max(100),
  d: z.never('expected a public key; this one is private').optional(),
  nbf: Seconds.optional(),
  exp: Seconds.optional(),
});

const Directory = z.looseObject({ keys: z.array(Key).min(1).max(MAX_KEYS) });

/** A public key of a crawler's operator. */
export interface BotKey {
  /** Its JWK thumbprint (RFC 7638, RFC 8037 appendix A.3): the `keyid` of a signature. */
  readonly keyId: string;
  /** The public key, base64url. */
  readonly x: string;
  /** Name of the operator, as the crawler catalogue has it. */
  readonly operator: string;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The keys of a directory, or what is wrong with it, as a phrase that begins with "a file". */
export function parseKeyDirectory(
  text: string,
): { readonly kind: 'parsed'; readonly keys: readonly BotKey[] } | Refused {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'refused', reason: 'a file that is not JSON' };
  }
  const directory = Directory.safeParse(value);
  if (!directory.success) {
    const [issue] = directory.error.issues;
    const place = issue?.path.join('.') ?? '';
    return { kind: 'refused', reason: `a file with a fault at ${place}: ${issue?.message ?? ''}` };
  }
  return { kind: 'parsed', keys: directory.data.keys.map(toBotKey) };
}

interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
}

function toBotKey({ x, operator, nbf, exp }: z.infer<typeof Key>): BotKey {
  // The members in this order and no white space: RFC 7638 section 3.
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  return {
    keyId: thumbprint.digest('base64url'),
    x,
    operator,
    notBefore: nbf === undefined ? 0 : nbf * 1000,
    notAfter: exp === undefined ? Infinity : exp * 1000,
  };
}

const KeyDirectory = z.string().transform((path, context) => {
  const file = readTextFile(path, MAX_DIRECTORY_BYTES);
  const parsed = file.kind === 'read' ? parseKeyDirectory(file.text) : undefined;
  if (parsed?.kind === 'parsed') return { path, keys: parsed.keys };
  const reason =
    parsed?.reason ?? (file.kind === 'unreadable' ? file.reason : 'a file that is not UTF-8');
  context.addIssue({
    code: 'custom',
    message: `expected a JWK set of Ed25519 keys, relative to this file; there is ${reason}`,
  });
  return z.NEVER;
});

/** Signed requests of crawlers (RFC 9421, tag `web-bot-auth`). */
export const WebBotAuth = z.strictObject({ keys: KeyDirectory });
export type WebBotAuth = Readonly<z.infer<typeof WebBotAuth>>;
