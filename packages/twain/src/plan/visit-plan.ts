// The structure of plans in one place: what is inside a condition, a selection, a page and a plan. Code that looks for
// something in a plan uses these functions, so that a new kind of part is found everywhere.
//
// Rules that `authorize` puts in (guards, checks, transitions) are not visited: they belong to no request.

import { unreachable } from '#base'
import type { Abstract, Resource } from '#model'
import {
  type CustomCall,
  type CustomResult,
  type GroupedField,
  type GroupRead,
  type GroupSelection,
  type KeyPart,
  type PageRead,
  type PageShape,
  type Parameter,
  type Plan,
  type RowLocator,
  type Selection,
  type SubscriptionPlan,
  setParameters,
  type TypeSelection,
  type Where,
  type WritePlan,
} from './plan.ts'

export type AnyPlan = Plan | SubscriptionPlan | CustomCall

/** Each method is called before what is inside its part. */
export interface PlanVisitor {
  /** In the order in which a request is checked. The ids of rows that custom code names belong to no request. */
  parameter?(parameter: Parameter): void
  /** The type of the root of a plan, but of a page. */
  root?(of: Resource): void
  write?(write: WritePlan): void
  /** A part of the key that finds a row. */
  key?(part: KeyPart): void
  call?(call: CustomCall): void
  page?(read: PageRead): void
  groups?(read: GroupRead): void
  /** A condition on rows of this type, also inside another condition. */
  where?(where: Where, of: Resource | Abstract): void
  /** What is selected of one type of the rows that a page or a reference leads to. */
  type?(type: TypeSelection, of: Resource | Abstract): void
  selection?(selection: Selection, of: Resource): void
}

export function visitPlan(plan: AnyPlan, visitor: PlanVisitor): void {
  switch (plan.kind) {
    case 'one':
      visitor.root?.(plan.of)
      visitLocator(plan, visitor)
      visitSelections(plan.selections, plan.of, visitor)
      return
    case 'many':
      visitPage(plan, visitor)
      return
    case 'groups':
      visitGroups(plan, visitor)
      return
    case 'write':
      visitWrite(plan, visitor)
      visitSelections(plan.answer, plan.of, visitor)
      return
    case 'batch': {
      for (const write of plan.writes) visitWrite(write, visitor)
      const [first] = plan.writes // all writes share its selections
      if (first !== undefined) visitSelections(first.answer, first.of, visitor)
      return
    }
    case 'bulk':
      visitPage(plan.match, visitor)
      visitWrite(plan.write, visitor)
      return
    case 'subscription':
      visitor.root?.(plan.of)
      if (plan.where !== null) visitWhere(plan.where, plan.of, visitor)
      visitSelections(plan.selections, plan.of, visitor)
      return
    case 'call':
      visitor.call?.(plan)
      visitCustomResult(plan, visitor)
      return
    default:
      unreachable(plan)
  }
}

function visitWrite(write: WritePlan, visitor: PlanVisitor): void {
  visitor.root?.(write.of)
  visitor.write?.(write)
  visitLocator(write, visitor)
  if (visitor.parameter === undefined) return
  const { set, update = [], revert, ifVersion, preconditions } = write
  const { versions, otherVersions, unmodified } = preconditions ?? {}
  const values = new Set([...setParameters(set), ...setParameters(update)]) // they may share some
  for (const parameter of [...values, revert?.version, ifVersion, versions, otherVersions, unmodified?.since]) {
    if (parameter !== null && parameter !== undefined) visitor.parameter(parameter)
  }
}

function visitLocator({ id, key = [] }: RowLocator, visitor: PlanVisitor): void {
  if (id !== null) visitor.parameter?.(id)
  for (const part of key) {
    visitor.key?.(part)
    visitor.parameter?.(part.parameter)
  }
}

