import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startGuard } from '../start-guard.mjs';

const CALLERS = [
  [process.execPath, 'caller.mjs'],
  ['python3', 'caller.py'],
  ['go', 'run', 'caller.go'],
  ['php', 'caller.php'],
  ['sh', 'caller.sh'],
];
const QUESTION = ['https://shop.example/', '203.0.113.7', 'curl/8.14.1'];

const random = () => randomBytes(32).toString('base64url');
const GUARD_SECRET_KEY = `sk_${random()}`;
const guard = await startGuard(new URL('guard.yaml', import.meta.url), {
  GUARD_SECRET: random(),
  GUARD_SECRET_KEY,
});
const env = {
  ...process.env,
  GUARD_SECRET_KEY,
  GUARD_VALIDATE_URL: `${guard.addresses.validator}/validate`,
};
for (const [program, ...args] of CALLERS) {
  console.log(`${args.at(-1).padEnd(11)} ${await outputOf(program, [...args, ...QUESTION])}`);
}
await guard.stop();

async function outputOf(program, args) {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  try {
    await once(child, 'close');
  } catch {
    return `skipped: there is no ${program} here`;
  }
  return text.trim();
}
