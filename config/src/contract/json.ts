import type { z } from 'zod';

/** The value of a JSON text. Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The value of a JSON text that has the form of the schema. Undefined for a text that is not JSON or does not have this
 * form.
 */
export function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data;
}

/** Bytes as text. Undefined when they are not UTF-8. A byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