function visitPage(read: PageRead, visitor: PlanVisitor): void {
  const { of, within, where, page, shape } = read
  visitor.page?.(read)
  if (within !== null) visitLocator(within, visitor)
  if (where !== null) visitWhere(where, of, visitor)
  const bounds = page.kind === 'offset' ? [page.limit, page.offset] : [page.first, ...(page.after ?? [])]
  for (const parameter of bounds) if (parameter !== null) visitor.parameter?.(parameter)
  visitTypes(rowsOf(shape), of, visitor)
}

function visitGroups(read: GroupRead, visitor: PlanVisitor): void {
  const { of, within, where, timeZone, having, page } = read
  visitor.groups?.(read)
  if (within !== null) visitLocator(within, visitor)
  if (where !== null) visitWhere(where, of, visitor)
  if (visitor.parameter === undefined) return
  if (timeZone !== null) visitor.parameter(timeZone)
  for (const condition of having) if (condition.kind === 'compare') visitor.parameter(condition.parameter)
  if (page !== null) for (const parameter of [page.limit, page.offset]) visitor.parameter(parameter)
}

function visitWhere(where: Where, of: Resource | Abstract, visitor: PlanVisitor): void {
  visitor.where?.(where, of)
  if ((where.kind === 'compare' || where.kind === 'null') && where.target.kind === 'target') {
    const path = where.target.json?.path
    if (path !== undefined && 'index' in path) visitor.parameter?.(path)
  }
  if (where.kind === 'search') visitor.parameter?.(where.parameter)
  else if (where.kind === 'compare' && 'index' in where.parameter) visitor.parameter?.(where.parameter)
  for (const part of conditionsIn(where)) visitWhere(part, innerType(where, of), visitor)
}

/** The type of the rows that the conditions inside are about. */
function innerType(where: Where, of: Resource | Abstract): Resource | Abstract {
  if (where.kind === 'type') return where.of
  return 'field' in where ? where.field.to : of
}

function visitTypes(types: readonly TypeSelection[], of: Resource | Abstract, visitor: PlanVisitor): void {
  for (const type of types) {
    visitor.type?.(type, of)
    visitSelections(type.selections, type.of, visitor)
  }
}

function visitSelections(selections: readonly Selection[], of: Resource, visitor: PlanVisitor): void {
  for (const selection of selections) {
    visitor.selection?.(selection, of)
    switch (selection.kind) {
      case 'one':
        visitTypes(selection.types, selection.field.to, visitor)
        break
      case 'many':
        visitPage(selection.read, visitor)
        break
      case 'groups':
        visitGroups(selection.read, visitor)
        break
      case 'changes':
        visitor.parameter?.(selection.read.first)
        visitor.parameter?.(selection.read.below)
        break
      case 'computed':
        visitCustomResult(selection, visitor)
        break
      case 'url':
        if (selection.image !== undefined) visitor.parameter?.(selection.image)
        break
      case 'field':
        if (selection.cut !== undefined) visitor.parameter?.(selection.cut)
        break
      case 'constant':
      case 'version':
      case 'globalId':
      case 'value':
      case 'id':
      case 'transitions':
        break
      default:
        unreachable(selection)
    }
  }
}

/** The parameters of the read of named rows are bound once custom code has named them; those below it belong to the request. */
function visitCustomResult({ args, result }: Pick<CustomCall, 'args' | 'result'>, visitor: PlanVisitor): void {
  for (const { parameter } of args) visitor.parameter?.(parameter)
  if (result.kind !== 'rows') return
  const { of, where, shape } = result.read
  visitor.page?.(result.read)
  if (where !== null && visitor.where !== undefined) visitWhere(where, of, { where: visitor.where })
  visitTypes(rowsOf(shape), of, visitor)
}

