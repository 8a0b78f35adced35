// Reads a filter of the file (`where` of `@allow` and `@next`) as plain JSON: existing fields, operators that fit them, and
// values in canonical form. The planner can plan every filter that passes here.

import { type ConstObjectFieldNode, type ConstValueNode, Kind, type NameNode } from 'graphql/language'
import { didYouMean } from '#base'
import { claimInList, isClaimNode, readComparedClaim } from '../directives/claims.ts'
import { readLiteral } from '../directives/literals.ts'
import {
  isJson,
  isJsonFlag,
  isJsonOperator,
  isJsonTextOperator,
  type JsonOperator,
  jsonPath,
  jsonPathAdvice,
  jsonWords,
  takesJsonList,
} from '../json-filters.ts'
import type { MistakeReport } from '../mistakes.ts'
import type { Abstract, Field, InverseField, Json, ReferenceField, Resource, StoredType, ValueType } from '../model.ts'
import { accountType, canBeAccount } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { isTypeOperator, memberNamed, typenameEnum, typeOperators, typeWord } from '../type-filters.ts'
import { comparedType, isListWord, isOperator, operatorOf, operatorsOf } from '../values/operators.ts'

type FilterContext = Resource | Abstract | ValueType

/** The current place in the filter. */
interface FilterLevel {
  of: FilterContext
  /** Whether it is the row behind a reference. */
  referred: boolean
  /** Whether `isNull` is allowed here. Inside `and`, `or` and `not` of a reference, the row always exists. */
  isNull: boolean
}

/** After a mistake the result is arbitrary: the reported mistake stops the start. */
export function readFilter(node: ConstValueNode, of: Resource, declarations: DeclaredModel): Json {
  checkFilterSize(node, declarations.report)
  return readLevel(node, { of, referred: false, isNull: true }, declarations)
}

function readLevel(node: ConstValueNode, level: FilterLevel, declarations: DeclaredModel): Json {
  const { of } = level
  const json = readMembers(node, `A filter of ${of.name}`, declarations, (member) =>
    readMember(member, level, declarations),
  )
  return of.kind === 'abstract' ? withTypeNames(json, of) : json
}

/** `{Post: {}}` as `{_type: {eq: Post}}`, so that the filter can be described without the schema. */
function withTypeNames(json: Json, of: Abstract): Json {
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return json
  const bare = Object.keys(json).filter((name) => memberNamed(of, name) && isEmpty(json[name]!))
  if (bare.length === 0) return json
  const others = Object.entries(json).filter(([name]) => name !== 'and' && !bare.includes(name))
  const types = bare.map((name) => ({ [typeWord]: { eq: name } }))
  return { ...Object.fromEntries(others), and: [...((json.and as Json[] | undefined) ?? []), ...types] }
}

function isEmpty(json: Json): boolean {
  return json !== null && typeof json === 'object' && Object.keys(json).length === 0
}

function readMember({ name, value }: ConstObjectFieldNode, level: FilterLevel, declarations: DeclaredModel): Json {
  const { of } = level
  switch (name.value) {
    case 'and':
    case 'or': {
      const items = value.kind === Kind.LIST ? value.values : [value]
      return items.map((item) => readBranch(item, level, declarations))
    }
    case 'not':
      return readBranch(value, level, declarations)
    case 'isNull':
      if (!level.isNull) {
        const hint = 'Write {isNull: …} beside "and", "or", "not" or the type, on the reference itself.'
        const message = 'Inside "and", "or", "not" and the type of a reference, the row always exists.'
        declarations.report.at(name, message, hint)
      }
      return readBoolean(name.value, value, declarations.report)
    case 'isViewer':
      checkIsViewer(name, of, declarations)
      return readBoolean(name.value, value, declarations.report)
    default: {
      const field = of.fields.get(name.value)
      if (field) return readField(value, field, `${of.name}.${name.value}`, declarations)
      if (declarations.declared(of).fields.has(name.value)) return null
      if (of.kind === 'abstract' && name.value === typeWord) return readTypeNames(value, of, declarations)
      const member = of.kind === 'abstract' ? memberNamed(of, name.value) : undefined
      if (member) return readLevel(value, { of: member, referred: true, isNull: false }, declarations)
      const types = of.kind === 'abstract' ? [typeWord, ...of.members.map((one) => one.name)] : []
      const names = [...of.fields.keys(), ...types, 'and', 'or', 'not']
      const hint = didYouMean(name.value, names).trim() || `It has ${names.join(', ')}.`
      declarations.report.at(name, `${of.name} has no field ${name.value}.`, hint)
      return null
    }
  }
}

