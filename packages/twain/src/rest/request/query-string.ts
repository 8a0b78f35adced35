// Parses the query string into reserved parameters (`sort`, `limit`, …) and filters (`createdAt[gte]`). Every mistake becomes a
// problem; nothing is ignored (docs/reference/rest.md, R20–R23).

import { ApiError, didYouMean, type Problem, parseJson } from '#base'
import type { HttpRequest } from '#base/http'
import { defaultLimits } from '#plan'
import { PlanBuilder } from '#plan/build'

export interface ParsedQuery {
  parameters: Readonly<Partial<Record<ParameterName, string>>>
  /** In the order of the request. */
  filters: readonly FilterParameter[]
  /** The raw parts other than `limit`, `offset` and `after`: links to other pages repeat them. */
  unpagedParts: readonly string[]
  problems: readonly Problem[]
}

/** `timeZone` is a parameter beside `groupBy` only: without it, it is a field to filter by. */
export type ParameterName = (typeof parameterNames)[number] | 'timeZone'

export interface FilterParameter {
  /** The name of the parameter: `author.name[contains]`. */
  key: string
  /** The path to the field: `author.name`, `favourite:Score.title`. */
  path: string
  /** `eq` by default. */
  op: string
  text: string
  /** The parsed value of `where`; undefined for other filters. */
  json: unknown
  /** The same as an earlier one. */
  isRepeated?: true
}

export const parameterNames = [
  'sort',
  'limit',
  'offset',
  'first',
  'after',
  'where',
  'fields',
  'search',
  'distinct',
  'groupBy',
] as const

/** One object for all requests without a query: `===` recognizes them. */
export const noQuery: ParsedQuery = { parameters: {}, filters: [], unpagedParts: [], problems: [] }
const filterForm = /^([A-Za-z0-9_.:]+)(?:\[([A-Za-z0-9_]+)\])?$/

export function parseQuery(text: string): ParsedQuery {
  if (text === '') return noQuery
  const found: Partial<Record<ParameterName, string>> = {}
  const filters: FilterParameter[] = []
  const unpagedParts: string[] = []
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const part of text.split('&')) if (part !== '') takePart(part)
  if (found.groupBy !== undefined) takeTimeZone()
  return { parameters: found, filters, unpagedParts, problems }

  function takePart(part: string): void {
    const equals = part.indexOf('=')
    const sent = equals < 0 ? part : part.slice(0, equals)
    const key = decode(sent)
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    if (key === null || value === null) {
      const path = key ?? sent
      problems.push({ path, code: 'PATTERN', message: 'is not valid percent-encoded UTF-8.' })
      return
    }
    if (key !== 'offset' && key !== 'limit' && key !== 'after') unpagedParts.push(part)
    if (isParameterName(key)) takeParameter(key, value)
    else takeFilter(key, value)
  }

  function takeParameter(name: ParameterName, value: string): void {
    const earlier = found[name]
    if (earlier !== undefined && isList(name)) {
      found[name] = `${earlier},${value}`
      return
    }
    if (earlier !== undefined) {
      problems.push({ path: name, code: 'UNKNOWN', message: 'appears more than once.' })
      return
    }
    found[name] = value
    if (name !== 'where') return
    const json = parseJson(value)
    if (json.ok) filters.push({ key: name, path: '', op: '', text: value, json: json.value })
    else problems.push({ path: name, code: 'TYPE', message: `is not JSON: ${json.message}` })
  }

  function takeTimeZone(): void {
    for (let index = filters.findIndex(isTimeZone); index >= 0; index = filters.findIndex(isTimeZone)) {
      const [{ text: zone }] = filters.splice(index, 1) as [FilterParameter]
      takeParameter('timeZone', zone)
    }
  }

  function takeFilter(key: string, value: string): void {
    const match = filterForm.exec(key)
    if (match !== null) {
      const [, path = '', op = 'eq'] = match
      const condition = `${path}[${op}]=${value}`
      const repeated = seen.has(condition) ? ({ isRepeated: true } as const) : {}
      filters.push({ key, path, op, text: value, json: undefined, ...repeated })
      seen.add(condition)
      return
    }
    const message = 'is not a parameter; a filter is written as field=value or field[operator]=value.'
    problems.push({ path: key, code: 'UNKNOWN', message })
  }
}

/** A `+` in a query is a space, as in HTML forms. */
function decode(text: string): string | null {
  return decodePercent(text.includes('+') ? text.replaceAll('+', '%20') : text)
}

function isParameterName(key: string): key is ParameterName {
  return (parameterNames as readonly string[]).includes(key)
}

/** A list may be repeated in the place of commas: some generated clients send it so. */
function isList(name: ParameterName): boolean {
  return name === 'sort' || name === 'fields' || name === 'distinct' || name === 'groupBy'
}

function isTimeZone({ key }: FilterParameter): boolean {
  return key === 'timeZone'
}

/** For paths without filters (one row, a write): names every parameter that has no meaning there (R23). */
export function expectParameters(
  { parameters, filters }: ParsedQuery,
  allowed: readonly string[],
  builder: PlanBuilder,
): void {
  const sent = new Set([...Object.keys(parameters), ...filters.map(({ key }) => key)])
  const instead = allowed.length === 0 ? 'this request takes none' : `there is ${allowed.join(', ')}`
  for (const name of sent) {
    if (builder.hasEnoughProblems) break
    if (allowed.includes(name)) continue
    builder.problem(name, 'UNKNOWN', `is not a parameter here; ${instead}.${didYouMean(name, allowed)}`)
  }
}

/** For paths without any parameter. */
export function expectNoParameters({ query: text }: HttpRequest): void {
  const query = parseQuery(text)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, [], builder)
  builder.finish(defaultLimits)
}

/** Decodes a part of a path or a query. Null if the text is not percent-encoded UTF-8 in printable ASCII. */
export function decodePercent(text: string): string | null {
  if (!/^[\x21-\x7e]*$/.test(text)) return null
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export function decodePercentOrFail(text: string, what: string): string {
  const decoded = decodePercent(text)
  if (decoded === null) throw new ApiError('BAD_REQUEST', `${what} is not valid percent-encoded UTF-8.`)
  return decoded
}
