// pieces.mjs - cuts text into pieces and gives each piece the features the estimator sums. This is
// src/core/tokens/tokens.c written a second time, for the fit; agree.mjs checks that the two are one.

export const NEWLINE = 0, SPACE = 1, DIGIT = 2, UPPER = 3, LOWER = 4, LETTER = 5, PUNCT = 6;
const EVEN_UPPER = 7, ODD_UPPER = 8; // alphabets whose cases alternate

export const LATIN = 0, GREEK = 1, CYRILLIC = 2, HEBREW = 3, ARABIC = 4, INDIC = 5, DRAVIDIAN = 6,
  THAI = 7, GEORGIAN = 8, KANA = 9, HANGUL = 10, HAN = 11, REST = 12;
const SCRIPTS = 13;

// First code point of each range, its class, its script (for letters).
const RANGES = [
  [0x80, PUNCT], [0x85, SPACE], [0x86, PUNCT], [0xa0, SPACE], [0xa1, PUNCT],
  [0xaa, LETTER, LATIN], [0xab, PUNCT], [0xb2, DIGIT], [0xb4, PUNCT], [0xb5, LOWER, LATIN],
  [0xb6, PUNCT], [0xb9, DIGIT], [0xba, LETTER, LATIN], [0xbb, PUNCT], [0xbc, DIGIT],
  [0xbf, PUNCT], [0xc0, UPPER, LATIN], [0xd7, PUNCT], [0xd8, UPPER, LATIN],
  [0xdf, LOWER, LATIN], [0xf7, PUNCT], [0xf8, LOWER, LATIN], [0x100, EVEN_UPPER, LATIN],
  [0x138, LOWER, LATIN], [0x139, ODD_UPPER, LATIN], [0x149, LOWER, LATIN],
  [0x14a, EVEN_UPPER, LATIN], [0x178, UPPER, LATIN], [0x179, ODD_UPPER, LATIN],
  [0x17f, LOWER, LATIN], [0x180, EVEN_UPPER, LATIN], [0x1af, ODD_UPPER, LATIN],
  [0x1b1, EVEN_UPPER, LATIN], [0x250, LOWER, LATIN],
  [0x2b0, LETTER, LATIN], [0x370, LOWER, GREEK], [0x37e, PUNCT], [0x37f, UPPER, GREEK],
  [0x387, PUNCT], [0x388, UPPER, GREEK], [0x390, LOWER, GREEK], [0x391, UPPER, GREEK],
  [0x3ac, LOWER, GREEK], [0x400, UPPER, CYRILLIC], [0x430, LOWER, CYRILLIC],
  [0x460, EVEN_UPPER, CYRILLIC], [0x482, PUNCT], [0x483, LETTER, CYRILLIC],
  [0x48a, EVEN_UPPER, CYRILLIC], [0x530, UPPER, REST], [0x560, LOWER, REST], [0x589, PUNCT],
  [0x591, LETTER, HEBREW], [0x5be, PUNCT], [0x5bf, LETTER, HEBREW], [0x5c0, PUNCT],
  [0x5c1, LETTER, HEBREW], [0x5c3, PUNCT], [0x5c4, LETTER, HEBREW], [0x5f3, PUNCT],
  [0x610, LETTER, ARABIC], [0x61b, PUNCT], [0x620, LETTER, ARABIC], [0x660, DIGIT],
  [0x66a, PUNCT], [0x66e, LETTER, ARABIC], [0x6d4, PUNCT], [0x6d5, LETTER, ARABIC],
  [0x6f0, DIGIT], [0x6fa, LETTER, ARABIC], [0x900, LETTER, INDIC], [0x964, PUNCT],
  [0x966, DIGIT], [0x970, LETTER, INDIC], [0x9e6, DIGIT], [0x9f0, LETTER, INDIC],
  [0xb80, LETTER, DRAVIDIAN], [0xbe6, DIGIT], [0xbf0, LETTER, DRAVIDIAN], [0xe00, LETTER, THAI],
  [0xe3f, PUNCT], [0xe40, LETTER, THAI], [0xe50, DIGIT], [0xe5a, LETTER, THAI],
  [0xf00, LETTER, REST], [0x10a0, UPPER, GEORGIAN], [0x10d0, LETTER, GEORGIAN],
  [0x1100, LETTER, HANGUL], [0x1200, LETTER, REST], [0x1780, LETTER, THAI],
  [0x1800, LETTER, REST], [0x1e00, EVEN_UPPER, LATIN], [0x1f00, LOWER, GREEK],
  [0x2000, SPACE], [0x200b, PUNCT], [0x2028, SPACE], [0x202a, PUNCT], [0x202f, SPACE],
  [0x2030, PUNCT], [0x205f, SPACE], [0x2060, PUNCT], [0x2070, DIGIT], [0x208a, PUNCT],
  [0x2150, DIGIT], [0x2190, PUNCT], [0x2460, DIGIT], [0x249c, PUNCT], [0x24ea, DIGIT],
  [0x2500, PUNCT], [0x2776, DIGIT], [0x2794, PUNCT], [0x2c00, LOWER, REST], [0x2e00, PUNCT],
  [0x3000, SPACE], [0x3001, PUNCT], [0x3005, LETTER, HAN], [0x3008, PUNCT],
  [0x3031, LETTER, KANA], [0x309b, PUNCT], [0x309d, LETTER, KANA], [0x30a0, PUNCT],
  [0x30a1, LETTER, KANA], [0x30fb, PUNCT], [0x30fc, LETTER, KANA], [0x3100, LETTER, HAN],
  [0x3130, LETTER, HANGUL], [0x3190, PUNCT], [0x31f0, LETTER, KANA], [0x3200, PUNCT],
  [0x3400, LETTER, HAN], [0x4dc0, PUNCT], [0x4e00, LETTER, HAN], [0xa000, LETTER, REST],
  [0xac00, LETTER, HANGUL], [0xd800, PUNCT], [0xf900, LETTER, HAN], [0xfb00, LOWER, LATIN],
  [0xfb13, LOWER, REST], [0xfb1d, LETTER, HEBREW], [0xfb50, LETTER, ARABIC],
  [0xfd3e, PUNCT], [0xfd50, LETTER, ARABIC],
  [0xfdfc, PUNCT], [0xfe00, LETTER, REST], [0xfe10, PUNCT], [0xfe20, LETTER, REST],
  [0xfe30, PUNCT], [0xfe70, LETTER, ARABIC], [0xfeff, PUNCT], [0xff10, DIGIT],
  [0xff1a, PUNCT], [0xff21, UPPER, REST], [0xff3b, PUNCT], [0xff41, LOWER, REST],
  [0xff5b, PUNCT], [0xff66, LETTER, KANA], [0xffa0, LETTER, HANGUL], [0xffe0, PUNCT],
  [0x10000, LETTER, REST], [0x1d000, PUNCT], [0x1d400, LETTER, REST], [0x1d800, PUNCT],
  [0x20000, LETTER, HAN], [0x32000, PUNCT], [0xe0100, LETTER, REST], [0xe01f0, PUNCT],
];

