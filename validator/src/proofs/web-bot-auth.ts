import type { Clock, SessionStore } from '@guard/config/contract/ports';
import { addressGroup } from '@guard/config/net/network-of';
import type { BotKey } from '@guard/config/settings/sections/web-bot-auth';
import { LRUCache } from 'lru-cache';
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type SignatureBase, type SignedRequest, signatureBase } from './signature-base.ts';
import { directoryOf } from './signature-agent.ts';
import { type InnerList, parseDictionary } from './structured-field.ts';
import type { UsedNonces } from './used-nonces.ts';

/**
 * The reason why a signature proves nothing. A fault never makes an impersonator, because any client can send a bad
 * signature.
 */
type SignatureFault =
  | 'malformed'
  | 'algorithm'
  | 'unknown_key'
  | 'key_expired'
  | 'lifetime'
  | 'not_yet_valid'
  | 'expired'
  | 'component_missing'
  | 'component_unsupported'
  | 'signature'
  | 'replayed'
  | 'too_many';

export type SignatureProof =
  /** The request has no signature of Web Bot Auth. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'valid'; readonly key: BotKey }
  | { readonly kind: 'invalid'; readonly fault: SignatureFault };

export interface SentRequest extends SignedRequest {
  /** The visitor's address, spelled as `parseIp` returns it. */
  readonly ip: string;
  /** The organisation that is asked. */
  readonly organisation: string;
}

/** Checks the signature of a request. Answers at once, without a network request. */
export type CheckSignature = (request: SentRequest) => SignatureProof;

/** The tag of signatures of Web Bot Auth (draft-meunier-web-bot-auth-architecture). */
const TAG = 'web-bot-auth';

/** The value of Accept-Signature (RFC 9421 section 5.1). It asks agents to sign, and lists the components to cover. */
export const ACCEPTED_SIGNATURE = `sig1=("@authority" "signature-agent");created;expires;tag="${TAG}"`;

/** Longest allowed time from `created` to `expires`. */
const MAX_LIFETIME_MS = 24 * 60 * 60 * 1000;
/** The allowed difference between the clocks of the signer and of Guard. */
const CLOCK_SKEW_MS = 30_000;
const MAX_NONCE_LENGTH = 256;
/**
 * Maximum number of good signatures in memory. They are kept, because a crawler can send one signature with many
 * requests.
 */
const MAX_SIGNATURES = 1_000;
/** Maximum number of characters of all good signatures and their texts in memory. A header field can be long. */
const MAX_SIGNED_LENGTH = 1024 * 1024;

/**
 * Number of bad signatures with a known key that Guard checks from one address in a minute. After that, to save time,
 * Guard accepts only remembered good signatures from this address.
 */
const MAX_BAD_SIGNATURES = 20;
const BAD_FOR_MS = 60_000;
/** Maximum number of addresses with counts of bad signatures. */
const MAX_BAD_ADDRESSES = 10_000;

const ABSENT: SignatureProof = { kind: 'absent' };

interface LoadedKey extends BotKey {
  readonly publicKey: KeyObject;
}

/** The parameters of a signature that Guard reads (RFC 9421 section 2.3). */
interface SignatureParameters {
  readonly keyId: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly nonce: string | undefined;
}

/**
 * Checks Web Bot Auth: HTTP message signatures (RFC 9421) by Ed25519 keys of crawlers and agents. A remembered nonce is
 * not valid again. A key of a directory is valid only when the signature covers a Signature-Agent that names this
 * directory. Otherwise the operator of a directory could list the key of another operator.
 */
