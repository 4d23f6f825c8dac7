/** The size of the shared buffer, in UTF-16 code units. Every request target fits (`VALIDATE.maxUrlLength`). */
const ROOM_UNITS = 16 * 1024;

const sharedUnits = new Uint16Array(ROOM_UNITS);
const sharedBytes = Buffer.alloc(ROOM_UNITS);

/**
 * A buffer for a text of at most this many UTF-16 code units. Writing into it is several times as fast as adding
 * strings. All callers share the buffer, so call {@link textIn} before the next `roomFor`.
 */
export function roomFor(units: number): Uint16Array {
  return units <= ROOM_UNITS ? sharedUnits : new Uint16Array(units);
}

export function textIn(room: Uint16Array, length: number): string {
  const bytes = length <= ROOM_UNITS ? sharedBytes : Buffer.alloc(length);
  let unitBits = 0;
  for (let at = 0; at < length; at++) {
    const unit = room[at] ?? 0;
    bytes[at] = unit;
    unitBits |= unit;
  }
  return unitBits <= 0xff
    ? bytes.toString('latin1', 0, length)
    : Buffer.from(room.buffer, 0, 2 * length).toString('utf16le');
}
