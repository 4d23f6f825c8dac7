import type { CollectRequest } from '@guard/config/contract/ports';
import { type Reason, reasons } from '@guard/config/contract/reasons';
import { describe, type FactSources } from '../request/facts.ts';
import { findingsOf } from '../signals/list.ts';

/** Returns the findings about the request of an upload, without its body. Empty when there are none. */
export type SignalsOf = (request: CollectRequest) => readonly Reason[];

const NO_FINDINGS: readonly Reason[] = [];

/** No signal of an upload depends on the organisation. */
const ANY_ORGANISATION = { organisation: '', isAllowlisted: () => true };

/**
 * Runs the signals on the request of an upload. A program can copy the header fields of a page request, but has to
 * write those of the upload itself, and often makes mistakes. Findings about the network are left out, because people
 * change networks between page and upload. On the collector's own listener no signal runs, because the visitor's scheme
 * is unknown there.
 */
export function createUploadSignals(sources: FactSources): SignalsOf {
  // The signature of the page request is already checked. It is not checked again, because its nonce is valid only
  // once.
  const sourcesWithoutSignature: FactSources = { ...sources, checkSignature: undefined };
  return ({ method, path, headers, ip, connection }) => {
    if (connection === undefined) return NO_FINDINGS;
    const { scheme } = connection;
    const url = `${scheme}://${joinedValue(headers['host'])}/.guard${path}`;
    const request = { url, ip, method, headers: joinedFields(headers) };
    const description = describe(request, sourcesWithoutSignature, ANY_ORGANISATION, connection);
    if (description.kind === 'error') return NO_FINDINGS;
    return findingsOf(description.facts).filter(
      (reason) => reasons[reason].category !== 'suspicious_network',
    );
  };
}

function joinedFields(headers: CollectRequest['headers']): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  for (const name in headers) fields[name] = joinedValue(headers[name]);
  return fields;
}

function joinedValue(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}
