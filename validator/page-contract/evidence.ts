import { z } from 'zod';
import { LIMITS } from './limits.ts';

/**
 * The upload of the challenge page: raw readings, no judgement (contract 3: the full pipeline runs on the server). The
 * browser code uses only the types of this file, so no code of this file is bundled.
 */

const text = z.string().max(LIMITS.textChars);
const userAgent = z.string().max(LIMITS.userAgentChars);
const texts = z.array(text).max(LIMITS.listItems);
const count = z.number().min(0).max(1_000_000);
const length = z.number().min(-1_000_000).max(1_000_000);
const milliseconds = z.number().min(0).max(86_400_000);

/**
 * A value, or the reason why there is none: the browser lacks the property, the source failed, or the source was too
 * slow.
 */
function reading<T extends z.ZodType>(value: T) {
  return z.union([
    z.strictObject({ value }),
    z.strictObject({ unread: z.enum(['absent', 'failed', 'timeout']) }),
  ]);
}

const Format = z.strictObject({
  /** The answer of `canPlayType`: `probably`, `maybe`, or empty when the browser cannot play the format. */
  plays: text,
  /** The answer of `MediaSource.isTypeSupported`. Null when the browser does not have this function. */
  streams: z.boolean().nullable(),
});

const Brands = z.array(z.strictObject({ brand: text, version: text })).max(LIMITS.listItems);

const Readings = z.strictObject({
  webdriver: reading(
    z.strictObject({
      /** The value of `navigator.webdriver`. Null when the property does not exist. */
      reported: z.boolean().nullable(),
      /** Whether the property is on `navigator` itself. Browsers define it on the prototype of `navigator`. */
      ownProperty: z.boolean(),
      /** Whether the getter is the browser's own code. Null when there is no getter. */
      nativeGetter: z.boolean().nullable(),
    }),
  ),
  /** Names of objects that automation tools leave behind. */
  automation: reading(texts),
  hints: reading(
    z.strictObject({
      brands: Brands,
      platform: text,
      /** Number of entries in the list of full versions. Null when the browser has no such list. */
      fullVersions: count.nullable(),
    }),
  ),
  languages: reading(z.strictObject({ all: texts })),
  plugins: reading(z.strictObject({ plugins: count })),
  /** True when `window.chrome` exists. Otherwise the reading is `absent`. */
  chrome: reading(z.literal(true)),
  engine: reading(z.strictObject({ vendor: text })),
  screen: reading(
    z.strictObject({
      width: length,
      height: length,
      outerWidth: length,
      outerHeight: length,
      innerWidth: length,
      innerHeight: length,
      /** Width of a scroll bar in CSS pixels. 0 when scroll bars lie over the content. */
      scrollBar: length.nullable(),
    }),
  ),
  hardware: reading(z.strictObject({ touchPoints: count })),
  /** Facts that the browser got from its desktop. */
  desktop: reading(
    z.strictObject({
      /** Whether there is a mouse, a pen or a touch screen. */
      points: z.boolean(),
      /** Whether one of these devices can hover. */
      hovers: z.boolean(),
      /** The system font `caption` of CSS, as a value of the property `font`. */
      captionFont: text,
    }),
  ),
  timezone: reading(z.strictObject({ name: text })),
  permissions: reading(z.strictObject({ notification: text, query: text })),
  graphics: reading(z.strictObject({ renderer: text })),
  worker: reading(z.strictObject({ userAgent, platform: text })),
  /** Facts from a shared worker. A driver that changes facts in its page does not change them in a shared worker. */
  sharedWorker: reading(
    z.strictObject({
      userAgent,
      platform: text,
      /** Number of entries in the list of full versions. Null when the worker has no such list. */
      fullVersions: count.nullable(),
    }),
  ),
  /** Facts from an empty frame. Injected scripts rarely change an empty frame. */
  frame: reading(
    z.strictObject({
      webdriver: z.boolean().nullable(),
      userAgent,
      platform: text,
    }),
  ),
  /** Native functions that are a Proxy. */
  disguises: reading(z.strictObject({ proxied: texts })),
  /** How often the stack of an error was formatted although no script read it. */
  inspector: reading(z.strictObject({ stacksFormatted: count })),
  /** Whether the browser reported a user activation of the page before and after all other readings. */
  activation: reading(
    z.strictObject({
      before: z.boolean(),
      after: z.boolean(),
      /** Number of input events (keys, clicks, touches) between `before` and `after`. */
      inputs: count,
    }),
  ),
  /**
   * An empty frame tried `asked` history steps in a row. `granted` is the number of the last allowed step; 0 means
   * none.
   */
  flooding: reading(z.strictObject({ asked: count, granted: count })),
  /** Whether a message reached the page from a frame that another site embeds. */
  partition: reading(z.strictObject({ crossed: z.boolean() })),
  /** Widths of the innermost boxes of the ticket's style sheet (challenge/cascade/sheet.ts), in CSS pixels. */
  cascade: reading(
    z.strictObject({ side: length, widths: z.array(length).max(LIMITS.measurements) }),
  ),
  /**
   * Width and height of the first line and of each innermost box of the witness document (challenge/witnesses/), in CSS
   * pixels.
   */
  witnesses: reading(z.strictObject({ sizes: z.array(length).max(LIMITS.measurements) })),
  /**
   * `hashes` has a hash of each answer to the ticket's questions (challenge/learned/), or null when the browser could
   * not answer. `asked` is the hash of all questions.
   */
  answers: reading(
    z.strictObject({
      asked: z.uint32(),
      hashes: z.array(z.uint32().nullable()).max(LIMITS.questions),
    }),
  ),
  media: reading(z.strictObject({ h264: Format, aac: Format, vp9: Format })),
  /** The fonts of marker-fonts.ts that this browser can draw. */
  fonts: reading(texts),
  /** Whether the browser drew its first animation frame before all other readings were done. */
  painting: reading(
    z.strictObject({
      /** Whether the page was visible all the time. */
      visible: z.boolean(),
      /** Milliseconds until the frame was drawn. Null when no frame was drawn. */
      frameMs: milliseconds.nullable(),
      /** Number of timers that ran before the frame. */
      ticks: count,
      watchedMs: milliseconds,
    }),
  ),
});
export type Readings = z.infer<typeof Readings>;
export type SourceName = keyof Readings;

