// Filter parameters → one Where (docs/reference/rest.md, R24–R29). Each parameter becomes the filter object of GraphQL, so that
// both APIs share one implementation. Problems are reported under the name of the parameter.

import { didYouMean, unreachable } from '#base'
import {
  type Abstract,
  comparedType,
  type Field,
  type FilterOperator,
  isJson,
  isJsonFlag,
  isJsonOperator,
  isJsonTextOperator,
  isOperator,
  isText,
  isTypeOperator,
  type JsonOperator,
  jsonOrText,
  jsonPath,
  jsonPathAdvice,
  jsonWords,
  memberNamed,
  membersOf,
  operatorOf,
  operatorsOf,
  type Resource,
  type StoredType,
  takesJsonList,
  typeOperators,
  typeWord,
} from '#model'
import type { Where } from '#plan'
import { isFiltered, jsonWhere, limitConditions, type PlanBuilder, planWhere, RequestValue } from '#plan/build'
import { isDeletedParameter } from '../request/deleted-rows.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import { type FilterParameter, parameterNames } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'
import { parseFilterPath } from './filter-path.ts'
import { isTypeKey, typeKey } from './type-key.ts'

/** Several filters become one `and`, in their order. `planned`: those of them that are about rows; `parameters`: what else the request
 *  takes. */
export function planFilters(
  filters: readonly FilterParameter[],
  of: Resource | Abstract,
  builder: PlanBuilder,
  planned: readonly FilterParameter[] = filters,
  parameters: readonly string[] = parameterNames,
): Where | null {
  const problems = builder.problems.length
  const different = planned.filter(({ isRepeated }) => isRepeated !== true)
  refuseContradictions(different, of, builder)
  const parts = different.map((filter) => planFilter(filter, filters.indexOf(filter), of, builder, parameters))
  if (parts.length < 2) return parts[0] ?? null
  const all: Where = { kind: 'and', of: parts.map((part) => part ?? { kind: 'constant', is: true }) }
  if (builder.problems.length === problems) limitConditions(all, builder, planned.at(-1)!.key)
  return all
}

/** `id=a&id=b` would match nothing: other servers read it as a list. The same value twice is one filter. */
function refuseContradictions(
  planned: readonly FilterParameter[],
  of: Resource | Abstract,
  builder: PlanBuilder,
): void {
  const named = new Set<string>()
  for (const { key, op, path } of planned) {
    if (op !== 'eq' || key === 'where') continue
    if (named.has(path) && leadsToOne(path, of))
      builder.problem(key, 'UNKNOWN', `occurs twice, and one value can't equal both; write ${path}[in]=a,b.`)
    named.add(path)
  }
}

/** Whether a row has one value there: no list is on the path. */
function leadsToOne(path: string, of: Resource | Abstract): boolean {
  let row: Resource | Abstract | null = of
  for (const { name, type } of parseFilterPath(path) ?? []) {
    if (row !== null && type !== null) row = memberNamed(row, type) ?? null
    const field: Field | undefined = row?.fields.get(name)
    if (field === undefined) return name === '' || (row !== null && isTypeKey(row, name))
    if (field.kind === 'stored') return !isJson(field.type) && field.type.kind !== 'list'
    if (field.kind === 'many' || field.kind === 'links') return false
    row = field.to
  }
  return true
}

function planFilter(
  filter: FilterParameter,
  index: number,
  of: Resource | Abstract,
  builder: PlanBuilder,
  parameters: readonly string[],
): Where | null {
  if (filter.key === 'where') {
    const found = jsonWhere(filter.json, of, ({ query }: ParsedRequest) => query.filters[index]!.json)
    return planWhere(found, of, builder, 'where')
  }
  const tree = filterTree(filter, index, of, builder, parameters)
  if (tree === null) return null
  const places = builder.places.length
  const problems = builder.problems.length
  const where = planWhere(tree, of, builder, '')
  builder.places.fill(filter.key, places)
  for (const problem of builder.problems.slice(problems)) problem.path = filter.key
  return where
}

const id: StoredType = { kind: 'scalar', name: 'ID' }
const maxFilterDepth = 16

