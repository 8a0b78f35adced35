// Resolves lists of resources, and inverses of one-to-one references. Explicit `@relation(inverse:)` comes first, and its
// other side is no longer a candidate. The rest is inferred (docs/reference/schema.md#lists-of-resources):
//
//   one candidate, a reference     the list is its other side
//   one candidate, a list          the two are one many-to-many relation
//   no candidate, or a list of an  a many-to-many relation that only this side names
//   interface or a union
//   several candidates             a mistake that names them
//
// A list and a reference that both point back are two candidates: the types do not determine which one is meant.

import { checkFits } from '../directives/directive-targets.ts'
import type { Field, Link, LinksField, ReferenceField, Resource } from '../model.ts'
import { type DeclaredModel, openFields, resourcesOf, rowFieldBase } from '../parse/declare-types.ts'
import { findUse, type WordArgument, wordArgument } from '../parse/directive-arguments.ts'
import { inverseOf, leadsTo } from './inverse.ts'
import type { PendingField } from './read-fields.ts'

export function readRelations(pending: PendingField[], declarations: DeclaredModel): void {
  const lists = pending.filter(({ list }) => list)
  const relations = new Relations(declarations, lists)
  for (const single of pending) if (!single.list) relations.readSingle(single)
  for (const list of lists) relations.readExplicit(list)
  for (const list of lists) relations.infer(list)
  for (const list of lists) checkListDirectives(list, declarations)
  for (const resource of resourcesOf(declarations)) restoreOrder(resource, declarations)
}

class Relations {
  readonly #declarations: DeclaredModel
  /** Lists that are not resolved yet. */
  readonly #open: Set<PendingField>
  /** References whose other side is known, each with the types that have it: for an interface, every member has one. */
  readonly #claimed = new Map<ReferenceField, Resource[]>()

  constructor(declarations: DeclaredModel, lists: PendingField[]) {
    this.#declarations = declarations
    this.#open = new Set(lists)
  }

  /** A field without a column: the other side of a reference that is `@unique`. */
  readSingle(single: PendingField): void {
    const via = inverseOf(single, this.#declarations)
    if (!via) return
    this.#claim(via, single.owner)
    const field: Field = { kind: 'inverse', ...rowFieldBase(single.owner, single.declared), to: via.owner, via }
    openFields(single.owner).set(field.name, field)
  }

  readExplicit(list: PendingField): void {
    const name = wordArgument(findUse(list.declared.uses, 'relation'), 'inverse')
    // The other side may have named it already.
    if (!name || !this.#open.has(list)) return
    const other = this.#listNamed(list, name)
    if (other === list) {
      this.#linkTo(list, null)
    } else if (other) {
      this.#checkSaysTheSame(list, other)
      this.#linkTo(list, other)
    } else {
      const via = inverseOf(list, this.#declarations)
      this.#open.delete(list)
      if (via) this.#toMany(list, via)
    }
  }

  infer(list: PendingField): void {
    if (!this.#open.has(list)) return
    const { to } = list
    if (to.kind === 'abstract') {
      this.#linkTo(list, null)
      return
    }
    const [reference] = this.#referencesBack(list.owner, to)
    const [other] = this.#listsBack(list)
    if (this.#inverseCandidates(list).length > 1) this.#reportAmbiguous(list)
    else if (reference) this.#inferToMany(list, reference)
    else if (other && other.owner === list.owner) this.#reportTwoSelfLists(list, other)
    else if (other && this.#inverseCandidates(other).length > 1) {
      this.#reportAmbiguous(other) // the other side is ambiguous
      this.#open.delete(list)
    } else this.#linkTo(list, other ?? null)
  }

  #inferToMany(list: PendingField, via: ReferenceField): void {
    const rival = [...this.#open].find((open) => open !== list && open.owner === list.owner && open.to === list.to)
    if (!rival) {
      this.#toMany(list, via)
      return
    }
    this.#open.delete(list)
    this.#open.delete(rival)
    const { name } = list.owner
    const [first, second] = [list.declared.name, rival.declared.name]
    this.#declarations.report.at(
      rival.declared.node.name,
      `${name}.${first} and ${name}.${second} could both be the other side of ${via.owner.name}.${via.name}.`,
      `Write @relation(inverse: "${via.name}") on the one that is; the other becomes a relation of its own.`,
    )
  }

  #reportAmbiguous(list: PendingField): void {
    const candidates = this.#inverseCandidates(list)
    this.#open.delete(list)
    const to = list.to.name
    const all = candidates.map((candidate) => `${to}.${candidate}`).join(' or ')
    this.#declarations.report.at(
      list.declared.node.name,
      `${list.owner.name}.${list.declared.name} could be the other side of ${all}.`,
      `Choose one: ${list.declared.name}: [${to}!]! @relation(inverse: "${candidates[0]}").`,
    )
  }

  /** `followers` and `following` are one relation, `friends` and `blocked` are two: only the author knows. */
  #reportTwoSelfLists(list: PendingField, other: PendingField): void {
    this.#open.delete(list)
    this.#open.delete(other)
    const { name } = list.owner
    const [first, second] = [list.declared.name, other.declared.name]
    this.#declarations.report.at(
      other.declared.node.name,
      `${name}.${first} and ${name}.${second} could be the two sides of one relation, or two relations.`,
      `Write @relation(inverse: "${first}") on ${second} for one relation, or @relation(inverse: "${second}") on ${second} itself to let it stand alone.`,
    )
  }

