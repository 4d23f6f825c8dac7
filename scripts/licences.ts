/**
 * Lists every package of an installation of Guard with its licence, and fails when one of them is not allowed:
 * `npm run licences -- [--json]`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LockFile, productionDependencies } from './production-licences.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const lockFile = new URL('../package-lock.json', import.meta.url);
const dependencies = productionDependencies(
  LockFile.parse(JSON.parse(readFileSync(lockFile, 'utf8'))),
);
const refusedDependencies = dependencies.filter(({ allowed }) => !allowed);

if (values.json) {
  console.log(JSON.stringify(dependencies, undefined, 2));
} else {
  const width = Math.max(
    ...dependencies.map(({ name, version }) => name.length + version.length + 1),
  );
  for (const { name, version, licence = 'none given', optional, allowed } of dependencies) {
    const remark = `${optional ? ', optional' : ''}${allowed ? '' : ', NOT ALLOWED'}`;
    console.log(`${`${name}@${version}`.padEnd(width)}  ${licence}${remark}`);
  }
  console.log(
    `${dependencies.length} packages, ${refusedDependencies.length} with a licence that is not allowed`,
  );
}
process.exitCode = refusedDependencies.length === 0 ? 0 : 1;
