// Reads `@default` on the other side of a reference: rows that are created together with the row, such as the first member
// of a team. They are fully checked here, so that creating them never fails because of the schema.

import {
  type ConstObjectFieldNode,
  type ConstObjectValueNode,
  type ConstValueNode,
  Kind,
  print,
} from 'graphql/language'
import { didYouMean } from '#base'
import { completeJson, readDefaultReference } from '../directives/defaults.ts'
import { readLiteral } from '../directives/literals.ts'
import type { DefaultChild, Json, ReferenceField, StoredField, ToManyField } from '../model.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { findUse } from '../parse/directive-arguments.ts'
import { violation } from '../values/check-constraint.ts'

type ChildColumn = StoredField | ReferenceField
type ChildValue = { viewer: true } | { value: Json }

export function readDefaultChildren(declarations: DeclaredModel): void {
  for (const resource of resourcesOf(declarations)) {
    for (const field of resource.fields.values()) {
      const use = findUse(declarations.declared(resource).fields.get(field.name)!.uses, 'default')
      // `@default` does not fit a many-to-many relation; the check of directive targets reports that.
      if (use && field.kind === 'many')
        field.defaultChildren.push(...readRows(use.args.get('value')!, field, declarations))
    }
  }
}

function readRows(node: ConstValueNode, list: ToManyField, declarations: DeclaredModel): DefaultChild[] {
  const rows = node.kind === Kind.LIST ? node.values : []
  if (node.kind !== Kind.LIST) reportNoRows(node, list, declarations)
  return rows.flatMap((row) => {
    if (row.kind === Kind.OBJECT) return [readRow(row, list, declarations)]
    reportNoRows(row, list, declarations)
    return []
  })
}

function reportNoRows(node: ConstValueNode, { name, to }: ToManyField, { report }: DeclaredModel): void {
  report.at(
    node,
    `The default of ${name} is a list of rows of ${to.name} to create, not ${print(node)}.`,
    `Write: [{field: …}], with the fields of ${to.name}.`,
  )
}

function readRow(node: ConstObjectValueNode, list: ToManyField, declarations: DeclaredModel): DefaultChild {
  const row = new Map<ChildColumn, ChildValue>()
  for (const member of node.fields) {
    const column = findColumn(member, list, declarations)
    if (!column) continue
    if (row.has(column))
      declarations.report.at(member.name, `${column.name} is listed twice here.`, 'Keep one of them.')
    const value =
      column.kind === 'stored' ? readStored(member, column, declarations) : readReference(member, column, declarations)
    if (value) row.set(column, value)
  }
  checkComplete(node, list, declarations)
  return row
}

/** Null after a mistake. */
function findColumn(
  { name }: ConstObjectFieldNode,
  { to, via }: ToManyField,
  declarations: DeclaredModel,
): ChildColumn | null {
  const { report } = declarations
  const field = to.fields.get(name.value)
  const what = `${to.name}.${name.value}`
  if (!field) {
    if (declarations.declared(to).fields.has(name.value)) return null
    const names = [...to.fields.values()].filter((other) => isColumn(other) && other !== via).map((other) => other.name)
    const hint = didYouMean(name.value, names).trim() || `It has ${names.join(', ')}.`
    report.at(name, `${to.name} has no field ${name.value}.`, hint)
  } else if (field === via) {
    report.at(name, `${what} is the reference back: it points at the row that is being created.`, 'Leave it out.')
  } else if (!isColumn(field)) {
    report.at(name, `${what} is not stored in the row, so it can't be set here.`, 'Leave it out.')
  } else if (field.name === 'id' || field.auto) {
    report.at(name, `${what} is set by the server.`, 'Leave it out.')
  } else return field
  return null
}

function isColumn(field: { kind: string }): field is ChildColumn {
  return field.kind === 'stored' || field.kind === 'reference'
}

function readStored(
  { value: node }: ConstObjectFieldNode,
  field: StoredField,
  { report }: DeclaredModel,
): ChildValue | null {
  const what = `${field.owner.name}.${field.name}`
  if (node.kind === Kind.NULL) {
    if (!field.required) return { value: null }
    report.at(node, `${what} can't be null, since it is required.`)
    return null
  }
  const literal = readLiteral(node, field.type, what, report)
  if (literal === undefined) return null
  const { json, problems } = completeJson(literal, field)
  const problem = violation(field.constraint, field.type, json)
  for (const each of problem ? [...problems, problem] : problems) report.at(node, `${what} ${each}.`)
  return { value: json }
}

function readReference(
  { value: node }: ConstObjectFieldNode,
  field: ReferenceField,
  declarations: DeclaredModel,
): ChildValue | null {
  return readDefaultReference(node, field.to, field.required, `${field.owner.name}.${field.name}`, declarations)
}

/** No client supplies the fields that the file leaves out. */
function checkComplete(node: ConstObjectValueNode, { to, via }: ToManyField, { report }: DeclaredModel): void {
  const written = node.fields.map(({ name }) => name.value)
  const missing = [...to.fields.values()].filter(
    (field) => isColumn(field) && field !== via && !written.includes(field.name) && isRequired(field),
  )
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name).join(', ')
  report.at(node, `A ${to.name} needs ${names}.`, 'Write it here, or add a @default to the field.')
}

function isRequired(field: ChildColumn): boolean {
  if (!field.required || field.name === 'id' || field.auto || field.default !== undefined) return false
  if (field.defaultClaim !== undefined) return false
  return field.kind === 'stored' || !field.defaultsToViewer
}
