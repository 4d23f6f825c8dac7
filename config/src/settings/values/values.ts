import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { canonicalHost } from '../../matching/host.ts';
import { refuse } from '../problems/refuse.ts';
import { placeholderMessage, weaknessOf } from './weak-secret.ts';

/** The scalar values of guard.yaml, each is parsed once into the type that the code needs. */

/** The name of an organisation or a key. */
export const Identifier = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/i, 'expected letters, digits, - and _, at most 63');

const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const EXPECTED_DURATION = 'expected a duration such as 400ms, 30s, 5m or 14d, longer than zero';

/** A duration such as `400ms`, `30s`, `5m`, `12h` or `14d`, in milliseconds. It is at least one millisecond. */
export const Duration = z.string(EXPECTED_DURATION).transform((text, context) => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match || Number(match[1]) === 0) {
    return refuse(context, EXPECTED_DURATION);
  }
  // The cast is safe, because the expression accepts only the units of the table.
  return Number(match[1]) * DURATION_UNITS[match[2] as keyof typeof DURATION_UNITS];
});

/**
 * How long an origin may take until its answer begins. The maximum is 5m, because the gateway also waits 5m for each
 * part of a body.
 */
export const OriginTimeout = Duration.refine(
  (ms) => ms >= 1_000 && ms <= 300_000,
  'expected a duration of 1s to 5m',
);

/** How often something is fetched: `off`, or milliseconds. */
export const RefreshEvery = z.union([
  z.literal('off'),
  Duration.refine((ms) => ms >= 3_600_000, 'expected off, or a duration of at least 1h'),
]);

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

const EXPECTED_LISTEN =
  'expected host:port such as 127.0.0.1:8080, [v6]:port or unix:/path; port 0 picks a free one';

/** The address of a listener: `host:port`, `[v6]:port` or `unix:/path`. */
export const Listen = z.string(EXPECTED_LISTEN).transform((text, context): ListenAddress => {
  if (text.startsWith('unix:') && text.length > 5) return { kind: 'unix', path: text.slice(5) };
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]*]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    return refuse(context, EXPECTED_LISTEN);
  }
  return { kind: 'tcp', host: match[1] ?? match[2] ?? '', port };
});

export type Origin =
  | {
      readonly kind: 'url';
      /** Scheme, host and port as in a URL: `https://shop.example` or `http://[::1]:3000`. */
      readonly origin: string;
      readonly isSecure: boolean;
      /** A host name or an IP address, without brackets. */
      readonly host: string;
      readonly port: number;
    }
  | { readonly kind: 'unix'; readonly path: string };

const EXPECTED_ORIGIN =
  'expected http://host:port, https://host:port or unix:/path, without a path';

/**
 * The address of an origin: `http://host[:port]`, `https://host[:port]` or `unix:/path`. It has no path, query or
 * credentials.
 */
export const OriginAddress = z.string(EXPECTED_ORIGIN).transform((text, context): Origin => {
  if (text.startsWith('unix:') && text.length > 5) return { kind: 'unix', path: text.slice(5) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === '';
  if (!isPlain) return refuse(context, EXPECTED_ORIGIN);
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  return { kind: 'url', origin: url.origin, isSecure, host: withoutBrackets(url.hostname), port };
});

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** Refuses a weak secret. The message never contains the secret. */
function refuseWeak(secret: string, context: z.RefinementCtx): void {
  const weakness = weaknessOf(secret);
  if (weakness === undefined) return;
  refuse(
    context,
    `expected a secret drawn at random, this is ${weakness}; make one with \`openssl rand -hex 32\``,
  );
}

function refuseUnfilled(secret: string, context: z.RefinementCtx): void {
  const expected = placeholderMessage(secret);
  if (expected !== undefined) refuse(context, expected);
}

/** The origin of a web page as browsers send it (RFC 6454): `https://host` or `http://host:port`. */
export const PageOrigin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isWeb && (text === url.origin || text === `${url.origin}/`)) return url.origin;
  return refuse(
    context,
    'expected an origin such as https://shop.example, in lower case and without a path',
  );
});

/** A secret that signs sessions and tickets, in plain text. */
export const SealingSecret = z
  .string()
  .superRefine(refuseUnfilled)
  .min(16, {
    error: 'expected a secret of at least 16 characters; make one with `openssl rand -hex 32`',
    abort: true,
  })
  .max(1024, 'expected a secret of at most 1024 characters')
  .superRefine(refuseWeak);

/** A key that Guard sends to another service. So Guard keeps it in plain text. */
export const PresentedKey = z
  .string()
  .superRefine(refuseUnfilled)
  .regex(/^[!-~]{1,256}$/, 'expected a key of 1 to 256 visible ASCII characters')
  .superRefine(refuseWeak);

