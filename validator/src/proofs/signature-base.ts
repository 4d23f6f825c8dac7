import {
  type InnerList,
  type Item,
  type Member,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from './structured-field.ts';

/** The parts of a request that a signature can cover. */
export interface SignedRequest {
  readonly method: string;
  /** The full URL, as sent. */
  readonly url: string;
  /** The header fields, with names in lower case. The values of a repeated field are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
}

export type SignatureBase =
  | { readonly kind: 'built'; readonly base: string }
  /** The signature covers a component that the request does not have. */
  | { readonly kind: 'component_missing' }
  /** The signature covers a component twice, or in a form that this code does not support. */
  | { readonly kind: 'component_unsupported' };

/**
 * Maximum number of components that a signature covers. Agents cover two to five. Each component costs time, even in a
 * bad signature.
 */
const MAX_COMPONENTS = 16;

/** Builds the text that the signer signed (RFC 9421 section 2.5). */
export function signatureBase(coveredComponents: InnerList, request: SignedRequest): SignatureBase {
  if (coveredComponents.items.length > MAX_COMPONENTS) return { kind: 'component_unsupported' };
  const lines: string[] = [];
  const fields: Dictionaries = new Map();
  const seenIdentifiers = new Set<string>();
  for (const component of coveredComponents.items) {
    const identifier = serializeItem(component);
    if (component.value.kind !== 'string' || seenIdentifiers.has(identifier)) {
      return { kind: 'component_unsupported' };
    }
    seenIdentifiers.add(identifier);
    const value = valueOf(component.value.value, component, request, fields);
    if (value === UNSUPPORTED) return { kind: 'component_unsupported' };
    if (value === undefined) return { kind: 'component_missing' };
    lines.push(`${identifier}: ${value}`);
  }
  lines.push(`"@signature-params": ${serializeInnerList(coveredComponents)}`);
  return { kind: 'built', base: lines.join('\n') };
}

const UNSUPPORTED = Symbol('unsupported');

/** Parsed dictionary fields. The key is the name of the field. */
type Dictionaries = Map<string, ReadonlyMap<string, Member>>;

const NO_MEMBERS: ReadonlyMap<string, Member> = new Map();

/** The derived components (RFC 9421 section 2.2). `@query-param` is not supported. */
const DERIVED_COMPONENTS: ReadonlyMap<string, (request: SignedRequest) => string> = new Map([
  ['@method', ({ method }: SignedRequest) => method],
  ['@target-uri', ({ url }: SignedRequest) => url],
  ['@authority', ({ url }: SignedRequest) => authorityOf(url)],
  ['@scheme', ({ url }: SignedRequest) => schemeOf(url)],
  ['@request-target', ({ url }: SignedRequest) => targetOf(url)],
  ['@path', ({ url }: SignedRequest) => targetOf(url).replace(/\?.*$/s, '')],
  ['@query', ({ url }: SignedRequest) => queryOf(url)],
]);

/** The value of a derived component, of a field (RFC 9421 section 2.1), or of one key of a dictionary (2.1.2). */
function valueOf(
  name: string,
  { parameters }: Item,
  request: SignedRequest,
  fields: Dictionaries,
): string | undefined | typeof UNSUPPORTED {
  const key = parameters.get('key');
  if (name.startsWith('@')) {
    return parameters.size > 0
      ? UNSUPPORTED
      : (DERIVED_COMPONENTS.get(name)?.(request) ?? UNSUPPORTED);
  }
  const field = fieldOf(request, name);
  if (parameters.size === 0) return field?.trim();
  if (parameters.size > 1 || key?.kind !== 'string') return UNSUPPORTED;
  if (field === undefined) return undefined;
  let members = fields.get(name);
  if (members === undefined) {
    members = parseDictionary(field) ?? NO_MEMBERS;
    fields.set(name, members);
  }
  const member = members.get(key.value);
  if (member === undefined) return undefined;
  return member.kind === 'list' ? serializeInnerList(member) : serializeItem(member);
}

/**
 * The value of a header field. Trap: the gateway's headers inherit from Object.prototype, and a signer can choose a
 * `name` such as `constructor`.
 */
function fieldOf({ headers }: SignedRequest, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** Matches scheme, authority and target of a URL. `new URL` would change the target. */
const PARTS = /^([a-z]+):\/\/([^/?#\\]*)([^#]*)/i;

function schemeOf(url: string): string {
  return (PARTS.exec(url)?.[1] ?? '').toLowerCase();
}

/** The host in lower case. The port follows unless it is the default port (RFC 9421 section 2.2.3). */
function authorityOf(url: string): string {
  const authority = (PARTS.exec(url)?.[2] ?? '').toLowerCase();
  return authority.replace(schemeOf(url) === 'https' ? /:(443)?$/ : /:(80)?$/, '');
}

function targetOf(url: string): string {
  const target = PARTS.exec(url)?.[3] ?? '';
  return target.startsWith('/') ? target : `/${target}`;
}

/** The query with its question mark. Only a question mark when there is no query (RFC 9421 section 2.2.7). */
function queryOf(url: string): string {
  const target = targetOf(url);
  const queryStart = target.indexOf('?');
  return queryStart === -1 ? '?' : target.slice(queryStart);
}
