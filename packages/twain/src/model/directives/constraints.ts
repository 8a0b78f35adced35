// Reads `@constraint`: each argument must fit the type of its field, and at least one value must satisfy all of them.

import { type ConstValueNode, Kind } from 'graphql/language'
import { didYouMean, formats, matchesPattern, maxPatternTextLength } from '#base'
import type { MistakeReport } from '../mistakes.ts'
import type { Constraint, Json, StoredType } from '../model.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { maxLengthForDegree, patternDegree } from './pattern-complexity.ts'

export function readConstraint(
  declared: Pick<DeclaredField, 'name' | 'uses'>,
  type: StoredType,
  report: MistakeReport,
): Constraint | null {
  const use = findUse(declared.uses, 'constraint')
  if (!use) return null
  const constraint: Constraint = {}
  for (const [name, value] of use.args) {
    const fine = report.fine(() => checkArgument(name as keyof Constraint, use, declared.name, type, report))
    if (fine) Object.assign(constraint, { [name]: literal(value) })
  }
  checkRanges(use, constraint, report)
  return constraint
}

type ConstraintKinds = readonly ('number' | 'text' | 'list')[]

const fitting: Readonly<Record<keyof Constraint, { kinds: ConstraintKinds; words: string }>> = {
  min: { kinds: ['number'], words: 'numbers' },
  max: { kinds: ['number'], words: 'numbers' },
  minLength: { kinds: ['text'], words: 'text' },
  maxLength: { kinds: ['text'], words: 'text' },
  pattern: { kinds: ['text'], words: 'text' },
  format: { kinds: ['text'], words: 'text' },
  minItems: { kinds: ['list'], words: 'lists' },
  maxItems: { kinds: ['list'], words: 'lists' },
}

function checkArgument(
  name: keyof Constraint,
  use: DirectiveUse,
  field: string,
  type: StoredType,
  report: MistakeReport,
) {
  const node = use.args.get(name)!
  const { kinds, words } = fitting[name]
  const has = kindsOf(type)
  if (!kinds.some((kind) => has.includes(kind))) {
    const right = Object.entries(fitting).filter(([, argument]) => argument.kinds.some((kind) => has.includes(kind)))
    const hint = right.length > 0 ? `It can have ${right.map(([argument]) => argument).join(', ')}.` : 'Remove it.'
    report.at(node, `${name} is for ${words}, and ${field} is ${describe(type)}.`, hint)
    return
  }
  const value = literal(node)
  if (typeof value === 'number' && /Length|Items/.test(name) && value < 0) {
    report.at(node, `${name} can't be negative.`, 'Write 0 or more.')
  }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    report.at(node, `${name} is too large to be stored exactly.`, `Stay within ±${Number.MAX_SAFE_INTEGER}.`)
  }
  if (name === 'format') checkFormat(String(value), node, report)
  if (name === 'pattern') checkPattern(String(value), use, node, report)
}

/** The constraint arguments that fit a type; for a list, those of the list and of its items. */
function kindsOf(type: StoredType): ConstraintKinds {
  switch (type.kind) {
    case 'list':
      return ['list', ...kindsOf(type.of)]
    case 'custom':
      return ['text', 'number'] // see `admittedKinds`
    case 'scalar':
      if (type.isUpload === true) return []
      if (['Int', 'Float', 'Decimal', 'BigInt'].includes(type.name)) return ['number']
      return type.name === 'String' || type.name === 'ID' ? ['text'] : []
    default:
      return []
  }
}

function checkFormat(format: string, node: ConstValueNode, report: MistakeReport): void {
  if (Object.hasOwn(formats, format)) return
  const names = Object.keys(formats)
  report.at(node, `There is no format "${format}".`, didYouMean(format, names).trim() || `Known: ${names.join(', ')}.`)
}

function checkPattern(pattern: string, use: DirectiveUse, node: ConstValueNode, report: MistakeReport): void {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : ''
    report.at(
      node,
      `The pattern is not a regular expression: ${reason}.`,
      'It is read with the u flag, as JSON Schema does.',
    )
    return
  }
  checkPatternTime(pattern, use, node, report)
}