function classifyAscii(c)
{
  if (c === 10 || c === 13) return NEWLINE;
  if (c === 32 || (c >= 9 && c <= 12)) return SPACE;
  if (c >= 48 && c <= 57) return DIGIT;
  if (c >= 65 && c <= 90) return UPPER;
  if (c >= 97 && c <= 122) return LOWER;
  return PUNCT;
}

const known = new Map();

// {kind, script} of a code point.
export function classify(c)
{
  let found = known.get(c);
  if (found) return found;
  if (c < 0x80) {
    found = {kind: classifyAscii(c), script: LATIN};
  } else {
    let low = 0, high = RANGES.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (RANGES[middle][0] <= c) low = middle; else high = middle;
    }
    let [, kind, script] = RANGES[low];
    if (kind === EVEN_UPPER) kind = c & 1 ? LOWER : UPPER;
    if (kind === ODD_UPPER) kind = c & 1 ? UPPER : LOWER;
    found = {kind, script: script ?? LATIN};
  }
  known.set(c, found);
  return found;
}

const isLetter = (kind) => kind === UPPER || kind === LOWER || kind === LETTER;
const lower = (c) => c | 32;

// Length of a contraction ('s 't 're 've 'm 'll 'd) at `at`, 0 for none.
function contraction(text, at)
{
  if (text[at] !== 39 || at + 1 >= text.length) return 0;
  const first = lower(text[at + 1]), second = at + 2 < text.length ? lower(text[at + 2]) : 0;
  if (text[at + 1] > 127) return 0;
  if ((first === 0x72 || first === 0x76) && second === 0x65) return 3;
  if (first === 0x6c && second === 0x6c) return 3;
  return first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64 ? 2 : 0;
}

