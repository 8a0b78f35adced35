// Reads `@default`: a literal that fits the field's type and constraint, completed with the defaults of value types.

import { type ConstValueNode, Kind, print } from 'graphql/language'
import type { MistakeReport } from '../mistakes.ts'
import type { Abstract, Constraint, Json, Resource, StoredField, StoredType, ValueField } from '../model.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { violation } from '../values/check-constraint.ts'
import { checkCanBeViewer } from './auto.ts'
import { isClaimNode, readClaim } from './claims.ts'
import { readLiteral } from './literals.ts'

/** The default of a stored field; undefined if there is none, or after a mistake. */
export function readDefault(
  declared: DeclaredField,
  type: StoredType,
  constraint: Constraint | null,
  report: MistakeReport,
): Json | undefined {
  const node = findUse(declared.uses, 'default')?.args.get('value')
  if (!node) return undefined
  const what = `The default of ${declared.name}`
  if (isClaimNode(node, type)) {
    const hint = 'Write the default on a field of a type with an id.'
    report.at(node, `${what} can't be a claim: only fields of rows take one.`, hint)
    return undefined
  }
  if (node.kind === Kind.NULL) {
    if (!declared.shape.required) return null
    report.at(
      node,
      `${what} can't be null, since the field is required.`,
      'Give it a value, or make the field optional.',
    )
    return undefined
  }
  const json = readLiteral(node, type, what, report)
  if (json === undefined) return undefined
  const problem = violation(constraint, type, json)
  if (problem === null) return json
  report.at(node, `${what} ${problem}.`, 'Change the default or the @constraint.')
  return undefined
}

/** The claim whose value is the default of a field; undefined if the default is no claim, null after a mistake. */
export function readDefaultClaim(
  owner: Resource,
  declared: DeclaredField,
  type: StoredType,
  declarations: DeclaredModel,
): string | null | undefined {
  const node = findUse(declared.uses, 'default')?.args.get('value')
  if (!node || !isClaimNode(node, type)) return undefined
  return readClaim(node, type, `${owner.name}.${declared.name}`, declarations)
}

/** The row that a reference points at by default. */
export type DefaultReference = { viewer: true } | { value: string | null }

/** The default of a reference; null if there is none, or after a mistake. */
export function readReferenceDefault(
  declared: DeclaredField,
  to: Resource | Abstract,
  declarations: DeclaredModel,
): DefaultReference | null {
  const node = findUse(declared.uses, 'default')?.args.get('value')
  return node
    ? readDefaultReference(node, to, declared.shape.required, `The default of ${declared.name}`, declarations)
    : null
}

/** A row by its id, or the viewer. */
export function readDefaultReference(
  node: ConstValueNode,
  to: Resource | Abstract,
  required: boolean,
  what: string,
  declarations: DeclaredModel,
): DefaultReference | null {
  if (node.kind === Kind.STRING && !node.value.includes('\0')) return { value: node.value }
  if (node.kind === Kind.NULL && !required) return { value: null }
  if (node.kind === Kind.ENUM && node.value === 'VIEWER') {
    checkCanBeViewer(node, to, declarations)
    return { viewer: true }
  }
  const hint = `It refers to ${to.name}: write an id in quotes, VIEWER, or {claim: "…"}.`
  declarations.report.at(node, `${what} can't be ${print(node)}.`, hint)
  return null
}

/** Completes a default with the defaults of its value types, so that later stages need not look them up. */
export function completeDefault(field: StoredField | ValueField, declared: DeclaredField, report: MistakeReport): void {
  if (field.default === undefined) return
  const { json, problems } = completeJson(field.default, field)
  field.default = json
  const node = findUse(declared.uses, 'default')!.args.get('value')!
  for (const problem of problems)
    report.at(node, `The default of ${declared.name} ${problem}.`, 'Write it out in full.')
}

/** Returns a value completed with the defaults of its value types, and the mistakes that remain. */
export function completeJson(json: Json, field: StoredField | ValueField): { json: Json; problems: string[] } {
  const problems = new Set<string>()
  return { json: complete(json, field.type, [field], problems), problems: [...problems] }
}

/** `open` has the fields whose defaults are being completed: a default that needs itself would never end. */
function complete(json: Json, type: StoredType, open: (StoredField | ValueField)[], problems: Set<string>): Json {
  if (type.kind === 'list' && Array.isArray(json)) return json.map((item) => complete(item, type.of, open, problems))
  if (type.kind !== 'value' || json === null || typeof json !== 'object' || Array.isArray(json)) return json
  const whole: Record<string, Json> = {}
  for (const field of type.value.fields.values()) {
    const current = json[field.name]
    if (current !== undefined) {
      whole[field.name] = complete(current, field.type, open, problems)
    } else if (open.includes(field)) {
      problems.add('would contain itself without end')
    } else if (field.default !== undefined) {
      whole[field.name] = complete(field.default, field.type, [...open, field], problems)
    } else if (field.required) {
      problems.add(`lacks ${field.name}, which ${type.value.name} requires`)
    }
  }
  return whole
}
