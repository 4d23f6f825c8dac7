// Run this after `npm install` changed package-lock.json. It adds optional packages of other platforms that the
// registry did not list. Without these packages `npm ci` refuses the lock file on machines whose registry has them.
// Then it asks the registry for each missing SHA-512. Ends with 1 if a SHA-512 is still missing.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const cpus = ['arm64', 'x64', 'ia32', 'arm'];
const systems = ['darwin', 'linux', 'win32', 'android'];

let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (lock.packages[path] !== undefined) continue;
    const words = name.split(/[/-]/);
    const cpu = cpus.find((candidate) => words.includes(candidate));
    const os = systems.find((candidate) => words.includes(candidate));
    if (cpu === undefined || os === undefined) continue;
    lock.packages[path] = { version, cpu: [cpu], optional: true, os: [os] };
    added += 1;
  }
}

const missing = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (!path.includes('node_modules/') || entry.link || entry.integrity) continue;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const asked = ['view', `${name}@${entry.version}`, 'dist.integrity'];
  const { status, stdout } = spawnSync('npm', asked, { encoding: 'utf8' });
  if (status === 0 && stdout.startsWith('sha512-')) entry.integrity = stdout.trim();
  else missing.push(name);
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
);
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} optional packages of other platforms added`);
if (missing.length > 0) {
  console.error(`without a SHA-512, as this registry has none: ${missing.join(', ')}`);
  process.exitCode = 1;
}
