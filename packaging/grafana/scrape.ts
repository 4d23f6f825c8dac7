/** One family of metrics on a Prometheus page. */
export interface Family {
  readonly type: string;
  /** The values of each label. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
  readonly series: number;
}

/**
 * Reads a page of the Prometheus text format, by the names of its samples. Throws for a line that is not in this
 * format.
 */
export function readPage(page: string): ReadonlyMap<string, Family> {
  const types = new Map<string, string>();
  const families = new Map<string, { labels: Map<string, Set<string>>; series: number }>();
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { labels: new Map<string, Set<string>>(), series: 0 };
    families.set(name, family);
    return family;
  };
  for (const line of page.split('\n')) {
    const declared = /^# TYPE (\w+) (\w+)$/.exec(line);
    if (declared) {
      const [, name = '', type = ''] = declared;
      types.set(name, type);
      if (type !== 'histogram') familyOf(name);
      continue;
    }
    if (line === '' || line.startsWith('# HELP ')) continue;
    const sample = /^(\w+)(?:\{(.*)\})? (?:-?[\d.]+(?:e[+-]?\d+)?|Nan)$/.exec(line);
    if (sample === null) throw new Error(`no sample: ${line}`);
    const [, name = '', labels = ''] = sample;
    const family = familyOf(name);
    family.series += 1;
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      family.labels.set(label, (family.labels.get(label) ?? new Set()).add(value));
    }
  }
  return new Map(
    [...families].map(([name, family]) => {
      const type = types.get(name) ?? types.get(name.replace(/_(?:bucket|sum|count)$/, '')) ?? '';
      return [name, { ...family, type }];
    }),
  );
}