/** A key in plain text or as `sha256:<64 hex digits>`; Guard keeps only its SHA-256. */
export const KeyHash = keyHash(
  /^[!-~]{8,256}$/,
  'expected a key of 8 to 256 visible ASCII characters, or sha256:<64 hex digits>',
);

/** A key of `POST /query` (contract 2.8), in plain text or as `sha256:<64 hex digits>`. */
export const AnalyticsKeyHash = keyHash(
  /^(?:sha256:[!-~]*|sk_api_ro_[!-~]{1,246})$/,
  'expected a key that begins with sk_api_ro_, of at most 256 visible ASCII characters, or sha256:<64 hex digits>; `guard keys create` makes one',
);

function keyHash(form: RegExp, expected: string) {
  return z
    .string()
    .superRefine(refuseUnfilled)
    .regex(form, expected)
    .transform((text, context): Buffer => {
      if (!text.startsWith('sha256:')) {
        refuseWeak(text, context);
        return createHash('sha256').update(text).digest();
      }
      const hex = text.slice(7);
      if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
        return refuse(context, 'expected 64 hex digits after sha256:');
      }
      return Buffer.from(hex, 'hex');
    });
}

/** A password that another service has chosen. It may be weak, but it must not be a placeholder. */
export const Credential = z.string().superRefine(refuseUnfilled);

/**
 * A YAML date (`2027-06-30`) as the first millisecond after that day in UTC, because the key is valid until the end of
 * the day.
 */
export const ExpiryDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a date such as 2027-06-30')
  .transform((text, context) => {
    const start = Date.parse(`${text}T00:00:00Z`);
    // Date.parse reads 30 February as a day in March, so the date is compared with the text.
    if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(text)) {
      return refuse(context, 'expected a date that exists');
    }
    return start + 86_400_000;
  });

/** Accepts one value or a list of values. The result is always a list. */
export function oneOrMany<T extends z.ZodType>(schema: T, maxValues?: number) {
  const list = z.array(schema).min(1);
  const boundedList = maxValues === undefined ? list : list.max(maxValues);
  return z.union([schema.transform((value) => [value]), boundedList]);
}

/** A header name, which is converted to lower case (RFC 9110 section 5.1). */
export const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'expected the name of a header')
  .transform((name) => name.toLowerCase());

/** A host name, `*.name` for its subdomains, an address (IPv6 in brackets), or `*` for any host. */
export const HostPattern = z.string().transform((text, context) => {
  if (text === '*') return text;
  const [prefix, name] = text.startsWith('*.') ? ['*.', text.slice(2)] : ['', text];
  const problem = hostProblem(name);
  if (problem === undefined) return prefix + (canonicalHost(name) ?? '');
  return refuse(context, problem);
});

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const WITH_PORT = /^(\[.*\]|[^:]*):\d*$/;

function hostProblem(name: string): string | undefined {
  if (WITH_PORT.test(name)) return 'expected a host without a port';
  const host = canonicalHost(name);
  if (host?.startsWith('[') === true) return undefined;
  if (host !== undefined && HOST_NAME.test(host)) return undefined;
  return /[^ -~]/.test(name) && domainToASCII(name) !== ''
    ? 'expected a host name in ASCII (xn--…)'
    : 'expected a host name, *.name for its subdomains, [v6], or * for any host';
}

const MAX_WORKERS = 64;

/** The number of worker threads. `auto` means one for each processor. */
export const Workers = z.unknown().transform((value, context): number | 'auto' => {
  if (value === 'auto') return value;
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_WORKERS) {
    return Number(value);
  }
  return refuse(context, `expected auto or a whole number from 1 to ${MAX_WORKERS}`);
});

const KiB = 1024;

/** A size such as `512B`, `2KiB` or `0`, in bytes. The maximum is `maxKiB`. */
export function sizeUpTo(maxKiB: number) {
  return z.unknown().transform((value, context): number => {
    if (value === 0) return 0;
    const match = /^(\d{1,9})(B|KiB)$/.exec(typeof value === 'string' ? value : '');
    const bytes = Number(match?.[1]) * (match?.[2] === 'KiB' ? KiB : 1);
    // Text that is not a size gives NaN, and comparisons with NaN are false.
    if (bytes <= maxKiB * KiB) return bytes;
    return refuse(
      context,
      `expected a size such as 512B or 2KiB, at most ${maxKiB}KiB, or 0 for none`,
    );
  });
}

export const HttpUrl = z.url({
  protocol: /^https?$/,
  error: 'expected a URL that begins with http:// or https://',
});
