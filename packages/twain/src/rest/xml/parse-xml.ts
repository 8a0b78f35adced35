// XML 1.0 from the outside, as far as data needs it: elements, attributes, texts, CDATA, comments, the five entities that
// every XML has, and characters by their number. No DTD, no other entity, no namespace. What is not well-formed is told with
// its place, like JSON's mistakes (docs/decisions/0011-own-xml-reader.md says why this is no library).

/** An element holds text or elements, never both. */
export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  text: string
}

type Parsed = { ok: true; root: XmlElement } | { ok: false; message: string }

const deepest = 64

export function parseXml(text: string): Parsed {
  try {
    return { ok: true, root: new XmlReader(text).read() }
  } catch (error) {
    if (error instanceof Mistake) return { ok: false, message: error.message }
    throw error
  }
}

class Mistake extends Error {}

interface Open {
  name: string
  attributes: Map<string, string>
  children: XmlElement[]
  text: string
}

const space = /[ \t\r\n]*/y
const name = /[A-Za-z_:\u00b7-\uffff][\w:.\u00b7-\uffff-]*/y
const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

const none = new Map<string, string>()

class XmlReader {
  readonly #text: string
  readonly #open: Open[] = []
  #root: XmlElement | null = null
  #at = 0

  constructor(text: string) {
    this.#text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text // XML 1.0, 2.11
  }

