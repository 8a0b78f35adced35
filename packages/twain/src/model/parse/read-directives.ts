// Checks the directives at one place of the file against their definitions: known, allowed there, not repeated, with valid
// arguments. The code that uses a directive checks its meaning.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DirectiveDefinitionNode,
  type EnumTypeDefinitionNode,
  Kind,
  parse,
  print,
  type TypeNode,
} from 'graphql/language'
import { didYouMean } from '#base'
import { declaredTwice, type MistakeReport } from '../mistakes.ts'
import { directiveDefinitions, standardDirectives } from './vocabulary.ts'

/** A directive at an allowed place, with arguments of the right types. */
export interface DirectiveUse {
  name: string
  node: ConstDirectiveNode
  args: ReadonlyMap<string, ConstValueNode>
}

/** The directive locations of the GraphQL specification, each with a plain description. */
const places = {
  SCHEMA: 'the schema',
  OBJECT: 'a type',
  INTERFACE: 'an interface',
  UNION: 'a union',
  ENUM: 'an enum',
  SCALAR: 'a scalar',
  INPUT_OBJECT: 'an input',
  FIELD_DEFINITION: 'a field',
  ARGUMENT_DEFINITION: 'an argument',
  INPUT_FIELD_DEFINITION: 'a field of an input',
  ENUM_VALUE: 'an enum value',
} as const

export type DirectivePlace = keyof typeof places

const vocabulary = new Map<string, DirectiveDefinitionNode>()
const enums = new Map<string, EnumTypeDefinitionNode>()
/** The types that Twain's directives use. */
export const vocabularyTypes = new Set<string>()
for (const definition of parse(directiveDefinitions + standardDirectives).definitions) {
  if (definition.kind === Kind.DIRECTIVE_DEFINITION) vocabulary.set(definition.name.value, definition)
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(definition.name.value, definition)
  if (definition.kind === Kind.ENUM_TYPE_DEFINITION || definition.kind === Kind.SCALAR_TYPE_DEFINITION) {
    vocabularyTypes.add(definition.name.value)
  }
}

export function isKnownDirective(name: string): boolean {
  return vocabulary.has(name)
}

/** `earlier`: those of the definition that these extend. */
export function readDirectives(
  nodes: readonly ConstDirectiveNode[] | undefined,
  place: DirectivePlace,
  report: MistakeReport,
  earlier: readonly DirectiveUse[] = [],
): DirectiveUse[] {
  const uses: DirectiveUse[] = []
  for (const node of nodes ?? []) {
    const definition = vocabulary.get(node.name.value)
    if (!definition) {
      reportUnknown(node, place, report)
      continue
    }
    const isPlaced = report.fine(() => {
      checkPlace(node, definition, place, report)
      if (!definition.repeatable) checkNotRepeated(node, uses, earlier, report)
    })
    const args = readArguments(node, definition, report)
    if (isPlaced && args !== null) uses.push({ name: node.name.value, node, args })
  }
  return uses
}

function checkNotRepeated(
  node: ConstDirectiveNode,
  here: readonly DirectiveUse[],
  earlier: readonly DirectiveUse[],
  report: MistakeReport,
): void {
  const isSame = ({ name }: DirectiveUse) => name === node.name.value
  const before = earlier.find(isSame)
  if (before) report.at(node, declaredTwice(`@${node.name.value}`, before.node, node), 'Keep one of them.')
  else if (here.some(isSame)) report.at(node, `@${node.name.value} is listed twice here.`, 'Keep one of them.')
}

function reportUnknown(node: ConstDirectiveNode, place: DirectivePlace, report: MistakeReport): void {
  const fitting = [...vocabulary.values()].filter((definition) => fitsPlace(definition, place))
  const names = fitting.map((definition) => `@${definition.name.value}`)
  const near = didYouMean(`@${node.name.value}`, names).trim()
  report.at(node, `There is no directive @${node.name.value}.`, near || `On ${places[place]}: ${names.join(', ')}.`)
}

function checkPlace(
  node: ConstDirectiveNode,
  definition: DirectiveDefinitionNode,
  place: DirectivePlace,
  report: MistakeReport,
): void {
  if (fitsPlace(definition, place)) return
  const right = definition.locations.map(({ value }) => (value in places ? places[value as DirectivePlace] : value))
  report.at(node, `@${node.name.value} can't stand on ${places[place]}.`, `It stands on ${right.join(' or ')}.`)
}

function fitsPlace(definition: DirectiveDefinitionNode, place: DirectivePlace): boolean {
  return definition.locations.some(({ value }) => value === place)
}

/** The valid ones, so that the mistakes in these are reported too. Null if a required one is missing or invalid: then nothing
 *  more can be said about the directive. A null argument counts as omitted, except where null is a value. */
