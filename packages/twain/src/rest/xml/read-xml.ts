// A body in XML as what JSON would have said (docs/rest.md, R54): the types of the contract say what a text means. What is
// no field is passed on, so that it is refused in the same words as in JSON.

import { Fault, isEnough, type Problem, parseJson, validationFault } from '#base'
import type { Field, Resource, StoredType } from '#model'
import { textToValue } from '#plan'
import { parseXml, type XmlElement } from './parse-xml.ts'

/** A row, or with the element of the list (`<posts>`) an array of them. Throws a Fault with all that is wrong. */
export function readXml(text: string, of: Resource): unknown {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Fault('BAD_REQUEST', `The body is not XML that can be taken: ${parsed.message}`)
  const { root } = parsed
  const problems: Problem[] = []
  const value = root.name === of.list ? readList(root, of, problems) : readRow(root, of, '', problems)
  if (problems.length > 0) throw validationFault(problems)
  return value
}

function readList(root: XmlElement, of: Resource, problems: Problem[]): unknown[] {
  if (root.text.trim() !== '') problems.push({ path: '', code: 'TYPE', message: `must hold <${of.single}> elements.` })
  return root.children.map((child, index) => readRow(child, of, String(index), problems))
}

function readRow(element: XmlElement, of: Resource, place: string, problems: Problem[]): unknown {
  if (element.name !== of.single) {
    const message = `is <${element.name}>; there must be <${of.single}>, or <${of.list}> around several.`
    problems.push({ path: place, code: 'UNKNOWN', message })
    return {}
  }
  return readMembers(element, place, problems, (child, path) => {
    const field = of.fields.get(child.name)
    return field === undefined ? readText(child, path, problems) : readField(child, field, path, problems)
  })
}

type Read = (child: XmlElement, path: string) => unknown

/** fromEntries defines each member, so that one called `__proto__` stays plain data. */
function readMembers(element: XmlElement, place: string, problems: Problem[], read: Read): unknown {
  if (element.text.trim() !== '') problems.push({ path: place, code: 'TYPE', message: 'must hold elements, not text.' })
  const members = new Map<string, unknown>()
  for (const child of element.children) {
    if (isEnough(problems)) break
    const path = place === '' ? child.name : `${place}.${child.name}`
    if (members.has(child.name)) problems.push({ path, code: 'UNKNOWN', message: 'is given more than once.' })
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
    default:
      return readText(element, path, problems)
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
      if (type.name === 'JSON') return readJson(element, path, problems)
      const text = readText(element, path, problems)
      return type.name === 'String' ? text : textToValue(type, text.trim())
    }
    case 'enum':
      return readText(element, path, problems).trim()
  }
}

function readItems(element: XmlElement, place: string, problems: Problem[], read: Read): unknown[] {
  if (element.text.trim() !== '') problems.push({ path: place, code: 'TYPE', message: 'must hold <item> elements.' })
  return element.children.map((child, index) => {
    const path = `${place}.${index}`
    if (child.name !== 'item') problems.push({ path, code: 'UNKNOWN', message: `must be <item>, not <${child.name}>.` })
    return isNil(child, path, problems) ? null : read(child, path)
  })
}

/** A field of any shape holds its JSON as text. */
function readJson(element: XmlElement, path: string, problems: Problem[]): unknown {
  const json = parseJson(readText(element, path, problems))
  if (json.ok) return json.value
  problems.push({ path, code: 'TYPE', message: `must hold JSON: ${json.message}` })
  return null
}

function readText({ children, attributes, text }: XmlElement, path: string, problems: Problem[]): string {
  if (children.length > 0) problems.push({ path, code: 'TYPE', message: 'must hold text, not elements.' })
  const encoding = attributes.get('encoding')
  if (encoding === undefined) return text
  if (encoding !== 'base64') problems.push({ path, code: 'UNKNOWN', message: 'has an encoding other than base64.' })
  return Buffer.from(text, 'base64').toString()
}

/** The two attributes that mean something; any other is named. */
function isNil({ attributes, children, text }: XmlElement, path: string, problems: Problem[]): boolean {
  for (const name of attributes.keys()) {
    if (name === 'nil' || name === 'encoding') continue
    problems.push({ path, code: 'UNKNOWN', message: `has the attribute "${name}"; there are nil and encoding.` })
  }
  const nil = attributes.get('nil')
  if (nil === undefined || nil === 'false') return false
  if (nil !== 'true' || children.length > 0 || text.trim() !== '') {
    problems.push({ path, code: 'TYPE', message: 'is null with nil="true" and nothing inside.' })
  }
  return true
}
