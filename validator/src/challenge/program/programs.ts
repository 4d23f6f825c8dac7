import { hkdfSync } from 'node:crypto';
import type { Clock } from '@guard/config/contract/ports';
import type { Disguise } from '../../../browser/build.ts';
import { GIVEN, type GivenNames, type Program } from '../../../page-contract/program.ts';
import { Draw } from '../cascade/draw.ts';
import { drawUploadForm, type UploadForm } from './upload-form.ts';

/** How long a program is given to new pages, in milliseconds. */
const HOUR_MS = 3_600_000;
/** Programs of one hour: a solver of one page has not solved the next one. */
const POOL = 4;

export interface ProgramsOptions {
  /** The first one draws, all of them read. */
  readonly secrets: readonly string[];
  /** The script of a page without a disguise: until the first program is built, and where none can be. */
  readonly script: string;
  readonly clock: Clock;
  /** browser/build.ts: buildPrograms. */
  readonly build: (disguises: readonly Disguise[]) => Promise<readonly string[]>;
  /** Called when programs could not be built. Pages go on with what there is, and it is tried again in an hour. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The programs of the challenge page. They do the same, and each has other names, another order and another form of the
 * upload, so that a solver which was finished for one of them breaks with the next. A program that runs the script
 * of the page itself is not stopped by that.
 *
 * Forms follow from the secret and the id, so all threads and instances read what one of them gave away. The programs of
 * an hour are built when its first page is asked for, all at once, and no visitor waits for them.
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

  /** The program of a page that goes out now. */
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
    const drawn = Array.from({ length: POOL }, (_, index) => {
      const id = `${hour.toString(36)}.${index}`;
      return { id, ...drawUploadForm(key, id), order: new Draw(key, `order ${id}`) };
    });
    try {
      const scripts = await build(
        drawn.map(({ source, order }) => ({
          form: source,
          shuffled: (lines) => order.shuffled(lines),
        })),
      );
      this.#pool = drawn.map(({ id, given }, at) => ({
        id,
        given,
        script: Buffer.from(scripts[at] ?? ''),
      }));
    } catch (error) {
      onFailure(error);
    }
  }
}

/** The script of the page as it is built at install, for pages that need no disguise. */
export function plainProgram(script: string): Program {
  const given = Object.fromEntries(GIVEN.map((name) => [name, name])) as GivenNames;
  return { id: '', script: Buffer.from(script), given };
}

/** How uploads of a program are read: one form for each secret that may have drawn it. */
export function createUploadForms(
  secrets: readonly string[],
): (id: string) => readonly UploadForm[] {
  const keys = keysOf(secrets);
  return (id) => keys.map((key) => drawUploadForm(key, id));
}

function keysOf(secrets: readonly string[]): readonly Uint8Array[] {
  return secrets.map(
    (secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'guard/program', 32)),
  );
}
