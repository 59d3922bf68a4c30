// login.mjs - what a person does with `deft login`: opens the page that it shows and lets the browser come back.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// Follows redirects as a browser does, with cookies, until one leads back to deft; `page` is asked what to post
// where a page is shown instead. Gives the address at which the browser ends up.
export async function browse(start, page = () => undefined) {
  const cookies = new Map();
  let url = start;
  let body;
  for (let hops = 0; hops < 20; hops++) {
    const answer = await fetch(url, {
      redirect: 'manual',
      method: body === undefined ? 'GET' : 'POST',
      body,
      headers: cookies.size > 0 ? { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') } : {},
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      body = undefined;
      if (/^http:\/\/127\.0\.0\.1:\d+\/callback/.test(url)) {
        return url;
      }
    } else {
      const form = page(await answer.text(), url);
      if (form === undefined) {
        throw new Error(`the login ends at ${url} with HTTP ${answer.status}`);
      }
      url = new URL(form.action, url).href;
      body = new URLSearchParams(form.fields);
    }
  }
  throw new Error('the login goes round in circles');
}

// Logs in to a server of `deft` (see commands.mjs). Throws with what deft said when that failed.
export async function login(deft, server, { page, flags = [], isPasting = false } = {}) {
  const child = spawn(deft.command, ['login', server, '--config', deft.config, ...flags, ...(isPasting ? ['--paste'] : [])],
    { stdio: ['pipe', 'inherit', 'pipe'] });
  const said = [];
  const ended = new Promise((resolve) => { child.on('close', resolve); });
  for await (const line of createInterface({ input: child.stderr })) {
    console.log(`login: ${line}`);
    said.push(line);
    if (/^https?:/.test(line)) {
      const back = await browse(line, page);
      if (isPasting) {
        child.stdin.end(`${back}\n`);
      } else {
        console.log(`landing: ${(await fetch(back)).status}`);
      }
    }
  }
  const status = await ended;
  if (status !== 0) {
    throw new Error(`deft login ended with ${status}: ${said.join(' | ')}`);
  }
}