/** The conditions directly inside a condition, on rows of the same type or of the type that its field leads to. */
export function conditionsIn(where: Where): readonly Where[] {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of
    case 'not':
      return [where.of]
    case 'through':
      return [where.where]
    case 'some':
    case 'none':
      return where.where === null ? [] : [where.where]
    case 'type':
      return where.where === undefined ? [] : [where.where]
    case 'compare':
    case 'null':
    case 'search':
    case 'constant':
    case 'viewer':
    case 'live':
      return []
    default:
      return unreachable(where)
  }
}

/** The condition with other conditions inside. */
export function withConditions(where: Where, change: (inner: Where) => Where): Where {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { ...where, of: where.of.map(change) }
    case 'not':
      return { ...where, of: change(where.of) }
    case 'through':
      return { ...where, where: change(where.where) }
    case 'some':
    case 'none':
      return where.where === null ? where : { ...where, where: change(where.where) }
    case 'type':
      return where.where === undefined ? where : { ...where, where: change(where.where) }
    case 'compare':
    case 'null':
    case 'search':
    case 'constant':
    case 'viewer':
    case 'live':
      return where
    default:
      return unreachable(where)
  }
}

/** Whether the condition, or one inside it, passes the test. */
export function someCondition(where: Where, test: (where: Where) => boolean): boolean {
  return test(where) || conditionsIn(where).some((part) => someCondition(part, test))
}

/** What is selected of the rows of a page. */
export function rowsOf(shape: PageShape): readonly TypeSelection[] {
  if (shape.kind === 'list') return shape.types
  return shape.selections.flatMap((selection) =>
    selection.kind === 'edges' ? selection.selections.flatMap((edge) => (edge.kind === 'node' ? edge.types : [])) : [],
  )
}

/** What is selected of the rows that a selection leads to; empty if it leads to none. */
export function rowsBelow(selection: Selection): readonly TypeSelection[] {
  switch (selection.kind) {
    case 'one':
      return selection.types
    case 'many':
      return rowsOf(selection.read.shape)
    case 'computed':
      return rowsOfResult(selection.result)
    case 'groups':
    case 'changes':
    case 'constant':
    case 'version':
    case 'globalId':
    case 'url':
    case 'field':
    case 'value':
    case 'id':
    case 'transitions':
      return []
    default:
      return unreachable(selection)
  }
}

function rowsOfResult(result: CustomResult): readonly TypeSelection[] {
  return result.kind === 'rows' ? rowsOf(result.read.shape) : []
}

/** What is selected of the root rows of a plan, by type. */
export function rootSelections(plan: Plan | SubscriptionPlan): readonly (readonly Selection[])[] {
  switch (plan.kind) {
    case 'one':
    case 'subscription':
      return [plan.selections]
    case 'many':
      return rowsOf(plan.shape).map(({ selections }) => selections)
    case 'write':
      return [plan.answer]
    case 'batch':
      return plan.writes.slice(0, 1).map(({ answer }) => answer)
    case 'groups':
    case 'bulk': // its result has no rows
      return []
    default:
      return unreachable(plan)
  }
}

/** Whether one of the selections, or one below, passes the test. */
export function someSelection(selections: readonly Selection[], test: (selection: Selection) => boolean): boolean {
  return selections.some(
    (selection) => test(selection) || rowsBelow(selection).some((rows) => someSelection(rows.selections, test)),
  )
}

/** The fields that groups have as keys or measure, each as often as the plan names it. */
export function groupedFields({ by, having, order, selections }: GroupRead): GroupedField[] {
  const keys = (by ?? []).map(({ target }) => target)
  const sorted = order.flatMap((key) => (key.kind === 'measure' ? [key] : []))
  const measures = [...having, ...sorted, ...measuresIn(selections)].map(({ measure }) => measure)
  return [...keys, ...measures.flatMap((measure) => (measure.kind === 'count' ? [] : [measure.target]))]
}

function measuresIn(selections: readonly GroupSelection[]): (GroupSelection & { kind: 'measure' })[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'object') return measuresIn(selection.selections)
    return selection.kind === 'measure' ? [selection] : []
  })
}
