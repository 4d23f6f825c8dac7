import express from 'express';
import { guard } from './guard.mjs';

const { GUARD_VALIDATE_URL, GUARD_SECRET_KEY, PORT = '3000' } = process.env;

const app = express();
app.disable('x-powered-by');
// For this demo on one machine: X-Forwarded-For lets you act as a visitor with another address. Name your own proxies
// here, or remove the line when you have none.
app.set('trust proxy', 'loopback');

// Routes before the middleware are not protected: Express does not ask Guard about them.
app.get('/assets/style.css', (_req, res) => {
  res.type('css').send('body { font: 1.2rem/1.5 sans-serif; margin: 4rem auto; max-width: 34rem }');
});

app.use(
  guard({
    validateUrl: GUARD_VALIDATE_URL,
    secretKey: GUARD_SECRET_KEY,
    onFailure: (why) => console.error(`no decision: ${why}`),
  }),
);

app.get('/{*path}', (req, res) => {
  const decision = res.locals.guard?.decision ?? 'nothing';
  res.send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>The protected page</title>
    <link rel="stylesheet" href="/assets/style.css" />
  </head>
  <body>
    <h1>The protected page</h1>
    <p>Guard said: ${decision}.</p>
    <form method="post" action="/order"><button>Order</button></form>
  </body>
</html>`);
  const how = decision === 'allow' ? 'let through' : 'not judged';
  console.log(`the page was served to ${req.get('user-agent')}, who was ${how}`);
});

app.post('/order', (_req, res) => {
  res.send('<!doctype html><title>Ordered</title><h1>Thank you</h1>');
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`The app is at http://127.0.0.1:${server.address().port}/`);
});