  read(): XmlElement {
    this.#takeDeclaration()
    while (this.#at < this.#text.length) {
      if (this.#text.charCodeAt(this.#at) === 60 /* < */) this.#takeMarkup()
      else this.#takeText()
    }
    const unclosed = this.#open.at(-1)
    if (unclosed !== undefined) throw this.#mistake(`<${unclosed.name}> is not closed.`, this.#at)
    if (this.#root === null) throw this.#mistake('it has no element.', this.#at)
    return this.#root
  }

  #takeDeclaration(): void {
    if (!/^<\?xml[ \t\r\n]/.test(this.#text)) return
    const end = this.#find('?>', 'the declaration')
    const [, encoding] = /\bencoding\s*=\s*["']([^"']*)["']/.exec(this.#text.slice(0, end)) ?? []
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw this.#mistake('it must be in UTF-8.', 0)
    this.#at = end
  }

  #takeMarkup(): void {
    const text = this.#text
    if (text.startsWith('<!--', this.#at)) this.#at = this.#find('-->', 'a comment')
    else if (text.startsWith('<?', this.#at)) this.#at = this.#find('?>', 'an instruction')
    else if (text.startsWith('<![CDATA[', this.#at)) this.#takeCdata()
    else if (text.startsWith('<!', this.#at))
      throw this.#mistake('a DOCTYPE and what belongs to it is not taken', this.#at)
    else if (text.startsWith('</', this.#at)) this.#takeEnd()
    else this.#takeStart()
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
    if (wrong >= 0) throw this.#mistake('"]]>" stands in a text', start + wrong)
    this.#addText(this.#decode(text, start), start)
    this.#at = end
  }

  #addText(text: string, at: number): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 (2.2) holds none of them
    const wrong = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.exec(text)
    if (wrong !== null) throw this.#mistake('a character that XML does not know stands', at + wrong.index)
    const element = this.#open.at(-1)
    if (element === undefined) {
      if (/[^ \t\r\n]/.test(text)) throw this.#mistake('a text stands outside of the element', at)
      return
    }
    element.text += text
  }

  #takeStart(): void {
    const start = this.#at++
    const element: Open = { name: this.#expectName(), attributes: none, children: [], text: '' }
    if (this.#open.length >= deepest) throw this.#mistake(`it is nested deeper than ${deepest} levels`, start)
    if (this.#root !== null) throw this.#mistake('a second element stands behind the first', start)
    let spaces = this.#skipSpace()
    while (!this.#take('>')) {
      if (this.#take('/>')) {
        this.#close(element)
        return
      }
      if (spaces === 0) throw this.#mistake(`unexpected ${this.#here()}`, this.#at)
      if (element.attributes === none) element.attributes = new Map()
      this.#takeAttribute(element.attributes)
      spaces = this.#skipSpace()
    }
    this.#open.push(element)
  }

  #takeAttribute(attributes: Map<string, string>): void {
    const start = this.#at
    const attribute = this.#expectName()
    this.#skipSpace()
    if (!this.#take('=')) throw this.#mistake(`the attribute ${attribute} has no value`, this.#at)
    this.#skipSpace()
    const quote = this.#text.charAt(this.#at)
    const end = quote === '"' || quote === "'" ? this.#text.indexOf(quote, this.#at + 1) : -1
    if (end < 0) throw this.#mistake(`the value of ${attribute} must stand in quotes`, this.#at)
    const value = this.#text.slice(this.#at + 1, end)
    if (value.includes('<')) throw this.#mistake(`"<" stands in the value of ${attribute}`, this.#at)
    if (attributes.has(attribute)) throw this.#mistake(`the attribute ${attribute} is given twice`, start)
    attributes.set(attribute, this.#decode(value, this.#at + 1))
    this.#at = end + 1
  }

  #takeEnd(): void {
    const start = this.#at
    this.#at += 2
    const closed = this.#expectName()
    this.#skipSpace()
    if (!this.#take('>')) throw this.#mistake(`unexpected ${this.#here()}`, this.#at)
    const element = this.#open.pop()
    if (element?.name !== closed) throw this.#mistake(`</${closed}> closes nothing`, start)
    this.#close(element)
  }

  #close(element: Open): void {
    if (element.children.length > 0) {
      if (/[^ \t\r\n]/.test(element.text))
        throw this.#mistake(`<${element.name}> holds both text and elements`, this.#at)
      element.text = ''
    }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = element
    else parent.children.push(element)
  }

  /** Five entities, and characters by their number; what they stand for is not looked at again. */
  #decode(text: string, at: number): string {
    if (!text.includes('&')) return text
    let decoded = ''
    let from = 0
    for (let mark = text.indexOf('&'); mark >= 0; mark = text.indexOf('&', from)) {
      const end = text.indexOf(';', mark)
      const word = end < 0 ? '' : text.slice(mark + 1, Math.min(end, mark + 12))
      const known = entities.get(word) ?? characterOf(word)
      if (known === undefined) {
        throw this.#mistake(`"&${word || text.slice(mark + 1, mark + 12)}" stands for nothing that is known`, at + mark)
      }
      decoded += text.slice(from, mark) + known
      from = end + 1
    }
    return decoded + text.slice(from)
  }

  #expectName(): string {
    const start = this.#at
    name.lastIndex = start
    if (!name.test(this.#text)) throw this.#mistake(`unexpected ${this.#here()}`, start)
    this.#at = name.lastIndex
    return this.#text.slice(start, this.#at)
  }

  #skipSpace(): number {
    const before = this.#at
    if (this.#text.charCodeAt(before) > 32) return 0
    space.lastIndex = before
    space.test(this.#text)
    this.#at = space.lastIndex
    return this.#at - before
  }

  #take(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false
    this.#at += mark.length
    return true
  }

  /** Where the mark ends that ends this. */
  #find(mark: string, what: string): number {
    const found = this.#text.indexOf(mark, this.#at)
    if (found < 0) throw this.#mistake(`${what} is not closed`, this.#at)
    return found + mark.length
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? 'end' : JSON.stringify(String.fromCodePoint(code))
  }

  #mistake(what: string, at: number): Mistake {
    if (what.endsWith('.')) return new Mistake(what)
    const before = this.#text.slice(0, at)
    return new Mistake(`${what}, at line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}.`)
  }
}

/** `#13` and `#xD`: a character that XML can hold, or undefined. */
function characterOf(word: string): string | undefined {
  const [, hex, digits] = /^#(?:x([0-9a-fA-F]+)|(\d+))$/.exec(word) ?? []
  const code = hex === undefined ? Number(digits ?? Number.NaN) : Number.parseInt(hex, 16)
  const fits =
    code === 9 || code === 10 || code === 13 || (code >= 32 && code < 0xd800) || (code > 0xdfff && code < 0xfffe)
  return fits || (code >= 0x10000 && code <= 0x10ffff) ? String.fromCodePoint(code) : undefined
}
