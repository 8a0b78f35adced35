// Reads a literal of the file as a value of a stored type: canonical JSON, or a mistake at the exact place.

import { type ConstObjectFieldNode, type ConstValueNode, Kind, print } from 'graphql/language'
import { didYouMean, type Problem } from '#base'
import type { MistakeReport } from '../mistakes.ts'
import type { Json, StoredType, ValueType } from '../model.ts'
import { type ScalarLiteral, type ScalarName, scalarOf } from '../values/scalars.ts'

/** `what` is the subject of the messages: `The default of Post.status`. Returns undefined after a mistake. */
export function readLiteral(
  node: ConstValueNode,
  type: StoredType,
  what: string,
  report: MistakeReport,
): Json | undefined {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name).literals.includes('any')
        ? readJson(node, report)
        : readScalar(node, type.name, what, report)
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

function readScalar(node: ConstValueNode, name: ScalarName, what: string, report: MistakeReport): Json | undefined {
  const { literalWords } = scalarOf(name)
  const value = scalarLiteral(node, name)
  if (value === undefined) report.at(node, `${what} can't be ${print(node)}.`, `${name} takes ${literalWords}.`)
  return value
}

/** The canonical value of a literal; undefined if it is none of this scalar. */
function scalarLiteral(node: ConstValueNode, name: ScalarName): Json | undefined {
  const { literals, keepsDigits, check } = scalarOf(name)
  const kind = literalKind(node)
  if (kind === null || !literals.includes(kind)) return undefined
  const { value: text } = node as ConstValueNode & { value: string | boolean }
  const isNumber = kind === 'int' || kind === 'float'
  const problems: Problem[] = []
  const value = check(isNumber && !keepsDigits ? Number(text) : text, '', problems)
  return problems.length === 0 ? (value as Json) : undefined
}

function literalKind(node: ConstValueNode): ScalarLiteral | null {
  switch (node.kind) {
    case Kind.INT:
      return 'int'
    case Kind.FLOAT:
      return 'float'
    case Kind.STRING:
      return 'string'
    case Kind.BOOLEAN:
      return 'boolean'
    default:
      return null
  }
}

/** `min` or `max` of a constraint: a number, or a canonical date or time. Undefined after a mistake. */
export function readBound(
  node: ConstValueNode,
  type: StoredType,
  argument: string,
  report: MistakeReport,
): number | string | undefined {
  if (type.kind === 'scalar' && scalarOf(type.name).range === 'text') {
    return readScalar(node, type.name, argument, report) as string | undefined
  }
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value)
  report.at(node, `${argument} can't be ${print(node)}.`, `Write a number, without quotes.`)
  return undefined
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

export function describe(type: StoredType): string {
  switch (type.kind) {
    case 'scalar':
      return /^[AEIO]/.test(type.name) ? `an ${type.name}` : `a ${type.name}`
    case 'custom':
      return `the scalar ${type.scalar.name}`
    case 'enum':
      return `the enum ${type.enum.name}`
    case 'value':
      return `the value type ${type.value.name}`
    case 'list':
      return 'a list'
  }
}
