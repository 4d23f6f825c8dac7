/** Writes small MMDB files (MaxMind DB 2.0) for tests, because real files with a free licence are large. */

type Value = string | number | { readonly [name: string]: Value };

/**
 * A database of IPv4 addresses. Each entry has the bits of a prefix, such as `00001010` for 10.0.0.0/8, and its
 * record.
 */
export function mmdbOf(
  entries: readonly { readonly prefix: string; readonly record: Value }[],
  metadataChanges: { readonly build_epoch?: number } = {},
): Buffer {
  const data = entries.map(({ record }) => encode(record));
  const nodes: [number, number][] = [[-1, -1]];
  entries.forEach(({ prefix }, entry) => {
    let nodeIndex = 0;
    for (let depth = 0; depth < prefix.length; depth += 1) {
      const side = prefix[depth] === '1' ? 1 : 0;
      const node = nodes[nodeIndex] ?? [-1, -1];
      if (depth === prefix.length - 1) {
        // A number below -1 is a placeholder for an entry, until the number of nodes is known.
        node[side] = -2 - entry;
        break;
      }
      if (node[side] === -1) node[side] = nodes.push([-1, -1]) - 1;
      nodeIndex = node[side];
    }
  });
  const offsets = data.map((_, entry) =>
    data.slice(0, entry).reduce((total, { length }) => total + length, 0),
  );
  const pointer = (target: number) => {
    if (target >= 0) return target;
    if (target === -1) return nodes.length;
    return nodes.length + 16 + (offsets[-2 - target] ?? 0);
  };
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach(([left, right], nodeIndex) => {
    tree.writeUIntBE(pointer(left), nodeIndex * 6, 3);
    tree.writeUIntBE(pointer(right), nodeIndex * 6 + 3, 3);
  });
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: 4,
    database_type: 'Test',
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    ...metadataChanges,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, metadata]);
}

/** Encodes type 2 (text, shorter than 285), 6 (32-bit number) and 7 (map, shorter than 29). */
function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    const size = text.length < 29 ? [(2 << 5) | text.length] : [(2 << 5) | 29, text.length - 29];
    return Buffer.concat([Buffer.from(size), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(5);
    bytes[0] = (6 << 5) | 4;
    bytes.writeUInt32BE(value, 1);
    return bytes;
  }
  const fields = Object.entries(value);
  return Buffer.concat([
    Buffer.from([(7 << 5) | fields.length]),
    ...fields.flatMap(([name, field]) => [encode(name), encode(field)]),
  ]);
}
