// Parses the part of XML 1.0 that data needs: elements, attributes, text, CDATA, comments, the five predefined entities and
// character references. No DTD, no other entities, no namespaces. Errors have a line and a column, as those of JSON
// (docs/internals/decisions/0011-xml-parser.md says why this is not a library).

/** An element contains text or elements, never both. */
export interface XmlElement {
  name: string
  attributes: readonly XmlAttribute[]
  children: readonly XmlElement[]
  text: string
}

type XmlAttribute = readonly [name: string, value: string]

type XmlParseResult = { ok: true; root: XmlElement } | { ok: false; message: string }

const maxDepth = 64
/** For one element; only two attributes have a meaning. */
const maxAttributeCount = 8
/** Elements, attributes, comments, instructions and CDATA sections of a body: more than rows need, and few enough to parse without delaying other requests. */
const maxNodeCount = 40_000

export function parseXml(text: string): XmlParseResult {
  try {
    return { ok: true, root: new XmlParser(text).parse() }
  } catch (error) {
    if (error instanceof XmlSyntaxError) return { ok: false, message: error.message }
    throw error
  }
}

export function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.length === 0 ? undefined : attributes.find(([known]) => known === name)?.[1]
}

class XmlSyntaxError extends Error {}

interface OpenElement {
  name: string
  attributes: readonly XmlAttribute[]
  children: XmlElement[]
  text: string
}

const spacePattern = /[ \t\r\n]*/y
const namePattern = /[A-Za-z_:\u00b7-\uffff][\w:.\u00b7-\uffff-]*/y
/** Characters between "&" and ";". */
const maxReferenceLength = 11

/** Shared empty lists: a body can have a hundred thousand small elements, and these save their allocations. */
const noAttributes: readonly XmlAttribute[] = []
const noChildren: XmlElement[] = []

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 (2.2) excludes them
const forbiddenCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

class XmlParser {
  readonly #text: string
  readonly #open: OpenElement[] = []
  #root: XmlElement | null = null
  #at = 0
  #nodes = 0
  /** The name of the previous element: the next one often has the same. */
  #last = ''

  constructor(text: string) {
    this.#text = text.includes('\r') ? withLineFeeds(text) : text
  }

