import { z } from 'zod';
import { LIMITS } from '../../browser/page/limits.ts';

/**
 * What the challenge page uploads: raw readings, no opinion (spec 3: the full pipeline runs on the
 * server). The browser code takes its types from here; nothing of this file is bundled into it.
 */

/** Largest body of `POST /verify`, in bytes of UTF-8. */
export const MAX_UPLOAD_BYTES = 64 * 1024;

const text = z.string().max(LIMITS.textChars);
const userAgent = z.string().max(LIMITS.userAgentChars);
const texts = z.array(text).max(LIMITS.listItems);
const count = z.number().min(0).max(1_000_000);
const length = z.number().min(-1_000_000).max(1_000_000);
const milliseconds = z.number().min(0).max(86_400_000);

/** A value, or why there is none: the browser lacks it, reading it threw, or it took too long. */
function reading<T extends z.ZodType>(value: T) {
  return z.union([
    z.strictObject({ value }),
    z.strictObject({ unread: z.enum(['absent', 'failed', 'timeout']) }),
  ]);
}

const Brands = z.array(z.strictObject({ brand: text, version: text })).max(LIMITS.listItems);

const Readings = z.strictObject({
  webdriver: reading(
    z.strictObject({
      /** null: the property does not exist. */
      reported: z.boolean().nullable(),
      /** Defined on the navigator itself; browsers define it on the prototype. */
      ownProperty: z.boolean(),
      /** The getter is the browser's own code; null when there is no getter. */
      nativeGetter: z.boolean().nullable(),
    }),
  ),
  /** Names of objects that automation tools leave behind. */
  automation: reading(texts),
  /** Natives whose source text is not the browser's own. */
  alteredNatives: reading(texts),
  hints: reading(z.strictObject({ brands: Brands, mobile: z.boolean(), platform: text })),
  languages: reading(z.strictObject({ first: text, all: texts })),
  plugins: reading(z.strictObject({ plugins: count, mimeTypes: count })),
  /** Property names of `window.chrome`. */
  chrome: reading(texts),
  engine: reading(z.strictObject({ vendor: text, productSub: text, mozCss: z.boolean() })),
  screen: reading(
    z.strictObject({
      width: length,
      height: length,
      availWidth: length,
      availHeight: length,
      outerWidth: length,
      outerHeight: length,
      innerWidth: length,
      innerHeight: length,
      pixelRatio: length,
    }),
  ),
  hardware: reading(z.strictObject({ concurrency: count, touchPoints: count })),
  timezone: reading(z.strictObject({ name: text, offsetMinutes: length })),
  permissions: reading(z.strictObject({ notification: text, query: text })),
  graphics: reading(z.strictObject({ vendor: text, renderer: text })),
  worker: reading(
    z.strictObject({ userAgent, platform: text, languages: texts, concurrency: count }),
  ),
});
export type Readings = z.infer<typeof Readings>;
export type SourceName = keyof Readings;

/** The value of one source once it could be read. */
export type ReadingValue<N extends SourceName> = Extract<Readings[N], { value: unknown }>['value'];

export const Evidence = z.strictObject({
  /** What no browser lacks; an upload without it is not in this form. */
  agent: z.strictObject({ userAgent: userAgent.min(1), platform: text }),
  readings: Readings,
  /** How long each source took, in milliseconds. */
  tookMs: z.record(z.string().max(32), milliseconds),
  totalMs: milliseconds,
});
export type Evidence = Readonly<z.infer<typeof Evidence>>;

export const Upload = z.strictObject({
  ticket: z.string().max(2048),
  /** The `_guard` cookie as the page reads it; empty when it did not stay. */
  session: z.string().max(128),
  evidence: Evidence,
});
export type Upload = Readonly<z.infer<typeof Upload>>;

/** What the page is told; never the verdict. */
export type UploadResult = 'reload' | 'retry' | 'failed' | 'no_session';

/** The value of a reading, or undefined: what could not be read is no evidence. */
export function known<T>(read: { value: T } | { unread: string }): T | undefined {
  return 'value' in read ? read.value : undefined;
}
