// checks.mjs - a scenario is a list of checks. Each has a sentence as its name and a time limit; one
// that fails does not stop the next, and the last line counts.
import assert from 'node:assert/strict';

export { assert };

const LIMIT_MS = 20000; // many times what any check takes; whoever hangs is named

let passed = 0;
const failures = [];

function limited(promise, what) {
  let timer;
  const limit = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not done after ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

export async function check(name, body) {
  try {
    await limited(body(), name);
    passed += 1;
    console.log(`ok    ${name}`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL  ${name}\n${String(error?.stack ?? error).replace(/^/gm, '      ')}`);
  }
}

// Ends the process: what a peer left running must not keep a scenario alive.
export function finish() {
  console.log(`${passed} passed, ${failures.length} failed`);
  process.exit(failures.length > 0 || passed === 0 ? 1 : 0);
}

// Values as they come, waited for one by one: `take` gives the next one that fits.
export class Arrivals {
  #values = [];

  #waiting = [];

  push(value) {
    const at = this.#waiting.findIndex(({ fits }) => fits(value));
    if (at < 0) {
      this.#values.push(value);
    } else {
      this.#waiting.splice(at, 1)[0].resolve(value);
    }
  }

  take(fits = () => true) {
    const at = this.#values.findIndex(fits);
    if (at >= 0) {
      return Promise.resolve(this.#values.splice(at, 1)[0]);
    }
    return new Promise((resolve) => { this.#waiting.push({ fits, resolve }); });
  }

  get waiting() {
    return [...this.#values];
  }
}