// Calls emit({type, start, lead, from, to, end, script}) for each piece of `text` (an array of code
// points): the whole piece is start..end, its letters or signs from..to.
export function split(text, emit)
{
  const count = text.length;
  const kindAt = (i) => classify(text[i]).kind;
  let at = 0;

  const word = (start, from, lead) => {
    const {kind, script} = classify(text[from]);
    let upper = kind !== LOWER, to = from + 1;
    while (to < count) {
      const next = classify(text[to]);
      if (!isLetter(next.kind) || next.script !== script || (next.kind === UPPER && !upper)) break;
      if (next.kind === LOWER) upper = false;
      to++;
    }
    const end = to + (script === LATIN ? contraction(text, to) : 0);
    emit({type: 'word', start, lead, from, to, end, script});
    at = end;
  };
  const signs = (start, from, lead) => {
    let to = from;
    while (to < count && kindAt(to) === PUNCT) to++;
    while (to < count && (text[to] === 10 || text[to] === 13 || text[to] === 47)) to++;
    emit({type: 'signs', start, lead, from, to, end: to});
    at = to;
  };
  const plain = (type, end) => { emit({type, start: at, end, lead: 0, from: at, to: end}); at = end; };

  while (at < count) {
    const {kind} = classify(text[at]);
    if (isLetter(kind)) {
      word(at, at, 0);
    } else if (kind === DIGIT) {
      let end = at + 1;
      while (end < count && end < at + 3 && kindAt(end) === DIGIT) end++;
      plain('digits', end);
    } else if (kind === PUNCT) {
      if (at + 1 < count && isLetter(kindAt(at + 1))) word(at, at + 1, text[at]);
      else signs(at, at, 0);
    } else {
      let end = at, newline = 0;
      while (end < count && kindAt(end) <= SPACE) { end++; if (kindAt(end - 1) === NEWLINE) newline = end; }
      if (newline) plain('newlines', newline);
      if (at < end && end === count) plain('spaces', end);
      if (at + 1 < end) plain('spaces', end - 1);
      if (at < end) {
        const next = kindAt(end);
        if (isLetter(next)) word(at, end, text[at]);
        else if (next === PUNCT && text[at] === 32) signs(at, end, 32);
        else plain('spaces', end);
      }
    }
  }
}

// The weights, in the order they lie in the vector a fit works on. The first group are bytes, the
// n-gram tables four bits an entry. Sizes: see docs/tokens.md for what smaller and larger ones give.
export const WORD_TABLE = 4096, SIGNS_TABLE = 1024, SCRIPT_TABLE = 2048;
export const BLOCKS = {};
export let SIZE = 0;
for (const [name, size] of [['lead', 64], ['length', 144], ['contraction', 2], ['accent', 2], ['plain', 8],
  ['signs_length', 16], ['script_lead', 4 * SCRIPTS], ['script_letter', SCRIPTS], ['signs_grams', SIGNS_TABLE], ['word_grams', WORD_TABLE],
  ['script_grams', SCRIPT_TABLE]]) {
  BLOCKS[name] = {at: SIZE, size};
  SIZE += size;
}

// Fibonacci hashing: the top bits of a product with 2^32 / golden ratio.
const slot = (key, size) => (Math.imul(key, 0x9e3779b1) >>> 0) >>> (32 - Math.log2(size));
const gram = (block, key) => BLOCKS[block].at + slot(key, BLOCKS[block].size);

const LEADS = [0, 32, 95, 45, 47, 46, 92, 44, 58, 61, 40, 64, 36, 39];
function leadClass(lead)
{
  const found = LEADS.indexOf(lead);
  if (found >= 0) return found;
  if (lead === 96 || lead === 34) return 13;
  return lead < 128 ? 14 : 15;
}

