// Reads a literal of the file as a value of a stored type: canonical JSON, or a mistake at the exact place.

import { type ConstObjectFieldNode, type ConstValueNode, Kind, print } from 'graphql/language'
import { canonicalDateTime, didYouMean, isDate } from '#base'
import type { MistakeReport } from '../mistakes.ts'
import type { Json, ScalarName, StoredType, ValueType } from '../model.ts'
import { describe } from './constraints.ts'

/** `what` is the subject of the messages: `The default of Post.status`. Returns undefined after a mistake. */
export function readLiteral(
  node: ConstValueNode,
  type: StoredType,
  what: string,
  report: MistakeReport,
): Json | undefined {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'JSON' ? readJson(node, report) : readScalar(node, type.name, what, report)
    case 'custom':
      return readJson(node, report)
    case 'enum': {
      const names = type.enum.values.map(({ name }) => name)
      if (node.kind === Kind.ENUM && names.includes(node.value)) return node.value
      const word = node.kind === Kind.ENUM || node.kind === Kind.STRING ? node.value : ''
      const near = names.includes(word) ? `Write ${word}, without quotes.` : didYouMean(word, names).trim()
      report.at(node, `${what} can't be ${print(node)}.`, near || `${type.enum.name} has ${names.join(', ')}.`)
      return undefined
    }
    case 'value':
      return readValue(node, type.value, what, report)
    case 'list':
      return readList(node, type, what, report)
  }
}

const scalars: Readonly<
  Record<Exclude<ScalarName, 'JSON'>, { read: (node: ConstValueNode) => Json | undefined; words: string }>
> = {
  Int: { read: readInt, words: 'a whole number of 32 bits' },
  Float: {
    read: (node) => (isNumber(node) && Number.isFinite(Number(node.value)) ? Number(node.value) + 0 : undefined),
    words: 'a number',
  },
  String: { read: readText, words: 'a text in quotes, without NUL characters' },
  Boolean: { read: (node) => (node.kind === Kind.BOOLEAN ? node.value : undefined), words: 'true or false' },
  ID: {
    read: (node) => (node.kind === Kind.INT ? node.value : readText(node)),
    words: 'an id in quotes, without NUL characters',
  },
  DateTime: { read: readDateTime, words: 'a time such as "2024-05-01T12:00:00Z"' },
  Date: {
    read: (node) => (node.kind === Kind.STRING && isDate(node.value) ? node.value : undefined),
    words: 'a day such as "2024-05-01"',
  },
  Decimal: { read: (node) => readDigits(node, /^-?\d+(?:\.\d+)?$/), words: 'a number such as "12.50"' },
  BigInt: { read: (node) => readDigits(node, /^-?\d+$/), words: 'a whole number such as "9007199254740993"' },
}

function readScalar(
  node: ConstValueNode,
  name: Exclude<ScalarName, 'JSON'>,
  what: string,
  report: MistakeReport,
): Json | undefined {
  const { read, words } = scalars[name]
  const value = read(node)
  if (value === undefined) report.at(node, `${what} can't be ${print(node)}.`, `${name} takes ${words}.`)
  return value
}

/** No database stores a NUL character. */
function readText(node: ConstValueNode): string | undefined {
  return node.kind === Kind.STRING && !node.value.includes('\0') ? node.value : undefined
}

function readInt(node: ConstValueNode): number | undefined {
  if (node.kind !== Kind.INT) return undefined
  const value = Number(node.value)
  return value >= -(2 ** 31) && value < 2 ** 31 ? value + 0 : undefined
}

function readDateTime(node: ConstValueNode): string | undefined {
  return node.kind === Kind.STRING ? (canonicalDateTime(node.value) ?? undefined) : undefined
}

/** Exact numbers keep their digits as written, quoted or not. */
function readDigits(node: ConstValueNode, pattern: RegExp): string | undefined {
  return (node.kind === Kind.STRING || isNumber(node)) && pattern.test(node.value) ? node.value : undefined
}

function isNumber(node: ConstValueNode): node is ConstValueNode & { kind: 'IntValue' | 'FloatValue'; value: string } {
  return node.kind === Kind.INT || node.kind === Kind.FLOAT
}

/** The same depth as for JSON in a request. */
const deepestJson = 64

/** Any literal except an enum value, which JSON does not have. */
function readJson(node: ConstValueNode, report: MistakeReport, level = 0): Json | undefined {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value)
    case Kind.STRING:
      if (!node.value.includes('\0')) return node.value
      report.at(node, 'The text has a NUL character, which no database stores.', 'Leave it out.')
      return undefined
    case Kind.BOOLEAN:
      return node.value
    case Kind.ENUM:
      report.at(node, `${node.value} is not JSON.`, `Write it in quotes: "${node.value}".`)
      return undefined
    case Kind.LIST: {
      if (isTooDeep(node, level, report)) return undefined
      const items = node.values.map((item) => readJson(item, report, level + 1))
      return items.includes(undefined) ? undefined : (items as Json[])
    }
    case Kind.OBJECT: {
      if (isTooDeep(node, level, report)) return undefined
      const entries = node.fields.map(({ name, value }) => [name.value, readJson(value, report, level + 1)] as const)
      return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Json)
    }
  }
}

function isTooDeep(node: ConstValueNode, level: number, report: MistakeReport): boolean {
  if (level < deepestJson) return false
  report.at(node, `The JSON is more than ${deepestJson} levels deep.`, 'Make it flatter: no request could write it.')
  return true
}

function readList(
  node: ConstValueNode,
  type: Extract<StoredType, { kind: 'list' }>,
  what: string,
  report: MistakeReport,
): Json | undefined {
  if (node.kind !== Kind.LIST) {
    report.at(node, `${what} is a list, not ${print(node)}.`, `Write: [${print(node)}].`)
    return undefined
  }
  const items = node.values.map((item) => {
    if (item.kind !== Kind.NULL) return readLiteral(item, type.of, `An item of ${lowerThe(what)}`, report)
    if (!type.itemRequired) return null
    report.at(item, `${what} can't contain null.`, `Each item is ${describe(type.of)}.`)
    return undefined
  })
  return items.includes(undefined) ? undefined : (items as Json[])
}

function readValue(node: ConstValueNode, value: ValueType, what: string, report: MistakeReport): Json | undefined {
  if (node.kind !== Kind.OBJECT) {
    const [first = 'field'] = value.fields.keys()
    report.at(node, `${what} is a ${value.name}, not ${print(node)}.`, `Write: {${first}: …}.`)
    return undefined
  }
  const json: Record<string, Json> = {}
  const fine = report.fine(() => {
    for (const member of node.fields) readMember(member, value, what, json, report)
  })
  return fine ? json : undefined
}

function readMember(
  { name, value: node }: ConstObjectFieldNode,
  value: ValueType,
  what: string,
  json: Record<string, Json>,
  report: MistakeReport,
): void {
  const field = value.fields.get(name.value)
  if (!field) {
    const names = [...value.fields.keys()]
    const hint = didYouMean(name.value, names).trim() || `It has ${names.join(', ')}.`
    report.at(name, `${value.name} has no field ${name.value}.`, hint)
    return
  }
  if (node.kind === Kind.NULL) {
    if (field.required) report.at(node, `${value.name}.${name.value} can't be null.`)
    else json[name.value] = null
    return
  }
  const member = readLiteral(node, field.type, `${name.value} in ${lowerThe(what)}`, report)
  if (member !== undefined) json[name.value] = member
}

function lowerThe(what: string): string {
  return what.replace(/^(The|An) /, (word) => word.toLowerCase())
}
