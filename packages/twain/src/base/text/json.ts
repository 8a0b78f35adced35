// Parses JSON from clients: bounded in depth and in values, without a name twice in one object, and a mistake names its line and column.

type ParsedJson = { ok: true; value: unknown } | { ok: false; message: string }

const maxDepth = 64

/** What the server does with more values, from checking to storing, could take longer than 50 ms. */
const maxValues = 15_000

export function parseJson(text: string): ParsedJson {
  // Checked before parsing: half a million nested lists take 60 ms and much memory.
  const size = measure(text)
  if (size.depth > maxDepth) return { ok: false, message: `it is nested deeper than ${maxDepth} levels.` }
  if (size.values > maxValues) return { ok: false, message: `it has more than ${maxValues} values.` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, message: describeMistake(text) }
  }
  // JSON.parse keeps the last of several members with one name, so then the value has fewer members than the text.
  if (size.members === countMembers(value)) return { ok: true, value }
  return { ok: false, message: describeRepeated(text) }
}

interface JsonSize {
  depth: number
  /** Members of objects, items of lists, and the value itself. */
  values: number
  members: number
}

/** Ends early if the text is too large. */
function measure(text: string): JsonSize {
  const size = { depth: 0, values: 1, members: 0 }
  let level = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at)
        break
      case 0x2c: // ,
        size.values++
        break
      case 0x3a: // : stands behind the name of a member
        size.members++
        break
      case 0x5b: // [
      case 0x7b: // {
        size.values++
        if (++level > size.depth) size.depth = level
        break
      case 0x5d: // ]
      case 0x7d: // }
        level--
        break
    }
    if (size.depth > maxDepth || size.values > maxValues) break
  }
  return size
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item)
    return members
  }
  for (const name in value) {
    members++
    members += countMembers((value as Record<string, unknown>)[name])
  }
  return members
}

const backslash = 0x5c

/** Where the string that begins here ends. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text.charCodeAt(first - 1) === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

/** Finds the name that appears twice in an object of a valid text. */
function describeRepeated(text: string): string {
  const open: (Set<string> | null)[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const mark = text.charAt(at)
    if (mark === '{') open.push(new Set())
    else if (mark === '[') open.push(null)
    else if (mark === '}' || mark === ']') open.pop()
    if (mark === '{' || mark === ',') isName = true
    if (mark !== '"') continue
    const end = endOfString(text, at)
    const names = isName ? open.at(-1) : null
    if (names !== null && names !== undefined) {
      const name = JSON.parse(text.slice(at, end + 1)) as string
      if (names.has(name))
        return `${JSON.stringify(name.slice(0, maxQuotedLength))} appears twice in one object, at ${placeIn(text, at)}.`
      names.add(name)
      isName = false
    }
    at = end
  }
  return 'a name appears twice in one object.'
}

/** Characters of a name in a message. */
const maxQuotedLength = 60

function placeIn(text: string, at: number): string {
  const before = text.slice(0, at)
  return `line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`
}

/** Node reports the position of some syntax errors only, so this finds the first token that is out of place. */
function describeMistake(text: string): string {
  const at = new MistakeFinder(text).find()
  if (at >= text.length) return text.trim() === '' ? 'it is empty.' : 'it ends too early.'
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} at ${placeIn(text, at)}.`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string has none of them unescaped
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

type ExpectedToken = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or close' | 'end'

/** The grammar of RFC 8259 as a state machine with one step for each token. */
class MistakeFinder {
  readonly #text: string
  readonly #open: ('{' | '[')[] = []
  #expected: ExpectedToken = 'value'

  constructor(text: string) {
    this.#text = text
  }

  /** Index of the first wrong token; the length of the text when it ends too early. */
  find(): number {
    let at = this.#skipSpace(0)
    while (at < this.#text.length) {
      const end = this.#step(at)
      if (end < 0) return at
      at = this.#skipSpace(end)
    }
    return at
  }

  #skipSpace(from: number): number {
    let at = from
    for (let code = this.#text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9; ) {
      code = this.#text.charCodeAt(++at)
    }
    return at
  }

  /** Index behind the token at `at`, or −1 when no token starts there. */
  #step(at: number): number {
    const expected = this.#expected
    const wantsValue = expected === 'value' || expected === 'value or ]'
    const mark = this.#text.charAt(at)
    switch (mark) {
      case '{':
      case '[':
        this.#open.push(mark)
        return this.#go(wantsValue, mark === '{' ? 'name or }' : 'value or ]', at + 1)
      case '}': {
        const fits = expected === 'name or }' || (expected === ', or close' && this.#open.at(-1) === '{')
        this.#open.pop()
        return this.#go(fits, this.#behindValue(), at + 1)
      }
      case ']': {
        const fits = expected === 'value or ]' || (expected === ', or close' && this.#open.at(-1) === '[')
        this.#open.pop()
        return this.#go(fits, this.#behindValue(), at + 1)
      }
      case ',':
        return this.#go(expected === ', or close', this.#open.at(-1) === '{' ? 'name' : 'value', at + 1)
      case ':':
        return this.#go(expected === ':', 'value', at + 1)
      case '"': {
        const wantsName = expected === 'name' || expected === 'name or }'
        return this.#go(wantsName || wantsValue, wantsName ? ':' : this.#behindValue(), this.#match(string, at))
      }
      default:
        return this.#go(wantsValue, this.#behindValue(), this.#match(literal, at))
    }
  }

  #go(fits: boolean, next: ExpectedToken, end: number): number {
    this.#expected = next
    return fits ? end : -1
  }

  #match(form: RegExp, at: number): number {
    form.lastIndex = at
    return form.test(this.#text) ? form.lastIndex : -1
  }

  #behindValue(): ExpectedToken {
    return this.#open.length === 0 ? 'end' : ', or close'
  }
}

/** Whether the value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
