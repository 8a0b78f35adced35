// Converts an XML body to the value that the same body has in JSON (docs/reference/rest.md, R54). The types of the model say
// how to read each text. Unknown fields are passed on, so that they get the same error as in JSON.

import { isUtf8 } from 'node:buffer'
import { ApiError, hasEnoughProblems, type Problem, parseJson, unreachable, validationError } from '#base'
import {
  type CustomOperation,
  type Field,
  isAnyJson,
  isOwned,
  type ListField,
  listOfMember,
  type Resource,
  type StoredType,
  scalarOf,
} from '#model'
import { attributeOf, parseXml, type XmlElement } from './parse-xml.ts'
import { textToValue } from './text-value.ts'

/** A row, or an array of rows for the element of the list (`<posts>`). Throws one ApiError with every problem. */
export function readXml(text: string, of: Resource): unknown {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new ApiError('BAD_REQUEST', `The body is not valid XML: ${parsed.message}`)
  const { root } = parsed
  const problems: Problem[] = []
  const value = root.name === of.list ? readList(root, of, problems) : readRow(root, of, '', problems)
  if (problems.length > 0) throw validationError(problems)
  return value
}

/** The arguments of a custom operation, in an element with the name of its field. */
export function readArgumentsXml(text: string, { name, args }: Pick<CustomOperation, 'name' | 'args'>): unknown {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new ApiError('BAD_REQUEST', `The body is not valid XML: ${parsed.message}`)
  const { root } = parsed
  const problems: Problem[] = []
  if (root.name !== name) {
    problems.push({ path: '', code: 'UNKNOWN', message: `is <${root.name}>; there must be <${name}>.` })
  }
  expectNoAttributes(root, '', problems)
  const value = readMembers(root, '', problems, (child, path) => {
    const arg = args.find((one) => one.name === child.name)
    return arg === undefined ? readText(child, path, problems) : readTyped(child, arg.type, path, problems)
  })
  if (problems.length > 0) throw validationError(problems)
  return value
}

function readList(root: XmlElement, of: Resource, problems: Problem[]): unknown[] {
  expectNoAttributes(root, '', problems)
  if (root.text.trim() !== '')
    problems.push({ path: '', code: 'TYPE', message: `must contain <${of.single}> elements.` })
  return root.children.map((child, index) =>
    hasEnoughProblems(problems) ? null : readRow(child, of, String(index), problems),
  )
}

function readRow(element: XmlElement, of: Resource, place: string, problems: Problem[]): unknown {
  if (element.name !== of.single) {
    const message = `is <${element.name}>; there must be <${of.single}>, or <${of.list}> around several.`
    problems.push({ path: place, code: 'UNKNOWN', message })
    return {}
  }
  expectNoAttributes(element, place, problems)
  return readFields(element, of, place, problems)
}

/** The element of a row is never null and has no text. */
function expectNoAttributes({ name, attributes }: XmlElement, path: string, problems: Problem[]): void {
  for (const [attribute] of attributes) {
    problems.push({ path, code: 'UNKNOWN', message: `has the attribute "${attribute}"; <${name}> has none.` })
  }
}

function readFields(element: XmlElement, of: Resource, place: string, problems: Problem[]): unknown {
  return readMembers(element, place, problems, (child, path) => {
    const field = of.fields.get(child.name)
    const list = listOfMember(child.name, of)
    if (list !== undefined) return readListWrites(child, list, path, problems)
    return field === undefined ? readText(child, path, problems) : readField(child, field, path, problems)
  })
}

/** `<_tags><connect><item>t1</item></connect><create><item><name>…</name></item></create></_tags>` */
function readListWrites(element: XmlElement, { to }: ListField, path: string, problems: Problem[]): unknown {
  return readMembers(element, path, problems, (child, place) =>
    readItems(child, place, problems, (item, at) => {
      const isRow = child.name === 'create' && to.kind === 'resource'
      return isRow ? readFields(item, to, at, problems) : readText(item, at, problems)
    }),
  )
}

type ReadElement = (child: XmlElement, path: string) => unknown

/** `fromEntries` defines each member, so that one named `__proto__` is plain data. */
function readMembers(element: XmlElement, place: string, problems: Problem[], read: ReadElement): unknown {
  if (element.text.trim() !== '')
    problems.push({ path: place, code: 'TYPE', message: 'must contain elements, not text.' })
  expectNoEncoding(element, place, problems)
  const members = new Map<string, unknown>()
  for (const child of element.children) {
    if (hasEnoughProblems(problems)) break
    const path = place === '' ? child.name : `${place}.${child.name}`
    if (members.has(child.name)) problems.push({ path, code: 'UNKNOWN', message: 'appears more than once.' })
    else members.set(child.name, isNil(child, path, problems) ? null : read(child, path))
  }
  return Object.fromEntries(members)
}

