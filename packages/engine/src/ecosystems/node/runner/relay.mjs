import { createHash, createHmac } from 'node:crypto';
import { writeSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

const STATUSES = new Set(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed']);
const MAX_ID = 4096;
const MAX_DETAIL = 2000;
const MARKS = { passed: '✔', failed: '✖', error: '✖', skipped: '﹣', xfailed: '﹣', xpassed: '✖' };

/** Writes the result channel: gives ids to what children report, and one line each to people on standard error. */
export class Relay {
  #nonce;
  #signed;
  #root;
  #lines = 0;
  #started = false;
  #forged = false;
  #tests = 0;
  #seen = new Map();

  /**
   * `signed`: the nonce is the key of a code before each line, and never written, so that who reads the channel learns
   * nothing. Else it is a member of each object.
   */
  constructor({ nonce, signed, root }) {
    this.#nonce = nonce;
    this.#signed = signed === true;
    this.#root = root;
  }

  start(runner) {
    if (!this.#started) this.#write({ type: 'start', runner });
    this.#started = true;
  }

  /** A record of a child, whose nonce was right. Anything else than it should be is forged. */
  record(record) {
    if (record.type === 'start' && typeof record.runner === 'string') return this.start(record.runner);
    if (typeof record.file !== 'string') return this.forged('a record without a file');
    const file = isAbsolute(record.file) ? relative(this.#root, record.file).split(sep).join('/') : record.file;
    if (record.type === 'uncollected') return this.uncollected(file, String(record.detail));
    const { title, status, durationMs } = record;
    if (
      record.type !== 'test' ||
      typeof title !== 'string' ||
      !STATUSES.has(status) ||
      typeof durationMs !== 'number'
    ) {
      return this.forged('a record that no reporter writes');
    }
    const id = this.#unique(`${file} > ${title}`);
    this.#tests += 1;
    this.#write({ type: 'test', id, status, durationMs: Number.isFinite(durationMs) ? Math.max(0, durationMs) : 0 });
    process.stderr.write(`${MARKS[status]} ${id}\n`);
  }

  uncollected(file, detail) {
    this.start('none');
    this.#write({ type: 'uncollected', file, detail: wellFormed(detail.slice(0, MAX_DETAIL)) });
    process.stderr.write(`not loaded: ${file}: ${detail}\n`);
  }

  forged(detail) {
    this.start('none');
    if (!this.#forged) this.#write({ type: 'forged', detail });
    this.#forged = true;
  }

  end() {
    this.start('none');
    this.#write({ type: 'end', tests: this.#tests });
  }

  #unique(name) {
    const id = shorten(wellFormed(name));
    const count = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, count);
    return count === 1 ? id : `${id} #${count}`;
  }

  #line(record) {
    if (!this.#signed) return JSON.stringify({ nonce: this.#nonce, ...record });
    const text = JSON.stringify(record);
    const code = createHmac('sha256', this.#nonce).update(`${this.#lines}\n${text}`).digest('hex').slice(0, 32);
    this.#lines += 1;
    return `${code} ${text}`;
  }

  #write(record) {
    const bytes = Buffer.from(`${this.#line(record)}\n`);
    for (let done = 0; done < bytes.length;) {
      try {
        done += writeSync(1, bytes, done);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  }
}

function shorten(id) {
  if (id.length <= MAX_ID) return id;
  return `${wellFormed(id.slice(0, MAX_ID - 100))}... sha256:${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** Text without halves of surrogate pairs, which have no UTF-8. */
function wellFormed(text) {
  return Buffer.from(text).toString();
}
