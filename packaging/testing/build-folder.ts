import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { contextFiles } from './build-context.ts';
import { type Instruction, readDockerfile, type Stage } from './read-dockerfile.ts';

const run = promisify(execFile);
const NPM_MS = 300_000;

/** What a Dockerfile makes, as a folder that stands for `/`, without what is in the base image. */
export interface BuiltFolder {
  readonly root: string;
  /** The last one of each kind, over all stages that the target consists of. */
  readonly last: ReadonlyMap<string, Instruction>;
  /** Commands that were not run, because they change the base image. */
  readonly notRun: readonly string[];
}

/**
 * Carries out a Dockerfile up to a target, in folders: COPY with the same files and the same names, and of
 * RUN what is npm or node, with the very words. There is no engine in it and no isolation.
 */
export async function buildFolder(options: {
  readonly dockerfile: string;
  /** The folder that is sent to the builder. */
  readonly context: string;
  readonly target: string;
  /** An empty folder for the stages. */
  readonly into: string;
}): Promise<BuiltFolder> {
  const stages = readDockerfile(options.dockerfile);
  const sent = contextFiles(options.context);
  const built = new Map<string, Promise<BuiltFolder>>();
  return stageOf(options.target);

  function stageOf(name: string): Promise<BuiltFolder> {
    const stage = stages.find((one) => one.name === name);
    if (!stage) throw new Error(`no stage ${name}`);
    const known = built.get(name) ?? build(stage);
    built.set(name, known);
    return known;
  }

  async function build({ name, base, instructions }: Stage): Promise<BuiltFolder> {
    const root = join(options.into, name);
    const isStage = stages.some((one) => one.name === base);
    // All that it will copy from begins at once.
    const sources = instructions.flatMap(({ flags }) => flags['from'] ?? []);
    const [from] = await Promise.all([
      isStage ? stageOf(base) : undefined,
      ...sources.map((source) => stageOf(source)),
    ]);
    await mkdir(root);
    if (from) await copyTree(from.root, root);
    const last = new Map(from?.last);
    const notRun = [...(from?.notRun ?? [])];
    for (const instruction of instructions) {
      last.set(instruction.name, instruction);
      const folder = join(root, last.get('WORKDIR')?.rest ?? '/');
      await mkdir(folder, { recursive: true });
      if (instruction.name === 'COPY') await copy(instruction, folder);
      if (instruction.name === 'RUN' && !(await runHere(instruction.rest, folder))) {
        notRun.push(instruction.rest);
      }
    }
    return { root, last, notRun };
  }

  async function copy({ flags, rest }: Instruction, folder: string): Promise<void> {
    const words = rest.split(' ');
    const target = words.at(-1) ?? '';
    for (const source of words.slice(0, -1)) {
      const stage = flags['from'];
      if (stage !== undefined) {
        await copyTree(join((await stageOf(stage)).root, source), join(folder, target));
        continue;
      }
      const files = sent.filter((file) => file === source || file.startsWith(`${source}/`));
      if (files.length === 0) throw new Error(`COPY ${source}: nothing of it is sent`);
      for (const file of files) {
        const inside =
          file === source ? fileTarget(source, target) : target + file.slice(source.length);
        await mkdir(dirname(join(folder, inside)), { recursive: true });
        await cp(join(options.context, file), join(folder, inside));
      }
    }
  }
}

/** A target with a slash at its end is a folder to put the file into. */
function fileTarget(source: string, target: string): string {
  return target.endsWith('/') ? join(target, basename(source)) : target;
}

/** Links keep what they say, so that those between workspaces stay inside. */
async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}

async function runHere(command: string, cwd: string): Promise<boolean> {
  const [program = '', ...args] = command.split(' ');
  if (program !== 'npm' && program !== 'node') return false;
  // What npm has fetched once it need not fetch again; a builder begins with nothing.
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  const file = program === 'node' ? process.execPath : program;
  await run(file, args, { cwd, env, timeout: NPM_MS });
  return true;
}

/** Every file below a folder with its size and time, to see that a run left it as it was. */
export async function listTree(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const lines = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const { size, mtimeMs } = await stat(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(lines)).toSorted();
}
