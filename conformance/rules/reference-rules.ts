// A reference implementation of rules, written from docs/reference/rules.md alone, slow and obvious. It shares no code with the server
// but the model.

import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { Action, AnyField, Field, Resource, Rule, Transition } from '../../packages/twain/src/model/index.ts'
import type { Where } from '../generate/oracle-values.ts'
import { claimIn, type FilterViewer, holds, isOwn } from './apply-filter.ts'
import type { PlacedRow, RowsInMemory } from './rows-in-memory.ts'

type Condition = Pick<Rule, 'who' | 'role' | 'verified' | 'where'>
type Grant = Condition & Pick<Rule, 'fields'>
type WhoPath = Extract<Rule['who'], { kind: 'path' }>['path']

function covers({ fields }: Grant, field: AnyField): boolean {
  return field.name === 'id' || fields === null || fields.includes(field)
}

export class ReferenceRules {
  readonly world: RowsInMemory
  readonly viewer: Viewer
  /** What this viewer sees, for the filters that they send. */
  readonly filterViewer: FilterViewer
  /** What a rule sees. */
  readonly #everything: FilterViewer
  readonly #claims: Readonly<Record<string, unknown>>

  constructor(world: RowsInMemory, viewer: Viewer) {
    this.world = world
    this.viewer = viewer
    this.filterViewer = {
      account: viewer.account,
      reads: (spot) => this.may('READ', spot),
      shows: (field, spot) => this.shows(field, spot),
    }
    this.#claims = usableClaims(viewer)
    this.#everything = { account: viewer.account, claims: this.#claims, reads: () => true, shows: () => true }
  }

  /** Whether a rule of the type grants the action on this row. UPDATE and DELETE need READ too. */
  may(action: Action, spot: PlacedRow): boolean {
    if ((action === 'UPDATE' || action === 'DELETE') && !this.may('READ', spot)) return false
    return this.#rulesOf(spot.of, action).some((rule) => this.#grantsRule(rule, action, spot))
  }

  /** As `may` without READ: for a row that does not exist yet. */
  grants(action: Action, spot: PlacedRow): boolean {
    return this.#rulesOf(spot.of, action).some((rule) => this.#grantsRule(rule, action, spot))
  }

  /** Rules of a field narrow the actions that they name. A rule of the type with `fields` grants these fields alone. */
  mayField(action: Action, field: Field, spot: PlacedRow): boolean {
    const rules = this.#fieldRules(field, action)
    const granting = this.#rulesOf(field.owner, action)
    const isGranted =
      !granting.some(({ fields }) => fields !== null) ||
      granting.some((rule) => covers(rule, field) && this.#grantsRule(rule, action, spot))
    if (!isGranted) return false
    return rules === null || rules.some((rule) => this.#grantsRule(rule, action, spot))
  }

  shows(field: Field, spot: PlacedRow): boolean {
    return this.mayField('READ', field, spot)
  }

  /** Whether there could be a row on which this viewer, or one of the same roles, may do this. */
  could(action: Action, of: Resource): boolean {
    if ((action === 'UPDATE' || action === 'DELETE') && !this.could('READ', of)) return false
    return this.#rulesOf(of, action).some((rule) => this.#couldGrant(rule, action))
  }

  /** Whether the transition names this viewer, on the current row. */
  grantsTransition({ who, role }: Transition, spot: PlacedRow): boolean {
    return this.#grantsRule({ who: who ?? { kind: 'anyone' }, role, verified: false, where: null }, 'UPDATE', spot)
  }

  /** Whether the row fulfils the condition of the transition. */
  meetsTransition({ where }: Transition, spot: PlacedRow): boolean {
    return where === null || holds(this.world, spot, where as Where, this.#everything)
  }

  /** Whether a transition could grant an update to a viewer of the same roles. */
  couldTransition(of: Resource): boolean {
    const transitions = [...of.fields.values()].flatMap((field) =>
      field.kind === 'stored' ? (field.stateMachine?.transitions ?? []) : [],
    )
    return (
      this.could('READ', of) &&
      transitions.some(
        ({ who, role }) =>
          (who !== null || role !== null) &&
          this.#couldGrant({ who: who ?? { kind: 'anyone' }, role, verified: false, where: null }, 'UPDATE'),
      )
    )
  }

  couldField(action: Action, field: Field): boolean {
    const rules = this.#fieldRules(field, action)
    const granting = this.#rulesOf(field.owner, action).filter((rule) => this.#couldGrant(rule, action))
    if (granting.length > 0 && !granting.some((rule) => covers(rule, field))) return false
    return rules === null || rules.some((rule) => this.#couldGrant(rule, action))
  }

  /** A type without rules is open to the admin alone, or to everyone where nobody can sign in. */
  #rulesOf(of: Resource, action: Action): Grant[] {
    if (of.rules.length > 0) return of.rules.filter(({ to }) => to.includes(action))
    const role = this.world.model.account === null ? null : 'admin'
    return [{ who: { kind: 'anyone' }, role, verified: false, where: null, fields: null }]
  }

  /** Whether the rows that refer to this row may rely on its rules. A rule for some fields counts only if one of them is the
   *  list of those rows. */
  #mayFollow(action: 'READ' | 'UPDATE', end: PlacedRow, path: WhoPath): boolean {
    if (action === 'UPDATE' && !this.may('READ', end)) return false
    return this.#followed(end.of, action, path).some((rule) => this.#grantsRule(rule, action, end))
  }

  #followed(of: Resource, action: Action, path: WhoPath): Grant[] {
    const isTheirs = (field: AnyField) =>
      path.length === 1 && (field.kind === 'many' || field.kind === 'inverse') && field.via === path[0]
    return this.#rulesOf(of, action).filter(({ fields }) => fields === null || fields.some(isTheirs))
  }

  /** Null: the field has no rule for it. Only the admin writes roles, unless a rule grants more. */
  #fieldRules(field: Field, action: Action): Condition[] | null {
    const rules = field.rules.filter(({ to }) => to.includes(action))
    if (rules.length > 0) return rules
    if (field !== this.world.model.account?.roles || action === 'READ' || action === 'DELETE') return null
    return [{ who: { kind: 'anyone' }, role: 'admin', verified: false, where: null }]
  }

