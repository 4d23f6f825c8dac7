import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../contract/json.ts';
import { refuse } from '../problems/refuse.ts';
import { addressUse, isLoopbackHost } from '../../net/special-address.ts';
import { readTextFile } from '../values/files.ts';

/**
 * The keys of Web Bot Auth: JWK sets (RFC 7517) of the Ed25519 keys (RFC 8037) with which crawlers and agents sign
 * their requests. They come from a file of the user, and from directories that `guard agents refresh` fetches
 * (keys/agent-keys.ts). In the file, `operator` names the owner of a key. The file is read with the settings, so a bad
 * file is reported as a problem of the settings.
 */

/** Largest key directory, in bytes. */
export const MAX_DIRECTORY_BYTES = 256 * 1024;
/** The largest number of keys in one directory. */
export const MAX_KEYS = 256;
const MAX_DIRECTORIES = 32;

/** Seconds since the epoch. A value in milliseconds would be a time after the year 2286, so it is refused. */
const Seconds = z.int().positive().max(9_999_999_999);

/** The members of a JWK that Guard uses. */
export const PublicKey = z.object({
  /** The public key: 32 bytes. */
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 43 characters of base64url'),
  nbf: Seconds.optional(),
  exp: Seconds.optional(),
});
export type PublicKey = Readonly<z.infer<typeof PublicKey>>;

export const Jwk = z.looseObject({
  kty: z.literal('OKP', 'expected an Ed25519 key: kty OKP'),
  crv: z.literal('Ed25519', 'expected an Ed25519 key: crv Ed25519'),
  ...PublicKey.shape,
  d: z.never('expected a public key; this one is private').optional(),
});

const Operator = z.string('expected the operator that signs with this key').min(1).max(100);
const Key = Jwk.extend({ operator: Operator });

const KeyFile = z.looseObject({ keys: z.array(Key).min(1).max(MAX_KEYS) });

interface Signer {
  /** The name of the agent in rules and events. */
  readonly agent: string;
  /** The operator in the catalogue whose crawlers this key can verify. */
  readonly operator?: string | undefined;
  /**
   * The URL of the host that publishes the key. A request must name this URL. Undefined for a key of the user's file.
   */
  readonly directory?: string | undefined;
}

/** A public key that checks the signatures of requests. */
export interface BotKey extends Signer {
  /** The JWK thumbprint of the key (RFC 7638, RFC 8037 appendix A.3): the `keyid` of a signature. */
  readonly keyId: string;
  /** The public key in base64url. */
  readonly x: string;
  /** The time from which the key is valid, in milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** On failure, `reason` is a phrase that begins with "a file". */
export function parseKeyFile(
  text: string,
): { readonly kind: 'parsed'; readonly keys: readonly BotKey[] } | RefusedKeys {
  const value = parseJson(text);
  if (value === undefined) return { kind: 'refused', reason: 'a file that is not JSON' };
  const keyFile = KeyFile.safeParse(value);
  if (!keyFile.success) {
    const [issue] = keyFile.error.issues;
    const place = issue?.path.join('.') ?? '';
    return { kind: 'refused', reason: `a file with a fault at ${place}: ${issue?.message ?? ''}` };
  }
  const keys = keyFile.data.keys.map((key) =>
    toBotKey(key, { agent: key.operator, operator: key.operator }),
  );
  return { kind: 'parsed', keys };
}

interface RefusedKeys {
  readonly kind: 'refused';
  readonly reason: string;
}

export function toBotKey({ x, nbf, exp }: PublicKey, signer: Signer): BotKey {
  // RFC 7638 section 3: the members have this order, and there is no white space.
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  return {
    ...signer,
    keyId: thumbprint.digest('base64url'),
    x,
    notBefore: nbf === undefined ? 0 : nbf * 1000,
    notAfter: exp === undefined ? Infinity : exp * 1000,
  };
}

const KeyFilePath = z.string().transform((path, context) => {
  const file = readTextFile(path, MAX_DIRECTORY_BYTES);
  const parsed = file.kind === 'read' ? parseKeyFile(file.text) : undefined;
  if (parsed?.kind === 'parsed') return { path, keys: parsed.keys };
  const reason =
    parsed?.reason ?? (file.kind === 'unreadable' ? file.reason : 'a file that is not UTF-8');
  return refuse(
    context,
    `expected the path of a JWK set of Ed25519 keys, relative to this file; there is ${reason}`,
  );
});

const EXPECTED_ORIGIN = 'expected https:// and a host name, such as https://chatgpt.com';

/** The URL of a host, without a path. The host is a name, and not an IP address or this machine. */
const DirectoryOrigin = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    if (url?.protocol !== 'https:' || `${url.origin}/` !== url.href) return false;
    return (
      addressUse(url.hostname.replace(/^\[|\]$/g, '')) === undefined &&
      !isLoopbackHost(url.hostname)
    );
  }, EXPECTED_ORIGIN)
  .transform((text) => new URL(text).origin);

const AgentDirectory = z.strictObject({
  /** The name of the agent in rules and events. It is in lower case, because it is also the name of a file. */
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,62}$/,
      'expected lower-case letters, digits, - and _, at most 63',
    ),
  url: DirectoryOrigin,
  operator: Operator.optional(),
});
export type AgentDirectory = Readonly<z.infer<typeof AgentDirectory>>;

const AgentDirectories = z
  .array(AgentDirectory)
  .max(MAX_DIRECTORIES)
  .refine(
    (directories) => new Set(directories.map(({ name }) => name)).size === directories.length,
    {
      error: 'expected each name once: it says which agent a rule means',
    },
  )
  .refine((directories) => new Set(directories.map(({ url }) => url)).size === directories.length, {
    error:
      'expected each url once: a signed request names the url, and the url must mean one agent',
  });

/** Signed requests of crawlers and agents (RFC 9421, tag `web-bot-auth`). */
export const WebBotAuth = z
  .strictObject({
    keys: KeyFilePath.optional(),
    /** URLs of hosts whose published keys are trusted. */
    directories: AgentDirectories.default([]),
    /** The folder for the keys that `guard agents refresh` fetches. The folder can be missing. */
    fetched_keys: z.string().min(1).optional(),
  })
  .refine(
    ({ directories, fetched_keys }) => directories.length === 0 || fetched_keys !== undefined,
    {
      path: ['fetched_keys'],
      error: 'expected a folder: `guard agents refresh` writes the keys of the directories there',
    },
  );
export type WebBotAuth = Readonly<z.infer<typeof WebBotAuth>>;
