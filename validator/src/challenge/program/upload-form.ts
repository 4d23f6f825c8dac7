import { PAGE_DATA, type PageDataNames } from '../../../page-contract/program.ts';
import { Draw } from '../cascade/draw.ts';
import { drawMix, type Mix } from './mix.ts';

/** How the pages of one program get their data and write their uploads. */
export interface UploadForm {
  readonly dataNames: PageDataNames;
  /** A JavaScript module, which replaces browser/page/form.ts in this program. */
  readonly source: string;
  /** Returns the body of an upload with the JSON `text`. */
  readonly write: (ticket: string, text: string) => string;
  /**
   * Returns the JSON of an upload from its parsed body. Undefined when pages of this program do not write such a body.
   */
  readonly read: (ticket: string, body: object) => string | undefined;
}

/** An upload is split into at least 2 and at most 5 fields. */
const PARTS = [2, 5] as const;

/** Draws the form of the program with this id from a secret. */
export function drawUploadForm(secret: Uint8Array, id: string): UploadForm {
  const draw = new Draw(secret, id);
  const nextName = draw.names();
  const dataNames = Object.fromEntries(
    PAGE_DATA.map((name) => [name, nextName()]),
  ) as PageDataNames;
  const parts = Array.from({ length: draw.int(...PARTS) }, () => nextName());
  const cipher: Cipher = { mix: drawMix(draw), start: draw.int32(), byte: 8 * draw.int(0, 3) };
  return {
    dataNames,
    source: moduleSource(dataNames, parts, cipher),
    write(ticket, text) {
      const encoded = mixBytes(Buffer.from(text), ticket, cipher).toString('base64');
      const size = Math.ceil(encoded.length / parts.length);
      const fields = parts.map((name, at) => [name, encoded.slice(at * size, (at + 1) * size)]);
      return JSON.stringify({ ticket, ...(Object.fromEntries(fields) as object) });
    },
    read(ticket, body) {
      if (Object.keys(body).length !== parts.length + 1) return undefined;
      // The next line refuses values that are not texts.
      const fields = parts.map((name) => (body as Record<string, unknown>)[name]);
      if (!fields.every((field) => typeof field === 'string')) return undefined;
      return mixBytes(Buffer.from(fields.join(''), 'base64'), ticket, cipher).toString();
    },
  };
}

/**
 * A stream cipher, seeded with the ticket. It hides the bytes of a text with XOR, so applying it again restores the
 * text.
 */
interface Cipher {
  readonly mix: Mix;
  readonly start: number;
  /** Number of bits by which a state is shifted right before its lowest byte is used. */
  readonly byte: number;
}

function mixBytes(bytes: Buffer, ticket: string, { mix, start, byte }: Cipher): Buffer {
  let state = start;
  for (let index = 0; index < ticket.length; index++)
    state = mix.apply(state ^ ticket.charCodeAt(index));
  for (let place = 0; place < bytes.length; place++) {
    state = mix.apply(state);
    bytes.writeUInt8((bytes.readUInt8(place) ^ (state >>> byte)) & 255, place);
  }
  return bytes;
}

function moduleSource(dataNames: PageDataNames, parts: readonly string[], cipher: Cipher): string {
  const { mix, start, byte } = cipher;
  const fields = parts.map((name, index) => `${name}:t.slice(${index}*n,${index + 1}*n)`);
  return `export const dataNames=${JSON.stringify(dataNames)};
const mixed=h=>{${mix.source}return h};
export const write=u=>{
let s=${start},t='';
for(const c of u.ticket)s=mixed(s^c.charCodeAt(0));
for(const b of new TextEncoder().encode(JSON.stringify(u)))s=mixed(s),t+=String.fromCharCode((b^s>>>${byte})&255);
t=btoa(t);
const n=Math.ceil(t.length/${parts.length});
return JSON.stringify({ticket:u.ticket,${fields.join()}})};`;
}