const letterSymbol = (c) => c < 128 ? c & 31 : 28 + (c & 3);

function signSymbol(c)
{
  if (c < 33) return 33;
  if (c < 48) return c - 32;
  if (c < 65) return c - 58 + 16;
  if (c < 97) return c - 91 + 23;
  if (c < 128) return c - 123 + 29;
  if (c < 0x2000) return 34;
  if (c < 0x2070) return 35 + ((c >> 1) & 3);
  if (c < 0x2e80) return 39 + ((c >> 8) & 3);
  if (c < 0x3040) return 43;
  if (c >= 0x1f000) return 47 + ((c >> 7) & 15);
  return c >= 0xff00 && c < 0x10000 ? 44 : 45;
}

function wordFeatures(text, {lead, from, to, end})
{
  const size = to - from;
  let uppers = 0;
  for (let i = from; i < to; i++) uppers += classify(text[i]).kind === UPPER;
  const shape = uppers === 0 ? 0 : uppers === 1 ? 1 : uppers === size ? 2 : 3;
  const leads = leadClass(lead);
  const out = [BLOCKS.lead.at + leads * 4 + shape,
    BLOCKS.length.at + Math.min(size, 15) * 9 + Math.min(leads, 2) * 3 + Math.min(shape, 2)];
  if (end > to) out.push(BLOCKS.contraction.at + (end - to > 2 ? 1 : 0));
  let key = 0;
  for (let i = from; i <= to; i++) {
    if (i < to && text[i] > 127) out.push(BLOCKS.accent.at + (text[i] < 0x100 ? 0 : 1));
    key = ((key << 5) | (i < to ? letterSymbol(text[i]) : 31)) & 0x7fff;
    out.push(gram('word_grams', key | (shape === 2 ? 0x8000 : 0)));
  }
  return out;
}

function scriptFeatures(text, {lead, from, to, script})
{
  const out = [BLOCKS.script_lead.at + script * 4 + (lead === 0 ? 0 : lead === 32 ? 1 : lead < 128 ? 2 : 3)];
  let previous = 0;
  for (let i = from; i < to; i++) {
    out.push(BLOCKS.script_letter.at + script);
    out.push(gram('script_grams', text[i]));
    out.push(gram('script_grams', (Math.imul(previous, 0x10001) ^ text[i] ^ 0x40000000) | 0));
    previous = text[i];
  }
  return out;
}

// A rule of dashes is one token however long; backslashes are not, they come in twos and fours.
const repeats = (text, i) => text[i] < 128 && text[i] !== 92 && text[i] === text[i - 1] && text[i] === text[i - 2];

function signsFeatures(text, {lead, from, to})
{
  const out = [];
  let a = 0, b = lead ? 33 : 0, whole = b, count = 0;
  for (let i = from; i <= to; i++) {
    if (i > from + 2 && i < to && repeats(text, i)) continue;
    const c = i < to ? signSymbol(text[i]) : 63;
    if (i > from) out.push(gram('signs_grams', (a << 12) | (b << 6) | c));
    whole = (Math.imul(whole, 67) + c) | 0;
    a = b; b = c; count++;
  }
  out.push(BLOCKS.signs_length.at + Math.min(count - 1, 15));
  if (count - 1 <= 8) out.push(gram('signs_grams', whole ^ 0x5bd1e995));
  return out;
}

// Digits by their number (1 to 3), spaces (1, 2 to 3, more), newlines (1, more).
function plainFeatures({type, start, end})
{
  const size = end - start;
  const row = type === 'digits' ? size - 1 : type === 'spaces' ? (size < 2 ? 3 : size < 4 ? 4 : 5) : size < 2 ? 6 : 7;
  return [BLOCKS.plain.at + row];
}

// Indices of the weights a piece sums.
export function features(text, piece)
{
  if (piece.type === 'word') return piece.script === LATIN ? wordFeatures(text, piece) : scriptFeatures(text, piece);
  return piece.type === 'signs' ? signsFeatures(text, piece) : plainFeatures(piece);
}
