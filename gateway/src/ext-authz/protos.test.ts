import { join } from 'node:path';
import { loadSync } from '@grpc/proto-loader';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { OFFICIAL_PROTOS } from '../../../test/kit/peers/envoy-client.ts';

const OURS = join(import.meta.dirname, '../../proto');
const FILE = 'envoy/service/auth/v3/external_auth.proto';

const Field = z.object({
  name: z.string(),
  number: z.number(),
  label: z.string(),
  type: z.string(),
});
type Field = z.infer<typeof Field>;

/** A message as descriptor.proto describes it, with the messages inside of it. */
interface Message {
  readonly name: string;
  readonly field: readonly Field[];
  readonly nestedType: readonly Message[];
}
const Message: z.ZodType<Message> = z.lazy(() =>
  z.object({ name: z.string(), field: z.array(Field), nestedType: z.array(Message) }),
);
const Definition = z.object({ type: Message });

/** Every field of every message that a folder defines, by `message.field`. */
function fieldsIn(includeDirs: readonly string[]): Map<string, Field> {
  const definitions = loadSync(FILE, { includeDirs: [...includeDirs], keepCase: true });
  return new Map(
    Object.entries(definitions).flatMap(([name, definition]) => {
      const { data } = Definition.safeParse(definition);
      return data === undefined ? [] : fieldsOf(name, data.type);
    }),
  );
}

function fieldsOf(name: string, { field, nestedType }: Message): [string, Field][] {
  const own = field.map((one): [string, Field] => [`${name}.${one.name}`, one]);
  return [...own, ...nestedType.flatMap((inner) => fieldsOf(`${name}.${inner.name}`, inner))];
}

test('the messages have the names, numbers and types of Envoy’s own', () => {
  const official = fieldsIn(OFFICIAL_PROTOS);
  const ours = fieldsIn([OURS]);
  expect(ours.size).toBeGreaterThan(20);
  // Envoy's file has an enumeration of statuses here. A value of an enumeration has the same bytes as a number.
  ours.delete('envoy.type.v3.HttpStatus.code');
  for (const [name, field] of ours) expect(official.get(name), name).toEqual(field);
});