function readBranch(node: ConstValueNode, level: FilterLevel, declarations: DeclaredModel): Json {
  return readLevel(node, { ...level, isNull: !level.referred }, declarations)
}

function checkIsViewer(name: NameNode, of: FilterContext, declarations: DeclaredModel): void {
  const account = accountType(declarations)
  if (!account) {
    const hint = 'Write @account on the type that signs in.'
    declarations.report.at(name, 'isViewer compares with the signed-in account, and no type has @account.', hint)
  } else if (of.kind === 'value' || !canBeAccount(of, declarations)) {
    const hint = `Use it on a field that refers to ${account.name}: {author: {isViewer: true}}.`
    declarations.report.at(name, `The viewer is an account, and ${of.name} is not ${account.name}.`, hint)
  }
}

function readField(
  node: ConstValueNode,
  field: Field | { kind?: never; type: StoredType },
  what: string,
  declarations: DeclaredModel,
): Json {
  if (field.kind === undefined || field.kind === 'stored') {
    const { type } = field
    if (type.kind === 'value') return readLevel(node, { of: type.value, referred: false, isNull: true }, declarations)
    const hasPath = node.kind === Kind.OBJECT && node.fields.some(({ name }) => name.value === 'path')
    const isInside = hasPath && isJson(type)
    return readMembers(node, what, declarations, (member) =>
      isInside ? readInside(member, what, declarations) : readOperator(member, type, what, declarations),
    )
  }
  if (field.kind === 'reference' || field.kind === 'inverse') {
    if (reportClaimOfReference(node, field, what, declarations)) return null
    return readLevel(node, { of: field.to, referred: true, isNull: true }, declarations)
  }
  return readMembers(node, what, declarations, ({ name, value }) => {
    if (isListWord(name.value)) {
      return readLevel(value, { of: field.to, referred: false, isNull: true }, declarations)
    }
    const hint = 'Write: {some: {…}}, {none: {…}} or {every: {…}}.'
    declarations.report.at(name, `${what} is a list: it has no operator ${name.value}.`, hint)
    return null
  })
}

/** Whether the filter compares a reference itself with a claim; then it is reported. */
function reportClaimOfReference(
  node: ConstValueNode,
  { name, to }: ReferenceField | InverseField,
  what: string,
  { report }: DeclaredModel,
): boolean {
  const members = node.kind === Kind.OBJECT ? node.fields : []
  const compared = members.find((one) => isOperator(one.name.value) && isClaimNode(one.value, idType))
  if (compared === undefined || to.fields.has(compared.name.value)) return false
  const hint = `Compare its id: {${name}: {id: {${compared.name.value}: {claim: "…"}}}}.`
  report.at(compared.name, `${what} refers to a row, which can't be compared with a claim.`, hint)
  return true
}

const idType: StoredType = { kind: 'scalar', name: 'ID' }

/** `{eq: Post}` or `{in: [Post, Photo]}`, as for a field whose type is an enum of the members. */
function readTypeNames(node: ConstValueNode, of: Abstract, declarations: DeclaredModel): Json {
  const what = `${of.name}.${typeWord}`
  const values = of.members.map(({ name }) => ({ name, description: null, deprecated: null }))
  const type: StoredType = {
    kind: 'enum',
    enum: { kind: 'enum', name: typenameEnum(of), description: null, values, place: of.place },
  }
  return readMembers(node, what, declarations, (member) => {
    if (isTypeOperator(member.name.value)) return readOperator(member, type, what, declarations)
    const hint = didYouMean(member.name.value, typeOperators).trim() || `It has ${typeOperators.join(', ')}.`
    declarations.report.at(member.name, `${what} has no operator ${member.name.value}.`, hint)
    return null
  })
}

/** A word of a filter on a value inside a JSON field: `{path: "size.width", gt: 3}`. */
function readInside({ name, value }: ConstObjectFieldNode, what: string, { report }: DeclaredModel): Json {
  const word = name.value
  if (word === 'path') {
    if (value.kind === Kind.STRING && jsonPath(value.value) !== null) return value.value
    report.at(value, `path of ${what} ${jsonPathAdvice}`, 'Write: {path: "size.width", gt: 3}.')
    return null
  }
  if (isJsonFlag(word)) return readBoolean(word, value, report)
  if (!isJsonOperator(word)) {
    const hint = didYouMean(word, jsonWords).trim() || `It has ${jsonWords.join(', ')}.`
    report.at(name, `${what} with a path has no operator ${word}.`, hint)
    return null
  }
  if (!takesJsonList(word)) return readJsonValue(word, value, report)
  const items = value.kind === Kind.LIST ? value.values : [value]
  return items.map((item) => readJsonValue(word, item, report))
}