export function createSignatureCheck(
  keys: readonly BotKey[],
  clock: Clock,
  nonces: UsedNonces,
  store: Pick<SessionStore, 'takeInProcess'>,
): CheckSignature {
  const keysById = Map.groupBy(keys.map(loadKey), ({ keyId }) => keyId);
  /** The good signatures with their signed texts. */
  const goodSignatures = new LRUCache<string, string>({
    max: MAX_SIGNATURES,
    maxSize: MAX_SIGNED_LENGTH,
    sizeCalculation: (base, signature) => base.length + signature.length,
  });

  const badCounts = new LRUCache<string, number>({
    max: MAX_BAD_ADDRESSES,
    ttl: BAD_FOR_MS,
    ttlResolution: 0,
    noUpdateTTL: true,
    perf: { now: clock },
  });

  function check(
    label: string,
    coveredComponents: InnerList,
    request: SentRequest,
  ): SignatureProof {
    const signature = signatureOf(request.headers['signature'] ?? '', label);
    const parameters = readParameters(coveredComponents);
    if (signature === undefined || parameters === undefined) return invalid('malformed');
    const algorithm = coveredComponents.parameters.get('alg')?.value ?? 'ed25519';
    if (algorithm !== 'ed25519') return invalid('algorithm');
    const key = chooseKey(keysById.get(parameters.keyId), coveredComponents, request);
    if (key === undefined) return invalid('unknown_key');
    const knownBase = goodSignatures.get(signature.toString('base64'));
    // A caller of another organisation can invent requests of this address.
    const group = `${request.organisation} ${addressGroup(request.ip)}`;
    const badCount = badCounts.get(group) ?? 0;
    if (knownBase === undefined && badCount >= MAX_BAD_SIGNATURES) return invalid('too_many');
    const fault =
      timeFault(parameters, key, clock()) ??
      coverageFault(coveredComponents, request) ??
      signatureFault(signature, knownBase, key, signatureBase(coveredComponents, request));
    if (fault !== undefined) {
      badCounts.set(group, badCount + 1);
      return invalid(fault);
    }
    return isReplayed(parameters) ? invalid('replayed') : { kind: 'valid', key };
  }

  function signatureFault(
    signature: Buffer,
    knownBase: string | undefined,
    { publicKey }: LoadedKey,
    baseResult: SignatureBase,
  ): SignatureFault | undefined {
    if (baseResult.kind !== 'built') return baseResult.kind;
    const { base } = baseResult;
    if (knownBase !== undefined) return knownBase === base ? undefined : 'signature';
    if (!verify(null, Buffer.from(base), publicKey, signature)) return 'signature';
    goodSignatures.set(signature.toString('base64'), base);
    return undefined;
  }

  /**
   * Whether the nonce was used before. Guard remembers only nonces of good signatures, so bad signatures cannot push
   * them out of memory.
   */
  function isReplayed({ keyId, nonce, expiresMs }: SignatureParameters): boolean {
    if (nonce === undefined) return false;
    return !nonces.use(`${keyId} ${nonce}`, clock(), expiresMs + CLOCK_SKEW_MS, store);
  }

  return (request) => {
    const input = request.headers['signature-input'];
    if (input === undefined) return ABSENT;
    const members = parseDictionary(input);
    if (members === undefined) return invalid('malformed');
    for (const [label, member] of members) {
      if (member.kind === 'list' && member.parameters.get('tag')?.value === TAG) {
        return check(label, member, request);
      }
    }
    return ABSENT;
  };
}

/** Chooses among keys with the same id: first the key of the named directory, then the key of the settings. */
function chooseKey(
  keys: readonly LoadedKey[] | undefined,
  coveredComponents: InnerList,
  { headers }: SignedRequest,
): LoadedKey | undefined {
  if (keys === undefined) return undefined;
  const namedDirectory = directoryOf(coveredComponents, headers['signature-agent']);
  return (
    keys.find(({ directory }) => directory !== undefined && directory === namedDirectory) ??
    keys.find(({ directory }) => directory === undefined)
  );
}

function invalid(fault: SignatureFault): SignatureProof {
  return { kind: 'invalid', fault };
}

function loadKey(key: BotKey): LoadedKey {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x };
  return { ...key, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/** The 64 bytes of the Ed25519 signature with this label. Undefined when there is none. */
function signatureOf(field: string, label: string): Buffer | undefined {
  const member = parseDictionary(field)?.get(label);
  if (member?.kind !== 'item' || member.value.kind !== 'bytes') return undefined;
  return member.value.value.length === 64 ? member.value.value : undefined;
}

/**
 * Reads the parameters. `created`, `expires` and `keyid` are required, and `nonce` is optional. Undefined when one is
 * malformed.
 */
function readParameters({ parameters }: InnerList): SignatureParameters | undefined {
  const createdAt = parameters.get('created');
  const expires = parameters.get('expires');
  const keyId = parameters.get('keyid');
  const nonce = parameters.get('nonce');
  if (createdAt?.kind !== 'integer' || expires?.kind !== 'integer' || keyId?.kind !== 'string') {
    return undefined;
  }
  if (nonce !== undefined && (nonce.kind !== 'string' || nonce.value.length > MAX_NONCE_LENGTH)) {
    return undefined;
  }
  return {
    keyId: keyId.value,
    createdMs: createdAt.value * 1000,
    expiresMs: expires.value * 1000,
    nonce: nonce?.value,
  };
}

function timeFault(
  { createdMs, expiresMs }: SignatureParameters,
  key: BotKey,
  nowMs: number,
): SignatureFault | undefined {
  if (nowMs < key.notBefore || nowMs >= key.notAfter) return 'key_expired';
  if (expiresMs <= createdMs || expiresMs - createdMs > MAX_LIFETIME_MS) return 'lifetime';
  if (createdMs > nowMs + CLOCK_SKEW_MS) return 'not_yet_valid';
  return expiresMs + CLOCK_SKEW_MS <= nowMs ? 'expired' : undefined;
}

/**
 * Checks which components the signature covers. A signature that does not cover the authority could be reused at
 * another site. When it does not cover the sent Signature-Agent, any client could add the name of another agent.
 */
function coverageFault(
  coveredComponents: InnerList,
  { headers }: SignedRequest,
): SignatureFault | undefined {
  const names = coveredComponents.items.map(({ value }) => value.value);
  const isComplete =
    names.includes('@authority') &&
    (headers['signature-agent'] === undefined || names.includes('signature-agent'));
  return isComplete ? undefined : 'component_missing';
}
