import { existsSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { z } from 'zod';
import { OFFICIAL_PROTOS } from './envoy-client.ts';

/** The definitions for the configurations of the examples. */
const FILES = [
  'envoy/config/bootstrap/v3/bootstrap.proto',
  'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
  'envoy/extensions/filters/http/ext_authz/v3/ext_authz.proto',
  'envoy/extensions/filters/http/header_mutation/v3/header_mutation.proto',
  'envoy/extensions/filters/http/router/v3/router.proto',
  'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
];
const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
/** Messages that a configuration writes as one value. */
const SCALARS = /^\.google\.protobuf\.(?:Duration|\w+Value)$/;

const Mapping = z.record(z.string(), z.unknown());

/** Returns each field of a configuration that Envoy's own definitions do not have, or have with another type. */
export function envoyProblems(config: unknown): string[] {
  const root = new protobuf.Root();
  root.resolvePath = (_from, file) =>
    OFFICIAL_PROTOS.map((folder) => join(folder, file)).find((path) => existsSync(path)) ?? file;
  root.loadSync(FILES, { keepCase: true });
  root.resolveAll();
  return problemsOf(root.lookupType(BOOTSTRAP), config, 'bootstrap');

  function problemsOf(type: protobuf.Type, value: unknown, path: string): string[] {
    if (SCALARS.test(type.fullName)) {
      return typeof value === 'object' ? [`${path}: expected one value`] : [];
    }
    const { data: fields } = Mapping.safeParse(value);
    if (fields === undefined) return [`${path}: expected fields of ${type.fullName}`];
    if (type.fullName === '.google.protobuf.Any') {
      const { '@type': url, ...rest } = fields;
      const typeName = String(url).replace('type.googleapis.com/', '');
      return problemsOf(root.lookupType(typeName), rest, path);
    }
    return Object.entries(fields).flatMap(([name, inner]) => {
      const field = type.fields[name];
      const place = `${path}.${name}`;
      return field === undefined ? [`${place}: unknown`] : problemsOfField(field, inner, place);
    });
  }

  function problemsOfField(field: protobuf.Field, value: unknown, path: string): string[] {
    const problemsOfOne = (inner: unknown, place: string) =>
      problemsOfValue(field.resolvedType, inner, place);
    if (field.map) {
      return Object.entries(Mapping.parse(value)).flatMap(([key, inner]) =>
        problemsOfOne(inner, `${path}.${key}`),
      );
    }
    if (!field.repeated) return problemsOfOne(value, path);
    if (!Array.isArray(value)) return [`${path}: expected a list`];
    return value.flatMap((inner, index) => problemsOfOne(inner, `${path}[${index}]`));
  }

  function problemsOfValue(
    type: protobuf.Field['resolvedType'],
    value: unknown,
    path: string,
  ): string[] {
    if (type instanceof protobuf.Type) return problemsOf(type, value, path);
    if (type instanceof protobuf.Enum) {
      return String(value) in type.values ? [] : [`${path}: no ${type.name}`];
    }
    return typeof value === 'object' ? [`${path}: expected one value`] : [];
  }
}