/** The filter object of one parameter; null after a problem. */
function filterTree(
  filter: FilterParameter,
  index: number,
  of: Resource | Abstract,
  builder: PlanBuilder,
  parameters: readonly string[],
): unknown {
  const { key, op } = filter
  const { visibility } = builder
  const steps = parseFilterPath(filter.path)
  const names = (steps ?? []).map(({ name }) => name)
  if (steps === null) return problem('UNKNOWN', 'is not a filter; a type is written as author:User.name=…')
  if (steps.length > maxFilterDepth) return problem('RANGE', `is nested more than ${maxFilterDepth} levels deep.`)
  return inRow(of, 0)

  function inRow(row: Resource | Abstract, step: number): unknown {
    const { name, type } = steps![step]!
    return type === null ? inFieldsOf(row, name, step) : inType(row, type, step)
  }

  /** A row of one type: `favourite:Score.title`, or `favourite:Score` for its id. */
  function inType(row: Resource | Abstract, type: string, step: number): unknown {
    const member = memberNamed(row, type)
    const members = membersOf(row).map((one) => one.name)
    if (member === undefined) {
      const near = didYouMean(type, members) || ` There ${members.length === 1 ? 'is' : 'are'} ${shortList(members)}.`
      return problem('UNKNOWN', `"${type}" is not a type of ${row.name}.${near}`)
    }
    const name = names[step]!
    if (name === '' && op === 'isNull') {
      return problem('UNKNOWN', `is about rows of one type; leave out ":${type}", or use ${typeWord}[ne]=${type}.`)
    }
    const inner = name === '' ? wrap('id', leaf(id)) : inFieldsOf(member, name, step)
    return row.kind === 'abstract' ? wrap(type, inner) : inner
  }

  function inFieldsOf(row: Resource | Abstract, name: string, step: number): unknown {
    const field = row.fields.get(name)
    if (field !== undefined && isFiltered(field, row, visibility)) return wrap(name, inField(field, step + 1))
    const isLast = step === names.length - 1
    if (name === 'isViewer' && visibility.account !== null && isLast) return isViewer()
    if (isTypeKey(row, name)) return isLast ? typeTest() : problem('UNKNOWN', `there is nothing inside ${name}.`)
    const visible = [...row.fields.values()]
      .filter((other) => isFiltered(other, row, visibility))
      .map((other) => other.name)
    const hint = typeHint(row, name)
    if (step > 0 || hint !== '') {
      return problem('UNKNOWN', `"${name}" is not a field of ${row.name}.${hint || didYouMean(name, visible)}`)
    }
    if ((parameterNames as readonly string[]).includes(name)) {
      return problem('UNKNOWN', `${row.name} has no field "${name}" to filter by; ${name}=… is the parameter.`)
    }
    if (isDeletedParameter(filter) && row.kind === 'resource' && row.softDelete !== undefined) {
      return problem('UNKNOWN', `lists deleted rows at GET /${row.path} only: not in nested lists, groups and writes.`)
    }
    // The first name may also be a misspelled reserved parameter.
    const near = didYouMean(name, [...visible, ...parameters])
    return problem('UNKNOWN', `"${name}" is neither a field of ${row.name} nor one of ${parameters.join(', ')}.${near}`)
  }

  /** `isViewer` exists for types that can be an account; `planWhere` checks that. */
  function isViewer(): unknown {
    if (op !== 'eq') return problem('UNKNOWN', `"${op}" is not an operator of isViewer, which is true or false.`)
    return { isViewer: reader('isNull', id)(filter.text) }
  }

  /** A field that only some types have needs its type: `favourite:Score.title`. */
  function typeHint(row: Resource | Abstract, name: string): string {
    if (row.kind === 'resource') return ''
    if (memberNamed(row, name) !== undefined)
      return ` For rows of this type, write ":${name}.id", or "${typeKey(row)}".`
    const holder = row.members.find((member) => {
      const field = member.fields.get(name)
      return field !== undefined && isFiltered(field, member, visibility)
    })
    return holder === undefined ? '' : ` It is a field of ${holder.name}: write ":${holder.name}.${name}".`
  }

  /** `type=Score`, `favourite.type[in]=Score,Recording`; `planWhere` checks the names. */
  function typeTest(): unknown {
    if (!isTypeOperator(op)) {
      const near = didYouMean(op, typeOperators)
      return problem('UNKNOWN', `"${op}" is not an operator of the type; there are ${typeOperators.join(', ')}.${near}`)
    }
    return { [typeWord]: { [op]: op === 'in' || op === 'notIn' ? filter.text.split(',') : filter.text } }
  }

  function inField(field: Field, step: number): unknown {
    const last = step === names.length
    switch (field.kind) {
      case 'stored':
        return inStored(field.type, step)
      case 'reference':
      case 'inverse':
        if (!last) return inRow(field.to, step)
        return op === 'isNull' ? leaf(id) : wrap('id', leaf(id))
      case 'many':
      case 'links':
        if (last && op === 'isNull') {
          return problem('UNKNOWN', `a list is never null; use where={"${field.name}":{"none":{}}} for empty lists.`)
        }
        return wrap('some', last ? wrap('id', leaf(id)) : inRow(field.to, step))
      default:
        return unreachable(field)
    }
  }

  function inStored(type: StoredType, step: number): unknown {
    if (step === names.length) return leaf(type)
    const name = names[step]!
    if (isJson(type)) return insideJson(names.slice(step).join('.'))
    if (type.kind !== 'value') {
      return problem('UNKNOWN', `there is no "${name}" inside ${names.slice(0, step).join('.')}.`)
    }
    const member = type.value.fields.get(name)
    if (member !== undefined) return wrap(name, inStored(member.type, step + 1))
    const near = didYouMean(name, type.value.fields.keys())
    return problem('UNKNOWN', `"${name}" is not a field of ${type.value.name}.${near}`)
  }

  /** `data.size.width[gt]=3`: the text is JSON, and other text is a string. */
  function insideJson(path: string): unknown {
    if (jsonPath(path) === null) return problem('TYPE', jsonPathAdvice)
    if (isJsonFlag(op)) return { path, [op]: reader('isNull', id)(filter.text) }
    if (!isJsonOperator(op)) {
      const near = didYouMean(op, jsonWords)
      return problem(
        'UNKNOWN',
        `"${op}" is not an operator of a value inside JSON; there are ${jsonWords.join(', ')}.${near}`,
      )
    }
    if (filter.text === 'null' && !isJsonTextOperator(op))
      return problem('TYPE', `needs a value; use ${filter.path}[isNull]=true for rows without one.`)
    const read = jsonReader(op)
    return {
      path,
      [op]: new RequestValue(read(filter.text), ({ query }: ParsedRequest) => read(query.filters[index]!.text)),
    }
  }

  function leaf(type: StoredType): unknown {
    const known = operatorsOf(type)
    if (!isOperator(op) || !known.includes(op)) {
      const near = didYouMean(op, known)
      return problem('UNKNOWN', `"${op}" is not an operator of ${filter.path}; there are ${known.join(', ')}.${near}`)
    }
    const compared = comparedType(op, type)
    // `null` is ordinary text for a text.
    if (filter.text === 'null' && op !== 'isNull' && !isText(compared)) {
      return problem('TYPE', `needs a value; use ${filter.path}[isNull]=true for rows without one.`)
    }
    // A boolean is part of the shape (see ReadPlanner); other values may differ between requests that share a plan.
    const read = reader(op, compared)
    if (op === 'isNull') return { isNull: read(filter.text) }
    const again = ({ query }: ParsedRequest) => read(query.filters[index]!.text)
    return { [op]: new RequestValue(read(filter.text), again) }
  }

  function problem(code: 'UNKNOWN' | 'RANGE' | 'TYPE', message: string): null {
    builder.problem(key, code, message)
    return null
  }
}

/** The same for a value inside JSON. */
function jsonReader(op: JsonOperator): (text: string) => unknown {
  if (isJsonTextOperator(op)) return (text) => text
  return takesJsonList(op) ? (text) => text.split(',').map(jsonOrText) : jsonOrText
}

/** Converts the text of a parameter to the operand. */
function reader(op: FilterOperator, type: StoredType): (text: string) => unknown {
  switch (operatorOf(op).operand) {
    case 'flag':
      return (text) => textToValue({ kind: 'scalar', name: 'Boolean' }, text)
    case 'list':
    case 'range':
      return (text) => text.split(',').map((item) => textToValue(type, item))
    case 'value':
      return (text) => textToValue(type, text)
  }
}

function shortList(names: readonly string[]): string {
  return `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
}

function wrap(name: string, inner: unknown): unknown {
  return inner === null ? null : { [name]: inner }
}