function readField(element: XmlElement, field: Field, path: string, problems: Problem[]): unknown {
  switch (field.kind) {
    case 'stored':
      return readTyped(element, field.type, path, problems)
    case 'links':
      return readItems(element, path, problems, (item, place) => readText(item, place, problems))
    case 'reference':
    case 'inverse':
    case 'many':
      if (!isOwned(field)) return readText(element, path, problems)
      return readItems(element, path, problems, (item, place) => readFields(item, field.to, place, problems))
    default:
      return unreachable(field)
  }
}

function readTyped(element: XmlElement, type: StoredType, path: string, problems: Problem[]): unknown {
  switch (type.kind) {
    case 'list':
      return readItems(element, path, problems, (item, place) => readTyped(item, type.of, place, problems))
    case 'value':
      return readMembers(element, path, problems, (child, place) => {
        const field = type.value.fields.get(child.name)
        if (field === undefined) return readText(child, place, problems)
        return readTyped(child, field.type, place, problems)
      })
    case 'custom':
      return readJson(element, path, problems)
    case 'scalar': {
      if (isAnyJson(type)) return readJson(element, path, problems)
      const text = readText(element, path, problems)
      return scalarOf(type.name).comparison === 'text' ? text : textToValue(type, text.trim())
    }
    case 'enum':
      return readText(element, path, problems).trim()
  }
}

function readItems(element: XmlElement, place: string, problems: Problem[], read: ReadElement): unknown[] {
  if (element.text.trim() !== '') problems.push({ path: place, code: 'TYPE', message: 'must contain <item> elements.' })
  expectNoEncoding(element, place, problems)
  return element.children.map((child, index) => {
    if (hasEnoughProblems(problems)) return null
    const path = `${place}.${index}`
    if (child.name !== 'item') problems.push({ path, code: 'UNKNOWN', message: `must be <item>, not <${child.name}>.` })
    return isNil(child, path, problems) ? null : read(child, path)
  })
}

/** A JSON field contains its JSON as text. */
function readJson(element: XmlElement, path: string, problems: Problem[]): unknown {
  const json = parseJson(readText(element, path, problems))
  if (json.ok) return json.value
  problems.push({ path, code: 'TYPE', message: `must contain JSON: ${json.message}` })
  return null
}

function readText(element: XmlElement, path: string, problems: Problem[]): string {
  const { children, text } = element
  if (children.length > 0) problems.push({ path, code: 'TYPE', message: 'must contain text, not elements.' })
  const encoding = attributeOf(element, 'encoding')
  if (encoding === undefined) return text
  if (encoding !== 'base64') problems.push({ path, code: 'UNKNOWN', message: 'has an encoding other than base64.' })
  const bytes = Buffer.from(text, 'base64')
  if (encoding === 'base64' && (!isBase64(text) || !isUtf8(bytes)))
    problems.push({ path, code: 'TYPE', message: 'must be UTF-8 in base64.' })
  return bytes.toString()
}

/** RFC 4648, section 4, with line breaks. Node would skip any other character. */
function isBase64(text: string): boolean {
  const digits = text.replace(/[ \t\r\n]/g, '')
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
}

/** Only text has an encoding. */
function expectNoEncoding(element: XmlElement, path: string, problems: Problem[]): void {
  if (path === '' || attributeOf(element, 'encoding') === undefined) return // already reported for a row
  problems.push({ path, code: 'UNKNOWN', message: 'has an encoding, which only text can have.' })
}

/** `nil` and `encoding` are the only attributes; others are reported. */
function isNil(element: XmlElement, path: string, problems: Problem[]): boolean {
  const { attributes, children, text } = element
  for (const [name] of attributes) {
    if (name === 'nil' || name === 'encoding') continue
    problems.push({ path, code: 'UNKNOWN', message: `has the attribute "${name}"; there are nil and encoding.` })
  }
  const nil = attributeOf(element, 'nil')
  if (nil === undefined || nil === 'false') return false
  if (nil !== 'true' || children.length > 0 || text.trim() !== '') {
    problems.push({ path, code: 'TYPE', message: 'is null with nil="true" and nothing inside.' })
  }
  return true
}