function readJsonValue(word: JsonOperator, value: ConstValueNode, report: DeclaredModel['report']): Json {
  if (isJsonTextOperator(word)) {
    if (value.kind === Kind.STRING) return value.value
    report.at(value, `${word} takes a string.`, `Write: {path: "size.name", ${word}: "a"}.`)
    return null
  }
  switch (value.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
      return value.value
    case Kind.INT:
    case Kind.FLOAT:
      return Number(value.value)
    default:
      report.at(value, `${word} takes a string, a number or a boolean here.`, 'Write {isNull: true} for no value.')
      return null
  }
}

function readOperator(
  { name, value }: ConstObjectFieldNode,
  type: StoredType,
  what: string,
  declarations: DeclaredModel,
): Json {
  const { report } = declarations
  const operator = name.value
  const fitting = operatorsOf(type)
  if (!isOperator(operator) || !fitting.includes(operator)) {
    const hint = didYouMean(operator, fitting).trim() || `It has ${fitting.join(', ')}.`
    report.at(name, `${what} has no operator ${operator}.`, hint)
    return null
  }
  const { operand } = operatorOf(operator)
  if (operand === 'flag') return readBoolean(operator, value, report)
  if (value.kind === Kind.NULL) {
    report.at(value, `${operator} can't be null.`, 'Write {isNull: true} for rows without a value.')
    return null
  }
  const item = comparedType(operator, type)
  if (isClaimNode(value, item)) return readComparedClaim(value, operator, type, what, declarations)
  const listed = claimInList(value, item)
  if (listed !== undefined) {
    report.at(listed, 'A claim stands in the place of the whole value.', 'Write: {in: {claim: "org_ids"}}.')
    return null
  }
  const list: StoredType = { kind: 'list', of: item, itemRequired: true }
  if (operand === 'range' && (value.kind !== Kind.LIST || value.values.length !== 2)) {
    report.at(value, `${operator} lists two values.`, `Write: {${operator}: [least, greatest]}.`)
    return null
  }
  return readLiteral(value, operand === 'value' ? item : list, `${what} in this filter`, report) ?? null
}

function readBoolean(word: string, node: ConstValueNode, report: MistakeReport): Json {
  if (node.kind === Kind.BOOLEAN) return node.value
  report.at(node, `${word} is true or false.`, `Write: {${word}: true}.`)
  return null
}

function readMembers(
  node: ConstValueNode,
  what: string,
  { report }: DeclaredModel,
  read: (member: ConstObjectFieldNode) => Json,
): Json {
  if (node.kind !== Kind.OBJECT) {
    report.at(node, `${what} takes operators, not a plain value.`, 'Write: {eq: …}.')
    return null
  }
  const json: Record<string, Json> = {}
  for (const member of node.fields) {
    const { name } = member
    if (Object.hasOwn(json, name.value)) {
      const hint = 'Put the two into one, or write: {and: [{…}, {…}]}.'
      report.at(name, `${name.value} is listed twice here.`, hint)
    }
    json[name.value] = read(member)
  }
  return json
}

const maxWords = 200
const maxDepth = 16

/** Limits the size of a filter in the file. The planner limits conditions and levels; the keys and braces counted here are never
 *  fewer than those. */
function checkFilterSize(node: ConstValueNode, report: MistakeReport): void {
  const { words, depth } = sizeOf(node)
  if (depth > maxDepth) report.at(node, `The filter is nested deeper than ${maxDepth} levels.`, 'Make it flatter.')
  if (words > maxWords) {
    const hint = '"in" takes many values as one.'
    report.at(node, `The filter has ${words} words; at most ${maxWords} are allowed.`, hint)
  }
}

function sizeOf(node: ConstValueNode): { words: number; depth: number } {
  if (node.kind === Kind.LIST) return sum(node.values)
  if (node.kind !== Kind.OBJECT) return { words: 0, depth: 0 }
  const { words, depth } = sum(node.fields.map(({ value }) => value))
  return { words: words + node.fields.length, depth: depth + 1 }
}

function sum(nodes: readonly ConstValueNode[]): { words: number; depth: number } {
  const sizes = nodes.map(sizeOf)
  const words = sizes.reduce((all, size) => all + size.words, 0)
  return { words, depth: Math.max(0, ...sizes.map(({ depth }) => depth)) }
}
