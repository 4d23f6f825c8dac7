import { parseIp } from '@guard/config/net/cidr';
import { parseSearchTerm } from '@guard/config/plain-words/search-term';

export interface SearchSubject {
  readonly kind: 'reference' | 'request' | 'session' | 'address';
  readonly value: string;
}

/** Reads the subject of a search. Undefined for a text of another form. */
export function readSubject(operand: string): SearchSubject | undefined {
  const address = parseIp(operand.trim());
  if (address !== undefined) return { kind: 'address', value: address };
  const { kind, value } = { value: '', ...parseSearchTerm(operand) };
  switch (kind) {
    case 'reference':
    case 'request':
    case 'session':
      return { kind, value };
    case 'address':
    case 'network':
    case 'path':
    case 'nothing':
      return undefined;
  }
}

export function subjectText({ kind, value }: SearchSubject): string {
  switch (kind) {
    case 'reference':
      return `the reference ${value}`;
    case 'request':
      return `the request id ${value}`;
    case 'session':
      return `the session ${value}`;
    case 'address':
      return `the address ${value}`;
  }
}
