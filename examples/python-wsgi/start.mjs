import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { startGuard } from '../start-guard.mjs';

const random = () => randomBytes(32).toString('base64url');
const GUARD_SECRET_KEY = `sk_${random()}`;

const guard = await startGuard(new URL('guard.yaml', import.meta.url), {
  GUARD_SECRET: random(),
  GUARD_SECRET_KEY,
});
const GUARD_VALIDATE_URL = `${guard.addresses.validator}/validate`;
const app = spawn('python3', [fileURLToPath(new URL('app.py', import.meta.url))], {
  env: {
    ...process.env,
    GUARD_VALIDATE_URL,
    GUARD_SECRET_KEY,
    PYTHONDONTWRITEBYTECODE: '1', // otherwise Python would write into the checkout
  },
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.kill('SIGTERM'));
app.once('exit', () => void guard.stop());
