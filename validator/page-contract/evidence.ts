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

/** A value, or the reason why it is missing: the browser lacks it, reading it threw an error, or it took too long. */
function reading<T extends z.ZodType>(value: T) {
  return z.union([
    z.strictObject({ value }),
    z.strictObject({ unread: z.enum(['absent', 'failed', 'timeout']) }),
  ]);
}

const Format = z.strictObject({
  /** The answer of `canPlayType`: `probably`, `maybe`, or empty for no. */
  plays: text,
  /** The answer of `MediaSource.isTypeSupported`. Null when it does not exist. */
  streams: z.boolean().nullable(),
});

const Brands = z.array(z.strictObject({ brand: text, version: text })).max(LIMITS.listItems);

const Readings = z.strictObject({
  webdriver: reading(
    z.strictObject({
      /** null: the property does not exist. */
      reported: z.boolean().nullable(),
      /** Whether the property is on the navigator itself. Browsers define it on the prototype. */
      ownProperty: z.boolean(),
      /** The getter is the browser's own code. Null when there is no getter. */
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
  /** `window.chrome` exists, or the reading is absent. */
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
      /** Width of a scroll bar in CSS pixels. 0 when it lies over the content. */
      scrollBar: length.nullable(),
    }),
  ),
  hardware: reading(z.strictObject({ touchPoints: count })),
  /** Facts that the browser got from its desktop. */
  desktop: reading(
    z.strictObject({
      /** There is a mouse, a pen or a touch screen. */
      points: z.boolean(),
      /** Whether one of these devices can hover. */
      hovers: z.boolean(),
      /** Font of the system's captions, as CSS writes it. */
      captionFont: text,
    }),
  ),
  timezone: reading(z.strictObject({ name: text })),
  permissions: reading(z.strictObject({ notification: text, query: text })),
  graphics: reading(z.strictObject({ renderer: text })),
  worker: reading(z.strictObject({ userAgent, platform: text })),
  /** The same facts from a shared worker. Changes that a driver makes in its page do not reach it. */
  sharedWorker: reading(
    z.strictObject({
      userAgent,
      platform: text,
      /** As in `hints`. */
      fullVersions: count.nullable(),
    }),
  ),
  /** The same facts from an empty frame. Injected scripts rarely change it. */
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
  /** Whether the page counted as used by a person when all other readings were done. */
  activation: reading(
    z.strictObject({
      before: z.boolean(),
      after: z.boolean(),
      /** Number of keys, clicks and touches in that time. */
      inputs: count,
    }),
  ),
  /** The number of the last history step that a frame was allowed, of `asked` steps in a row. 0 for none. */
  flooding: reading(z.strictObject({ asked: count, granted: count })),
  /** Whether a message from a frame of another site reached the page. */
  partition: reading(z.strictObject({ crossed: z.boolean() })),
  /** Widths of the leaves of the ticket's style sheet (challenge/cascade/sheet.ts), in CSS pixels. */
  cascade: reading(
    z.strictObject({ side: length, widths: z.array(length).max(LIMITS.measurements) }),
  ),
  /** Width and height of the first line, and of the leaves of the witnesses (challenge/witnesses/), in CSS pixels. */
  witnesses: reading(z.strictObject({ sizes: z.array(length).max(LIMITS.measurements) })),
  /**
   * Hashes of the answers to the ticket's questions (challenge/learned/), and of the questions themselves. Null when
   * the browser could not answer a question.
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
  /** Whether the frame that was requested at the start was drawn before all other readings were done. */
  painting: reading(
    z.strictObject({
      /** The page was visible all the time. */
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
  /** Data that every browser has. An upload without it does not have this form. */
  agent: z.strictObject({ userAgent: userAgent.min(1), platform: text }),
  readings: Readings,
  /** The start of this document by the browser's own clock, in epoch milliseconds. */
  startedAtMs: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
  /** How long each source took in milliseconds, including sources that could not be read. */
  tookMs: z.record(Readings.keyof(), milliseconds),
  totalMs: milliseconds,
});
export type Evidence = Readonly<z.infer<typeof Evidence>>;

export const Upload = z.strictObject({
  ticket: z.string().max(2048),
  /** The `_guard` cookie as the page reads it. Empty when the browser did not keep it. */
  session: z.string().max(128),
  /** The memory-hard work (work/). Undefined when the collector asked for none. */
  work: z
    .strictObject({ task: z.string().max(64), counter: z.int().min(0).max(0xffff_ffff) })
    .optional(),
  evidence: Evidence,
});
export type Upload = Readonly<z.infer<typeof Upload>>;

/** The message of a page that the visitor left without an answer. It shows how far the visitor came. */
export const Leave = z.strictObject({ ticket: Upload.shape.ticket, left: z.literal(true) });
export type Leave = Readonly<z.infer<typeof Leave>>;

/** The answer to the page. It never contains the verdict. */
export type UploadResult = 'reload' | 'retry' | 'failed' | 'no_session';

/** The page has to send the same upload again with work, because of many passes or because of a doubt. */
export interface WorkAsked {
  readonly result: 'work' | 'doubt';
  readonly task: string;
}

/** The value of a reading. Undefined when the source could not be read: this is no evidence. */
export function valueOfReading<T>(outcome: { value: T } | { unread: string }): T | undefined {
  return 'value' in outcome ? outcome.value : undefined;
}
