// Reads `@constraint`: each argument must fit the type of its field, and at least one value must satisfy all of them.

import { type ConstValueNode, Kind } from 'graphql/language'
import { didYouMean, formats, maxPatternTextLength, unreachable } from '#base'
import type { MistakeReport } from '../mistakes.ts'
import type { Constraint, StoredType } from '../model.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { scalarOf } from '../values/scalars.ts'
import { describe, readBound } from './literals.ts'
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
    const argument = name as keyof Constraint
    const fine = report.fine(() => checkArgument(argument, use, declared.name, type, report))
    const read = fine ? readArgument(argument, value, type, report) : undefined
    if (read !== undefined) Object.assign(constraint, { [name]: read })
  }
  checkRanges(use, constraint, report)
  return constraint
}

/** Undefined after a mistake. */
function readArgument(
  name: keyof Constraint,
  node: ConstValueNode,
  type: StoredType,
  report: MistakeReport,
): number | string | undefined {
  return name === 'min' || name === 'max' ? readBound(node, itemType(type), name, report) : literal(node)
}

function itemType(type: StoredType): StoredType {
  return type.kind === 'list' ? itemType(type.of) : type
}

type ConstraintKinds = readonly ('range' | 'text' | 'list')[]

const fitting: Readonly<Record<keyof Constraint, { kinds: ConstraintKinds; words: string }>> = {
  min: { kinds: ['range'], words: 'numbers, dates and times' },
  max: { kinds: ['range'], words: 'numbers, dates and times' },
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
      return ['text', 'range'] // see `admittedKinds`
    case 'scalar':
      if (type.isUpload === true) return []
      if (scalarOf(type.name).range !== null) return ['range']
      return scalarOf(type.name).isText ? ['text'] : []
    case 'enum':
    case 'value':
      return []
    default:
      return unreachable(type)
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