function readArguments(
  node: ConstDirectiveNode,
  definition: DirectiveDefinitionNode,
  report: MistakeReport,
): ReadonlyMap<string, ConstValueNode> | null {
  const known = definition.arguments ?? []
  const seen = new Set<string>()
  const valid = new Map<string, ConstValueNode>()
  for (const argument of node.arguments ?? []) {
    const name = argument.name.value
    const isValid = report.fine(() => {
      if (seen.has(name)) report.at(argument.name, `The argument ${name} is listed twice here.`, 'Keep one of them.')
      else checkNamedArgument(node, argument, known, report)
    })
    seen.add(name)
    if (isValid && (argument.value.kind !== Kind.NULL || node.name.value === 'default')) valid.set(name, argument.value)
  }
  const required = known.filter(({ type }) => type.kind === Kind.NON_NULL_TYPE).map(({ name }) => name.value)
  for (const name of required) {
    if (!seen.has(name))
      report.at(node, `@${node.name.value} needs the argument ${name}.`, `Write ${usage(definition)}.`)
  }
  return required.every((name) => valid.has(name)) ? valid : null
}

function checkNamedArgument(
  node: ConstDirectiveNode,
  argument: DirectiveArgument,
  known: NonNullable<DirectiveDefinitionNode['arguments']>,
  report: MistakeReport,
): void {
  const name = argument.name.value
  const expected = known.find((candidate) => candidate.name.value === name)
  if (argument.value.kind === Kind.NULL && waysIn.has(node.name.value)) {
    const hint = `Write the condition, or leave ${name} out.`
    report.at(
      argument.value,
      `@${node.name.value}(${name}:) can't be null: that would admit viewers whom no rule names.`,
      hint,
    )
  } else if (expected) checkArgument(argument.value, expected.type, `@${node.name.value}(${name}:)`, report)
  else reportUnknownArgument(argument, node.name.value, known, report)
}

type DirectiveArgument = NonNullable<ConstDirectiveNode['arguments']>[number]

/** Null usually counts as omitted. An omitted condition of a rule grants more, so a null there must be reported. */
const waysIn: ReadonlySet<string> = new Set(['allow', 'next'])

function reportUnknownArgument(
  argument: DirectiveArgument,
  directive: string,
  known: NonNullable<DirectiveDefinitionNode['arguments']>,
  report: MistakeReport,
): void {
  const names = known.map(({ name }) => name.value)
  const takes = names.length > 0 ? `It takes ${names.join(', ')}.` : 'It takes no arguments.'
  report.at(
    argument.name,
    `@${directive} has no argument ${argument.name.value}.`,
    didYouMean(argument.name.value, names).trim() || takes,
  )
}

function checkArgument(value: ConstValueNode, type: TypeNode, what: string, report: MistakeReport): void {
  if (type.kind === Kind.NON_NULL_TYPE) {
    if (value.kind === Kind.NULL && !isAnyLiteral(type.type)) report.at(value, `${what} can't be null.`)
    else checkArgument(value, type.type, what, report)
    return
  }
  if (value.kind === Kind.NULL) return
  if (type.kind === Kind.LIST_TYPE) {
    // A single value stands for a list of one (GraphQL specification, 3.11).
    const items = value.kind === Kind.LIST ? value.values : [value]
    for (const item of items) checkArgument(item, type.type, what, report)
    return
  }
  const values = enums.get(type.name.value)?.values?.map(({ name }) => name.value)
  if (values) {
    if (value.kind === Kind.ENUM && values.includes(value.value)) return
    const near = didYouMean(value.kind === Kind.ENUM || value.kind === Kind.STRING ? value.value : '', values).trim()
    report.at(value, `${what} can't be ${print(value)}.`, near || `It is one of ${values.join(', ')}.`)
    return
  }
  const { fits, words } = literalKinds[type.name.value] ?? literalKinds.TwainLiteral!
  if (!fits.includes(value.kind)) report.at(value, `${what} is ${words}, not ${print(value)}.`)
}

function isAnyLiteral(type: TypeNode): boolean {
  return type.kind === Kind.NAMED_TYPE && type.name.value === 'TwainLiteral'
}

const literalKinds: Readonly<Record<string, { fits: readonly string[]; words: string }>> = {
  String: { fits: [Kind.STRING], words: 'a string in quotes' },
  Int: { fits: [Kind.INT], words: 'a whole number' },
  TwainBound: { fits: [Kind.INT, Kind.FLOAT, Kind.STRING], words: 'a number, or a date or time in quotes' },
  Boolean: { fits: [Kind.BOOLEAN], words: 'true or false' },
  TwainFilter: { fits: [Kind.OBJECT], words: 'a filter such as {status: {eq: PUBLISHED}}' },
  TwainEnumValue: { fits: [Kind.ENUM], words: 'a value of the enum, without quotes' },
  TwainLiteral: {
    fits: [Kind.STRING, Kind.INT, Kind.FLOAT, Kind.BOOLEAN, Kind.ENUM, Kind.LIST, Kind.OBJECT, Kind.NULL],
    words: 'a literal',
  },
}

function usage(definition: DirectiveDefinitionNode): string {
  const required = (definition.arguments ?? []).filter(({ type }) => type.kind === Kind.NON_NULL_TYPE)
  return `@${definition.name.value}(${required.map(({ name }) => `${name.value}: …`).join(', ')})`
}
