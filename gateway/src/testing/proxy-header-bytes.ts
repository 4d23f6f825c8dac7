/** Addresses of a PROXY header of version 2: source, destination, and the port of each. */
export const IPV4 = Buffer.from('c6336407c0000201125d01bb', 'hex'); // 198.51.100.7 to 192.0.2.1
export const IPV6 = Buffer.from(
  '20010db8000000000000000000000007fd000000000000000000000000000001125d01bb',
  'hex',
);

interface BinaryHeader {
  /** Version and command; 0x21 is PROXY. */
  readonly command?: number;
  /** Family and transport; 0x11 is TCP over IPv4. */
  readonly transport?: number;
  readonly addresses?: Buffer;
  readonly additions?: Buffer;
  /** A wrong length that the header gives. */
  readonly length?: number;
}

/** A PROXY header of version 2 from its parts. The parts can contradict each other.. */
export function binaryHeader(parts: BinaryHeader = {}): Buffer {
  const { command = 0x21, transport = 0x11, addresses = IPV4, additions = Buffer.alloc(0) } = parts;
  const body = Buffer.concat([addresses, additions]);
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = command;
  head[13] = transport;
  head.writeUInt16BE(parts.length ?? body.length, 14);
  return Buffer.concat([head, body]);
}

/** One addition of version 2: type, length, value. */
export function addition(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(3);
  head[0] = type;
  head.writeUInt16BE(value.length, 1);
  return Buffer.concat([head, value]);
}
