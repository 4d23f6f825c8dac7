import { parseIp } from '@guard/config/net/cidr';
import { type LineReading, unreadable, WITHOUT_GUARD } from './logged-request.ts';
import { readLogTime } from './log-time.ts';

/** The end of the two words between the address and the time. Guard does not need the two words. */
const BRACKET = ' [';

/**
 * Parses one line in the combined format of nginx and Apache. The virtual host may stand in front (`vhost_combined`),
 * and further fields may follow. This parser uses no regular expression, because that would take five times as long.
 */
export function readCombinedLine(line: string): LineReading {
  const client = addressIn(line);
  if (client === undefined) return unreadable('no address at the beginning');
  const open = line.indexOf(BRACKET, client.end);
  const close = open === -1 ? -1 : line.indexOf('] "', open);
  if (close === -1) return unreadable('no time in brackets');
  const timeMs = readLogTime(line.slice(open + 2, close));
  if (timeMs === undefined) return unreadable('a time that cannot be read');
  const requestEnd = quoteEnd(line, close + 3);
  const requestLine = requestEnd === -1 ? undefined : requestIn(line.slice(close + 3, requestEnd));
  if (requestLine === undefined) return unreadable('no HTTP request');
  const referrerStart = line.indexOf(' "', requestEnd + 1) + 2;
  const referrerEnd = referrerStart === 1 ? -1 : quoteEnd(line, referrerStart);
  const agentStart = referrerEnd + 3;
  const agentEnd =
    referrerEnd === -1 || line[agentStart - 1] !== '"' ? -1 : quoteEnd(line, agentStart);
  if (agentEnd === -1) return unreadable('no User-Agent: the combined format is needed');
  return {
    kind: 'request',
    request: {
      timeMs,
      ip: client.ip,
      host: client.host,
      scheme: 'http',
      ...requestLine,
      userAgent: valueOf(line.slice(agentStart, agentEnd)),
      referrer: valueOf(line.slice(referrerStart, referrerEnd)),
      headers: undefined,
      ...WITHOUT_GUARD,
    },
  };
}

function addressIn(
  line: string,
): { readonly ip: string; readonly host: string | undefined; readonly end: number } | undefined {
  const end = line.indexOf(' ');
  if (end === -1) return undefined;
  const ip = parseIp(line.slice(0, end));
  if (ip !== undefined) return { ip, host: undefined, end };
  const secondSpace = line.indexOf(' ', end + 1);
  const ipAfterHost = secondSpace === -1 ? undefined : parseIp(line.slice(end + 1, secondSpace));
  if (ipAfterHost === undefined) return undefined;
  return { ip: ipAfterHost, host: line.slice(0, end), end: secondSpace };
}

/** Parses `GET /path HTTP/1.1`. An absolute URL is reduced to the path that an origin gets. */
export function requestIn(
  text: string,
): { readonly method: string; readonly target: string } | undefined {
  const space = text.indexOf(' ');
  const lastSpace = text.lastIndexOf(' ');
  if (space <= 0 || lastSpace <= space || !text.startsWith('HTTP/', lastSpace + 1))
    return undefined;
  const target = valueOf(text.slice(space + 1, lastSpace));
  const method = text.slice(0, space);
  if (target.startsWith('/')) return { method, target };
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(target)?.[1];
  if (path === undefined) return undefined;
  return { method, target: path.startsWith('/') ? path : `/${path}` };
}

/** Finds the closing quote of a field. Apache writes `\"` for a quote inside the value. */
function quoteEnd(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (line[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|(.))/g;

/** Decodes a field. A hyphen means that the field has no value. Servers escape characters that would break the line. */
function valueOf(field: string): string {
  if (field === '-') return '';
  if (!field.includes('\\')) return field;
  return field.replace(ESCAPE, (_all, hex: string | undefined, character: string | undefined) =>
    hex === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
