import { randomBytes } from 'node:crypto';
import { startGuard } from '../start-guard.mjs';

const random = () => randomBytes(32).toString('base64url');
const GUARD_SECRET_KEY = `sk_${random()}`;

const guard = await startGuard(new URL('guard.yaml', import.meta.url), {
  GUARD_SECRET: random(),
  GUARD_SECRET_KEY,
});
Object.assign(process.env, {
  GUARD_SECRET_KEY,
  GUARD_VALIDATE_URL: `${guard.addresses.validator}/validate`,
});
await import('./app.mjs');
