// Reads `@unique` and `@index`: the fields that they may use, and that no index is declared twice.

import { didYouMean, maxKeyCharacters } from '#base'
import type { Field, Index, ReferenceField, Resource, StoredField } from '../model.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { wordsArgument } from '../parse/directive-arguments.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { isFolded, isText } from '../values/scalar-types.ts'
import { scalarOf } from '../values/scalars.ts'

type IndexedField = StoredField | ReferenceField

export function readIndexes(declarations: DeclaredModel): void {
  for (const resource of resourcesOf(declarations)) {
    for (const declared of declarations.declared(resource).fields.values()) {
      const field = resource.fields.get(declared.name)
      for (const use of declared.uses) {
        if (use.name !== 'unique' && use.name !== 'index') continue
        // On the id, and on fields without a column, the directive does not fit at all; the check of directive targets
        // reports that.
        if (field?.name === 'id' || (field?.kind !== 'stored' && field?.kind !== 'reference')) continue
        readIndex(resource, field, use, declarations)
      }
    }
    for (const index of resource.indexes) limitTexts(index)
  }
}

/** What the fields of an index share. An entry of PostgreSQL has at most 2,704 bytes; the id of the row and the keys of texts are
 *  part of it. */
const maxIndexBytes = 2000
const maxEntryBytes = 2600
const maxKeyBytes = 4 * maxKeyCharacters

/** Fields of a fixed size need little: all others have equal shares. */
function limitTexts({ fields }: Index): void {
  const keyBytes = maxKeyBytes * fields.filter((field) => field.kind === 'stored' && isFolded(field)).length
  const bytes = Math.min(maxIndexBytes, maxEntryBytes - keyBytes)
  const share = Math.floor(bytes / Math.max(1, fields.filter((field) => !hasFixedSize(field)).length))
  for (const field of fields) {
    if (field.kind === 'stored' && isIndexedText(field)) {
      field.maxIndexedBytes = Math.min(share, field.maxIndexedBytes ?? share)
    }
  }
}

function hasFixedSize(field: IndexedField): boolean {
  if (field.kind === 'reference') return false
  return field.type.kind === 'enum' || (field.type.kind === 'scalar' && scalarOf(field.type.name).size === 'fixed')
}

/** Exact numbers have at most 200 digits. */
function isIndexedText({ type }: StoredField): boolean {
  return type.kind === 'custom' || isText(type)
}

function readIndex(resource: Resource, field: IndexedField, use: DirectiveUse, declarations: DeclaredModel): void {
  const { report } = declarations
  const fields: IndexedField[] = [field]
  const fine = report.fine(() => {
    const reason = unfit(field)
    if (reason)
      report.at(use.node, `@${use.name} does not fit ${resource.name}.${field.name}, which is ${reason}.`, fits)
    for (const { text, node } of wordsArgument(use, 'with')) {
      const other = resource.fields.get(text)
      const problem = other && unfit(other)
      if (!other) {
        if (declarations.declared(resource).fields.has(text)) continue
        const names = [...resource.fields.values()].filter((candidate) => !unfit(candidate)).map(({ name }) => name)
        const hint = didYouMean(text, names).trim() || `It has ${names.join(', ')}.`
        report.at(node, `${resource.name} has no field ${text}.`, hint)
      } else if (problem) {
        report.at(node, `${resource.name}.${text} is ${problem}, so it can't be part of an index.`, fits)
      } else if (fields.includes(other as IndexedField)) {
        report.at(node, `${text} is already part of this index.`, 'Name each field once.')
      } else {
        fields.push(other as IndexedField)
      }
    }
  })
  if (!fine) return
  const index: Index = { unique: use.name === 'unique', fields }
  if (resource.indexes.some((before) => isSame(before, index))) {
    report.at(use.node, `${resource.name} already has this index.`, 'Write it on one of its fields only.')
  } else {
    resource.indexes.push(index)
  }
}

const fits = 'Scalars (but JSON), enums and references can be indexed.'

/** Whether `@index` may be on the field. */
export function isIndexable(field: Field): boolean {
  return unfit(field) === null
}

function unfit(field: Field): string | null {
  if (field.kind === 'reference') return null
  if (field.kind !== 'stored') return 'not stored in the row'
  if (field.type.kind === 'list') return 'a list'
  if (field.type.kind === 'value') return 'a value type'
  return field.type.kind === 'scalar' && scalarOf(field.type.name).comparison === 'none' ? field.type.name : null
}

/** The order of fields matters for a lookup index, but not for a unique one. */
function isSame(a: Index, b: Index): boolean {
  const names = ({ unique, fields }: Index) => {
    const list = fields.map(({ name }) => name)
    return (unique ? list.toSorted() : list).join(' ')
  }
  return a.unique === b.unique && names(a) === names(b)
}
