import { createHash } from 'node:crypto';
import { z } from 'zod';

/** The scalar values of guard.yaml, each parsed once into what the code needs. */

const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `400ms`, `30s`, `5m`, `12h`, `14d` to milliseconds. */
export const Duration = z.string().transform((text, context) => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  if (!match) {
    context.addIssue({
      code: 'custom',
      message: 'expected a duration such as 400ms, 30s, 5m, 14d',
    });
    return z.NEVER;
  }
  return Number(match[1]) * DURATION_UNITS[match[2] as keyof typeof DURATION_UNITS];
});

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** `host:port`, `[v6]:port` or `unix:/path`. */
export const Listen = z.string().transform((text, context): ListenAddress => {
  if (text.startsWith('unix:') && text.length > 5) return { kind: 'unix', path: text.slice(5) };
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    context.addIssue({ code: 'custom', message: 'expected host:port, [v6]:port or unix:/path' });
    return z.NEVER;
  }
  return { kind: 'tcp', host: match[1] ?? match[2] ?? '', port };
});

export type Origin =
  | { readonly kind: 'url'; readonly origin: string }
  | { readonly kind: 'unix'; readonly path: string };

/** `http://host[:port]`, `https://host[:port]` or `unix:/path`; no path, query or credentials. */
export const OriginAddress = z.string().transform((text, context): Origin => {
  if (text.startsWith('unix:') && text.length > 5) return { kind: 'unix', path: text.slice(5) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain =
    url !== undefined &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === '';
  if (!plain) {
    context.addIssue({
      code: 'custom',
      message: 'expected http://host:port, https://host:port or unix:/path, without a path',
    });
    return z.NEVER;
  }
  return { kind: 'url', origin: url.origin };
});

/** A key in plain text or as `sha256:<64 hex digits>`; only its SHA-256 is kept. */
export const KeyHash = z
  .string()
  .min(8, 'expected a key of at least 8 characters, or sha256:<64 hex digits>')
  .transform((text, context) => {
    if (!text.startsWith('sha256:')) return createHash('sha256').update(text).digest();
    const hex = text.slice(7);
    if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
      context.addIssue({ code: 'custom', message: 'expected 64 hex digits after sha256:' });
      return z.NEVER;
    }
    return Buffer.from(hex, 'hex');
  });

/** A YAML date (`2027-06-30`) as the first millisecond after that day, UTC: the key works until its end. */
export const ExpiryDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a date such as 2027-06-30')
  .transform((text, context) => {
    const start = Date.parse(`${text}T00:00:00Z`);
    if (Number.isNaN(start)) {
      context.addIssue({ code: 'custom', message: 'no such date' });
      return z.NEVER;
    }
    return start + 86_400_000;
  });

/** One value or a list of them, always a list afterwards. */
export function oneOrMany<T extends z.ZodType>(schema: T) {
  return z.union([schema.transform((value) => [value]), z.array(schema).min(1)]);
}
