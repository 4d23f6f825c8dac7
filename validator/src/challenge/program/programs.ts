import type { Clock, Log } from '@guard/config/contract/ports';
import { buildPrograms, type Disguise, loadBrowserBundle } from '../../../browser/build.ts';
import { PAGE_DATA, type PageDataNames, type Program } from '../../../page-contract/program.ts';
import { Draw } from '../cascade/draw.ts';
import { deriveKey } from '../../session/sealer.ts';
import { nameOf } from '../../request/error-name.ts';
import { drawUploadForm, type UploadForm } from './upload-form.ts';

/** How long new pages get the same programs, in milliseconds. */
const HOUR_MS = 3_600_000;
/**
 * Number of page programs per hour. Pages get different programs, so a solver for one program does not solve all pages.
 */
const POOL = 4;

interface ProgramsOptions {
  /** The first secret draws programs, and all secrets read uploads. */
  readonly secrets: readonly string[];
  /** The plain script of the page, for pages before the first program, and when no program can be built. */
  readonly script: string;
  readonly clock: Clock;
  /** The function buildPrograms of browser/build.ts. */
  readonly build: (disguises: readonly Disguise[]) => Promise<readonly string[]>;
  /** Called when programs could not be built. Pages keep the existing programs, and the next hour tries again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The page programs of the challenge page. All do the same, but each has its own names, order and upload form. So a
 * solver written for one program fails with the next. This does not stop a solver that runs the script of the page
 * itself.
 *
 * The secret and the id of a program decide its upload form, so all threads and instances can read the uploads of every
 * program. The first request for a page in an hour starts the build of this hour's programs. No visitor waits for the
 * build.
 */
export class Programs {
  readonly #options: ProgramsOptions;
  readonly #keys: readonly Uint8Array[];
  readonly #plain: Program;
  #hour = -1;
  #pool: Program[] = [];
  #turn = 0;

  constructor(options: ProgramsOptions) {
    this.#options = options;
    this.#keys = keysOf(options.secrets);
    this.#plain = plainProgram(options.script);
  }

  /** The program for a new page. */
  next(): Program {
    const hour = Math.floor(this.#options.clock() / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      void this.#build(hour);
    }
    this.#turn = (this.#turn + 1) % POOL;
    return this.#pool[this.#turn] ?? this.#plain;
  }

  async #build(hour: number): Promise<void> {
    const { build, onFailure } = this.#options;
    const [key] = this.#keys;
    if (key === undefined) return;
    const drawnForms = Array.from({ length: POOL }, (_, index) => {
      const id = `${hour.toString(36)}.${index}`;
      return { id, ...drawUploadForm(key, id), order: new Draw(key, `order ${id}`) };
    });
    try {
      const scripts = await build(
        drawnForms.map(({ source, order }) => ({
          form: source,
          shuffle: (lines) => order.shuffle(lines),
        })),
      );
      this.#pool = drawnForms.map(({ id, dataNames }, index) => ({
        id,
        dataNames,
        script: Buffer.from(scripts[index] ?? ''),
      }));
    } catch (error) {
      onFailure(error);
    }
  }
}

/** The programs of the challenge page. A failed build is logged. */
export function createPrograms({
  secrets,
  clock,
  log,
}: Pick<ProgramsOptions, 'secrets' | 'clock'> & { readonly log: Log }): Programs {
  return new Programs({
    secrets,
    clock,
    script: loadBrowserBundle().interstitial,
    build: buildPrograms,
    onFailure: (error) =>
      log('error', 'challenge_program_not_built', {
        error: nameOf(error),
        remedy:
          'restart Guard if its files were updated while it ran. Otherwise install Guard again with its optional packages, which include esbuild',
      }),
  });
}

/** The script of the page without a disguise. */
export function plainProgram(script: string): Program {
  const dataNames = Object.fromEntries(PAGE_DATA.map((name) => [name, name])) as PageDataNames;
  return { id: '', script: Buffer.from(script), dataNames };
}

/** Returns a function that returns the upload forms of a program: one for each secret that can have drawn it. */
export function createUploadForms(
  secrets: readonly string[],
): (id: string) => readonly UploadForm[] {
  const keys = keysOf(secrets);
  return (id) => keys.map((key) => drawUploadForm(key, id));
}

function keysOf(secrets: readonly string[]): readonly Uint8Array[] {
  return secrets.map((secret) => deriveKey(secret, 'program'));
}
