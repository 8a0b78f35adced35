// The query string in its parts: words (`sort`, `limit`, …) and filters (`createdAt[gte]`). Every mistake becomes a problem;
// nothing is ever dropped in silence (docs/reference/rest.md, R20–R23).

import { didYouMean, type HttpRequest, type Problem, parseJson } from '#base'
import { defaultLimits } from '#plan'
import { PlanBuilder } from '#plan/build'
import { decodePercent } from './percent.ts'

export interface ParsedQuery {
  parameters: Readonly<Partial<Record<ParameterName, string>>>
  /** In the order of the request. */
  filters: readonly FilterParameter[]
  /** The parts that do not say which page, as they were sent: links to other pages keep them. */
  unpagedParts: readonly string[]
  problems: readonly Problem[]
}

export type ParameterName = (typeof parameterNames)[number]

export interface FilterParameter {
  /** As the request names it: `author.name[contains]`. */
  key: string
  /** The way to the field: `author.name`. */
  path: string
  /** `eq` where the request says none. */
  op: string
  text: string
  /** What `where` holds; undefined for the other filters. */
  json: unknown
}

export const parameterNames = ['sort', 'limit', 'offset', 'first', 'after', 'where', 'fields', 'search'] as const

/** That of a request without one. */
export const noQuery: ParsedQuery = { parameters: {}, filters: [], unpagedParts: [], problems: [] }
const filterForm = /^([A-Za-z0-9_.]+)(?:\[([A-Za-z0-9_]+)\])?$/

export function parseQuery(text: string): ParsedQuery {
  if (text === '') return noQuery
  const found: Partial<Record<ParameterName, string>> = {}
  const filters: FilterParameter[] = []
  const kept: string[] = []
  const problems: Problem[] = []
  for (const part of text.split('&')) if (part !== '') takePart(part)
  return { parameters: found, filters, unpagedParts: kept, problems }

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
    if (key !== 'offset' && key !== 'limit' && key !== 'after') kept.push(part)
    if (isParameterName(key)) takeParameter(key, value)
    else takeFilter(key, value)
  }

  function takeParameter(word: ParameterName, value: string): void {
    if (found[word] !== undefined) {
      problems.push({ path: word, code: 'UNKNOWN', message: 'is given more than once.' })
      return
    }
    found[word] = value
    if (word !== 'where') return
    const json = parseJson(value)
    if (json.ok) filters.push({ key: word, path: '', op: '', text: value, json: json.value })
    else problems.push({ path: word, code: 'TYPE', message: `is not JSON: ${json.message}` })
  }

  function takeFilter(key: string, value: string): void {
    const match = filterForm.exec(key)
    if (match !== null) {
      filters.push({ key, path: match[1]!, op: match[2] ?? 'eq', text: value, json: undefined })
      return
    }
    const message = 'is not a parameter; a filter is written as field=value or field[operator]=value.'
    problems.push({ path: key, code: 'UNKNOWN', message })
  }
}

/** In a query, as forms send it, a `+` is a space. */
function decode(text: string): string | null {
  return decodePercent(text.includes('+') ? text.replaceAll('+', '%20') : text)
}

function isParameterName(key: string): key is ParameterName {
  return (parameterNames as readonly string[]).includes(key)
}

/** For paths without filters (one row, a write): names every parameter that has no meaning there (R23). */
export function expectParameters(
  { parameters: words, filters }: ParsedQuery,
  allowed: readonly ParameterName[],
  builder: PlanBuilder,
): void {
  const given = new Set([...Object.keys(words), ...filters.map(({ key }) => key)])
  const instead = allowed.length === 0 ? 'this request takes none' : `there is ${allowed.join(', ')}`
  for (const name of given) {
    if (builder.hasEnoughProblems) break
    if ((allowed as readonly string[]).includes(name)) continue
    builder.problem(name, 'UNKNOWN', `is not a parameter here; ${instead}.${didYouMean(name, allowed)}`)
  }
}

/** Of a path that takes none at all. */
export function expectNoParameters({ query: text }: HttpRequest): void {
  const query = parseQuery(text)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, [], builder)
  builder.finish(defaultLimits)
}
