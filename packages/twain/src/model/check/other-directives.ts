// Checks of the small directives: @search, @label, @collation, @was, @cacheControl, @cost, @resource.

import { Kind } from 'graphql/language'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField, DeclaredType, DeclaredValue } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'

/** The place of a directive in the file. */
export interface DirectiveLocation {
  type: DeclaredType
  field: DeclaredField | null
  value: DeclaredValue | null
}

export function checkSearch(use: DirectiveUse, { type, field }: DirectiveLocation, { report }: DeclaredModel): void {
  const { named, lists } = field!.shape
  if (named.name.value === 'String' && lists.length === 0) return
  report.at(
    use.node,
    `${type.name}.${field!.name} has no words to search for.`,
    '@search is for fields of the type String.',
  )
}

/** One for each type, on a value that fits on a line. */
export function checkLabel(use: DirectiveUse, { type, field }: DirectiveLocation, { report }: DeclaredModel): void {
  const { named, lists } = field!.shape
  const first = [...type.fields.values()].find(({ uses }) => findUse(uses, 'label') !== undefined)
  if (lists.length > 0 || named.name.value === 'JSON')
    report.at(use.node, `${type.name}.${field!.name} is too long for a label.`, '@label is for a single value.')
  else if (first !== field)
    report.at(
      use.node,
      `${type.name} has two labels, ${first!.name} and ${field!.name}.`,
      'Write @label on one of them.',
    )
}

export function checkCollation(use: DirectiveUse, { type, field }: DirectiveLocation, { report }: DeclaredModel): void {
  const { named, lists } = field!.shape
  if (named.name.value === 'String' && lists.length === 0) return
  const message = `The values of ${type.name}.${field!.name} have one order only.`
  report.at(use.node, message, '@collation is for fields of the type String.')
}

export function checkWas(
  use: DirectiveUse,
  { type, field, value }: DirectiveLocation,
  { outline, report }: DeclaredModel,
): void {
  const previous = wordArgument(use, 'name')
  if (!previous) return
  const present: Iterable<string> = field ? type.fields.keys() : value ? type.values.keys() : outline.types.keys()
  if (!/^[_A-Za-z][_0-9A-Za-z]*$/.test(previous.text)) {
    report.at(previous.node, `"${previous.text}" is not a name.`, 'Write the name as it stood in the file.')
  } else if ([...present].includes(previous.text)) {
    report.at(previous.node, `${previous.text} still exists, so it can't be a previous name.`, 'Remove one of the two.')
  }
}

export function checkCacheControl(use: DirectiveUse, { report }: Pick<DeclaredModel, 'report'>): void {
  const maxAge = use.args.get('maxAge')
  if (maxAge?.kind === Kind.INT && Number(maxAge.value) < 0)
    report.at(maxAge, "maxAge can't be negative.", 'Write 0 or more.')
  if (use.args.size === 0) report.at(use.node, '@cacheControl has no arguments.', 'Write: @cacheControl(maxAge: 60).')
}

export function checkCost(use: DirectiveUse, { report }: Pick<DeclaredModel, 'report'>): void {
  const weight = use.args.get('weight')
  if (weight?.kind === Kind.INT && Number(weight.value) < 0)
    report.at(weight, "A weight can't be negative.", 'Write 0 or more.')
}

export function checkResource(use: DirectiveUse, { type }: DirectiveLocation, declarations: DeclaredModel): void {
  if (declarations.types.get(type.name)?.kind !== 'value') return
  declarations.report.at(
    use.node,
    `${type.name} has no id, so it is stored inside its owner and has no path.`,
    'Add: id: ID!, or remove @resource.',
  )
}
