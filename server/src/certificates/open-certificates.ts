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

/** The keys and chains of a hundred hosts need less than this. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Redis keeps the certificates for a year. An installation that was off for longer starts without certificates. */
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

/**
 * Opens the certificates of the authority. Resolves after the first read of the certificates. A reload does not change
 * where they are stored.
 */
export async function openCertificates(options: OpenOptions): Promise<OpenCertificates> {
  const place = sharedPlace(options.settings(), 'acme.sealed');
  const text: SharedTextOptions = { place, name: 'acme', redis: options.redis };
  const watcher = await watchCertificates({ ...options, read: createReadText(text, MAX_BYTES) });
  return { watcher, change: createChangeText(text, KEEP_MS) };
}
