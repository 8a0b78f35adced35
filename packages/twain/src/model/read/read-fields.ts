// Reads the columns of a row: stored fields and references. Fields without a column (lists of resources, inverses of one-to-
// one references) are only collected, since they need all references.

import { readAuto, readReferenceAuto } from '../directives/auto.ts'
import { isBinary } from '../directives/collation.ts'
import { readConstraint } from '../directives/constraints.ts'
import { completeDefault, readDefault, readDefaultClaim, readReferenceDefault } from '../directives/defaults.ts'
import { checkFits } from '../directives/directive-targets.ts'
import { membersOf } from '../members-of.ts'
import type { Abstract, ReferenceField, Resource, StoredField, StoredType } from '../model.ts'
import { type DeclaredModel, openFields, resourcesOf, rowFieldBase } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { resolveType, wrapLists } from './resolve-type.ts'

/** A field without a column, which is resolved later. */
export interface PendingField {
  owner: Resource
  declared: DeclaredField
  to: Resource | Abstract
  list: boolean
}

export function readFields(declarations: DeclaredModel): PendingField[] {
  const pending: PendingField[] = []
  for (const owner of resourcesOf(declarations)) {
    for (const declared of declarations.declared(owner).fields.values()) {
      const later = readField(owner, declared, declarations)
      if (later) pending.push(later)
    }
  }
  return pending
}

function readField(owner: Resource, declared: DeclaredField, declarations: DeclaredModel): PendingField | null {
  const { report } = declarations
  if (findUse(declared.uses, 'computed')) return null // read-computed.ts
  const meaning = resolveType(declared.shape.named, declarations)
  checkArguments(
    declared,
    meaning?.kind === 'rows' && declared.shape.lists.length === 1 ? meaning.of : null,
    declarations,
  )
  if (!meaning) return null
  if (meaning.kind === 'stored') {
    const type = wrapLists(meaning.type, declared.shape)
    openFields(owner).set(declared.name, storedField(owner, declared, type, declarations))
    return null
  }
  const { length } = declared.shape.lists
  if (length > 1) {
    const to = meaning.of.name
    report.at(
      declared.node.type,
      `${owner.name}.${declared.name} can't be a list of lists of ${to}.`,
      `Write: [${to}!]!.`,
    )
    return null
  }
  const inverse = wordArgument(findUse(declared.uses, 'relation'), 'inverse')
  if (length === 1 || (inverse && !findUse(declared.uses, 'unique'))) {
    return { owner, declared, to: meaning.of, list: length === 1 }
  }
  openFields(owner).set(declared.name, referenceField(owner, declared, meaning.of, declarations))
  return null
}

/** A list may repeat the arguments that it has anyway (docs/reference/schema.md#generated-names); others would need
 *  custom code. */
function checkArguments(
  declared: DeclaredField,
  listed: Resource | Abstract | null,
  declarations: DeclaredModel,
): void {
  const { report } = declarations
  const search = listed !== null && isSearched(listed, declarations) ? ['search'] : []
  const listArguments = listed === null ? [] : ['offset', 'limit', 'where', 'orderBy', ...search]
  const other = declared.args.find(({ name }) => !listArguments.includes(name.value))
  if (!other) return
  const hint =
    listed !== null
      ? `A list takes ${listArguments.join(', ')} by default.`
      : `Only custom code takes arguments: write @computed behind the type of ${declared.name}.`
  report.at(other.name, `${declared.name} is not resolved by custom code, so it takes no ${other.name.value}.`, hint)
}

/** Fields are still being read, so this looks at the declarations. */
function isSearched(type: Resource | Abstract, declarations: DeclaredModel): boolean {
  return membersOf(type).some((member) =>
    [...declarations.declared(member).fields.values()].some(({ uses }) => findUse(uses, 'search') !== undefined),
  )
}

function storedField(
  owner: Resource,
  declared: DeclaredField,
  type: StoredType,
  declarations: DeclaredModel,
): StoredField {
  const { report } = declarations
  const isId = declared.name === 'id'
  checkFits(owner.name, declared, isId ? 'id' : 'stored', report)
  const constraint = isId ? null : readConstraint(declared, type, report)
  const auto = isId ? null : readAuto(owner, declared, type, report)
  const field: StoredField = {
    kind: 'stored',
    ...rowFieldBase(owner, declared),
    type,
    auto,
    constraint,
    immutable: isId || isImmutable(declared),
  }
  if (findUse(declared.uses, 'search')) field.search = true
  if (findUse(declared.uses, 'label')) field.label = true
  if (isBinary(declared)) field.collation = 'BINARY'
  const claim = isId ? undefined : readDefaultClaim(owner, declared, type, declarations)
  if (typeof claim === 'string') field.defaultClaim = claim
  const json = isId || claim !== undefined ? undefined : readDefault(declared, type, constraint, report)
  if (json !== undefined) field.default = json
  completeDefault(field, declared, report)
  return field
}

const idType: StoredType = { kind: 'scalar', name: 'ID' }

function referenceField(
  owner: Resource,
  declared: DeclaredField,
  to: Resource | Abstract,
  declarations: DeclaredModel,
): ReferenceField {
  const { report } = declarations
  checkFits(owner.name, declared, 'reference', report)
  const auto = readReferenceAuto(owner, declared, to, declarations)
  // A default beside @auto has been reported already.
  const claim = auto ? undefined : readDefaultClaim(owner, declared, idType, declarations)
  const start = auto || claim !== undefined ? null : readReferenceDefault(declared, to, declarations)
  const unique = findUse(declared.uses, 'unique')
  const isUnique = unique !== undefined && !unique.args.has('with')
  const inverse = wordArgument(findUse(declared.uses, 'relation'), 'inverse')
  if (inverse) {
    report.at(
      inverse.node,
      `${owner.name}.${declared.name} has the column (it is @unique), so it can't name an inverse.`,
      `Write @relation(inverse: "${declared.name}") on the field of ${to.name} that is the other side.`,
    )
  }
  const field: ReferenceField = {
    kind: 'reference',
    ...rowFieldBase(owner, declared),
    to,
    unique: isUnique,
    auto,
    defaultsToViewer: start !== null && 'viewer' in start,
    onDelete: onDelete(owner, declared, to, declarations),
    immutable: isImmutable(declared),
  }
  if (start && 'value' in start) field.default = start.value
  if (typeof claim === 'string') field.defaultClaim = claim
  return field
}

function onDelete(
  owner: Resource,
  declared: DeclaredField,
  to: Resource | Abstract,
  { report, file }: DeclaredModel,
): ReferenceField['onDelete'] {
  const { required } = declared.shape
  const word = wordArgument(findUse(declared.uses, 'relation'), 'onDelete')
  if (word && to === file?.resource) {
    report.at(
      word.node,
      'onDelete has no meaning for a File: the server deletes it when no row refers to it any more.',
      'Remove it.',
    )
  }
  if (!word) return required ? 'RESTRICT' : 'SET_NULL'
  if (word.text === 'SET_NULL' && required) {
    report.at(
      word.node,
      `${owner.name}.${declared.name} is required, so it can't become null.`,
      `Write RESTRICT or CASCADE, or make it optional: ${declared.name}: ${declared.shape.named.name.value}.`,
    )
  }
  return word.text as ReferenceField['onDelete']
}

function isImmutable({ uses }: DeclaredField): boolean {
  return findUse(uses, 'immutable') !== undefined
}