  #grantsRule({ who, role, verified, where }: Condition, action: Action, spot: PlacedRow): boolean {
    if (role !== null && !this.viewer.roles.includes(role)) return false
    if (verified && this.viewer.verified !== true) return false
    if (where !== null && !holds(this.world, spot, where as Where, this.#everything)) return false
    switch (who.kind) {
      case 'anyone':
        return true
      case 'signedIn':
        return this.viewer.account !== null
      case 'self':
        return isOwn(this.world, spot, this.viewer.account)
      case 'path': {
        let ends = [spot]
        for (const field of who.path) ends = ends.flatMap(({ row }) => this.world.follow(field, row))
        if (this.#endsAtAccount(who.path.at(-1)!))
          return ends.some((end) => isOwn(this.world, end, this.viewer.account))
        return ends.some((end) => this.#mayFollow(action === 'READ' ? 'READ' : 'UPDATE', end, who.path))
      }
    }
  }

  #couldGrant({ who, role, verified, where }: Condition, action: Action): boolean {
    if (role !== null && !this.viewer.roles.includes(role)) return false
    if (verified && this.viewer.verified !== true) return false
    if (where !== null && this.#fixed(where as Where) === false) return false
    if (who.kind === 'anyone') return true
    if (who.kind !== 'path' || this.#endsAtAccount(who.path.at(-1)!)) return this.viewer.account !== null
    const { to } = who.path.at(-1)!
    const ends = to.kind === 'abstract' ? to.members : [to]
    const needed = action === 'READ' ? 'READ' : 'UPDATE'
    return ends.some(
      (end) =>
        this.could(needed, end) && this.#followed(end, needed, who.path).some((rule) => this.#couldGrant(rule, needed)),
    )
  }

  /** The result of a filter if it is the same for every possible row: without an account, `isViewer` never holds. */
  #fixed(where: Where): boolean | undefined {
    const parts = Object.entries(where).map(([key, part]) => this.#fixedPart(key, part))
    if (parts.includes(false)) return false
    return parts.every((part) => part === true) ? true : undefined
  }

  #fixedPart(key: string, part: unknown): boolean | undefined {
    if (key === 'and')
      return this.#fixed(Object.assign({}, ...(part as Where[]).map((each, index) => ({ [`and${index}`]: each }))))
    if (/^and\d+$/.test(key)) return this.#fixed(part as Where)
    if (key === 'or') {
      const each = (part as Where[]).map((inner) => this.#fixed(inner))
      if (each.includes(true)) return true
      return each.every((inner) => inner === false) ? false : undefined
    }
    if (key === 'not') {
      if (this.#lacksClaim(part)) return false // nothing is known of it, negated or not
      const inner = this.#fixed(part as Where)
      return inner === undefined ? undefined : !inner
    }
    if (this.#lacksClaim({ [key]: part })) return false
    if (key === 'isViewer') return this.viewer.account === null ? part === false : undefined
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined
    // Through a reference or a list: there may be no row at its end, so only "never" is certain.
    if (key === 'none') return this.#fixed(part as Where) === false ? true : undefined
    if (key === 'every') return this.#fixed(part as Where) === true ? true : undefined
    return this.#fixed(part as Where) === false ? false : undefined
  }

  /** Whether one of the tests of a field compares with a claim that the viewer has not. */
  #lacksClaim(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return false
    const name = claimIn(part)
    if (name !== null) return this.#claims[name] === undefined
    return Object.values(part).some((inner) => !Array.isArray(inner) && this.#lacksClaim(inner))
  }

  #endsAtAccount(field: Field): boolean {
    const { account } = this.world.model
    if (account === null || field.kind === 'stored') return false
    return field.to.kind === 'abstract' ? field.to.members.includes(account.resource) : field.to === account.resource
  }
}

/** The schemas of this suite compare `org` with texts and `level` with numbers. */
function usableClaims({ claims }: Viewer): Readonly<Record<string, unknown>> {
  const types: Record<string, string> = { org: 'string', level: 'number' }
  const isUsable = ([name, value]: [string, unknown]) => {
    const values = Array.isArray(value) ? value : [value]
    return values.length > 0 && values.every((each) => typeof each === types[name])
  }
  return Object.fromEntries(Object.entries(claims?.values ?? {}).filter(isUsable))
}
