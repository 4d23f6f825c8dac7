import type { Clock, Log } from '@guard/config/contract/ports';
import type { Settings } from '@guard/config/settings/schema';
import { sharedPlace } from '@guard/config/settings/derived/data-places';
import {
  type ChangeText,
  createChangeText,
  createReadText,
  type SharedTextOptions,
} from '../store/shared-text.ts';
import { watchCertificates, type WatchedCertificates } from './watch-certificates.ts';

/** A hundred hosts with a chain and a key each take less. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A year: who is back after that begins anew. */
const KEPT_MS = 365 * 86_400_000;

interface Opening {
  /** The settings at present. */
  readonly settings: () => Settings;
  /** The shared store, where there is one. */
  readonly redis: SharedTextOptions['redis'];
  readonly clock: Clock;
  readonly log: Log;
}

/** The certificates of the authority as they are kept, and how they are changed. */
export interface OpenCertificates {
  readonly watched: WatchedCertificates;
  readonly change: ChangeText;
}

/** Resolves after the certificates were read once. The place is that of the settings of the start. */
export async function openCertificates(opening: Opening): Promise<OpenCertificates> {
  const place = sharedPlace(opening.settings(), 'acme.sealed');
  const text: SharedTextOptions = { place, name: 'acme', redis: opening.redis };
  const watched = await watchCertificates({ ...opening, read: createReadText(text, MAX_BYTES) });
  return { watched, change: createChangeText(text, KEPT_MS) };
}