  parse(): XmlElement {
    const wrong = forbiddenCharacter.exec(this.#text)
    if (wrong !== null) throw this.#syntaxError('a character that XML does not allow', wrong.index)
    this.#takeDeclaration()
    while (this.#at < this.#text.length) {
      if (this.#text.charCodeAt(this.#at) === 60 /* < */) this.#takeMarkup()
      else this.#takeText()
    }
    const unclosed = this.#open.at(-1)
    if (unclosed !== undefined) throw this.#syntaxError(`<${unclosed.name}> is not closed.`, this.#at)
    if (this.#root === null) throw this.#syntaxError('it has no element.', this.#at)
    return this.#root
  }

  #takeDeclaration(): void {
    if (!/^<\?xml[ \t\r\n]/.test(this.#text)) return
    const end = this.#find('?>', 'the declaration')
    const [, encoding] = /\bencoding\s*=\s*["']([^"']*)["']/.exec(this.#text.slice(0, end)) ?? []
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw this.#syntaxError('it must be in UTF-8.', 0)
    this.#at = end
  }

  #takeMarkup(): void {
    const text = this.#text
    const next = text.charCodeAt(this.#at + 1)
    if (next === 33 /* ! */ || next === 63 /* ? */) this.#countNode(this.#at)
    if (next === 47 /* / */) this.#takeEnd()
    else if (next === 63 /* ? */) this.#at = this.#find('?>', 'an instruction')
    else if (next !== 33 /* ! */) this.#takeStart()
    else if (text.startsWith('<!--', this.#at)) this.#at = this.#find('-->', 'a comment')
    else if (text.startsWith('<![CDATA[', this.#at)) this.#takeCdata()
    else throw this.#syntaxError('a DOCTYPE is not supported', this.#at)
  }

  #takeCdata(): void {
    const start = this.#at + '<![CDATA['.length
    const end = this.#find(']]>', 'a CDATA section')
    this.#addText(this.#text.slice(start, end - 3), start)
    this.#at = end
  }

  #takeText(): void {
    const start = this.#at
    const next = this.#text.indexOf('<', start)
    const end = next < 0 ? this.#text.length : next
    const text = this.#text.slice(start, end)
    const wrong = text.indexOf(']]>')
    if (wrong >= 0) throw this.#syntaxError('"]]>" is not allowed in text', start + wrong)
    this.#addText(this.#decode(text, start), start)
    this.#at = end
  }

  #addText(text: string, at: number): void {
    const element = this.#open.at(-1)
    if (element === undefined) {
      if (/[^ \t\r\n]/.test(text)) throw this.#syntaxError('text outside of the root element', at)
      return
    }
    element.text += text
  }

  #takeStart(): void {
    const start = this.#at++
    this.#countNode(start)
    const element: OpenElement = { name: this.#elementName(), attributes: noAttributes, children: noChildren, text: '' }
    if (this.#open.length >= maxDepth) throw this.#syntaxError(`it is nested deeper than ${maxDepth} levels`, start)
    if (this.#root !== null) throw this.#syntaxError('there is a second root element', start)
    let spaces = this.#skipSpace()
    let attributes: XmlAttribute[] | null = null
    while (!this.#take('>')) {
      if (this.#take('/>')) {
        this.#close(element)
        return
      }
      if (spaces === 0) throw this.#syntaxError(`unexpected ${this.#here()}`, this.#at)
      if (attributes === null) element.attributes = attributes = []
      this.#takeAttribute(attributes)
      spaces = this.#skipSpace()
    }
    this.#open.push(element)
  }

  #takeAttribute(attributes: XmlAttribute[]): void {
    const start = this.#at
    const attribute = this.#expectName()
    this.#countNode(start)
    if (attributes.length === maxAttributeCount)
      throw this.#syntaxError(`there are more than ${maxAttributeCount} attributes`, start)
    this.#skipSpace()
    if (!this.#take('=')) throw this.#syntaxError(`the attribute ${attribute} has no value`, this.#at)
    this.#skipSpace()
    const quote = this.#text.charAt(this.#at)
    const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1
    if (end < 0) throw this.#syntaxError(`the value of ${attribute} must be in quotes`, this.#at)
    const value = this.#text.slice(this.#at + 1, end)
    if (value.includes('<')) throw this.#syntaxError(`"<" is not allowed in the value of ${attribute}`, this.#at)
    if (attributes.length > 0 && attributes.some(([known]) => known === attribute))
      throw this.#syntaxError(`the attribute ${attribute} appears twice`, start)
    attributes.push([attribute, this.#decode(value, this.#at + 1)])
    this.#at = end + 1
  }

  #takeEnd(): void {
    const start = this.#at
    this.#at += 2
    const closed = this.#elementName()
    this.#skipSpace()
    if (!this.#take('>')) throw this.#syntaxError(`unexpected ${this.#here()}`, this.#at)
    const element = this.#open.pop()
    if (element?.name !== closed) throw this.#syntaxError(`</${closed}> closes nothing`, start)
    this.#close(element)
  }

  #close(element: OpenElement): void {
    if (element.children.length > 0) {
      if (/[^ \t\r\n]/.test(element.text))
        throw this.#syntaxError(`<${element.name}> contains both text and elements`, this.#at)
      element.text = ''
    }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else if (parent.children === noChildren) parent.children = [element]
    else parent.children.push(element)
  }

  /** Decodes the five entities and character references. The result is not decoded again. */
  #decode(text: string, at: number): string {
    if (!text.includes('&')) return text
    // A body may have 200,000 of them: as many parts of a string would take 40 ms.
    const units = new Uint16Array(text.length)
    let length = 0
    for (let from = 0; from < text.length; from++) {
      const unit = text.charCodeAt(from)
      if (unit !== 38 /* & */) {
        units[length++] = unit
        continue
      }
      const end = endOfReference(text, from)
      const code = end < 0 ? undefined : codeOf(text, from + 1, end)
      if (code === undefined) {
        const word = text.slice(from + 1, end < 0 ? from + 12 : end)
        throw this.#syntaxError(`"&${word}" is not a known entity`, at + from)
      }
      if (code > 0xffff) units[length++] = 0xd800 + ((code - 0x10000) >> 10)
      units[length++] = code > 0xffff ? 0xdc00 + ((code - 0x10000) & 0x3ff) : code
      from = end
    }
    return textOf(units, length)
  }

  #countNode(at: number): void {
    if (++this.#nodes > maxNodeCount)
      throw this.#syntaxError(`it has more than ${maxNodeCount} elements, attributes and comments`, at)
  }

  #elementName(): string {
    const end = this.#at + this.#last.length
    const next = this.#text.charCodeAt(end)
    const isEnd = next === 62 /* > */ || next === 47 /* / */
    if (isEnd && this.#last !== '' && this.#text.startsWith(this.#last, this.#at)) this.#at = end
    else this.#last = this.#expectName()
    return this.#last
  }

  #expectName(): string {
    const start = this.#at
    namePattern.lastIndex = start
    if (!namePattern.test(this.#text)) throw this.#syntaxError(`unexpected ${this.#here()}`, start)
    this.#at = namePattern.lastIndex
    return this.#text.slice(start, this.#at)
  }

  #skipSpace(): number {
    const before = this.#at
    if (this.#text.charCodeAt(before) > 32) return 0
    if (this.#text.charCodeAt(before) === 32 && this.#text.charCodeAt(before + 1) > 32) {
      this.#at++
      return 1
    }
    spacePattern.lastIndex = before
    spacePattern.test(this.#text)
    this.#at = spacePattern.lastIndex
    return this.#at - before
  }

  #take(mark: string): boolean {
    if (this.#text.charCodeAt(this.#at) !== mark.charCodeAt(0) || !this.#text.startsWith(mark, this.#at)) return false
    this.#at += mark.length
    return true
  }

  /** The position behind the next `mark`. */
  #find(mark: string, what: string): number {
    const found = this.#text.indexOf(mark, this.#at)
    if (found < 0) throw this.#syntaxError(`${what} is not closed`, this.#at)
    return found + mark.length
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? 'end' : JSON.stringify(String.fromCodePoint(code))
  }

  #syntaxError(what: string, at: number): XmlSyntaxError {
    if (what.endsWith('.')) return new XmlSyntaxError(what)
    const before = this.#text.slice(0, at)
    return new XmlSyntaxError(`${what}, at line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}.`)
  }
}

/** Normalizes line ends (XML 1.0, 2.11). Not by `replace`: a million carriage returns would take 80 ms. */
function withLineFeeds(text: string): string {
  const units = new Uint16Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 13 && text.charCodeAt(at + 1) === 10) continue
    units[length++] = unit === 13 ? 10 : unit
  }
  return textOf(units, length)
}

function textOf(units: Uint16Array, length: number): string {
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

/** Where the ";" of a reference is; negative without one. */
function endOfReference(text: string, from: number): number {
  for (let at = from + 1; at <= from + 1 + maxReferenceLength; at++) {
    if (text.charCodeAt(at) === 59 /* ; */) return at
  }
  return -1
}

/** The code point of `lt`, `#13` or `#xD`; undefined if XML does not allow it. Without substrings: they would take most of the time. */
function codeOf(text: string, from: number, end: number): number | undefined {
  if (text.charCodeAt(from) !== 35 /* # */) {
    return entityOf(text, from, end)
  }
  const isHex = text.charCodeAt(from + 1) === 120 /* x */
  const start = from + (isHex ? 2 : 1)
  let code = start < end ? 0 : -1
  for (let at = start; at < end; at++) {
    const digit = digitOf(text.charCodeAt(at))
    if (digit < 0 || (digit > 9 && !isHex)) return undefined
    code = code * (isHex ? 16 : 10) + digit
  }
  const isBmp =
    code === 9 || code === 10 || code === 13 || (code >= 32 && code < 0xd800) || (code > 0xdfff && code < 0xfffe)
  return isBmp || (code >= 0x10000 && code <= 0x10ffff) ? code : undefined
}

/** The code of one of the five names. By their units: a body may have 200,000 of them. */
function entityOf(text: string, from: number, end: number): number | undefined {
  const first = text.charCodeAt(from)
  const second = text.charCodeAt(from + 1)
  if (end - from === 2 && second === 116 /* t */)
    return first === 108 /* l */ ? 60 : first === 103 /* g */ ? 62 : undefined
  if (end - from === 3 && text.startsWith('amp', from)) return 38
  if (end - from === 4 && text.startsWith('quot', from)) return 34
  return end - from === 4 && text.startsWith('apos', from) ? 39 : undefined
}

function digitOf(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48
  const letter = unit | 32 // in lower case
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