/** The value of one source when it could be read. */
export type ReadingValue<N extends SourceName> = Extract<Readings[N], { value: unknown }>['value'];

export const Evidence = z.strictObject({
  /** Data that every browser has. An upload without this data is invalid. */
  agent: z.strictObject({ userAgent: userAgent.min(1), platform: text }),
  readings: Readings,
  /** The time when this document started, by the browser's own clock, in epoch milliseconds. */
  startedAtMs: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  /** How long each source took in milliseconds, including sources that could not be read. */
  tookMs: z.record(Readings.keyof(), milliseconds),
  totalMs: milliseconds,
});
export type Evidence = Readonly<z.infer<typeof Evidence>>;

export const Upload = z.strictObject({
  ticket: z.string().max(2048),
  /** The `_guard` cookie as the page reads it. Empty when the browser did not keep the cookie. */
  session: z.string().max(128),
  /** The memory-hard work (work/). Undefined when the collector asked for none. */
  work: z
    .strictObject({ task: z.string().max(64), counter: z.int().min(0).max(0xffff_ffff) })
    .optional(),
  evidence: Evidence,
});
export type Upload = Readonly<z.infer<typeof Upload>>;

/** The message of a page that the visitor left before the collector answered. */
export const Leave = z.strictObject({ ticket: Upload.shape.ticket, left: z.literal(true) });
export type Leave = Readonly<z.infer<typeof Leave>>;

/** The answer to the page. It never contains the verdict. */
export type UploadResult = 'reload' | 'retry' | 'failed' | 'no_session';

/**
 * The collector asks the page to send the same upload again with work: for `work`, because there are many passes; for
 * `doubt`, because the upload is doubtful.
 */
export interface RequiredWork {
  readonly result: 'work' | 'doubt';
  readonly task: string;
}

/** The value of a reading. Undefined when the source could not be read. A missing value is no evidence. */
export function valueOfReading<T>(outcome: { value: T } | { unread: string }): T | undefined {
  return 'value' in outcome ? outcome.value : undefined;
}