function checkPatternTime(pattern: string, use: DirectiveUse, node: ConstValueNode, report: MistakeReport): void {
  const degree = patternDegree(pattern)
  if (degree === Number.POSITIVE_INFINITY) {
    const hint =
      'Let each repetition begin or end with a character that the rest of it can\'t have, as in "^[a-z]+(-[a-z]+)*$", or repeat one class: "^[a-z-]+$".'
    report.at(node, 'The pattern has nested repetitions: a short text could block the server.', hint)
    return
  }
  const written = use.args.get('maxLength')
  const length = written === undefined ? maxPatternTextLength : Number(literal(written))
  const allowed = maxLengthForDegree(degree)
  if (length <= allowed) return
  const hint = `Write maxLength: ${allowed} or less, or begin the pattern with ^ and separate its repetitions by characters that they can't match.`
  report.at(node, `The pattern would take too long on a text of ${length} characters.`, hint)
}

function checkRanges(use: DirectiveUse, constraint: Constraint, report: MistakeReport): void {
  const pairs = [
    ['min', 'max'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
  ] as const
  for (const [min, max] of pairs) {
    const low = constraint[min]
    const high = constraint[max]
    if (low === undefined || high === undefined || low <= high) continue
    report.at(use.args.get(min)!, `${min} is ${low} and ${max} is ${high}: no value fits.`, 'Swap them.')
  }
}

function literal(node: ConstValueNode): number | string {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value)
  return node.kind === Kind.STRING ? node.value : ''
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

/** A custom scalar is any JSON, but with a constraint only what the constraint is about: a string, a number, or one of both.
 *  Null: any JSON. */
export function admittedKinds(constraint: Constraint): readonly ('string' | 'number')[] | null {
  const { min, max, minLength, maxLength, pattern, format } = constraint
  const isOfText = [minLength, maxLength, pattern, format].some((one) => one !== undefined)
  const isOfNumbers = [min, max].some((one) => one !== undefined)
  if (isOfText) return isOfNumbers ? ['string', 'number'] : ['string']
  return isOfNumbers ? ['number'] : null
}

/** Describes how a canonical value violates its constraint, as a sentence without a subject; null if it does not. */
export function broken(value: Json, type: StoredType, constraint: Constraint): string | null {
  if (type.kind === 'list' && Array.isArray(value)) return brokenByItems(value, type, constraint)
  if (type.kind === 'custom') {
    const kinds: readonly string[] | null = admittedKinds(constraint)
    if (kinds !== null && !kinds.includes(typeof value)) return `is no ${kinds.join(' and no ')}`
  }
  if (typeof value === 'number') return brokenByNumber(value, constraint)
  if (typeof value !== 'string') return null
  const { minLength, maxLength, pattern, format } = constraint
  const length = [...value].length
  if (minLength !== undefined && length < minLength) return `has fewer than ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `has more than ${maxLength} characters`
  if (pattern !== undefined) {
    if (maxLength === undefined && length > maxPatternTextLength)
      return `has more than ${maxPatternTextLength} characters`
    if (!matchesPattern(value, pattern)) return `does not match the pattern ${pattern}`
  }
  if (format !== undefined && !formats[format]!(value)) return `is not of the format ${format}`
  // A Decimal or BigInt is a string in JSON and a number for its constraint.
  return type.kind === 'custom' ? null : brokenByNumber(Number(value), constraint)
}

function brokenByItems(items: Json[], { of }: StoredType & { kind: 'list' }, constraint: Constraint): string | null {
  const { minItems, maxItems } = constraint
  if (minItems !== undefined && items.length < minItems) return `has fewer than ${minItems} items`
  if (maxItems !== undefined && items.length > maxItems) return `has more than ${maxItems} items`
  for (const item of items) {
    const { minItems: _least, maxItems: _most, ...each } = constraint
    const problem = item === null ? null : broken(item, of, Array.isArray(item) ? constraint : each)
    if (problem) return `has an item that ${problem}`
  }
  return null
}

function brokenByNumber(value: number, { min, max }: Constraint): string | null {
  if (min !== undefined && value < min) return `is less than ${min}`
  if (max !== undefined && value > max) return `is more than ${max}`
  return null
}
