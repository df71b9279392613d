import { MagicString } from 'magic-string';

/**
 * Changes of a text, by offsets of the original. What is replaced keeps its line breaks, so that every line stays where
 * it is. A change inside of what is removed is none.
 */
export class Edits {
  #text;
  #replaced = [];
  #inserted = [];
  #merged = null;

  constructor(text) {
    this.#text = text;
  }

  /** Puts `text` and the line breaks of what was there in place of a range; `late`: the line breaks first. */
  replace(start, end, text, { late = false } = {}) {
    if (end <= start) return text === '' ? undefined : this.insert(start, text);
    const breaks = this.#text.slice(start, end).replace(/[^\n]/g, '');
    this.#replaced.push({ start, end, text: late ? breaks + text : text + breaks });
    this.#merged = null;
  }

  insert(at, text) {
    this.#inserted.push({ at, text });
  }

  /** Whether a range lies in what is replaced. */
  isGone({ start, end }) {
    this.#merged ??= merge(this.#replaced);
    let low = 0;
    let high = this.#merged.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = this.#merged[middle];
      if (range.end <= start) low = middle + 1;
      else if (range.start > start) high = middle - 1;
      else return end <= range.end;
    }
    return false;
  }

  toString() {
    const result = new MagicString(this.#text);
    let end = -1;
    for (const each of outermostFirst(this.#replaced)) {
      if (each.start < end) continue;
      result.update(each.start, each.end, each.text);
      end = each.end;
    }
    for (const { at, text } of this.#inserted) if (!this.#isInside(at)) result.appendLeft(at, text);
    return result.toString();
  }

  #isInside(at) {
    return this.isGone({ start: at, end: at + 1 }) && this.isGone({ start: at - 1, end: at }) && !this.#isBorder(at);
  }

  #isBorder(at) {
    return this.#merged.some(({ start, end }) => start === at || end === at);
  }
}

const outermostFirst = (ranges) => [...ranges].sort((one, other) => one.start - other.start || other.end - one.end);

/** Ranges without those that lie in others. Neighbours stay apart. */
function merge(ranges) {
  const merged = [];
  for (const { start, end } of outermostFirst(ranges)) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
