import { hash, timingSafeEqual } from 'node:crypto';
import { Draw } from '../cascade/draw.ts';
import { deriveKey } from '../../session/sealer.ts';
import { drawWitnessPage, MAX_URLS, type Witness, type WitnessPage } from './witness-page.ts';

/** The sizes that a browser measures for one ticket, in CSS pixels. The key is the position of the leaf. */
export interface ExpectedWitnesses {
  readonly images: ReadonlyMap<number, readonly [width: number, height: number]>;
  readonly fonts: ReadonlyMap<number, number>;
}

export interface Witnesses {
  /**
   * The document for a new ticket: WitnessPage.text. One browser loads the page and its files, so the URLs work only
   * with the same handshake (handshakeOf in request/client-class.ts).
   */
  readonly issue: (ticketId: string, handshake: string) => string;
  /** The expected measurements for each secret, because an earlier secret can have issued the ticket. */
  readonly expected: (ticketId: string) => readonly ExpectedWitnesses[];
  /** The witness of a URL. Undefined for a URL that was not made for this handshake. */
  readonly read: (token: string, handshake: string) => AskedWitness | undefined;
}

/** The data behind the token of one URL. */
interface AskedWitness {
  readonly ticketId: string;
  readonly witness: Witness;
  /** True when no browser loads this URL. */
  readonly isDecoy: boolean;
}

const PATH = '/.guard/witness';
const ID_BYTES = 12;
/**
 * Five bytes are enough: a ticket has 24 URLs and is valid for ten minutes, and a correct guess gives only one file.
 */
const MAC_BYTES = 5;
/** Ticket id, number and MAC, in hexadecimal digits, because advertisement blocklists contain no such URLs. */
const TOKEN = /^[0-9a-f]{36}$/;

/**
 * Checks whether a browser engine loaded the challenge page. The page gets a document with many URLs. Style rules drawn
 * from the secret and the ticket decide which URLs a browser loads. Each file has its own size, so the page's
 * measurements prove which files it loaded, and Guard stores nothing for them. Guard remembers only the request for a
 * decoy, which no browser loads.
 */
export function createWitnesses(secrets: readonly string[]): Witnesses {
  const issuers = secrets.map(createIssuer);
  const [signingIssuer] = issuers;
  if (signingIssuer === undefined) throw new Error('witnesses need at least one secret');
  return {
    issue: (ticketId, handshake) => signingIssuer.draw(ticketId, handshake).text,
    expected: (ticketId) => issuers.map(({ draw }) => expectedOf(draw(ticketId))),
    read(text, handshake) {
      const token = TOKEN.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
      const issuer = issuers.find((one) => one.isOurs(token, handshake));
      if (!issuer) return undefined;
      const ticketId = token.toString('base64url', 0, ID_BYTES);
      const number = token.readUInt8(ID_BYTES);
      const { witnesses, loading } = issuer.draw(ticketId);
      const witness = witnesses.get(number);
      return witness && { ticketId, witness, isDecoy: loading().decoys.has(number) };
    },
  };
}

interface Issuer {
  /** Draws the document for a page. Its URLs are empty when no handshake is given. */
  readonly draw: (ticketId: string, handshake?: string) => WitnessPage;
  readonly isOurs: (token: Buffer, handshake: string) => boolean;
}

function createIssuer(secret: string): Issuer {
  const pageKey = deriveKey(secret, 'witness-page');
  const tokenKey = deriveKey(secret, 'witness');
  return {
    draw(ticketId, handshake) {
      const draw = new Draw(pageKey, ticketId);
      if (handshake === undefined) return drawWitnessPage(draw, () => '');
      const id = Buffer.from(ticketId, 'base64url');
      const begin = `${PATH}?${id.toString('hex')}`;
      const macs = macsOf(tokenKey, id, handshake);
      return drawWitnessPage(draw, (number) => {
        const mac = macs.slice(number * 2 * MAC_BYTES, (number + 1) * 2 * MAC_BYTES);
        return `${begin}${number.toString(16).padStart(2, '0')}${mac}`;
      });
    },
    isOurs(token, handshake) {
      const number = token[ID_BYTES];
      if (number === undefined || number >= MAX_URLS) return false;
      const macs = macsOf(tokenKey, token.subarray(0, ID_BYTES), handshake);
      const firstByte = number * MAC_BYTES;
      const expectedMac = Buffer.from(macs, 'hex').subarray(firstByte, firstByte + MAC_BYTES);
      return timingSafeEqual(expectedMac, token.subarray(ID_BYTES + 1));
    },
  };
}

/**
 * The MACs of all URLs of a ticket as one hexadecimal string. SHAKE256 with the key as a prefix is a MAC, because FIPS
 * 202 has no length extension. One hash is enough for all URLs of a page.
 */
function macsOf(key: Uint8Array, id: Buffer, handshake: string): string {
  const input = Buffer.concat([key, id, Buffer.from(handshake)]);
  return hash('shake256', input, { outputEncoding: 'hex', outputLength: MAX_URLS * MAC_BYTES });
}

function expectedOf({ witnesses, loading }: WitnessPage): ExpectedWitnesses {
  const images = new Map<number, readonly [number, number]>();
  const fonts = new Map<number, number>();
  for (const [place, number] of loading().loaded) {
    const witness = witnesses.get(number);
    if (witness?.kind === 'image') images.set(place, [witness.width, witness.height]);
    if (witness?.kind === 'font') fonts.set(place, witness.width);
  }
  return { images, fonts };
}
