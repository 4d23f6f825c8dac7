/** One instruction: its word, its flags (`--from=x`), and the rest as it was written. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

export interface Stage {
  readonly name: string;
  /** An image, or the name of a stage further up. */
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, as far as ours uses the language: no variables, no here-documents. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { name: string; base: string; instructions: Instruction[] }[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const line of lines) {
    const [name = '', ...words] = line.trim().split(/\s+/);
    if (name === 'FROM') {
      const [base = '', , stage = ''] = words;
      stages.push({ name: stage, base, instructions: [] });
      continue;
    }
    const firstWord = words.findIndex((word) => !word.startsWith('--'));
    const flags = words.slice(0, firstWord).map((word) => word.slice(2).split('=', 2));
    stages.at(-1)?.instructions.push({
      name,
      flags: Object.fromEntries(flags) as Record<string, string>, // pairs of text, split above
      rest: words.slice(firstWord).join(' '),
    });
  }
  return stages;
}

/** The words of an instruction in the JSON form, behind `CMD` where one stands there. */
export function execForm({ rest }: Instruction): readonly string[] {
  const words: unknown = JSON.parse(rest.replace(/^CMD /, ''));
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`not in the JSON form: ${rest}`);
}
