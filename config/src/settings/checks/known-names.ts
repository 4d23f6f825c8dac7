import { z } from 'zod';
import type { SettingPath } from '../problems/problems.ts';

/** The names that the schema allows in the mapping at this path of `value`. */
export function namesAt(schema: z.core.$ZodType, value: unknown, path: SettingPath): string[] {
  const [step, ...rest] = path;
  return alternativesOf(schema, value).flatMap((option) => {
    if (step === undefined) return option instanceof z.ZodObject ? Object.keys(option.shape) : [];
    const child = schemaBelow(option, step);
    return child === undefined ? [] : namesAt(child, valueBelow(value, step), rest);
  });
}

function alternativesOf(schema: z.core.$ZodType, value: unknown): z.core.$ZodType[] {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy
  ) {
    return alternativesOf(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodPipe) return alternativesOf(schema.in, value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    return schema.options.filter((option) => isChosen(option, discriminator, value));
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => alternativesOf(option, value));
  }
  return [schema];
}

function isChosen(option: z.core.$ZodType, discriminator: string, value: unknown): boolean {
  const field = schemaBelow(option, discriminator);
  return field !== undefined && z.safeParse(field, valueBelow(value, discriminator)).success;
}

function schemaBelow(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodArray) return typeof step === 'number' ? schema.element : undefined;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject) || typeof step !== 'string') return undefined;
  // The library gives an unknown shape the type `any`.
  const shape = schema.shape as Readonly<Record<string, z.core.$ZodType>>;
  return Object.hasOwn(shape, step) ? shape[step] : undefined;
}

function valueBelow(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  // Reads one own property of a plain object or list. The type of the result is `unknown`.
  return Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
}
