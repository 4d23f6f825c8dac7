import type { Clock, Log } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { sharedPlace } from '@guard/config/settings/derived/data-places';
import {
  type ChangeText,
  createChangeText,
  createReadText,
  type SharedTextOptions,
} from '../store/shared-text.ts';
import { watchCertificates, type CertificateWatcher } from './watch-certificates.ts';

/** A hundred hosts, each with a key and a chain, need less. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A year. After a longer pause an installation starts without certificates. */
const KEEP_MS = 365 * 86_400_000;

interface OpenOptions {
  readonly settings: () => Settings;
  readonly redis: SharedTextOptions['redis'];
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenCertificates {
  readonly watcher: CertificateWatcher;
  readonly change: ChangeText;
}

/** Resolves after the first read of the certificates. A reload does not change where they are stored. */
export async function openCertificates(options: OpenOptions): Promise<OpenCertificates> {
  const place = sharedPlace(options.settings(), 'acme.sealed');
  const text: SharedTextOptions = { place, name: 'acme', redis: options.redis };
  const watcher = await watchCertificates({ ...options, read: createReadText(text, MAX_BYTES) });
  return { watcher, change: createChangeText(text, KEEP_MS) };
}