  /** The names of the fields that could be the other side. */
  #inverseCandidates(list: PendingField): string[] {
    const references = list.to.kind === 'resource' ? this.#referencesBack(list.owner, list.to) : []
    return [...references.map(({ name }) => name), ...this.#listsBack(list).map(({ declared }) => declared.name)]
  }

  #referencesBack(to: Resource, from: Resource): ReferenceField[] {
    const references = [...from.fields.values()].filter((field) => field.kind === 'reference')
    return references.filter((field) => leadsTo(field, to) && !this.#claimed.get(field)?.includes(to))
  }

  #listsBack(list: PendingField): PendingField[] {
    return [...this.#open].filter((open) => open !== list && open.owner === list.to && open.to === list.owner)
  }

  /** The list of the other type that has this name and points back; a list that names itself stands alone. */
  #listNamed(list: PendingField, { text }: WordArgument): PendingField | undefined {
    return [...this.#open].find(
      (open) => open.declared.name === text && open.owner === list.to && open.to === list.owner,
    )
  }

  #checkSaysTheSame(list: PendingField, other: PendingField): void {
    const back = wordArgument(findUse(other.declared.uses, 'relation'), 'inverse')
    if (!back || back.text === list.declared.name) return
    this.#declarations.report.at(
      back.node,
      `${list.owner.name}.${list.declared.name} names ${other.declared.name} as its inverse, and this names another.`,
      `Write @relation(inverse: "${list.declared.name}").`,
    )
  }

  #claim(via: ReferenceField, owner: Resource): void {
    this.#claimed.set(via, [...(this.#claimed.get(via) ?? []), owner])
  }

  #toMany(list: PendingField, via: ReferenceField): void {
    this.#open.delete(list)
    this.#claim(via, list.owner)
    const base = rowFieldBase(list.owner, list.declared)
    const field: Field = { kind: 'many', ...base, to: via.owner, via, defaultChildren: [] }
    openFields(list.owner).set(field.name, field)
  }

  #linkTo(list: PendingField, other: PendingField | null): void {
    this.#open.delete(list)
    // The two sides and the link refer to each other, so the link is created first and then gets its sides.
    const link = { right: null } as Partial<Link> as Link
    link.left = linksField(list, link, 'left')
    openFields(list.owner).set(link.left.name, link.left)
    if (!other) return
    this.#open.delete(other)
    link.right = linksField(other, link, 'right')
    openFields(other.owner).set(link.right.name, link.right)
  }
}

function linksField({ owner, declared, to }: PendingField, link: Link, side: LinksField['side']): LinksField {
  return { kind: 'links', ...rowFieldBase(owner, declared), to, link, side }
}

function checkListDirectives({ owner, declared }: PendingField, { report }: DeclaredModel): void {
  const field = owner.fields.get(declared.name)
  if (field?.kind !== 'many' && field?.kind !== 'links') return
  checkFits(owner.name, declared, field.kind, report)
  const onDelete = wordArgument(findUse(declared.uses, 'relation'), 'onDelete')
  if (onDelete && field.kind === 'many') {
    report.at(
      onDelete.node,
      `onDelete belongs on the reference, and ${owner.name}.${declared.name} is its other side.`,
      `Write it on ${field.via.owner.name}.${field.via.name}.`,
    )
  } else if (onDelete) {
    report.at(onDelete.node, 'onDelete has no meaning for many-to-many: deleting a row drops its links.', 'Remove it.')
  }
}

/** Fields were added stage by stage; this restores the order of the file. */
function restoreOrder(resource: Resource, declarations: DeclaredModel): void {
  const fields = openFields(resource)
  const found = new Map(fields)
  fields.clear()
  for (const name of declarations.declared(resource).fields.keys()) {
    const field = found.get(name)
    if (field) fields.set(name, field)
  }
}
